"""Measurements of a paper's statements that are not predictions: one module per paper."""
