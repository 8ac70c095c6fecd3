"""The methods that the papers, and users, compare with."""

from halflabel.baselines.binary_relevance import BinaryRelevance

__all__ = ["BinaryRelevance"]
