"""Measurements of a paper's statements that are no predictions: one module per paper."""
