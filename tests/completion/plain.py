"""Evidence of a method without corrections."""

from halflabel.completion.evidence import Evidence
from halflabel.corrections.fit import Fit


def make_evidence(opened, model, kind=Evidence, calibrate_on=None, **changes):
    """Return the evidence of a fitted method for the labels of a table."""
    return kind(opened, Fit(model, opened, opened.labels, calibrate_on=calibrate_on), **changes)
