"""The methods that the papers, and users, compare with."""

from halflabel.baselines.binary_relevance import BinaryRelevance
from halflabel.baselines.fasttag import FastTag
from halflabel.baselines.lda import LDA
from halflabel.baselines.leml import LEML
from halflabel.baselines.linear_svm import LinearSVM
from halflabel.baselines.lpp import LPP
from halflabel.baselines.mlgfhf import MLGFHF
from halflabel.baselines.mlknn import MLkNN
from halflabel.baselines.mlrgl import MLRGL
from halflabel.baselines.mlsi import MLSI
from halflabel.baselines.other_labels import OtherLabels
from halflabel.baselines.rank_svm import RankSVM

__all__ = [
    "LDA",
    "LEML",
    "LPP",
    "MLGFHF",
    "MLRGL",
    "MLSI",
    "BinaryRelevance",
    "FastTag",
    "LinearSVM",
    "MLkNN",
    "OtherLabels",
    "RankSVM",
]
