"""Figures of a completion on matplotlib's axes. This module draws numbers and computes none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from halflabel._arrays import Floats, Ints
from halflabel.labels.intervals import wilson_interval
from halflabel.report.scatter import CODES, ORDER, WORDS

if TYPE_CHECKING:  # matplotlib takes a second to start, and nothing but a figure needs it
    from matplotlib.axes import Axes

#: Colours as in the report: one for relevant entries, one for irrelevant or unknown entries.
RELEVANT, IRRELEVANT = "#0b6477", "#8f897b"

#: Colour, marker and size in points squared of each value of an entry, in the order of ``scatter.WORDS``.
MARKS = (
    (RELEVANT, "s", 22),
    (IRRELEVANT, "s", 22),
    (RELEVANT, "o", 12),
    (IRRELEVANT, "o", 12),
    (IRRELEVANT, "o", 3),
    (RELEVANT, "o", 12),
    (IRRELEVANT, "o", 12),
)

#: Opacity of uncertain values.
PALE = 0.35

#: Size of the name of the largest region, in points, and the colour of names.
NAME_SIZE, QUIET = 10, "#22252a"


class Name(NamedTuple):
    """The name of a region on a map."""

    text: str
    place: Floats
    shift: tuple[float, float]  #: From the place to the right and upwards, in points.
    size: float  #: In points.


def make_axes(ax: Axes | None = None) -> Axes:
    """Return the axes that were given, or the axes of a new figure."""
    if ax is not None:
        return ax
    from matplotlib import pyplot  # imported here: it takes a second

    return pyplot.subplots()[1]


def plot_map(
    ax: Axes,
    coordinates: Floats,
    codes: Ints,
    label: str,
    *,
    regions: Sequence[Name] = (),
    note: str = "",
) -> Axes:
    """Draw one mark per item, with the colour and shape of its entry of one label.

    ``codes`` are from :func:`halflabel.report.scatter.encode_entries`. ``label`` is the name of the label, for the
    title, and ``note`` the line under the map.
    """
    for code in map(CODES.index, ORDER):
        rows = codes == code
        if rows.any():
            colour, marker, size = MARKS[code]
            look: dict[str, Any] = {
                "c": colour,
                "marker": marker,
                "s": size,
                "alpha": PALE if code > 4 else 1.0,
                "linewidths": 0,
            }
            ax.scatter(*coordinates[rows].T, label=WORDS[code], **look)
    for name in regions:
        _write_name(ax, name)
    ax.set(xticks=[], yticks=[], title=_escape_mathematics(label))
    ax.set_xlabel(note, fontsize=8, loc="left")
    marks, words = ax.get_legend_handles_labels()
    ax.legend(marks[::-1], words[::-1], loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return ax


def _write_name(ax: Axes, name: Name) -> None:
    from matplotlib.patheffects import withStroke

    ax.annotate(
        _escape_mathematics(name.text),
        tuple(name.place),
        name.shift,
        textcoords="offset points",
        fontsize=name.size,
        fontweight="bold",
        color=QUIET,
        ha="center",
        va="center",
        arrowprops={"arrowstyle": "-", "color": "0.4", "linewidth": 0.6}
        if max(map(abs, name.shift)) > NAME_SIZE
        else None,
        path_effects=[withStroke(linewidth=2.5, foreground="white")],
    )


def plot_calibration(ax: Axes, bins: Sequence[dict[str, Any]]) -> Axes:
    """Draw the observed share against the predicted probability, with 95 % intervals.

    ``bins`` are from :func:`halflabel.evidence.calibration_error.bin_calibration`.
    """
    predicted, observed = (np.array([b[name] for b in bins], dtype=np.float64) for name in ("predicted", "observed"))
    spans = np.array([wilson_interval(b["observed"], b["entries"]) for b in bins]).reshape(-1, 2)
    ax.plot([0, 1], [0, 1], linestyle=":", color=IRRELEVANT, label="well calibrated")
    ax.vlines(predicted, spans[:, 0], spans[:, 1], color=RELEVANT)
    ax.plot(predicted, observed, "o", color=RELEVANT, label="given entries, with 95 % intervals")
    ax.set(xlabel="predicted probability", ylabel="observed share", xlim=(0, 1), ylim=(0, 1), aspect="equal")
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return ax


def plot_coverage(ax: Axes, precisions: Sequence[float], shares: Sequence[float], min_precision: float | None) -> Axes:
    """Draw the share of the gaps that can be filled against the expected precision.

    ``min_precision`` is the precision in use, which gets a line.
    """
    ax.plot(precisions, shares, color=RELEVANT)
    if min_precision is not None:
        ax.axvline(min_precision, linestyle=":", color=IRRELEVANT)
    ax.set(xlabel="expected precision", ylabel="share of the gaps that can be filled", ylim=(0, 1.02))
    return ax


def plot_learning_curve(ax: Axes, curve: pd.DataFrame, metric: str, name: str) -> Axes:
    """Draw a metric on hidden entries against the number of labelled items.

    ``curve`` has the columns ``labelled`` and ``metric``, and ``name`` is for the axis.
    """
    ax.plot(curve["labelled"], curve[metric], "o-", color=RELEVANT)
    ax.set(xlabel="labelled items", ylabel=f"{name} on hidden entries", xlim=(0, None))
    return ax


def plot_prevalence(ax: Axes, table: pd.DataFrame) -> Axes:
    """Draw the share of each label and group with its interval, the first row at the top.

    ``table`` is from :meth:`halflabel.Completion.prevalence`.
    """
    from halflabel.completion.prevalence_table import name_group  # imported here: few completions count labels

    group = table["group"].map(name_group) if "group" in table else pd.Series("", index=table.index)
    names = [_escape_mathematics(f"{label}  {part}".strip()) for label, part in zip(table["label"], group, strict=True)]
    places = np.arange(len(table))[::-1]
    ax.hlines(places, table["low"], table["high"], color=RELEVANT)
    ax.plot(table["share"], places, "o", color=RELEVANT)
    ax.set(yticks=places, yticklabels=names, xlim=(0, 1), ylim=(-0.6, len(table) - 0.4))
    ax.set_xlabel("share of the items, with its interval")
    return ax


def _escape_mathematics(text: str) -> str:
    """Return a text without the sign that starts a formula in matplotlib."""
    return text.replace("$", r"\$")
