"""What an evaluation found, in sentences."""

from __future__ import annotations

import pandas as pd

from halflabel.evaluation.comparison import DEFAULT, RATE

#: The metrics that may decide.
IN_WORDS = {
    "average_precision": "average precision",
    "macro_auc": "area under the ROC curve",
    "above": "pairs in order",
}

#: A difference in a metric below this one is not worth an effort.
MARGIN = 0.01

#: Probabilities whose expected micro-F1 is as near as this to the one reached are called good.
CLOSE = 0.03


def advice(summary: pd.DataFrame, decisive: str, repeats: int) -> str:
    """Say which method to use."""
    others = summary.drop(index=DEFAULT)
    name = str(others[decisive].idxmax())
    best = others.loc[name]
    span = f"{IN_WORDS[decisive]} {best['difference']:+.3f}, 95 % interval {best['low']:+.3f} to {best['high']:+.3f}"
    if best["low"] > 0:
        won = f"in {best['wins']:.0f} of {repeats} repeats"
        return f"Use the default: it beat the best alternative, {name}, {won} ({span})."
    if best["high"] < 0:
        return f"Use {name}: on this table it is better than the default ({span})."
    if RATE in others.index and summary[decisive].max() - others.loc[RATE, decisive] < MARGIN:
        return f"Nothing beats the rate of each label by a margin: the features may say little about labels ({span})."
    return f"The default and {name} cannot be told apart on this table ({span}); the default also draws and explains."


def more_labels(curve: pd.DataFrame, decisive: str) -> str:
    """Say whether labelling more items would help; nothing if the curve has one point, or cannot be measured."""
    if len(curve) < 2 or curve[decisive].isna().any():
        return ""
    before, now = curve.iloc[-2], curve.iloc[-1]
    x, y, metric = before[decisive], now[decisive], IN_WORDS[decisive]
    rise, factor = y - x, now["labelled"] / before["labelled"]
    change = (
        f"raised {metric} from {x:.3f} to {y:.3f}" if rise > 0 else f"left {metric} no higher ({x:.3f}, then {y:.3f})"
    )
    counts = f"from {before['labelled']:,.0f} to {now['labelled']:,.0f}"
    found = f"{'Doubling' if 1.8 < factor < 2.2 else 'Raising'} the labelled items {counts} {change}"
    if rise < MARGIN:
        return f"{found}: more labels would help little."
    if now["better"] < now["repeats"]:
        return f"{found}, but not in every repeat: more labels may help."
    return f"{found}: more labels would help."


def trust(expected: float, reached: float, low: float, high: float) -> str:
    """Say what the default's probabilities promised; the interval is that of expected minus reached."""
    found = f"The default expected micro-F1 {expected:.3f} on the hidden entries and reached {reached:.3f}"
    if abs(expected - reached) <= CLOSE:
        return f"{found}: its probabilities can be taken at their word."
    if low > 0:
        return f"{found}: its probabilities promise too much here; read them as an order."
    if high < 0:
        return f"{found}: its probabilities promise too little here."
    return f"{found}; chance alone may make such a difference, and more --repeats (repeats=) would tell."
