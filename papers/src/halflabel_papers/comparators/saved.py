"""The classes of this package that a model file may hold: an entry point of the group ``halflabel.classes``."""

from halflabel_papers.comparators import (
    CPLST,
    EPR,
    LEML,
    MLGFHF,
    MLRGL,
    ROLE,
    SPLC,
    ElkanNoto,
    FastTag,
    Hill,
    KernelSVM,
    OtherLabels,
    RankSVM,
)
from halflabel_papers.comparators.fasttag import Enriched
from halflabel_papers.comparators.kernel_svm import Machines
from halflabel_papers.comparators.leml import LowRankMap
from halflabel_papers.comparators.mlrgl import RankingFunctions
from halflabel_papers.comparators.positive_heads import LinearHead
from halflabel_papers.comparators.rank_svm import Ranking

#: The classifier of the first may belong to another library. Then saving raises.
CLASSES: tuple[type, ...] = (
    OtherLabels,
    ElkanNoto,
    EPR,
    ROLE,
    Hill,
    SPLC,
    LinearHead,
    FastTag,
    Enriched,
    KernelSVM,
    Machines,
    CPLST,
    LEML,
    LowRankMap,
    MLGFHF,
    MLRGL,
    RankingFunctions,
    RankSVM,
    Ranking,
)
