"""The losses of the authors' programs, entry by entry with plain numbers."""

from __future__ import annotations

from math import exp, log


def sigmoid(z):
    return 1 / (1 + exp(-z))


def hill(z, target, scale=1.5, margin=1.0, gamma=2.0):
    if target:
        p = sigmoid(z - margin)
        return -((1 - p) ** gamma) * log(p)
    return (scale - sigmoid(z)) * sigmoid(z) ** 2


def splc(z, target, corrected, margin=1.0, gamma=2.0):
    p = sigmoid(z - margin) if target else sigmoid(z)
    if target or corrected:
        return -((1 - p) ** gamma) * log(p)
    return -(p**gamma) * log(1 - p)


def entropy(z, target, pseudo, soft, alpha, beta):
    p = sigmoid(z)
    if target:
        return -log(p)
    if pseudo:
        return beta * (-soft * log(p) - (1 - soft) * log(1 - p))
    return -alpha * (-p * log(p) - (1 - p) * log(1 - p))


def nonnegative(scores, assigned, prior):
    """The risk of one label."""
    positive = [z for z, one in zip(scores, assigned, strict=True) if one]
    of_positive = prior * sum(log(1 + exp(-z)) for z in positive) / len(positive)
    as_negative = prior * sum(log(1 + exp(z)) for z in positive) / len(positive)
    unlabelled = sum(log(1 + exp(z)) for z in scores) / len(scores)
    return of_positive + max(0.0, unlabelled - as_negative)
