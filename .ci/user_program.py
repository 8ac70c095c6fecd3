"""A short program of a user: mypy --strict reads it with the types of an installed halflabel (.ci/package.py)."""

from __future__ import annotations

import numpy as np
import pandas as pd

import halflabel as hl

items = pd.DataFrame(
    {
        "tempo": [61.5, 64.0, 66.0, 70.0, 124.5, 131.0, 128.0, 120.0],
        "dance": [0.0, 0.0, np.nan, 0.0, 1.0, 1.0, np.nan, 1.0],
    }
)

filled: hl.Completion = hl.complete(items, labels=["dance"], effort="fast")
probabilities: pd.DataFrame = filled.probabilities
questions: int = len(filled.next_to_label(1))

model: hl.SSDRMC = hl.SSDRMC(n_neighbors=3).fit(items[["tempo"]], items[["dance"]])
shape: tuple[int, ...] = model.label_scores_.shape

labels: hl.PartialLabels = hl.PartialLabels.from_table(items[["dance"]])
print(f"{int(labels.observed.sum())} observed entries, {questions} question, scores of shape {shape}")
print(probabilities.round(2).to_string())
