"""The methods that the papers, and users, compare with."""

from halflabel.baselines.binary_relevance import BinaryRelevance
from halflabel.baselines.linear_svm import LinearSVM
from halflabel.baselines.lpp import LPP
from halflabel.baselines.mlknn import MLkNN
from halflabel.baselines.mlsi import MLSI
from halflabel.baselines.other_labels import OtherLabels

__all__ = ["LPP", "MLSI", "BinaryRelevance", "LinearSVM", "MLkNN", "OtherLabels"]
