"""One word for random choices: no public function has a parameter seed, and the old name works with a warning."""

import inspect

import numpy as np
import pytest
from tests.completion.test_review_list import complete, open_songs
from tests.evaluation.conftest import RATES

import halflabel as hl
from halflabel._forwarding import accept_seed
from halflabel.completion import Completion
from halflabel.completion.evidence import Evidence
from halflabel.evaluation.comparison import DEFAULT
from halflabel.report.plotting import Plots

OWNERS = (hl, Completion, Evidence, Plots)
PUBLIC = {
    f"{owner.__name__}.{name}": value
    for owner in OWNERS
    for name, value in inspect.getmembers(owner, callable)
    if not name.startswith("_")
}


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_no_public_function_has_a_parameter_seed(name):
    names = set(inspect.signature(PUBLIC[name]).parameters)
    assert "seed" not in names or name == "Completion.finish"  # a number that is committed, not a random state


def evaluate_songs(**given):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(40, 2)), rng.choice([0, 1, np.nan], size=(40, 2))
    return hl.evaluate(X, Y, methods={DEFAULT: RATES, "rate": RATES}, repeats=2, curve=False, **given)


@pytest.fixture(scope="module")
def filled():
    return complete(open_songs())


@pytest.mark.parametrize(
    "use",
    [
        lambda filled, **given: filled.map(1, method="pca", **given).coordinates.to_numpy().tolist(),
        lambda filled, **given: evaluate_songs(**given).records["average_precision"].tolist(),
    ],
    ids=["map", "evaluate"],
)
def test_the_old_name_gives_the_same_with_a_warning(filled, use):
    expected = use(filled, random_state=3)
    with pytest.warns(FutureWarning, match=r"\(seed=\) is now \w+(\.\w+)?\(random_state=\)"):
        assert use(filled, seed=3) == expected


def test_both_names_are_an_error():
    @accept_seed
    def draw(n: int, random_state: int = 0) -> tuple[int, int]:
        return n, random_state

    assert draw(1, 2) == draw(1, random_state=2) == (1, 2)
    with pytest.raises(TypeError, match="and not both"):
        draw(1, random_state=2, seed=3)
