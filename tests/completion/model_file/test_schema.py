"""The annotations of a record as the schema of a file: each kind of field with values that fit and that do not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from halflabel._arrays import Floats, Ints, Mask
from halflabel.completion.model_file.schema import check_state
from halflabel.labels.calibration import Calibration
from halflabel.methods.auto.beta_calibration import ModeratedPlatt
from halflabel.methods.auto.trees import Trees
from halflabel.methods.baselines import MLkNN


@dataclass(frozen=True)
class Part:
    """A record within another one."""

    size: float


@dataclass(frozen=True)
class Record:
    """One field of each kind that the records of a model have."""

    number: float = 0.0
    count: int = 0
    flag: bool = False
    name: str = ""
    rule: Literal["sum", "mean", 2] = "sum"
    maybe: str | None = None
    nothing: None = None
    floats: Floats = field(default_factory=lambda: np.empty(0))
    ints: Ints = field(default_factory=lambda: np.empty(0, int))
    mask: Mask = field(default_factory=lambda: np.empty(0, bool))
    codes: NDArray[np.uint8] = field(default_factory=lambda: np.empty(0, np.uint8))
    things: NDArray[Any] = field(default_factory=lambda: np.empty(0))
    pair: tuple[str, int] = ("", 0)
    names: tuple[str, ...] = ()
    rows: list[int] = field(default_factory=list)
    table: Mapping[str, int] = field(default_factory=dict)
    matrix: Any = None
    weights: sparse.csr_array | None = None
    part: Part | None = None
    rescale: Callable[[Floats], Floats] | None = None


WEIGHTS = sparse.csr_array(np.eye(2))
VALUES: dict[str, tuple[list[Any], list[Any]]] = {
    "number": ([0.5, 2], [True, "0.5", None]),
    "count": ([2], [0.5, True]),
    "flag": ([True], [1]),
    "name": (["x"], [1, None]),
    "rule": (["mean", 2], ["max", 2.0]),
    "maybe": (["x", None], [1]),
    "nothing": ([None], [0]),
    "floats": ([np.zeros(2), np.zeros((2, 2), np.float32)], [np.zeros(2, int), np.zeros(2, bool), [0.0]]),
    "ints": ([np.zeros(2, np.int8), np.zeros(2, np.uint8)], [np.zeros(2), np.zeros(2, bool)]),
    "mask": ([np.zeros(2, bool)], [np.zeros(2, np.int8)]),
    "codes": ([np.zeros(2, np.uint8), np.zeros(2, int)], [np.zeros(2)]),
    "things": ([np.zeros(2), np.array(["a"])], [[0.0]]),
    "pair": ([("a", 1)], [("a",), ("a", 1, 2), (1, "a"), ["a", 1]]),
    "names": ([(), ("a", "b")], [("a", 1), ["a"], "a"]),
    "rows": ([[1, 2], []], [[1, "2"], (1, 2)]),
    "table": ([{"a": 1}, {}], [{1: 1}, {"a": "1"}, [("a", 1)]]),
    "matrix": ([np.zeros((2, 2)), WEIGHTS, None, "word", 1.5, Part(1.0)], [[1.0], {"a": 1}, (1.0,)]),
    "weights": ([WEIGHTS, None], [np.eye(2)]),
    "part": ([Part(1.0), None], [1.0, {"size": 1.0}]),
    "rescale": ([Part(1.0), None], [abs, "abs"]),
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_a_value_must_be_of_the_declared_type(name):
    fitting, others = VALUES[name]
    for value in fitting:
        check_state(Record, {name: value})
    for value in others:
        with pytest.raises(ValueError, match=rf"Record\.{name} is not of the declared type"):
            check_state(Record, {name: value})


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
def test_numbers_must_be_finite(bad):
    sick = WEIGHTS.copy()
    sick.data[0] = bad
    for name, value in {"number": bad, "floats": np.array([1.0, bad]), "weights": sick, "matrix": sick}.items():
        with pytest.raises(ValueError, match=rf"Record\.{name} is not finite"):
            check_state(Record, {name: value})


def test_the_fields_are_those_of_the_class():
    check_state(Part, {"size": 1.0})
    with pytest.raises(ValueError, match=r"Part\.size is missing"):
        check_state(Part, {})
    with pytest.raises(ValueError, match="Part has no field 'a'"):
        check_state(Part, {"size": 1.0, "a": 1})
    with pytest.raises(ValueError, match="the state of a Part is not a table of fields"):
        check_state(Part, [1.0])


FITTED = ("n_features_in_", "sparse_features_", "single_label_", "label_names_", "thresholds_", "calibration_")


@pytest.fixture(scope="module")
def state():
    relevant = np.arange(8)[:, None] % 2
    fit = vars(MLkNN(n_neighbors=2).fit(np.eye(8)[:, :3], relevant))
    return {name: value for name, value in fit.items() if name not in MLkNN._transductive}


@pytest.mark.parametrize("name", FITTED)
def test_attributes_of_a_fit_are_there_and_have_the_declared_types(name, state):
    with pytest.raises(ValueError, match=f"MLkNN.{name} is missing"):
        check_state(MLkNN, {key: value for key, value in state.items() if key != name})
    for odd in (None, "x", 0.5, [], {}, np.array(["x"])):
        with pytest.raises(ValueError, match=f"MLkNN.{name} is not of the declared type"):
            check_state(MLkNN, {**state, name: odd})


def test_attributes_hide_no_method_and_lack_no_parameter(state):
    check_state(MLkNN, state)
    with pytest.raises(ValueError, match="MLkNN has no field 'predict'"):
        check_state(MLkNN, {**state, "predict": 3})
    with pytest.raises(ValueError, match="Own has no field 'feature_names_seen'"):
        check_state(type("Own", (MLkNN,), {"feature_names_seen": property(lambda self: 1)}),
                         {**state, "feature_names_seen": 1})  # fmt: skip
    with pytest.raises(ValueError, match=r"MLkNN\.n_neighbors is missing"):
        check_state(MLkNN, {name: value for name, value in state.items() if name != "n_neighbors"})
    for odd in ([], {**state, 3: 1}):
        with pytest.raises(ValueError, match="the state of a MLkNN is not a table of fields"):
            check_state(MLkNN, odd)


def plant(**changes: Any) -> dict[str, Any]:
    """Return the state of one tree: a root (0) with two leaves (1, 2)."""
    tree = {
        "feature": np.array([3, 0, 0]),
        "threshold": np.array([0.5, np.inf, np.inf]),
        "left": np.array([1, 1, 2]),
        "right": np.array([2, 1, 2]),
        "leaf": np.array([0, 0, 1]),
        "roots": np.array([0]),
        "values": np.array([[0.25], [0.75]]),
    }
    return {**tree, **changes}


class TestTrees:
    def test_a_tree_is_read(self):
        check_state(Trees, plant())
        check_state(Trees, plant(roots=np.array([0, 2])))
        check_state(Trees, plant(leaf=np.array([9, 0, 1])))  # the entry of an inner node is not used

    @pytest.mark.parametrize(
        "change",
        [
            {"left": np.array([0, 1, 2])},  # back to the root
            {"right": np.array([0, 1, 2])},
            {"left": np.array([1, 2, 2])},  # a leaf that goes on
            {"right": np.array([2, 1, 1])},
            {"left": np.array([3, 1, 2])},  # behind the last node
        ],
    )
    def test_every_way_ends_in_a_leaf(self, change):
        with pytest.raises(ValueError, match="a way that does not end in a leaf"):
            check_state(Trees, plant(**change))

    @pytest.mark.parametrize(
        "change",
        [
            {"roots": np.array([], int)},
            {"roots": np.array([3])},
            {"roots": np.array([-1])},
            {"leaf": np.array([0, 0, 2])},
            {"leaf": np.array([0, -1, 1])},
            {"feature": np.array([-1, 0, 0])},
        ],
    )
    def test_indices_are_within_the_arrays(self, change):
        with pytest.raises(ValueError, match="a tree points outside its arrays"):
            check_state(Trees, plant(**change))

    @pytest.mark.parametrize("name", ["threshold", "left", "right", "leaf"])
    def test_arrays_have_one_length(self, name):
        with pytest.raises(ValueError, match="the arrays of a tree have different lengths"):
            check_state(Trees, plant(**{name: plant()[name][:2]}))
        with pytest.raises(ValueError, match="the arrays of a tree have different lengths"):
            check_state(Trees, plant(values=np.array([0.25, 0.75])))


@given(st.lists(st.tuples(*[st.floats(-3, 3)] * 3), min_size=1, max_size=3))
def test_an_uncertainty_is_that_of_a_calibration_or_an_error(entries):
    """Else its root is not a number for some items, and for others it is."""
    covariance = np.array(entries).T
    blank = np.zeros(covariance.shape[1])
    state = {"platt": Calibration(0.0, 1.0, blank + 1, blank, blank + 0.5), "covariance": covariance}
    matrices = np.array([[[a, b], [b, c]] for a, b, c in entries])
    lowest = np.linalg.eigvalsh(matrices).min()
    if lowest < -1e-6:
        with pytest.raises(ValueError, match="the uncertainty of a calibration is negative"):
            check_state(ModeratedPlatt, state)
    elif lowest > 1e-6:
        check_state(ModeratedPlatt, state)
