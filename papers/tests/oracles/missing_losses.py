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
