"""The methods that the papers compare with, and later ones, with the interface of every method of halflabel."""

from halflabel_papers.comparators.canonical import CanonicalCorrelation
from halflabel_papers.comparators.cplst import CPLST
from halflabel_papers.comparators.fasttag import FastTag
from halflabel_papers.comparators.gaussian_mixture import GaussianMixtureImputer
from halflabel_papers.comparators.kernel_svm import KernelSVM
from halflabel_papers.comparators.leml import LEML
from halflabel_papers.comparators.linear_svm import LinearSVM
from halflabel_papers.comparators.lpp import LPP
from halflabel_papers.comparators.missing_losses import SPLC, Hill
from halflabel_papers.comparators.mlgfhf import MLGFHF
from halflabel_papers.comparators.mlrgl import MLRGL
from halflabel_papers.comparators.mlsi import MLSI, ToolboxMLSI
from halflabel_papers.comparators.other_labels import OtherLabels
from halflabel_papers.comparators.positive_heads import EPR, ElkanNoto
from halflabel_papers.comparators.rank_svm import RankSVM
from halflabel_papers.comparators.role import ROLE

__all__ = [
    "CPLST",
    "EPR",
    "LEML",
    "LPP",
    "MLGFHF",
    "MLRGL",
    "MLSI",
    "ROLE",
    "SPLC",
    "CanonicalCorrelation",
    "ElkanNoto",
    "FastTag",
    "GaussianMixtureImputer",
    "Hill",
    "KernelSVM",
    "LinearSVM",
    "OtherLabels",
    "RankSVM",
    "ToolboxMLSI",
]
