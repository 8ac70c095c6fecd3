"""Evidence of a method without corrections."""

from halflabel.completion.evidence import Evidence
from halflabel.corrections.fit import Fit
from halflabel.evidence.kinds import KINDS


def make_evidence(opened, model, kind=Evidence, **changes):
    """Return the evidence of a fitted method for the labels of a table."""
    return kind(opened, Fit(model, opened, opened.labels), **changes)


def count_kinds(filled):
    """Return the number of gaps by the kind of their evidence."""
    codes = filled.evidence.codes[~filled.labels.observed]
    return {name: int((codes == code).sum()) for code, name in enumerate(KINDS)}
