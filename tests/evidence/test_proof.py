"""A proof about a delivered table: bounds, certificates, and each change that a verification must notice."""

import copy
import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halflabel.evidence.betting import Bets
from halflabel.evidence.certificate import make_certificate, read_certificate, verify
from halflabel.evidence.proof import UNSURE, Proof
from halflabel.evidence.random_order import encode_values, pack, unpack
from halflabel.labels.names import POPULATIONS

NAMES = ("rock", "sad")


def make_case(rng, n=30):
    """Return ids, given labels, filled values and the truth."""
    truth = np.where(rng.random((n, 2)) < 0.4, 1, -1).astype(np.int8)
    fill = np.where(rng.random((n, 2)) < 0.15, -truth, truth).astype(np.int8)
    fill[0, 0] = 0  # left empty
    given = np.where(rng.random((n, 2)) < 0.2, truth, 0).astype(np.int8)
    given[0, 0] = 0
    return [f"song {i}" for i in range(n)], given, fill, truth


def begin(ids, given, fill, alpha=0.1, seed=3, wrong=0.1, aim=0.1, **part):
    """Return a proof about values that are wrong with some probabilities."""
    proof = Proof(ids, NAMES, given, alpha, aim, **part)
    proof.begin(encode_values(fill, np.broadcast_to(wrong, fill.shape)).ravel(), seed)
    return proof


def play(rng, population="all", labels=None, steps=40):
    """Return a proof after random steps: draws, chosen entries, answers in any order, new fits before the draws."""
    ids, given, fill, truth = make_case(rng)
    proof = begin(ids, given, fill, wrong=rng.random(fill.shape), population=population, labels=labels)
    for _ in range(steps):
        step = rng.integers(11)
        free = np.flatnonzero(proof.unanswered)
        if step < 5 and rng.random() < 0.8:
            proof.take(proof.choose_random(int(rng.integers(1, 4))))
        elif step < 6 and len(free):
            proof.asked.add(int(rng.choice(free)))
        elif step < 9 and proof.open:
            entry = int(rng.choice(proof.open))
            proof.answer(entry, UNSURE if rng.random() < 0.1 else int(truth.ravel()[entry]))
        elif step == 10 and (answered := np.flatnonzero(proof.answers)).size:
            proof.take_back(int(rng.choice(answered)))
        elif step == 9 and proof.is_free:
            changed = np.where(rng.random(fill.shape) < 0.1, truth, proof.fill.reshape(fill.shape))
            changed = np.where(given != 0, given, changed).astype(np.int8)
            proof.begin(encode_values(changed, rng.random(fill.shape)).ravel(), int(rng.integers(2**40)))
    return proof, truth


def test_no_new_fit_is_delivered_after_a_random_question(rng):
    ids, given, fill, truth = make_case(rng)
    proof = begin(ids, given, fill)
    chosen = int(np.flatnonzero(proof.unanswered)[0])
    proof.answer(chosen, int(truth.ravel()[chosen]))
    proof.begin(proof.codes, 2)
    assert (proof.seed, proof.steps) == (2, [])
    proof.take(proof.choose_random(1))
    with pytest.raises(ValueError, match="a new fit needs another task"):
        proof.begin(proof.codes, 3)


def test_an_answer_that_was_taken_back_counts_as_wrong_and_is_asked_again(rng):
    ids, given, fill, truth = make_case(rng)
    proof = begin(ids, given, fill)
    proof.take(proof.choose_random(12))
    asked = [entry for entry, _ in proof.steps]
    for entry in asked:
        proof.answer(entry, int(truth.ravel()[entry]))
    before, right = proof.max_errors, next(entry for entry in asked if proof.fill[entry] == truth.ravel()[entry])
    for entry in (right, asked[-1]):  # also the last one: without its answer the sequence would end before it
        proof.take_back(entry)
        assert proof.open == [entry]
        assert proof.max_errors > before
        assert proof.delivered.ravel()[entry] == fill.ravel()[entry]
        proof.answer(entry, int(truth.ravel()[entry]))
        assert (proof.max_errors, proof.open) == (before, [])


def count_wrong(proof, truth):
    """Return the number of wrong entries as the table is delivered, entries without an answer counted."""
    delivered, flat = proof.delivered.ravel(), truth.ravel()
    at = (proof.part | proof.answered) & np.isin(delivered, POPULATIONS[proof.population])
    return int((at & ((delivered != flat) | (proof.answers == UNSURE))).sum())


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
    kind = rng.choice(["answer", "swap", "drop", "errors", "precision", "seed", "values", "drawn"])
    steps = values["steps"]
    k = int(rng.integers(len(steps)))
    if kind == "answer":
        steps[k][3] = 1 - (steps[k][3] or 0)
    elif kind == "swap":
        steps[k][:2] = next([i, j] for i in range(30) for j in range(2) if all(s[:2] != [i, j] for s in steps))
    elif kind == "drop":
        del steps[k]
    elif kind in ("errors", "seed"):
        values[kind] += 1
    elif kind == "precision":
        values[kind] += 0.01
    elif kind == "values":
        codes = unpack(values["values"], 60)
        values["values"] = pack(np.where(codes > 0, codes ^ 3, 0).astype(np.uint8))  # the other values
    else:
        steps[k][2] = 1 - steps[k][2]


@given(st.integers(0, 2**32))
def test_a_changed_certificate_or_table_is_not_verified(seed):
    rng = np.random.default_rng(seed)
    ids, given, fill, truth = make_case(rng)
    proof = begin(ids, given, fill, 0.05, wrong=rng.random(fill.shape) / 2)
    proof.take(proof.choose_random(25))
    for entry in list(proof.open):
        proof.answer(entry, int(truth.ravel()[entry]))
    made = make_certificate(proof, seed_from="secrets")
    other = copy.deepcopy(made)
    tamper(other, rng)
    with pytest.raises(ValueError, match=r"^\S.*\.$"):
        verify(other, ids, NAMES, proof.delivered)
    table = proof.delivered.copy()
    row, column = rng.integers(30), rng.integers(2)
    table[row, column] = -table[row, column] or 1
    with pytest.raises(ValueError, match="not the one that was certified"):
        verify(made, ids, NAMES, table)


def test_no_changed_value_of_a_certificate_is_read(rng, tmp_path):
    """Also of those that the proof does not use, such as the name of who answered."""
    proof, _ = play(rng)
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
    proof = begin(ids, given, fill, 0.05)
    assert proof.bound == 1
    proof.take(proof.choose_random(20))
    asked = [entry for entry, _ in proof.steps]
    for entry in asked[1:]:
        proof.answer(entry, int(truth.ravel()[entry]))
    assert not proof.whole  # an answer does not count before the first question is answered
    proof.answer(asked[0], UNSURE)
    found = proof.found
    assert found == 1 + (truth.ravel()[asked[1:]] != fill.ravel()[asked[1:]]).sum()
    part = np.flatnonzero(proof.part)
    wrong = proof.answers[asked] != proof.fill[asked]
    bets = Bets.place(proof.wrong[part], np.searchsorted(part, asked), np.ones(20, dtype=bool), wrong, proof.excluded)
    assert proof.max_errors == bets.bound(0.05) - found + 1  # "not sure" stays wrong
    assert proof.delivered.ravel()[asked[0]] == fill.ravel()[asked[0]]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("{", "is not a certificate of halflabel"),
        ("[]", "its kind is not"),
        ("{}", "its kind is not"),
        ('{"kind": "halflabel certificate", "version": 9}', "its version is 9"),
        ('{"kind": "halflabel certificate", "version": 4, "population": 3}', "'population' is missing or of another"),
    ],
)
def test_another_file_is_named_in_one_sentence(tmp_path, content, sentence):
    path = tmp_path / "c.json"
    path.write_text(content)
    with pytest.raises(ValueError, match=sentence):
        read_certificate(path)


def test_another_part_is_named():
    with pytest.raises(ValueError, match="not 'most'"):
        Proof(["a"], NAMES, np.zeros((1, 2), np.int8), 0.05, 0.1, population="most")
    with pytest.raises(ValueError, match="no label 'loud'"):
        Proof(["a"], NAMES, np.zeros((1, 2), np.int8), 0.05, 0.1, labels=["loud"])
