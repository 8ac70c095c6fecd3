"""Every metric again, entry by entry, from its definition.

``state`` holds +1, -1 and 0 (unknown); answers are nested lists or arrays of the same shape.
"""

import math


def list_observed(state):
    return [(i, j) for i, row in enumerate(state) for j, value in enumerate(row) if value != 0]


def mean(values):
    values = [value for value in values if not math.isnan(value)]
    return sum(values) / len(values) if values else math.nan


def _f1(state, predicted, entries):
    if not entries:
        return math.nan
    hits = sum(state[i][j] == 1 and predicted[i][j] == 1 for i, j in entries)
    false = sum(state[i][j] == -1 and predicted[i][j] == 1 for i, j in entries)
    missed = sum(state[i][j] == 1 and predicted[i][j] == 0 for i, j in entries)
    return 2 * hits / (2 * hits + false + missed) if hits + false + missed else 0.0


def list_by_label(state):
    return [[(i, j) for i, j in list_observed(state) if j == label] for label in range(len(state[0]))]


def micro_f1(state, predicted):
    return _f1(state, predicted, list_observed(state))


def macro_f1(state, predicted):
    return mean([_f1(state, predicted, entries) for entries in list_by_label(state)])


def list_rows(state, answer):
    """The labelled items, each as (scores of relevant entries, scores of irrelevant entries)."""
    for row, values in zip(state, answer, strict=True):
        pairs = [(value, answer) for value, answer in zip(row, values, strict=True) if value != 0]
        if pairs:
            yield [answer for value, answer in pairs if value == 1], [answer for value, answer in pairs if value == -1]


def average_precision(state, scores):
    values = []
    for yes, no in list_rows(state, scores):
        precisions = [sum(a >= s for a in yes) / sum(a >= s for a in yes + no) for s in yes]
        values.append(mean(precisions) if yes else 1.0)
    return mean(values)


def macro_auc(state, scores):
    areas = []
    for label in range(len(state[0])):
        yes = [s[label] for row, s in zip(state, scores, strict=True) if row[label] == 1]
        no = [s[label] for row, s in zip(state, scores, strict=True) if row[label] == -1]
        areas.append(mean([(a > b) + (a == b) / 2 for a in yes for b in no]))
    return mean(areas)


def brier(state, probabilities):
    return mean([(probabilities[i][j] - (state[i][j] == 1)) ** 2 for i, j in list_observed(state)])


def ece(state, probabilities, bins=15):
    entries = list_observed(state)
    total = 0.0
    for k in range(bins):
        inside = [(i, j) for i, j in entries if min(int(probabilities[i][j] * bins), bins - 1) == k]
        if inside:
            confidence = mean([probabilities[i][j] for i, j in inside])
            frequency = mean([float(state[i][j] == 1) for i, j in inside])
            total += len(inside) / len(entries) * abs(confidence - frequency)
    return total if entries else math.nan
