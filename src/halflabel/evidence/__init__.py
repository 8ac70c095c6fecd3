"""Evidence about completed labels, from arrays to tables. Its modules neither read files nor draw."""
