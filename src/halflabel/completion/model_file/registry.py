"""The classes that a model file may hold: the methods of this library and the records that they are made of.

A class that becomes part of a fitted method is added here; a model with another class is not saved. Another installed
distribution adds its own by an entry point of the group ``halflabel.classes``, which names a tuple of classes. Only the
listed classes are ever built from a file, by their names.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import entry_points
from types import MappingProxyType

from halflabel.corrections.fit import Corrected
from halflabel.corrections.order import CORRECTIONS
from halflabel.labels.calibration import Calibration
from halflabel.labels.rules import Rule
from halflabel.methods.auto import AutoLabeler, CalibratedPrior, MixedLabeler
from halflabel.methods.auto.beta_calibration import BetaCurve, CheckedCalibration, ModeratedPlatt
from halflabel.methods.auto.coupling import Coupling
from halflabel.methods.auto.ensemble import CalibratedMember, Ensemble
from halflabel.methods.auto.features import Coordinates, Weighting
from halflabel.methods.auto.forest import Forest
from halflabel.methods.auto.graph import Neighbourhood
from halflabel.methods.auto.harmonic import NodeValues
from halflabel.methods.auto.kernel import KernelRegression
from halflabel.methods.auto.logistic import LinearScores
from halflabel.methods.auto.mixed import LabelFeatures
from halflabel.methods.auto.new_items import NewItemDecision
from halflabel.methods.auto.residuals import LabelForests, Refiner
from halflabel.methods.auto.trees import Trees
from halflabel.methods.baselines import BinaryRelevance, MLkNN
from halflabel.methods.matrix_completion import MC1, MCb
from halflabel.methods.ssdrmc import SSDRMC
from halflabel.methods.vvmr import VVMR, LowRankVVMR
from halflabel.methods.vvmr.kernel_setting import KernelSetting
from halflabel.numerics.kernels import KernelRidge, NystroemMap
from halflabel.numerics.scaling import Scaler
from halflabel.table import FeatureEncoder, Roles
from halflabel.table.imputation import Filling
from halflabel.table.tag_notations import TagNotation

#: The way a table is read.
TABLE = (Roles, FeatureEncoder, Filling, TagNotation)

#: Parts of several methods.
SHARED = (Calibration, Rule, KernelRidge, NystroemMap, Scaler)

#: The corrections of probabilities, and their learned records.
CORRECTED = (Corrected, *(kind for each in CORRECTIONS for kind in each.saved))

AUTO = (
    AutoLabeler,
    MixedLabeler,
    LabelFeatures,
    CalibratedPrior,
    Weighting,
    Coordinates,
    Neighbourhood,
    Ensemble,
    CalibratedMember,
    KernelRegression,
    NodeValues,
    Forest,
    Trees,
    LinearScores,
    Refiner,
    Coupling,
    LabelForests,
    CheckedCalibration,
    ModeratedPlatt,
    BetaCurve,
    NewItemDecision,
)

METHODS = (SSDRMC, MC1, MCb, VVMR, LowRankVVMR, KernelSetting)

#: The classifier of the first one may belong to another library, so that saving it raises.
BASELINES = (BinaryRelevance, MLkNN)

CLASSES: tuple[type, ...] = (*TABLE, *SHARED, *CORRECTED, *AUTO, *METHODS, *BASELINES)


def load_added_classes() -> tuple[type, ...]:
    """Return the classes that other installed distributions add."""
    return tuple(kind for entry in entry_points(group="halflabel.classes") for kind in entry.load())


def list_by_name(*classes: type) -> Mapping[str, type]:
    """Return classes by their names. Raise if two classes have the same name."""
    by_name = {kind.__name__: kind for kind in classes}
    if len(by_name) < len(classes):
        names = [kind.__name__ for kind in classes]
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"classes of a model file need distinct names, but {', '.join(twice)} appears twice.")
    return MappingProxyType(by_name)
