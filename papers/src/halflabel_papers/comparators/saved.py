"""The classes of this package that a model file may hold: an entry point of the group ``halflabel.classes``."""

from halflabel.methods.base import PartialLabelEstimator
from halflabel_papers import comparators
from halflabel_papers.comparators.fasttag import Enriched
from halflabel_papers.comparators.kernel_svm import Machines
from halflabel_papers.comparators.leml import LowRankMap
from halflabel_papers.comparators.mlrgl import RankingFunctions
from halflabel_papers.comparators.positive_heads import LinearHead
from halflabel_papers.comparators.rank_svm import Ranking

#: The estimators of :mod:`halflabel_papers.comparators` that predict labels.
METHODS: tuple[type, ...] = tuple(
    kind
    for kind in (getattr(comparators, name) for name in comparators.__all__)
    if issubclass(kind, PartialLabelEstimator)
)

#: The classifier of ``OtherLabels`` may belong to another library. Then saving raises.
CLASSES: tuple[type, ...] = (*METHODS, LinearHead, Enriched, Machines, LowRankMap, RankingFunctions, Ranking)
