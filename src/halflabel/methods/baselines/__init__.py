"""Methods for comparison. The distribution halflabel-papers has the methods that only papers compare with."""

from halflabel.methods.baselines.binary_relevance import BinaryRelevance
from halflabel.methods.baselines.mlknn import MLkNN

__all__ = ["BinaryRelevance", "MLkNN"]
