"""Iterative stratification one item at a time, as Sechidis, Tsoumakas and Vlahavas (2011) print it."""

import numpy as np


def sechidis(state, shares, rng):
    """Return the part of each item; a class is a pair (label, value), ``state`` holds +1, -1 and 0 (unknown)."""
    state = np.asarray(state)
    classes = np.hstack([state > 0, state < 0])
    wanted_entries = np.outer(classes.sum(axis=0), shares).astype(float)
    wanted_items = len(state) * np.asarray(shares, dtype=float)
    groups = np.full(len(state), -1)
    while True:
        left = classes[groups < 0].sum(axis=0)
        if not left.any():
            break
        rarest = min(np.flatnonzero(left), key=lambda c: left[c])
        for item in rng.permutation(np.flatnonzero(classes[:, rarest] & (groups < 0))):
            keys = [
                (round(w, 9), round(r, 9), rng.random())
                for w, r in zip(wanted_entries[rarest], wanted_items, strict=True)
            ]
            group = keys.index(max(keys))
            groups[item] = group
            wanted_entries[classes[item], group] -= 1
            wanted_items[group] -= 1
    for item in rng.permutation(np.flatnonzero(groups < 0)):
        group = int(np.argmax(wanted_items))
        groups[item] = group
        wanted_items[group] -= 1
    return groups
