"""A name of scikit-learn that has another name here is answered by one line."""

from __future__ import annotations

import copy
import logging
import pickle

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier
from sklearn.metrics import brier_score_loss, f1_score
from sklearn.model_selection import cross_val_predict
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from tests.conftest import half_labelled

import halflabel as hl
from halflabel._arguments import GUESSES
from halflabel.methods.baselines import MLkNN

ARGUMENTS = ("X", "y", "seed", "n_jobs", "verbose", "threshold", "sample_weight", "missing_values", "groups",
             "feature_names")  # fmt: skip
ATTRIBUTES = ("predict", "predict_proba", "score", "to_frame", "fit", "transform")


@pytest.fixture
def filled(rng, one_member):
    X, Y, _ = half_labelled(rng)
    return hl.complete(X, Y)


@pytest.mark.parametrize("call", [hl.complete, hl.evaluate, hl.open_table])
@pytest.mark.parametrize("name", ARGUMENTS)
def test_a_guessed_argument_has_its_right_name(call, name):
    with pytest.raises(TypeError) as error:
        call(**{name: 1})
    assert str(error.value).endswith(f"{name!r}: {GUESSES[name]}.")


def test_a_misspelt_argument_has_the_nearest_name():
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'label'\. Did you mean 'labels'"):
        hl.complete([], label="rock")


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_a_guessed_attribute_has_its_right_name(filled, name):
    with pytest.raises(AttributeError) as error:
        getattr(filled, name)
    assert str(error.value) == f"a Completion has no {name!r}: {GUESSES[name]}."


def test_a_completion_is_copied_and_pickled_in_spite_of_the_answers(filled):
    assert not hasattr(filled, "_private")
    for again in (copy.deepcopy(filled), pickle.loads(pickle.dumps(filled))):  # noqa: S301
        np.testing.assert_array_equal(again.state, filled.state)
    with pytest.raises(AttributeError, match="Did you mean 'suspects'"):
        _ = filled.suspect


METHODS = (hl.SSDRMC(), hl.VVMR(), hl.MC1(), hl.MCb(), hl.LowRankVVMR(), hl.AutoLabeler("fast"), MLkNN())
MISUSES = {
    "cross_val_predict": lambda model, X, T: cross_val_predict(model, X, T, cv=2, method="predict_proba"),
    "outputs": lambda model, X, T: MultiOutputClassifier(model).fit(X, T).predict_proba(X),
    "chain": lambda model, X, T: ClassifierChain(model).fit(X, T).predict_proba(X),
    "calibrated": lambda model, X, T: CalibratedClassifierCV(model, cv=2).fit(X, T[:, 0]),
    "bagging": lambda model, X, T: BaggingClassifier(model, n_estimators=1).fit(X, T[:, 0]).predict_proba(X),
}


@pytest.mark.parametrize(
    ("model", "misuse"),
    [*((model, "cross_val_predict") for model in METHODS), *((METHODS[-1], name) for name in list(MISUSES)[1:])],
    ids=lambda case: case if isinstance(case, str) else type(case).__name__,
)
@pytest.mark.filterwarnings("ignore")
def test_what_would_recode_labels_names_the_right_tools(model, misuse, rng):
    X = rng.normal(size=(40, 3))
    T = (X[:, :2] > 0).astype(int)
    with pytest.raises(AttributeError, match=r"has no classes_.*\.out_of_fold, or halflabel\.MaskedTargets") as error:
        MISUSES[misuse](model, X, T)
    assert str(error.value).count(". ") == 0


def test_labels_with_gaps_become_an_array(rng):
    _, Y, _ = half_labelled(rng)
    labels = hl.PartialLabels.from_table(Y)
    np.testing.assert_array_equal(np.asarray(labels), Y)
    assert np.asarray(labels, dtype=np.float32).dtype == np.float32


def test_progress_is_a_callback_and_a_logger(rng, caplog):
    X, Y, _ = half_labelled(rng)
    stages = []
    with caplog.at_level(logging.INFO, "halflabel"), hl.report_progress(lambda *step: stages.append(step)):
        hl.evaluate(X, Y, methods={"mine": MLkNN(), "halflabel": MLkNN(3)}, repeats=2, curve=False)
    assert stages
    assert {name for name, _, _ in stages} >= {record.getMessage().split(":")[0] for record in caplog.records} != set()


def test_metrics_take_arrays_with_gaps_and_equal_those_of_scikit_learn_without(rng):
    truth, p = (rng.random((50, 3)) < 0.5).astype(float), rng.random((50, 3))
    m = hl.metrics
    assert m.micro_f1(truth, p > 0.5) == pytest.approx(f1_score(truth, p > 0.5, average="micro"))
    assert m.brier(truth[:, 0], p[:, [0]]) == pytest.approx(brier_score_loss(truth[:, 0], p[:, 0]))
    gaps = rng.random(truth.shape) < 0.4
    half, noise = np.where(gaps, np.nan, truth), np.where(gaps, rng.random(p.shape), p)
    for name, metric in m.METRICS.items():
        answers = [p > 0.5, noise > 0.5] if metric.needs == "labels" else [p, noise]
        values = [getattr(m, name)(half, answer) for answer in answers]
        assert values[0] == values[1], name  # what is predicted for a gap does not count
        assert getattr(m, name)(half, answers[0]) == getattr(m, name)(hl.PartialLabels.from_table(half), answers[0])
