"""Evidence about completed labels: arrays in, tables out; nothing here reads a file or draws."""
