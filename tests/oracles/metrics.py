"""Every metric again, entry by entry, from its definition.

``state`` holds +1, -1 and 0 (unknown); answers are nested lists or arrays of the same shape.
"""

import math


def _observed(state):
    return [(i, j) for i, row in enumerate(state) for j, value in enumerate(row) if value != 0]


def _mean(values):
    values = [value for value in values if not math.isnan(value)]
    return sum(values) / len(values) if values else math.nan


def _f1(state, predicted, entries):
    if not entries:
        return math.nan
    hits = sum(state[i][j] == 1 and predicted[i][j] == 1 for i, j in entries)
    false = sum(state[i][j] == -1 and predicted[i][j] == 1 for i, j in entries)
    missed = sum(state[i][j] == 1 and predicted[i][j] == 0 for i, j in entries)
    return 2 * hits / (2 * hits + false + missed) if hits + false + missed else 0.0


def _per_label(state):
    return [[(i, j) for i, j in _observed(state) if j == label] for label in range(len(state[0]))]


def _error(state, predicted, entries):
    return _mean([float((state[i][j] == 1) != (predicted[i][j] == 1)) for i, j in entries])


def micro_f1(state, predicted):
    return _f1(state, predicted, _observed(state))


def macro_f1(state, predicted):
    return _mean([_f1(state, predicted, entries) for entries in _per_label(state)])


def hamming_loss(state, predicted):
    return _error(state, predicted, _observed(state))


def label_error(state, predicted):
    return _mean([_error(state, predicted, entries) for entries in _per_label(state)])


def _rows(state, answer):
    """The labelled items, each as (scores of relevant entries, scores of irrelevant entries)."""
    for row, values in zip(state, answer, strict=True):
        pairs = [(value, answer) for value, answer in zip(row, values, strict=True) if value != 0]
        if pairs:
            yield [answer for value, answer in pairs if value == 1], [answer for value, answer in pairs if value == -1]


def subset_accuracy(state, predicted):
    return _mean([float(all(p == 1 for p in yes) and all(p == 0 for p in no)) for yes, no in _rows(state, predicted)])


def ranking_loss(state, scores):
    losses = []
    for yes, no in _rows(state, scores):
        wrong = sum(a <= b for a in yes for b in no)
        losses.append(wrong / (len(yes) * len(no)) if yes and no else 0.0)
    return _mean(losses)


def one_error(state, scores):
    errors = []
    for yes, no in _rows(state, scores):
        if yes:
            errors.append(float(any(b == max(yes + no) for b in no)))
    return _mean(errors)


def coverage(state, scores):
    return _mean([sum(s >= min(yes) for s in yes + no) - 1.0 if yes else 0.0 for yes, no in _rows(state, scores)])


def average_precision(state, scores):
    values = []
    for yes, no in _rows(state, scores):
        precisions = [sum(a >= s for a in yes) / sum(a >= s for a in yes + no) for s in yes]
        values.append(_mean(precisions) if yes else 1.0)
    return _mean(values)


def macro_auc(state, scores):
    areas = []
    for label in range(len(state[0])):
        yes = [s[label] for row, s in zip(state, scores, strict=True) if row[label] == 1]
        no = [s[label] for row, s in zip(state, scores, strict=True) if row[label] == -1]
        areas.append(_mean([(a > b) + (a == b) / 2 for a in yes for b in no]))
    return _mean(areas)


def brier(state, probabilities):
    return _mean([(probabilities[i][j] - (state[i][j] == 1)) ** 2 for i, j in _observed(state)])


def ece(state, probabilities, bins=15):
    entries = _observed(state)
    total = 0.0
    for k in range(bins):
        inside = [(i, j) for i, j in entries if min(int(probabilities[i][j] * bins), bins - 1) == k]
        if inside:
            confidence = _mean([probabilities[i][j] for i, j in inside])
            frequency = _mean([float(state[i][j] == 1) for i, j in inside])
            total += len(inside) / len(entries) * abs(confidence - frequency)
    return total if entries else math.nan
