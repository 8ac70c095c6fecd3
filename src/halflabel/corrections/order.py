"""The corrections, in their order."""

from __future__ import annotations

from halflabel.corrections.correction import Correction
from halflabel.corrections.rules import RULES
from halflabel.corrections.shift import SHIFT
from halflabel.corrections.votes.sources import VOTES

CORRECTIONS: tuple[Correction, ...] = (
    VOTES,
    SHIFT,
    RULES,
)
