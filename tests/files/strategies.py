"""Records of any kind, and what of them is left where a format declares a loss."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from halflabel.files.field_values import frame_of, rows_of
from halflabel.files.loss import Loss
from halflabel.files.records import SOURCES, Records, cell_table

#: Everything that a person can type; control characters have tests of their own.
CHARACTERS = st.text(
    st.characters(exclude_categories=("C", "Z"), exclude_characters="\ufffe\uffff"), min_size=1, max_size=8
)
WORDS = st.lists(CHARACTERS, min_size=1, max_size=3).map(" ".join)
P = st.integers(0, 1000).map(lambda n: n / 1000)
FIELDS = {
    "text": st.one_of(st.none(), WORDS),
    "n": st.one_of(st.none(), st.integers(-(10**14), 10**14)),
    "share": st.one_of(st.none(), st.integers(-(10**6), 10**6).map(lambda n: n / 1000)),
    "flag": st.one_of(st.none(), st.booleans()),
    "vector": st.lists(st.integers(-99, 99).map(lambda n: n / 8), min_size=2, max_size=2),
    "filepath": WORDS,
}


@st.composite
def records(draw):
    """Draw records with every kind of cell: answers of several people, undecided and contradicting suggestions."""
    n_items, n_labels = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    ids = draw(st.lists(WORDS, min_size=n_items, max_size=n_items, unique=True))
    names = draw(st.lists(WORDS.map("{} .".format), min_size=n_labels, max_size=n_labels, unique=True))
    cells = [cell for item in range(n_items) for label in range(n_labels) for cell in draw(entry(item, label))]
    answered = {cell[0] for cell in cells if cell[3] != SOURCES.index("model")}
    return Records(
        items=draw(items(ids)),
        cells=cell_table(*(zip(*cells, strict=True) if cells else [()] * 7)),
        names=tuple(names),
        annotated=np.array([item in answered or draw(st.booleans()) for item in range(n_items)]),
        closed=np.zeros(n_labels, dtype=bool),
    )


@st.composite
def items(draw, ids):
    """Draw items with fields of every type."""
    names = [*draw(st.lists(st.sampled_from(list(FIELDS)), unique=True)), "filepath"]
    rows = [{name: draw(FIELDS[name]) for name in names} for _ in ids]
    return frame_of(rows, pd.Index(ids, name="id", dtype=object))


@st.composite
def entry(draw, item, label):
    """Draw the cells of one entry: up to two answers, and a suggestion."""
    people = st.sampled_from([None, "ana", "ben"])
    times = st.sampled_from([None, "2026-11-22T08:00:00+00:00", "2026-11-22T09:30:00+00:00"])
    answers = draw(st.lists(st.tuples(st.sampled_from([1.0, 0.0, None]), people, times), max_size=2).filter(_once_each))
    suggestion = draw(st.one_of(st.none(), st.tuples(st.sampled_from([1.0, 0.0]), st.one_of(st.none(), P))))
    if suggestion is None and not answers:
        suggestion = draw(st.one_of(st.none(), st.tuples(st.none(), P)))
    has_p = len(answers) == 1 and suggestion is None
    cells = [
        (item, label, value, SOURCES.index("person" if by else "given"), draw(P) if has_p else None, by, at)
        for value, by, at in answers
    ]
    if suggestion is not None:
        cells.append((item, label, suggestion[0], SOURCES.index("model"), suggestion[1], draw(MODELS), None))
    return cells


def _once_each(answers):
    """Whether no person answers an entry twice: the tools keep one answer per person."""
    named = [by for _, by, _ in answers if by]
    return len(set(named)) == len(named)


MODELS = st.sampled_from([None, "m 1"])


@dataclass
class State:
    """The content of records in plain values, to be compared."""

    fields: dict[str, dict[str, object]]
    names: set[str]
    annotated: set[str]
    answers: dict[tuple[str, str], list[tuple[object, ...]]] = field(default_factory=lambda: defaultdict(list))
    answer_p: dict[tuple[str, str], float] = field(default_factory=dict)
    suggestions: dict[tuple[str, str], tuple[object, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, records):
        keys = [str(key) for key in records.items.index]
        known = [{name: x for name, x in row.items() if x is not None} for row in rows_of(records.items)]
        state = cls(dict(zip(keys, known, strict=True)), set(records.names), set(np.array(keys)[records.annotated]))
        for key, cells in records.by_item():
            for cell in cells:
                place = (str(key), cell.label)
                p = None if cell.probability is None else round(cell.probability, 9)
                if cell.source == "model":
                    state.suggestions[place] = (cell.value, p, cell.by)
                else:
                    state.answers[place].append((cell.value, cell.by, cell.at))
                    if p is not None:
                        state.answer_p[place] = p
        return state

    def plain(self):
        """Return everything in an order of its own."""
        answers = {place: sorted(found, key=repr) for place, found in self.answers.items()}
        return vars(self) | {"answers": answers}


def without(state, losses, carried, labels):
    """Return what is left of a state; ``labels`` are the values that people agree on."""
    for loss, drop in DROPS.items():
        if loss in losses:
            drop(state, losses, carried, labels)
    return state


def _fields(state, losses, carried, labels):
    state.fields = {key: {n: x for n, x in row.items() if n in carried} for key, row in state.fields.items()}


def _people(state, losses, carried, labels):
    for place, found in list(state.answers.items()):
        value = labels.loc[place]
        values = {x for x, _, _ in found}
        if not np.isnan(value):
            state.answers[place] = [(int(value), None, None)]
        elif None in values:
            state.answers[place] = [(None, None, None)]
        else:
            del state.answers[place]


def _who(state, losses, carried, labels):
    """Keep the last answer of each named person, and every answer without a name."""
    for place, found in state.answers.items():
        last = {}
        for number, (value, by, at) in enumerate(found):
            key = by or number
            if key not in last or (at or "") >= (last[key][1] or ""):
                last[key] = (value, at)
        state.answers[place] = [(value, None, None) for value, _ in last.values()]


def _unsure(state, losses, carried, labels):
    """Drop unsure answers; a probability that is kept becomes that of an undecided entry."""
    keeps_p = not {Loss.GIVEN_PROBABILITIES, Loss.PROBABILITIES} & set(losses)
    for place, found in list(state.answers.items()):
        state.answers[place] = [answer for answer in found if answer[0] is not None]
        if not state.answers[place]:
            del state.answers[place]
            p = state.answer_p.pop(place, None)
            if keeps_p and p is not None:
                state.suggestions[place] = (None, p, None)


def _both(state, losses, carried, labels):
    for place in set(state.answers) & set(state.suggestions):
        value, p, _ = state.suggestions[place]
        if value is None or value == state.answers[place][0][0]:
            del state.suggestions[place]
            if p is not None:
                state.answer_p[place] = p
        else:
            del state.answers[place]


def _suggested(state, losses, carried, labels):
    state.answers |= {at: [(x, None, None)] for at, (x, _, _) in state.suggestions.items() if x is not None}
    state.suggestions = {at: found for at, found in state.suggestions.items() if found[0] is None}


def _given_probabilities(state, losses, carried, labels):
    state.answer_p = {}


def _undecided(state, losses, carried, labels):
    state.suggestions = {at: found for at, found in state.suggestions.items() if found[0] is not None}


def _probabilities(state, losses, carried, labels):
    _given_probabilities(state, losses, carried, labels)
    _undecided(state, losses, carried, labels)


def _model(state, losses, carried, labels):
    state.suggestions = {at: (x, p, None) for at, (x, p, _) in state.suggestions.items()}


def _irrelevant(state, losses, carried, labels):
    state.answers = {at: found for at, found in state.answers.items() if found[0][0] == 1}


def _annotated(state, losses, carried, labels):
    state.annotated = {item for item, _ in state.answers}


def _items(state, losses, carried, labels):
    kept = {item for item, _ in [*state.answers, *state.suggestions]}
    state.fields = {key: row for key, row in state.fields.items() if key in kept}
    state.annotated &= kept


def _labels(state, losses, carried, labels):
    state.names = {name for _, name in [*state.answers, *state.suggestions]}


#: What each loss does, in the order in which it is done.
DROPS = {
    Loss.FIELDS: _fields,
    Loss.PEOPLE: _people,
    Loss.WHO: _who,
    Loss.UNSURE: _unsure,
    Loss.BOTH: _both,
    Loss.SUGGESTED: _suggested,
    Loss.PROBABILITIES: _probabilities,
    Loss.GIVEN_PROBABILITIES: _given_probabilities,
    Loss.UNDECIDED: _undecided,
    Loss.MODEL: _model,
    Loss.IRRELEVANT: _irrelevant,
    Loss.ANNOTATED: _annotated,
    Loss.ITEMS: _items,
    Loss.LABELS: _labels,
}
