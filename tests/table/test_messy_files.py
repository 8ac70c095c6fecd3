"""A thousand messy files: none is misread without a word, and an error names the right way."""

from __future__ import annotations

import ast
import re
from collections import Counter

import numpy as np
import pytest
from tests.table.messy_files import make_messy

from halflabel.table import open_table
from halflabel.table.question import Question

#: An option in a sentence, such as ``skip_rows='1-2'``.
_OPTION = re.compile(r"(skip_rows|sep|no|unknown|yes|case|scores|empty)=('[^']*')")


def follow(messy, given, depth=6):
    """Yield (table, sentences) for every way that questions, errors and notes offer."""
    try:
        opened = open_table(messy.path, **given)
    except Question as question:
        ways, sentences = [way.statement for way in question.ways], (str(question),)
    except ValueError as error:
        ways, sentences = [f"{name}={value}" for name, value in _OPTION.findall(str(error))], (str(error),)
    else:
        yield opened, opened.notes
        named = [match for note in opened.notes if _names_a_row(note) for match in _OPTION.findall(note)]
        ways, sentences = [f"{name}={value}" for name, value in named], ()
    for way in ways if depth else ():
        yield from ((table, (*sentences, *notes)) for table, notes in follow(messy, state(given, way), depth - 1))


def _names_a_row(note):
    return any(words in note.lower() for words in ("total row", "leave it out", "leave them out"))


def state(given, way):
    name, _, value = way.partition("=")
    value = ast.literal_eval(value)
    before = given.get(name, [])
    words = [*([before] if isinstance(before, str) else before), value] if name in ("yes", "no", "unknown") else value
    return {**given, name: words}


def is_right(opened, messy):
    if opened.index.tolist() != list(messy.truth):
        return False
    labels = opened.labels
    numbers = opened.X[:, opened.encoder.feature_names.index("tempo")]
    read = [
        {labels.names[j] for j in np.flatnonzero(row)} if annotated else None
        for row, annotated in zip(labels.relevant, labels.annotated, strict=True)
    ]
    return read == list(messy.truth.values()) and np.allclose(numbers, list(messy.numbers.values()))


def judge(messy):
    """Return the result for a file: read, asked (one way is right), misread, or an error without the right way."""
    results = list(follow(messy, messy.given))
    if len(results) == 1 and not [s for s in results[0][1] if "state" in s or _names_a_row(s)]:
        return "read" if is_right(results[0][0], messy) else "misread"
    return "asked" if any(is_right(opened, messy) for opened, _ in results) else "no way"


def count(seeds, folder):
    results, failed = Counter(), []
    for seed in seeds:
        messy = make_messy(seed, folder)
        result = judge(messy)
        results[result] += 1
        failed += [(seed, result, messy.kind)] if result in ("misread", "no way") else []
    return results, failed


def check(seeds, folder):
    results, failed = count(seeds, folder)
    assert results["misread"] == 0, failed
    assert results["asked"] >= 0.95 * (results["asked"] + results["no way"]), failed


def test_some_messy_files(tmp_path):
    check(range(12), tmp_path)


@pytest.mark.slow
def test_a_thousand_messy_files(tmp_path):
    check(range(1000), tmp_path)
