"""Methods of a person's own: names, classifiers, and objects with fit(X, Y) and predict_proba(X)."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from tests.conftest import half_labelled

import halflabel as hl
from halflabel.methods.baselines import BinaryRelevance
from halflabel.methods.masked_targets import score_columns
from halflabel.methods.own import OwnMethod, as_method


class Plain:
    """Nearest known neighbour of each label, without any class of another library."""

    def fit(self, X, Y):
        assert np.isnan(Y).any()
        self.X, self.Y = np.asarray(X), Y
        return self

    def predict_proba(self, X):
        near = ((np.asarray(X)[:, None] - self.X) ** 2).sum(axis=2)
        return np.column_stack(
            [0.1 + 0.8 * column[known][near[:, known].argmin(axis=1)]
             for column, known in zip(self.Y.T, ~np.isnan(self.Y.T), strict=True)]
        )  # fmt: skip


OWN = {
    "name": "mc-1",
    "class": hl.SSDRMC,
    "classifier": LogisticRegression(),
    "forest": RandomForestClassifier(5, random_state=0),
    "masked": hl.MaskedTargets(LogisticRegression()),
    "plain": Plain(),
}


@pytest.mark.parametrize("method", OWN.values(), ids=OWN)
def test_complete_takes_a_method_of_ones_own(rng, method):
    X, Y, truth = half_labelled(rng)
    filled = hl.complete(X, Y, method=method)
    gaps = np.isnan(Y)
    assert ((filled.state > 0) == (truth > 0))[gaps].mean() > 0.75
    np.testing.assert_array_equal(filled.state[~gaps] > 0, Y[~gaps] > 0)
    p = np.asarray(filled.probabilities)
    assert ((p >= 0) & (p <= 1)).all()
    assert filled.rule.name == ("probable" if isinstance(filled.model, OwnMethod | BinaryRelevance) else "micro_f1")


def test_the_entries_of_a_fold_are_gaps_of_the_fit_that_scores_them(rng):
    X, Y, _ = half_labelled(rng)
    seen = []

    class Watched(Plain):
        def __deepcopy__(self, memo):
            return Watched()

        def fit(self, X, Y):
            seen.append(~np.isnan(Y))
            return super().fit(X, Y)

    model = OwnMethod(Watched(), n_folds=3).fit(X, Y)
    whole, *folds = seen
    assert len(folds) == 3
    assert sum((whole & ~fold).astype(int) for fold in folds).tolist() == whole.astype(int).tolist()
    assert np.isfinite(model.out_of_fold_scores_[~np.isnan(Y)]).all()


@pytest.mark.parametrize("method", [LogisticRegression(), Plain(), "vvmr"])
def test_evaluate_compares_a_method_of_ones_own_with_the_default(rng, method):
    X, Y, _ = half_labelled(rng)
    result = hl.evaluate(X, Y, methods={"mine": method}, repeats=2, curve=False, effort="fast")
    assert result.summary.index.tolist() == ["halflabel", "mine"]
    assert "mine" in result.advice


@pytest.mark.parametrize(
    ("wrong", "kind", "sentence"),
    [
        ("mc2", ValueError, "there is no method 'mc2': "),
        (3, TypeError, r"int is not a method: give the name of one \(AutoLabeler, "),
        (np.mean, TypeError, r"fit\(X, Y\), where NaN in Y is a gap"),
    ],
)
def test_anything_else_is_answered(wrong, kind, sentence):
    with pytest.raises(kind, match=sentence):
        as_method(wrong)


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_generators_of_numpy_decide_like_seeds(rng, make):
    X, Y, _ = half_labelled(rng)
    one, again, other = (hl.complete(X, Y, random_state=make(seed), effort="fast") for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.probabilities, again.probabilities)
    assert (np.asarray(one.probabilities) != np.asarray(other.probabilities)).any()
    assert isinstance(one.model.random_state, int)
    hl.complete(X, Y, method=hl.AutoLabeler("fast", random_state=make(1)))
    hl.AutoLabeler("fast", random_state=make(1)).fit(X, Y)


def p_of(X, value=0.5, n_labels=3):
    return np.full((len(X), n_labels), value)


#: Results of an estimator of one's own that are invalid, and a part of the sentence about each.
INVALID = {
    "rows": (lambda X: p_of(X[1:]), r"shape \(\d+, 3\), but there are \d+ items and 3 labels"),
    "one row": (lambda X: p_of(X[:1]), r"shape \(1, 3\), but"),
    "columns": (lambda X: p_of(X, n_labels=5), r"shape \(\d+, 5\), but"),
    "three axes": (lambda X: p_of(X)[:, :, None], r"shape \(\d+, 3, 1\), but"),
    "list": (lambda X: [p_of(X, n_labels=2)] * 2, r"shape \(\d+, 2\), but"),
    "nothing": (lambda X: None, r"shape \(\), but"),
    "text": (lambda X: np.full((len(X), 3), "yes"), "did not return an array of numbers"),
    "sparse": (lambda X: csr_matrix(p_of(X)), "did not return an array of numbers"),
    "above 1": (lambda X: p_of(X, 7), "returned 7: return numbers between 0 and 1"),
    "below 0": (lambda X: p_of(X, -0.5), "returned -0.5: return numbers between 0 and 1"),
    "infinite": (lambda X: p_of(X, np.inf), "returned inf: return numbers between 0 and 1"),
    "some NaN": (lambda X: np.where(np.arange(3) == np.arange(len(X))[:, None], np.nan, 0.5), "or NaN for all items"),
}


@pytest.mark.parametrize(("result", "sentence"), INVALID.values(), ids=INVALID)
def test_an_invalid_result_is_one_sentence(rng, result, sentence):
    class Broken(Plain):
        def predict_proba(self, X):
            return result(X)

    X, Y, _ = half_labelled(rng)
    with pytest.raises(ValueError, match=rf"^Broken\.predict_proba .*{sentence}.*\.$"):
        OwnMethod(Broken()).fit(X, Y)


def test_a_list_has_one_column_for_a_label_of_one_value(rng):
    """The column of a forest is the probability of this value, which may be 0."""
    X, Y, _ = half_labelled(rng)
    forest = RandomForestClassifier(5, random_state=0).fit(X, np.nan_to_num(Y) * [1, 0, 1])
    scores = score_columns(forest, X, 3)
    assert np.isnan(scores).all(axis=0).tolist() == [False, True, False]


@pytest.mark.parametrize("lost", [[0], [0, 1, 2]])
def test_labels_without_any_score_are_named(rng, lost):
    class Silent(Plain):
        def predict_proba(self, X):
            p = super().predict_proba(X)
            p[:, lost] = np.nan
            return p

    X, Y, _ = half_labelled(rng)
    with pytest.warns(
        UserWarning, match=f"{len(lost)} of 3 labels have no score from Silent, which returned NaN"
    ) as seen:
        filled = hl.complete(X, Y, method=Silent())
    assert all(filled.labels.names[j] in str(seen[0].message) for j in lost)
    assert np.asarray(filled.probabilities)[:, lost].std(axis=0).max() < 1e-12
