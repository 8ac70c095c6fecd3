import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.special import expit

from halflabel.corrections.rules import ValidLabels, check_rules
from halflabel.labels.label_rules import LabelRules

KINDS = ["one of", "at most one of"]


@st.composite
def rule_sets(draw, max_labels=9):
    """Draw rules between labels that do not contradict one another."""
    names = tuple("abcdefghi"[: draw(st.integers(2, max_labels))])
    texts = []
    for _ in range(draw(st.integers(1, 7))):
        some = draw(st.permutations(names))[: draw(st.integers(2, len(names)))]
        kind = draw(st.sampled_from(KINDS))
        text = draw(st.sampled_from([f"{some[0]} -> {some[1]}"] * 2 + [f"{kind}: {', '.join(some)}"]))
        try:
            check_rules(LabelRules.read([*texts, text], names))
        except ValueError:
            continue
        texts.append(text)
    return LabelRules.read(texts, names)


def make_table(rules, seed, n=40):
    """Return probabilities, given labels that obey the rules, and the valid labels."""
    rng, valid = np.random.default_rng(seed), ValidLabels(rules)
    shape = (n, len(rules.names))
    p = np.clip(expit(rng.normal(0, 3, shape)), 1e-6, 1 - 1e-6)
    truth = valid.decide(rng.normal(size=shape), np.zeros(shape, dtype=np.int8))
    given_ = np.where(rng.random(shape) < rng.choice([0, 0.2, 0.6]), 2 * truth - 1, 0).astype(np.int8)
    return p, given_, valid


def count_broken(rules, relevant):
    """Return the number of broken rules, counted literal by literal."""
    at = {name: j for j, name in enumerate(rules.names)}
    total = 0
    for rule in rules.rules:
        values = [relevant[:, at[name]] for name in rule.labels]
        number = np.sum(values, axis=0)
        broken = {"implies": values[0] > values[1] + 1e-5, "one of": np.abs(number - 1) > 1e-5,
                  "at most one of": number > 1 + 1e-5}  # fmt: skip
        total += int(broken[rule.kind].sum())
    return total


def check_obedience(rules, seed):
    p, given_, valid = make_table(rules, seed)
    projected = valid.project(p, given_)
    relevant = valid.decide(projected - np.random.default_rng(seed).uniform(0.2, 0.8, len(rules.names)), given_)
    assert (relevant[given_ != 0] == (given_[given_ != 0] > 0)).all()
    assert count_broken(rules, relevant.astype(int)) == 0
    whole = np.where(given_ != 0, given_ > 0, projected)
    assert count_broken(rules, whole) == 0
    blank = (given_ == 0).all(axis=1)
    assert count_broken(rules, projected[blank]) == 0
    left = np.where(np.abs(projected - 0.5) > 0.3, np.sign(projected - 0.5), 0).astype(np.int8)
    opened = valid.leave_open(np.where(given_ != 0, given_, left).astype(np.int8), given_)
    assert not valid.infer(opened)[1].any()


#: Of its 40 items, one needs more than 3,000 sweeps.
SLOW = LabelRules.read(["one of: c, e, d", "e -> b", "a -> d", "one of: b, d"], tuple("abcde"))


@settings(max_examples=30, deadline=None)
@example(SLOW, 121)
@given(rule_sets(), st.integers(0, 2**32 - 1))
def test_no_rule_is_broken(rules, seed):
    check_obedience(rules, seed)


@pytest.mark.slow
@settings(max_examples=1000, deadline=None)
@given(rule_sets(), st.integers(0, 2**32 - 1))
def test_no_rule_of_a_thousand_sets_is_broken(rules, seed):
    check_obedience(rules, seed)


@pytest.mark.parametrize(
    ("texts", "because"),
    [
        (["a -> b", "b -> c", "c -> d", "at most one of: a, c"],
         "'a -> b', 'b -> c', 'at most one of: a, c' mean that no item can have 'a'"),
        (["one of: a, b", "a -> b"], "'one of: a, b', 'a -> b' mean that no item can have 'a'"),
        (["one of: a, b", "a -> c", "b -> c"], "'one of: a, b', 'a -> c', 'b -> c' mean that every item must have 'c'"),
        (["one of: a, b", "a -> b", "b -> a"], "mean that no item can have 'a'"),
        (["one of: a, b, c", "one of: a, b", "c -> d"], "mean that no item can have 'c'"),
    ],
)  # fmt: skip
def test_contradictory_rules_are_named_and_each_is_needed(texts, because):
    with pytest.raises(ValueError, match="contradict one another") as error:
        check_rules(LabelRules.read(texts, tuple("abcd")))
    assert because in str(error.value)


def test_rules_that_contradict_only_together_are_found():
    odd = ["one of: a, b, c", "at most one of: a, b", "a -> d", "b -> d", "c -> d", "d -> e", "f -> e"]
    with pytest.raises(ValueError, match="'one of: a, b, c', 'a -> d', 'b -> d', 'c -> d' mean that every"):
        check_rules(LabelRules.read(odd, tuple("abcdef")))
    with pytest.raises(ValueError, match="contradict"):
        check_rules(LabelRules.read(["one of: a, b, c", "one of: a, b", "one of: b, c", "one of: a, c"], tuple("abc")))


def test_labels_that_imply_each_other_are_equal():
    valid = ValidLabels(check_rules(LabelRules.read(["a -> b", "b -> a"], ("a", "b"))))
    projected = valid.project(np.array([[0.9, 0.4]]), np.zeros((1, 2), dtype=np.int8))
    assert projected[0, 0] == pytest.approx(projected[0, 1])


def test_broken_rules_mark_the_entries_that_break_them():
    rules = LabelRules.read(["a -> b", "at most one of: b, c, d", "one of: a, d"], tuple("abcd"))
    states = np.array([[1, -1, 1, -1], [1, 1, 1, 0], [-1, 0, 0, -1], [0, 0, 0, 0]], dtype=np.int8)
    found = {str(rule): np.argwhere(entries).tolist() for rule, entries in ValidLabels(rules).mark_broken(states)}
    assert found == {
        "a -> b": [[0, 0], [0, 1]],
        "at most one of: b, c, d": [[1, 1], [1, 2]],
        "one of: a, d": [[2, 0], [2, 3]],
    }
