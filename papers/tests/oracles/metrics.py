"""The metrics of the papers again, entry by entry, from their definitions."""

from tests.oracles.metrics import list_observed, list_rows, mean


def _error(state, predicted, entries):
    return mean([float((state[i][j] == 1) != (predicted[i][j] == 1)) for i, j in entries])


def hamming_loss(state, predicted):
    return _error(state, predicted, list_observed(state))


def ranking_loss(state, scores):
    losses = []
    for yes, no in list_rows(state, scores):
        wrong = sum(a <= b for a in yes for b in no)
        losses.append(wrong / (len(yes) * len(no)) if yes and no else 0.0)
    return mean(losses)


def one_error(state, scores):
    errors = []
    for yes, no in list_rows(state, scores):
        if yes:
            errors.append(float(any(b == max(yes + no) for b in no)))
    return mean(errors)


def coverage(state, scores):
    return mean([sum(s >= min(yes) for s in yes + no) - 1.0 if yes else 0.0 for yes, no in list_rows(state, scores)])
