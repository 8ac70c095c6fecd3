"""AutoLabeler: the order of its steps with a given ensemble, and its behaviour with a real one."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit
from tests.conftest import half_labelled
from tests.methods.parameters import check_parameters

from halflabel import AutoLabeler, PartialLabels
from halflabel._progress import report_progress
from halflabel.completion.model_file.archive import load_tree, save_tree
from halflabel.completion.model_file.saving import saved_classes
from halflabel.labels.calibration import fit_platt
from halflabel.labels.metrics import micro_f1
from halflabel.labels.positive_only import mark_unassigned
from halflabel.methods.auto import fit as steps
from halflabel.methods.auto.effort import DEFAULT_MEMBERS
from halflabel.methods.auto.ensemble import MEMBERS, FittedEnsemble
from halflabel.methods.auto.prior import WithPrior
from halflabel.methods.auto.residuals import Refined
from halflabel.methods.canonical_order import order_items
from halflabel.numerics.column_order import order_columns

pytestmark = pytest.mark.usefixtures("small_forests")

NAN = np.nan

#: The labels of the given ensemble: its log odds are the first feature times these numbers.
COEFFICIENTS = {"rock": 1.0, "sad": -2.0, "live": 0.5}

X = np.array([[0.5, 1], [-1.5, 2], [2.5, 3], [-0.25, 4], [1.25, 5], [-2.0, 6], [0.75, 7], [-0.6, 8], [1.6, 9]])
COMPLETE = np.array([[1, 0, 1], [0, 1, 0], [1, 0, 0], [0, 1, 1], [1, 1, 1], [0, 0, 0], [1, 0, 1]])
SCORES = X[:, :1] * list(COEFFICIENTS.values())


def name(table):
    return pd.DataFrame(table, columns=list(COEFFICIENTS))


def whole():
    """Return labels of seven items, and none of two."""
    return name(np.vstack([COMPLETE, np.full((2, 3), NAN)]))


def gapped():
    table = whole().to_numpy(copy=True)
    table[[0, 3, 4], [1, 0, 2]] = NAN
    return name(table)


@pytest.fixture
def given(monkeypatch):
    """Put a given ensemble in place of the fitted one; out of fold, its log odds are higher by one half."""
    asked = SimpleNamespace(tasks=[], names=[])

    def fit_ensemble(task, names):
        asked.tasks.append(task)
        asked.names.append(names)
        coefficients = np.array([COEFFICIENTS[name] for name in task.labels.names])
        scores, folds = task.X[:, :1] * coefficients, task.folds
        held_out = np.where(folds.fold[:, None] < 0, NAN, scores[folds.rows] + 0.5)
        model = SimpleNamespace(predict=lambda items: items.X[:, :1] * coefficients)
        parts = {"member": scores.astype(np.float32)}
        return FittedEnsemble(scores, held_out, model, {"member": 0.1}, {"member": 0.75}, parts)

    monkeypatch.setattr(steps, "fit_ensemble", fit_ensemble)
    return asked


@pytest.fixture
def refined(monkeypatch):
    """Put a given second stage in place of the fitted one: it adds 1 to log odds, and 2 to those of new items."""
    asked = SimpleNamespace(calls=[], nnz=1, forests=None)

    def refine(labels, log_odds, rng, *, groups=None):
        asked.calls.append((labels, log_odds, groups))
        changes = bool(asked.nnz or asked.forests)
        model = SimpleNamespace(changes_scores=changes, predict=lambda scores, labels: scores + 2)
        return Refined(log_odds + 1, np.where(labels.observed, log_odds + 1, NAN), model)

    monkeypatch.setattr(steps, "refine", refine)
    return asked


def fit(y, **arguments):
    return AutoLabeler("fast", scale=None, n_folds=2).fit(X, y, **arguments)


def raw_scores(y):
    """Return the log odds of the given ensemble, those of labelled items out of fold, in the caller's order."""
    return SCORES + 0.5 * y.notna().any(axis=1).to_numpy()[:, None]


# -- a given ensemble ------------------------------------------------------------


def test_labelled_items_have_their_out_of_fold_scores(given):
    y = whole()
    model = fit(y)
    np.testing.assert_allclose(model.label_scores_, raw_scores(y))
    np.testing.assert_allclose(model.out_of_fold_scores_, np.where(y.isna(), NAN, raw_scores(y)))
    assert sorted(np.bincount(model.folds_[:7])) == [3, 4]
    assert model.folds_[7:].tolist() == [-1, -1]
    assert (model.ensemble_calibration_, model.new_item_decision_, model.refiner_) == (None, None, None)
    assert (model.prior_weights_, model.weights_, model.neighbourhood_) == (None, None, None)
    assert not model.coupled_
    assert model.member_weights_ == {"member": 0.75}
    assert list(model.members_) == ["member", "ensemble", "label rate"]
    errors = (model.label_probabilities_ - y)[:7]
    assert model.members_["ensemble"] == pytest.approx((errors**2).to_numpy().mean())
    assert model.members_["label rate"] == pytest.approx(((y - y.mean())[:7] ** 2).to_numpy().mean())
    assert model.decision_function(X[:2]) == pytest.approx(SCORES[:2])


def test_a_label_with_one_value_has_no_score(given):
    y = whole()
    y.loc[:6, "live"] = 1
    with pytest.warns(UserWarning, match="cannot be learned"):
        model = fit(y)
    assert np.isnan(model.label_scores_[:, 2]).all()
    assert np.isnan(model.decision_function(X)[:, 2]).all()
    used = (model.label_probabilities_ - y).iloc[:7, :2]
    assert model.members_["ensemble"] == pytest.approx((used**2).to_numpy().mean())


@pytest.mark.parametrize(
    ("features", "members", "names"),
    [
        ("numbers", None, ("kernel", "trees")),
        ("words", None, ("kernel", "trees", "reconstruction")),
        ("words", ("trees",), ("trees",)),
        ("numbers", tuple(MEMBERS), tuple(MEMBERS)),
    ],
)
def test_text_features_have_an_additional_member(given, monkeypatch, features, members, names):
    effort = steps.EFFORTS["fast"]
    monkeypatch.setattr(steps, "uses_graph", lambda names: False)
    monkeypatch.setitem(steps.EFFORTS, "fast", replace(effort, text_members=("reconstruction",)))
    items = X if features == "numbers" else np.eye(9)
    AutoLabeler("fast", members=members, n_folds=2).fit(items, whole())
    assert given.names == [names]


def test_partly_observed_items_are_refined_after_a_calibration(given, refined):
    y = gapped()
    model = fit(y)
    raw, labels = raw_scores(y), PartialLabels.from_table(y)
    labelled = np.arange(9) < 7
    platt = fit_platt(np.where(labelled[:, None], raw, NAN), labels)
    calibrated = logit(platt(raw))
    np.testing.assert_allclose(model.label_scores_, calibrated + 1, atol=1e-6)
    np.testing.assert_allclose(model.out_of_fold_scores_, np.where(y.isna(), NAN, calibrated + 1), atol=1e-6)
    [(seen, log_odds, groups)] = refined.calls
    assert groups is None
    order = [list(COEFFICIENTS).index(each) for each in seen.names]
    np.testing.assert_allclose(np.sort(log_odds, axis=0), np.sort(calibrated[:, order], axis=0), atol=1e-6)
    np.testing.assert_array_equal(seen.state.sum(axis=0), labels.state.sum(axis=0)[order])
    new = logit(platt(SCORES[:3]))
    np.testing.assert_allclose(model.decision_function(X[:3]), new, atol=1e-6)
    np.testing.assert_allclose(model.predict_proba(X[:3]), model.new_item_decision_.calibration(new), atol=1e-6)


@pytest.mark.parametrize(
    ("nnz", "forests", "prior", "coupled", "has_refiner"),
    [
        (0, None, False, False, False),
        (3, None, False, True, True),
        (0, "trees", False, True, True),
        (3, None, True, True, False),
    ],
)
def test_the_second_stage_is_kept_for_new_items_without_a_prior(
    given, refined, nnz, forests, prior, coupled, has_refiner
):
    refined.nnz, refined.forests = nnz, forests
    arguments = {"prior": np.full((9, 3), 0.25) + 0.5 * (SCORES > 0)} if prior else {}
    model = fit(gapped(), **arguments)
    assert model.coupled_ is coupled
    assert (model.refiner_ is not None) == has_refiner


def test_new_items_with_known_labels_are_decided_by_refined_scores(given, refined):
    model = fit(gapped())
    known = PartialLabels.from_table(name([[1, NAN, NAN], [NAN, NAN, NAN], [NAN, 0, 1]]))
    relevant, p = model.complete_both(X[:3], known)
    scores = model.decision_function(X[:3])
    np.testing.assert_allclose(p[[0, 2]], model.calibration_((scores + 2)[[0, 2]]))
    np.testing.assert_allclose(p[1], model.new_item_decision_.calibration(scores[1:2])[0])
    decided = np.where(known.observed, known.relevant, p >= model.thresholds_)
    np.testing.assert_array_equal(relevant[[0, 2]], decided[[0, 2]])
    np.testing.assert_array_equal(relevant[1], p[1] >= model.new_item_decision_.thresholds)
    model.refiner_ = None
    np.testing.assert_allclose(model.complete_both(X[:3], known)[1], model.new_item_decision_.calibration(scores))


def test_groups_stay_together_in_both_stages(given, refined):
    groups = np.array([5, 5, 7, 7, 9, 9, 5, 7, 9])
    model = fit(gapped(), groups=groups)
    pairs = set(zip(groups[:7], model.folds_[:7], strict=True))
    assert len(pairs) == 3
    numbers = refined.calls[0][2]
    place = [int(np.flatnonzero((task_X == row).all(axis=1))[0]) for task_X in [given.tasks[0].X] for row in X]
    assert len(set(zip(groups, numbers[place], strict=True))) == 3


def test_a_prior_is_added_to_the_calibrated_ensemble(given, monkeypatch):
    y, asked = whole(), []
    prior = np.full((9, 3), 0.5)
    prior[[1, 8], [2, 0]] = NAN

    def add_prior(prior, scores, labels, folds):
        asked.append((prior, scores, folds))
        alone = np.where(np.isnan(prior), NAN, 0.0 * scores + 0.2)
        return WithPrior(scores - 3, alone, (0.5, 0.25))

    monkeypatch.setattr(steps, "add_prior", add_prior)
    model = fit(y, prior=prior)
    raw = raw_scores(y)
    calibrated = logit(fit_platt(np.where(np.arange(9)[:, None] < 7, raw, NAN), PartialLabels.from_table(y))(raw))
    np.testing.assert_allclose(model.label_scores_, calibrated - 3, atol=1e-6)
    assert model.prior_weights_ == (0.5, 0.25)
    used = y.notna().to_numpy() & ~np.isnan(prior)
    assert used.sum() == 20
    assert model.members_["prior"] == pytest.approx(np.mean((expit(0.2) - y.to_numpy())[used] ** 2))
    assert model.members_["without prior"] == pytest.approx(np.mean((expit(calibrated) - y.to_numpy())[used] ** 2))
    assert np.isnan(asked[0][0]).sum() == 2
    assert not model.coupled_


@pytest.mark.parametrize("with_prior", [False, True])
def test_a_single_labelled_item_calibrates_nothing(given, refined, monkeypatch, with_prior):
    y = name(np.vstack([[[1, 0, NAN]], np.full((8, 3), NAN)]))
    monkeypatch.setattr(
        steps, "add_prior", lambda prior, scores, labels, folds: WithPrior(scores, 0 * scores, (0.5, 0.5))
    )
    arguments = {"prior": np.full((9, 3), 0.5)} if with_prior else {}
    with pytest.warns(UserWarning, match="cannot be learned"):
        model = fit(y, **arguments)
    assert model.ensemble_calibration_ is None
    assert refined.calls == []
    assert model.folds_[0] == -1
    assert np.isnan(model.out_of_fold_scores_).all()
    if with_prior:
        assert np.isnan(model.members_["prior"])


def test_entries_that_do_not_calibrate_are_hidden_from_calibrations(given, refined):
    y = gapped()
    used = np.ones((9, 3), dtype=bool)
    used[[1, 2], [0, 1]] = False
    model = fit(y, calibrate_on=used)
    raw = raw_scores(y)
    platt = fit_platt(np.where(np.arange(9)[:, None] < 7, raw, NAN), PartialLabels.from_table(y.where(used)))
    np.testing.assert_allclose(model.label_scores_, logit(platt(raw)) + 1, atol=1e-6)
    known = y.notna().to_numpy() & used
    errors = (model.label_probabilities_ - y.to_numpy())[known]
    assert model.members_["ensemble"] == pytest.approx(np.mean(errors**2))


# -- a real one ------------------------------------------------------------------


def test_the_graph_is_there_for_evidence(rng):
    X, Y, _ = half_labelled(rng)
    model = AutoLabeler("fast", members=("harmonic",)).fit(X, Y)
    assert model.weights_.shape == (60, 60)
    np.testing.assert_allclose(model.weights_.sum(axis=1), 1)
    assert AutoLabeler("fast").fit(X, Y).weights_ is None


@pytest.mark.parametrize("members", [DEFAULT_MEMBERS, ("kernel", "trees")], ids=["default", "fast"])
def test_a_saved_model_predicts_the_same_bits(rng, tmp_path, members):
    X, Y, _ = half_labelled(rng)
    model = AutoLabeler("fast", members=members).fit(X, Y)
    save_tree(tmp_path / "model.halflabel", {"model": model}, saved_classes())
    again = load_tree(tmp_path / "model.halflabel", saved_classes())["model"]
    new = rng.normal(size=(25, 5))
    assert again.predict_proba(new).tobytes() == model.predict_proba(new).tobytes()
    np.testing.assert_array_equal(again.predict(new), model.predict(new))
    assert not hasattr(again, "transduction_")


def test_it_reports_its_progress(rng):
    X, Y, _ = half_labelled(rng)
    stages = []
    with report_progress(lambda stage, done, total: stages.append(stage)):
        AutoLabeler("fast").fit(X, Y)
    assert {"fitting members", "kernel ridge", "growing trees"} <= set(stages)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"effort": "much"}, "effort must be one of 'fast', 'default', 'best', not 'much'"),
        ({"members": ("kernel", "svm")}, "members must be among kernel, .*, not \\('kernel', 'svm'\\)"),
        ({"members": ()}, "at least one"),
        ({"n_folds": 1.5}, "n_folds must be a whole number of at least 2, or None, not 1.5"),
        (
            {"random_state": "luck"},
            "random_state must be a whole number of at least 0, a generator of NumPy, or None",
        ),
        ({"random_state": -1}, "random_state must be"),
        ({"scale": "unit"}, "scale must be 'auto', 'standard', 'idf' or None, not 'unit'"),
    ],
)
def test_invalid_parameters_raise(rng, settings, sentence):
    X, Y, _ = half_labelled(rng)
    with pytest.raises(ValueError, match=sentence):
        AutoLabeler(**settings).fit(X, Y)


def test_thresholds_of_new_items_are_those_of_items_without_observed_labels(rng):
    """Labels correlate: the probabilities of a partly observed item are more extreme than those of a new one."""
    X, shared = rng.normal(size=(1300, 3)), rng.random(1300)
    rate = 0.05 + 0.2 * (X[:, :1] > 0)
    truth = (np.where(rng.random((1300, 4)) < 0.9, shared[:, None], rng.random((1300, 4))) < rate).astype(float)
    given = np.where(rng.random((300, 4)) < 0.5, truth[:300], np.nan)
    model = AutoLabeler("fast", rule="micro_f1").fit(X[:300], given)
    assert model.coupled_
    gaps = np.isnan(given)
    np.testing.assert_array_equal(
        model.transduction_[gaps], (model.label_probabilities_ >= model.thresholds_)[gaps].astype(int)
    )
    assert (model.new_item_decision_.thresholds < model.thresholds_).all()
    new = PartialLabels.from_table(truth[300:])
    as_fitted = model.predict_proba(X[300:]) >= model.thresholds_
    assert micro_f1(new, model.predict(X[300:])) > micro_f1(new, as_fitted.astype(int)) + 0.1


@pytest.mark.parametrize("gaps", [False, True], ids=["items", "entries"])
def test_a_single_group_does_not_count_as_held_out(rng, gaps):
    X, Y, _ = half_labelled(rng)
    if gaps:
        Y[np.flatnonzero(~np.isnan(Y[:, 0]))[::4], 0] = np.nan
    model = AutoLabeler("fast").fit(X, Y, groups=np.zeros(60))
    known = ~np.isnan(Y)
    rates = np.nanmean(Y, axis=0)
    np.testing.assert_allclose(model.label_probabilities_[known], np.broadcast_to(rates, Y.shape)[known], atol=0.05)


def test_from_positive_only_labels_it_learns_what_is_assigned(rng):
    X, Y, _ = half_labelled(rng, 90)
    labels = PartialLabels.from_positives(np.where(rng.random(Y.shape) < 0.3, np.minimum(Y, 0), Y))
    order = order_items(X, mark_unassigned(labels))
    columns = order_columns(mark_unassigned(labels[order]).state)
    X, labels = X[order], labels[order].select(columns)  # the sigmoids below are summed in the same order
    model, plain = (
        AutoLabeler("fast", observed_rate=0.7).fit(X, labels),
        AutoLabeler("fast").fit(X, mark_unassigned(labels)),
    )
    np.testing.assert_array_equal(model.label_scores_, plain.label_scores_)
    np.testing.assert_array_equal(model.assigned_probabilities_, plain.label_probabilities_)
    assert model.members_ == plain.members_
    annotated = labels.annotated
    errors = (model.assigned_probabilities_ - labels.relevant)[annotated] ** 2
    assert model.members_["ensemble"] == pytest.approx(errors.mean())
    rates = labels.relevant[annotated].mean(axis=0)
    assert model.members_["label rate"] == pytest.approx(((rates - labels.relevant) ** 2)[annotated].mean())
    assert not model.coupled_  # a label that an annotated item lacks counts as irrelevant: no item is partly observed


def test_parameters_are_those_of_the_docstring():
    check_parameters(AutoLabeler("fast"), n_neighbors=1, n_folds=2)
