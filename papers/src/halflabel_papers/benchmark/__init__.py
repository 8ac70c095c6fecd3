"""The board: methods for missing labels on public sets, under ways of missing with fixed seeds, from records only."""
