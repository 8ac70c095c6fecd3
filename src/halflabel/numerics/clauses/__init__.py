"""Clauses about labels: implied labels, the closest valid probabilities, and the best valid labels."""
