"""The classes of this package that a model file may hold: an entry point of the group ``halflabel.classes``."""

from halflabel_papers.comparators import (
    CPLST,
    EPR,
    GLOCAL,
    LEML,
    LSML,
    MLGFHF,
    MLRGL,
    ROLE,
    SMILE,
    SPLC,
    CorrectAndSmooth,
    ElkanNoto,
    EntropyMaximisation,
    FastTag,
    Hill,
    LargeLoss,
    NonNegativePU,
    OtherLabels,
    RankSVM,
)
from halflabel_papers.comparators.fasttag import Enriched
from halflabel_papers.comparators.leml import LowRankMap
from halflabel_papers.comparators.mlrgl import RankingFunctions
from halflabel_papers.comparators.positive_heads import LinearHead
from halflabel_papers.comparators.rank_svm import Ranking
from halflabel_papers.comparators.smile import AffineMap

#: The classifiers of the first two may belong to another library, so that saving them raises for those.
CLASSES: tuple[type, ...] = (
    OtherLabels,
    CorrectAndSmooth,
    ElkanNoto,
    EPR,
    ROLE,
    Hill,
    SPLC,
    LargeLoss,
    EntropyMaximisation,
    NonNegativePU,
    LinearHead,
    FastTag,
    Enriched,
    GLOCAL,
    CPLST,
    LSML,
    LEML,
    LowRankMap,
    MLGFHF,
    MLRGL,
    RankingFunctions,
    RankSVM,
    Ranking,
    SMILE,
    AffineMap,
)
