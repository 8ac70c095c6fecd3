"""The numbers in the details of a report: reading, calibration, assumptions, and how it was made."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from halflabel._version import list_versions
from halflabel._wording import clipped
from halflabel.completion.verdict import write_wrong
from halflabel.evidence.calibration_error import bin_calibration, measure_calibration
from halflabel.labels.metrics import brier, macro_auc

if TYPE_CHECKING:  # completion is above report
    from halflabel.completion import Completion
    from halflabel.completion.evidence import Evidence
    from halflabel.table import OpenTable

#: Maximum length of a text, and maximum number of settings.
MAX_TEXT, MAX_SETTINGS = 300, 60

_LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas")


def summarize_reading(opened: OpenTable) -> dict[str, Any]:
    """Return the reading of the table: some rows, the counts of its labels, and the columns that are not used."""
    reading = opened.reading
    return {
        "columns": list(reading.rows.columns),
        "rows": [{name: clipped(text, MAX_TEXT) for name, text in row.items()}
                 for row in reading.rows.to_dict(orient="records")],
        "sentences": [clipped(text, MAX_TEXT) for text in (reading.labels, *reading.nothing)],
        "ignored": [f"{clipped(name)}: {clipped(why)}" for name, why in opened.roles.ignored][:MAX_SETTINGS],
    }  # fmt: skip


def measure_quality(evidence: Evidence) -> dict[str, Any]:
    """Return the quality of the predictions of known values, each by a model that was fitted without it."""
    labels, p = evidence.calibrated_on, evidence.learned_probabilities
    learned = labels.hide(np.broadcast_to(~labels.learnable, labels.shape))
    quality = {
        "event": "assigned" if evidence.labels.positive_only else "yes",
        "entries": int(learned.observed.sum()),
        "auc": macro_auc(learned, p),
        "brier": brier(learned, p),
    }
    return quality | measure_calibration(labels, p) | {"curve": bin_calibration(labels, p)}


def describe_values(evidence: Evidence) -> dict[str, str] | None:
    """Return for the values yes and no how many of them are wrong, or None if a check contradicts it."""
    if not evidence.of_filled.has_precision:
        return None
    rows = {"yes": evidence.expect_errors_in(1), "no": evidence.expect_errors_in(-1)}
    return {
        name: f"{int(row['filled']):,} filled. {write_wrong(int(row['filled']), *row[['expected', 'low', 'high']])}"
        for name, row in rows.items()
        if row["filled"]
    }


def describe_run(completion: Completion, settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the settings, the parameters of the method, and the versions, as people write them."""
    stated = {key: value for key, value in settings.items() if value is not None}
    method = {"method": type(completion.model).__name__, **completion.model.get_params(deep=False)}
    versions = {"python": platform.python_version(), **list_versions(*_LIBRARIES)}
    values = [*list(stated.items())[:MAX_SETTINGS], *method.items(), *versions.items()]
    return {clipped(key): clipped(_write_value(value), 500) for key, value in values}


def _write_value(value: Any) -> str:
    """Return a setting in words.

    Examples
    --------
    >>> [_write_value(value) for value in (("rock", "sad"), None, True, 0.95, {"rock": 2}, ())]
    ['rock, sad', 'not set', 'yes', '0.95', 'rock: 2', 'none']
    """
    if value is None:
        return "not set"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        value = [f"{key}: {_write_value(entry)}" for key, entry in value.items()]
    if isinstance(value, list | tuple | set | frozenset | np.ndarray):
        return ", ".join(map(str, value)) or "none"
    return str(value)
