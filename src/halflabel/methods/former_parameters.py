"""The former parameters ``decision``, ``threshold`` and ``cost_ratio`` of every method, which ``rule`` replaces.

The old names are accepted for one version, with a warning. After it, this module goes, with its calls.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from typing import Any

from halflabel.labels.rules import Rule, as_rule

#: From each former parameter to the field of a rule that holds its value.
FORMER = {"decision": "name", "threshold": "threshold", "cost_ratio": "ratio"}


def merge_former(rule: str | Rule, former: Mapping[str, Any]) -> str | Rule:
    """Return a rule with the values of former parameters, or a name if only a name is given.

    Examples
    --------
    >>> merge_former("micro_f1", {"decision": "macro_f1"})
    'macro_f1'
    >>> merge_former("micro_f1", {"decision": "cost", "cost_ratio": 2})
    Rule('cost', ratio=2)
    """
    if isinstance(rule, str) and set(former) == {"decision"}:
        return former["decision"]  # type: ignore[no-any-return]
    return replace(as_rule(rule), **{FORMER[name]: value for name, value in former.items()})


def accept_former(init: Callable[..., None]) -> Callable[..., None]:
    """Return a constructor that also takes former parameters, with the signature of the given one."""
    parameters = inspect.signature(init).parameters
    if "rule" not in parameters:
        return init

    @wraps(init)
    def accept(self: Any, *args: Any, **given: Any) -> None:
        init(self, *args, **replace_former(type(self).__name__, given, parameters["rule"].default))

    return accept


def replace_former(owner: str, given: Mapping[str, Any], rule: str | Rule) -> Mapping[str, Any]:
    """Return parameters with a rule in place of the former parameters, which change ``rule``."""
    former = {name: given[name] for name in FORMER if name in given}
    if not former:
        return given
    if "rule" in given:
        raise TypeError(f"{owner} has a rule already: leave out {' and '.join(former)}.")
    merged = merge_former(rule, former)
    old = ", ".join(f"{name}={value!r}" for name, value in former.items())
    warnings.warn(f"Write {owner}(rule={merged!r}) in place of {old}.", FutureWarning, stacklevel=3)
    return {name: value for name, value in given.items() if name not in former} | {"rule": merged}


def upgrade_state(state: Any) -> Any:
    """Return the state of a saved method with a rule, also where an older version wrote former parameters."""
    if not isinstance(state, dict) or "rule" in state or "decision" not in state:
        return state
    former = {name: state[name] for name in FORMER if name in state}
    return {name: value for name, value in state.items() if name not in former} | {"rule": merge_former("", former)}


class FormerParameter:
    """A former parameter as an attribute: it reads and changes the rule, with a warning."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, model: Any, owner: type) -> Any:
        if model is None:
            return self
        self._warn(model)
        value = getattr(as_rule(model.rule), FORMER[self.name])
        return model.own_threshold if value is None else value

    def __set__(self, model: Any, value: Any) -> None:
        self._warn(model)
        model.rule = replace(as_rule(getattr(model, "rule", "micro_f1")), **{FORMER[self.name]: value})

    def _warn(self, model: Any) -> None:
        sentence = f"{type(model).__name__}.{self.name} is now a part of its rule: use rule= and resolve_rule()."
        warnings.warn(sentence, FutureWarning, stacklevel=3)
