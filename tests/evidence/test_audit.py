"""The audit: its choice, its answers, and the exactness of its bounds."""

import hashlib
import math
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from halflabel.evidence.audit import POPULATIONS, Certificate, bound_errors, bound_recall, draw_audit, read_certificate

NAMES = ("rock", "sad")


def share_of_samples(entries, wrong, audited, errors):
    """Return the probability of at most this many errors, by counting samples."""
    samples = list(combinations(range(entries), audited))
    return sum(sum(i < wrong for i in sample) <= errors for sample in samples) / len(samples)


@given(data=st.data())
def test_the_bound_is_that_of_counting_all_samples(data):
    entries = data.draw(st.integers(1, 9))
    audited = data.draw(st.integers(1, entries))
    errors = data.draw(st.integers(0, audited))
    level = data.draw(st.sampled_from([0.61, 0.83, 0.95]))
    possible = range(errors, entries - audited + errors + 1)
    kept = [wrong for wrong in possible if share_of_samples(entries, wrong, audited, errors) > 1 - level]
    assert bound_errors(entries, audited, errors, level) == max(kept)


@pytest.mark.parametrize(("audited", "errors"), [(59, 0), (93, 1), (124, 2), (153, 3)])
def test_answers_that_prove_95_percent(audited, errors):
    """The usual table for large populations; one answer less does not suffice."""
    assert bound_errors(10**6, audited, errors, 0.95) <= 0.05 * 10**6
    assert bound_errors(10**6, audited - 1, errors, 0.95) > 0.05 * 10**6


def test_the_bound_holds_as_often_as_stated(rng):
    entries, wrong, audited = 400, 40, 60
    errors = rng.hypergeometric(wrong, entries - wrong, audited, size=2000)
    bounds = {k: bound_errors(entries, audited, int(k), 0.9) for k in np.unique(errors)}
    covered = np.mean([bounds[k] >= wrong for k in errors])
    assert covered >= 0.9 - 2 * np.sqrt(0.9 * 0.1 / 2000)


@pytest.fixture
def tables(rng):
    completed = np.where(rng.random((40, 2)) < 0.3, 1, -1).astype(np.int8)
    completed[0, 0] = 0  # left empty
    observed = np.where(rng.random((40, 2)) < 0.25, completed, 0).astype(np.int8)
    return pd.Index([f"song {i}" for i in range(40)]), observed, completed


def draw(tables, **options):
    items, observed, completed = tables
    return draw_audit(items, NAMES, observed, completed, **options)


def answer(audit, completed, wrong=0):
    """Return right answers, but for the first ones."""
    right = np.where(completed[audit.rows, audit.columns] > 0, "1", "no")
    right[:wrong] = "?"
    return audit.questions.assign(answer=right)


def entries_of(audit):
    return set(audit.questions[["item", "label"]].itertuples(index=False, name=None))


def test_the_entries_with_the_smallest_digests_are_drawn(tables):
    items, observed, completed = tables
    audit = draw(tables, n=9, seed=3)
    rows, columns = np.nonzero((observed == 0) & (completed != 0))

    def digest(i, j):
        parts = "3", items[i], NAMES[j]
        return hashlib.sha256("".join(f"{len(part)}:{part}" for part in parts).encode()).hexdigest()

    expected = sorted(zip(rows, columns, strict=True), key=lambda entry: digest(*entry))[:9]
    assert set(zip(audit.rows, audit.columns, strict=True)) == set(expected)
    assert audit.entries == len(rows)
    assert (np.diff(audit.columns) >= 0).all()
    assert list(audit.questions.columns) == ["item", "label", "answer"]


def test_the_order_of_the_table_changes_nothing_and_the_seed_does(tables, rng):
    items, observed, completed = tables
    order = rng.permutation(40)
    again = draw_audit(items[order], NAMES, observed[order], completed[order], n=9)
    assert entries_of(again) == entries_of(draw(tables, n=9)) != entries_of(draw(tables, n=9, seed=1))


def test_by_default_as_many_are_drawn_as_prove_95_percent():
    """Without an error among n answers, a precision of .95 has the probability .95^n."""
    given = np.zeros((70, 1), dtype=np.int8)
    audit = draw_audit(pd.Index(range(70)), ("rock",), given, given + 1)
    assert 0.95 ** len(audit.questions) < 0.05 < 0.95 ** (len(audit.questions) - 1)


def test_a_certificate_counts_errors_and_open_answers(tables):
    audit = draw(tables, n=20, seed=5)
    certificate = audit.certify(answer(audit, tables[2], wrong=2).sample(frac=1, random_state=0), level=0.9)
    assert (certificate.entries, certificate.audited, certificate.errors) == (audit.entries, 20, 2)
    assert certificate.max_errors == bound_errors(audit.entries, 20, 2, 0.9)
    assert certificate.precision == 1 - certificate.max_errors / audit.entries
    assert certificate.seed == 5
    assert certificate.to_dict()["table"] == audit.table
    assert "20 random entries, 2 were wrong" in str(certificate)


def test_all_entries_answered_leave_no_doubt(tables):
    audit = draw(tables, n=draw(tables, n=1).entries)
    assert audit.certify(answer(audit, tables[2], wrong=3)).max_errors == 3


def test_another_table_has_another_digest(tables):
    items, observed, completed = tables
    changed = completed.copy()
    changed[7, 1] *= -1
    assert draw(tables).table == draw(tables, n=3).table
    assert draw((items, observed, changed)).table != draw(tables).table


def test_recall_is_bounded_by_both_audits(tables):
    parts = {}
    for population, wrong in (("relevant", 0), ("irrelevant", 1)):
        audit = draw(tables, n=draw(tables, n=1, population=population).entries, population=population)
        parts[population] = audit.certify(answer(audit, tables[2], wrong))
    right = parts["relevant"].entries
    assert bound_recall(**parts) == right / (right + 1)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda q: q.assign(answer=[None, *q["answer"][1:]]), "is missing: write 1 or yes, 0 or no, or ?"),
        (lambda q: q.assign(answer=["maybe", *q["answer"][1:]]), "is 'maybe': write"),
        (lambda q: pd.concat([q, q[:1]]), "have two answers"),
        (lambda q: q.assign(item=["song x", *q["item"][1:]]), "'song x' and label .* are not in this audit"),
        (lambda q: q.drop(columns="label"), "no column 'label'"),
    ],
    ids=["missing", "another word", "twice", "another item", "no label"],
)
def test_answers_that_cannot_be_used(tables, change, sentence):
    audit = draw(tables, n=5)
    with pytest.raises(ValueError, match=sentence):
        audit.certify(change(answer(audit, tables[2])))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"n": 0}, "between 1 and"),
        ({"n": 1000}, "between 1 and"),
        ({"population": "some"}, "'all', 'relevant', 'irrelevant' filled entries, not 'some'"),
    ],
)
def test_audits_that_cannot_be_drawn(tables, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        draw(tables, **options)


def test_a_level_is_a_confidence(tables):
    audit = draw(tables, n=5)
    with pytest.raises(ValueError, match=r"confidence level must lie between 0\.5 and 1, not 0\.2"):
        audit.certify(answer(audit, tables[2]), level=0.2)


def test_equal_ids_cannot_be_audited(tables):
    with pytest.raises(ValueError, match="distinct item ids"):
        draw_audit(pd.Index(["a"] * 40), NAMES, *tables[1:])


def make_values():
    numbers = {"entries": 1000, "audited": 59, "errors": 0, "level": 0.95, "seed": 0}
    most = bound_errors(1000, 59, 0, 0.95)
    return {"population": "all", "max_errors": most, "precision": 1 - most / 1000, "table": "0" * 64, **numbers}


def test_a_certificate_is_read_again_and_checked():
    values = make_values()
    assert Certificate.from_dict(values).to_dict() == values
    assert Certificate.from_dict({**values, "by": "ana", "sentence": ""}).to_dict() == values  # of the review page
    with pytest.raises(ValueError, match="does not follow from its numbers"):
        Certificate.from_dict({**values, "max_errors": 1})
    with pytest.raises(ValueError, match="a certificate has the values"):
        Certificate.from_dict({"entries": 3})


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([2**31, 2**53, 2**62, 2**64, 10**300, -1, 0, 58, 59, 1000.0, 0.95, math.inf, math.nan])
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["none", "relevant", "0" * 64, "A" * 64]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=3,
)


@settings(deadline=2000)  # the bound of the largest numbers takes a second
@given(st.dictionaries(st.sampled_from(sorted(make_values())), JSON_VALUES, min_size=1, max_size=3))
@example({"entries": 2**62}).via("scipy did not return")
@example({"population": {}})
@example({"entries": 1000.0})
@example({"table": None})
@example({"seed": True})
def test_a_certificate_with_other_values_has_their_types_and_a_bound_or_raises(change):
    values = {**make_values(), **change}
    try:
        read = Certificate.from_dict(values)
    except ValueError as error:
        if "certificate" not in str(error):  # it is not a sentence of this library
            raise
        return
    assert read.to_dict() == values  # for NaN no value is equal
    assert {name: type(value) for name, value in values.items() if name not in ("level", "precision")} == {
        "population": str, "entries": int, "audited": int, "errors": int, "max_errors": int, "seed": int, "table": str
    }  # fmt: skip
    assert read.population in POPULATIONS
    assert 0 <= read.errors <= read.max_errors <= read.entries
    assert str(read).startswith("At least")


def test_a_file_that_is_no_certificate_is_named(tmp_path):
    path = tmp_path / "songs.certificate.json"
    for text in ("[1]", "{", '{"entries": 3}', "[" * 10**5, "1" * 5000):
        path.write_text(text)
        with pytest.raises(ValueError, match=r"songs\.certificate\.json: not a certificate"):
            read_certificate(path)
