"""A proof about a delivered table: bounds, certificates, and each change that a verification must notice."""

import copy
import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halflabel.evidence.certificate import make_certificate, read_certificate, verify
from halflabel.evidence.confidence_sequence import bound_errors
from halflabel.evidence.proof import POPULATIONS, UNSURE, Proof

NAMES = ("rock", "sad")


def make_case(rng, n=30):
    """Return ids, given labels, filled values and the truth."""
    truth = np.where(rng.random((n, 2)) < 0.4, 1, -1).astype(np.int8)
    fill = np.where(rng.random((n, 2)) < 0.15, -truth, truth).astype(np.int8)
    fill[0, 0] = 0  # left empty
    given = np.where(rng.random((n, 2)) < 0.2, truth, 0).astype(np.int8)
    given[0, 0] = 0
    return [f"song {i}" for i in range(n)], given, fill, truth


def play(rng, population="all", labels=None, steps=40):
    """Return a proof after random steps: draws, chosen entries, answers in any order, new fits."""
    ids, given, fill, truth = make_case(rng)
    proof = Proof(ids, NAMES, given, 0.1, population, labels)
    proof.begin(fill, 3)
    for _ in range(steps):
        step = rng.integers(11)
        free = np.flatnonzero(proof.unanswered)
        if step < 5:
            proof.take(proof.choose_random(int(rng.integers(1, 4))), 0.1)
        elif step < 6 and len(free):
            proof.asked.add(int(rng.choice(free)))
        elif step < 9 and proof.open:
            entry = int(rng.choice(proof.open))
            proof.answer(entry, UNSURE if rng.random() < 0.1 else int(truth.ravel()[entry]))
        elif step == 10 and (answered := np.flatnonzero(proof.answers)).size:
            proof.take_back(int(rng.choice(answered)))
        elif step == 9 and rng.random() < 0.3 and not has_skipped(proof):
            changed = np.where(rng.random(fill.shape) < 0.1, truth, proof.now.fill.reshape(fill.shape))
            proof.begin(np.where(given != 0, given, changed).astype(np.int8), int(rng.integers(2**40)))
    return proof, truth


def has_skipped(proof):
    entries = [entry for entry, drawn in proof.now.steps if drawn]
    drawn = [proof.answers[entry] != 0 for entry in entries]
    return drawn != sorted(drawn, reverse=True) or bool(proof.taken_back.intersection(entries))


def test_a_new_fit_needs_an_answer_to_each_random_question_before_the_last_answer(rng):
    ids, given, fill, _ = make_case(rng)
    proof = Proof(ids, NAMES, given, 0.1)
    proof.begin(fill, 1)
    proof.take(proof.choose_random(3))
    first, second, _ = (entry for entry, _ in proof.now.steps)
    proof.answer(second, UNSURE)
    assert has_skipped(proof)
    with pytest.raises(ValueError, match="a random question was skipped"):
        proof.begin(fill, 2)
    proof.answer(first, 1)
    proof.begin(fill, 2)
    assert len(proof.rounds) == 2


def test_an_answer_that_was_taken_back_counts_as_wrong_and_is_asked_again(rng):
    ids, given, fill, truth = make_case(rng)
    proof = Proof(ids, NAMES, given, 0.1)
    proof.begin(fill, 1)
    proof.take(proof.choose_random(12))
    asked = [entry for entry, _ in proof.now.steps]
    for entry in asked:
        proof.answer(entry, int(truth.ravel()[entry]))
    before, right = proof.max_errors, next(entry for entry in asked if proof.now.fill[entry] == truth.ravel()[entry])
    for entry in (right, asked[-1]):  # also the last one: without its answer the sequence would end before it
        proof.take_back(entry)
        assert proof.open == [entry]
        assert proof.max_errors > before
        assert proof.delivered.ravel()[entry] == fill.ravel()[entry]
        with pytest.raises(ValueError, match="was taken back"):
            proof.begin(fill, 2)
        proof.answer(entry, int(truth.ravel()[entry]))
        assert (proof.max_errors, proof.open) == (before, [])


def count_wrong(proof, truth):
    """Return the number of wrong entries of the population as it is delivered, entries without an answer counted."""
    delivered, flat = proof.delivered.ravel(), truth.ravel()
    in_part = proof.gaps & np.isin(delivered, POPULATIONS[proof.population]) & (proof.now.part | (proof.answers != 0))
    return int((in_part & ((delivered != flat) | (proof.answers == UNSURE))).sum())


@given(st.integers(0, 2**32), st.sampled_from(list(POPULATIONS)), st.sampled_from([None, ("sad",)]))
def test_a_certificate_is_proved_again_from_the_delivered_table_alone(seed, population, labels):
    proof, truth = play(np.random.default_rng(seed), population, labels)
    made = make_certificate(proof, seed_from="secrets")
    assert made["level"] == pytest.approx(0.9)
    again = json.loads(json.dumps(made))
    assert again == made
    assert verify(type(made)(again), proof.ids, NAMES, proof.delivered) == str(made)
    assert proof.bound <= 1
    assert proof.max_errors <= proof.entries
    if not proof.unanswered.any():
        assert proof.max_errors == count_wrong(proof, truth)


def tamper(values, rng):
    """Change one fact of a certificate."""
    kind = rng.choice(["answer", "swap", "drop", "errors", "precision", "seed", "bits", "limit", "drawn"])
    steps = values["steps"]
    k = int(rng.integers(len(steps)))
    if kind == "answer":
        steps[k][3] = 1 - (steps[k][3] or 0)
    elif kind == "swap":
        steps[k][:2] = next([i, j] for i in range(30) for j in range(2) if all(s[:2] != [i, j] for s in steps))
    elif kind == "drop":
        wrong = [place for place, s in enumerate(steps) if s[3] != s[4]]
        del steps[wrong[0] if wrong else k]
    elif kind in ("errors", "seed", "limit"):
        values[kind] = max(values[kind] - 1, 0) if kind != "seed" else values[kind] + 1
    elif kind == "precision":
        values[kind] += 0.01
    elif kind == "bits":
        values["part"] = "eJwDAAAAAAE="
    else:
        steps[k][2] = 1 - steps[k][2]
    return kind


@given(st.integers(0, 2**32))
def test_a_changed_certificate_or_table_is_not_verified(seed):
    rng = np.random.default_rng(seed)
    ids, given, fill, truth = make_case(rng)
    proof = Proof(ids, NAMES, given, 0.05)
    proof.begin(fill, 3)
    proof.take(proof.choose_random(25))
    for entry in list(proof.open):
        proof.answer(entry, int(truth.ravel()[entry]))
    made = make_certificate(proof, seed_from="secrets")
    other = copy.deepcopy(made)
    kind = tamper(other, rng)
    if not (kind == "errors" and made["errors"] == 0):
        with pytest.raises(ValueError, match=r"^\S.*\.$"):
            verify(other, ids, NAMES, proof.delivered)
    table = proof.delivered.copy()
    row, column = rng.integers(30), rng.integers(2)
    table[row, column] = -table[row, column] or 1
    with pytest.raises(ValueError, match="not the one that was certified"):
        verify(made, ids, NAMES, table)


def test_no_changed_value_of_a_certificate_is_read(rng, tmp_path):
    """Also of those that the proof does not use, such as the name of who answered."""
    proof, _ = play(rng, "all", None)
    made = make_certificate(proof, seed_from="secrets", by="ana", columns={"id": "song"})
    path = tmp_path / "c.json"
    for name in made:
        for other in (made | {name: "x"}, {key: value for key, value in made.items() if key != name}):
            path.write_text(json.dumps(other))
            with pytest.raises(ValueError, match=re.escape(str(path))):
                read_certificate(path)
    path.write_text(json.dumps(dict(reversed(made.items())), indent=3))
    assert read_certificate(path) == made


def test_the_bound_is_that_of_the_answers_less_the_corrected_errors(rng):
    ids, given, fill, truth = make_case(rng)
    proof = Proof(ids, NAMES, given, 0.05)
    entries = int(proof.begin(fill, 1).part.sum())
    assert proof.bound == 1
    proof.take(proof.choose_random(20))
    asked = [entry for entry, _ in proof.now.steps]
    for entry in asked[1:]:
        proof.answer(entry, int(truth.ravel()[entry]))
    assert len(proof.draws.wrong) == 0  # an answer does not count before the first question is answered
    proof.answer(asked[0], UNSURE)
    found = proof.found
    assert found == 1 + (truth.ravel()[asked[1:]] != fill.ravel()[asked[1:]]).sum()
    assert proof.max_errors == bound_errors(entries, 20, found, 0.95) - found + 1  # "not sure" stays wrong
    assert proof.delivered.ravel()[asked[0]] == fill.ravel()[asked[0]]


def test_a_new_fit_reuses_the_bound_and_shares_alpha(rng):
    ids, given, fill, truth = make_case(rng, 200)
    proof = Proof(ids, NAMES, given, 0.05)
    proof.begin(fill, 1)
    proof.begin(fill, 2)
    assert proof.now.alpha == 0.05  # without a random answer, nothing is spent
    proof.take(proof.choose_random(60))
    for entry in list(proof.open):
        proof.answer(entry, int(truth.ravel()[entry]))
    before = proof.max_errors
    changed = fill.copy()
    free = np.flatnonzero(proof.unanswered)[:7]
    changed.ravel()[free] *= -1
    proof.begin(changed, 3)
    assert proof.now.alpha < 0.05
    assert proof.max_errors == before + 7


def test_bounds_hold_after_refits_that_learn_from_the_answers():
    """A fit that repairs the answered entries only: reused answers would prove that it is almost right."""
    false = reused = 0
    for seed in range(40):
        fill = np.where(np.random.default_rng(seed).random((300, 1)) < 0.12, -1, 1).astype(np.int8)
        truth = np.ones_like(fill)
        proof = Proof([str(i) for i in range(300)], ("a",), np.zeros_like(fill), 0.2)
        proof.begin(fill, seed)
        held = True
        for k in range(3):
            for entry in proof.choose_random(20):
                proof.take([entry])
                proof.answer(entry, 1)
            held &= proof.max_errors >= count_wrong(proof, truth)
            proof.begin(np.where(proof.answers == 1, 1, proof.now.fill).astype(np.int8).reshape(-1, 1), 100 * seed + k)
            held &= proof.max_errors >= count_wrong(proof, truth)
        false += not held
        reused += bound_errors(300, 60, 0, 0.8) < count_wrong(proof, truth)
    assert false / 40 <= 0.2
    assert reused / 40 > 0.9


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("{", "is not a certificate of halflabel"),
        ("[]", "its kind is not"),
        ("{}", "its kind is not"),
        ('{"kind": "halflabel certificate", "version": 9}', "its version is 9"),
        ('{"kind": "halflabel certificate", "version": 2, "population": 3}', "'population' is missing or of another"),
    ],
)
def test_another_file_is_named_in_one_sentence(tmp_path, content, sentence):
    path = tmp_path / "c.json"
    path.write_text(content)
    with pytest.raises(ValueError, match=sentence):
        read_certificate(path)


def test_another_part_is_named():
    with pytest.raises(ValueError, match="not 'most'"):
        Proof(["a"], NAMES, np.zeros((1, 2), np.int8), 0.05, "most")
    with pytest.raises(ValueError, match="no label 'loud'"):
        Proof(["a"], NAMES, np.zeros((1, 2), np.int8), 0.05, labels=["loud"])
