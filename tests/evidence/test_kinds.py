"""What a filled entry rests on, what to check first, and whether labelled and unlabelled items differ."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from halflabel.evidence import kinds as evidence
from halflabel.labels import PartialLabels


def test_the_kind_of_evidence_depends_on_the_component_and_on_what_can_be_learned():
    gap = np.nan
    labels = PartialLabels.from_table([[1, gap], [0, gap], [gap, gap], [gap, 1], [gap, gap]])
    weights = np.zeros((5, 5))
    weights[0, 1] = weights[1, 2] = weights[3, 4] = 1.0
    codes = evidence.classify_by_reach(labels, sparse.csr_array(weights))
    kinds = np.array(evidence.KINDS)[codes]
    assert kinds[:, 0].tolist() == ["graph", "graph", "graph", "features", "features"]
    assert (kinds[:, 1] == "rate").all()  # its one value is 1
    codes = evidence.classify_by_reach(labels, None)
    assert np.array(evidence.KINDS)[codes].tolist() == [["features", "rate"]] * 5
    assert codes.dtype == np.int8


def test_the_kind_of_evidence_in_an_ensemble_is_that_of_the_largest_sum_of_parts():
    parts = {
        "calibration": np.array([[9.0, 9.0, 9.0, 9.0]]),
        "one": np.array([[0.6, -2.0, 0.1, 0.0]]),
        "two": np.array([[0.6, 1.9, 0.0, 0.0]]),
        "three": np.array([[-1.0, 0.2, 0.0, 0.0]]),
        "prior": np.array([[0.0, 0.0, -0.5, 0.0]]),
    }
    codes = evidence.classify_by_parts(parts, {"one": "features", "two": "features", "three": "graph"})
    assert np.array(evidence.KINDS)[codes].tolist() == [["features", "graph", "prior", "rate"]]
    assert codes.dtype == np.int8
