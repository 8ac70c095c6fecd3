"""The methods that the papers, and users, compare with."""

from halflabel.methods.baselines.binary_relevance import BinaryRelevance
from halflabel.methods.baselines.canonical import CanonicalCorrelation
from halflabel.methods.baselines.correct_and_smooth import CorrectAndSmooth
from halflabel.methods.baselines.fasttag import FastTag
from halflabel.methods.baselines.glocal import GLOCAL
from halflabel.methods.baselines.lda import LDA
from halflabel.methods.baselines.leml import LEML
from halflabel.methods.baselines.linear_svm import LinearSVM
from halflabel.methods.baselines.lpp import LPP
from halflabel.methods.baselines.mlgfhf import MLGFHF
from halflabel.methods.baselines.mlknn import MLkNN
from halflabel.methods.baselines.mlrgl import MLRGL
from halflabel.methods.baselines.mlsi import MLSI
from halflabel.methods.baselines.other_labels import OtherLabels
from halflabel.methods.baselines.positive_heads import EPR, ElkanNoto
from halflabel.methods.baselines.rank_svm import RankSVM
from halflabel.methods.baselines.role import ROLE
from halflabel.methods.baselines.smile import SMILE

__all__ = [
    "EPR",
    "GLOCAL",
    "LDA",
    "LEML",
    "LPP",
    "MLGFHF",
    "MLRGL",
    "MLSI",
    "ROLE",
    "SMILE",
    "BinaryRelevance",
    "CanonicalCorrelation",
    "CorrectAndSmooth",
    "ElkanNoto",
    "FastTag",
    "LinearSVM",
    "MLkNN",
    "OtherLabels",
    "RankSVM",
]
