"""A table that can be read in several ways is a question: each way has its keys, and the labels that it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from halflabel._wording import names_command_options, option

#: Keys whose words of several statements count together.
_COLLECTED = ("yes", "no", "unknown")


class Way(NamedTuple):
    """One way to read a table.

    Parameters
    ----------
    text : str
        The meaning, as a clause: "',' separates tags".
    keys : dict of str to object
        The keys of :class:`halflabel.table.Description` that state it: ``{"sep": ","}``.
    gives : str
        The labels that are read so: "4 labels: jazz 41, folk 30, rock 12, sad 3". Empty if it is not known.
    """

    text: str
    keys: Mapping[str, Any]
    gives: str = ""

    @property
    def statement(self) -> str:
        """The keys as arguments of Python, or as options of the command that is running."""
        return (" " if names_command_options() else ", ").join(option(*each) for each in self.keys.items())

    def state(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the keys that were given together with the keys of this way."""
        words = {key: [*_as_list(given.get(key)), *_as_list(self.keys[key])] for key in _COLLECTED if key in self.keys}
        return {**given, **self.keys, **{key: list(dict.fromkeys(each)) for key, each in words.items()}}


class Question(ValueError):
    """Two readings of a table give different labels, and the file does not decide.

    Parameters
    ----------
    found : str
        One sentence: the ambiguous cells, and their place.
    *ways : Way, or (str, dict)
        The likeliest one first.
    other : str
        A sentence about readings that no key states.
    likely : bool
        Whether the first way is likelier than all others, so that a person may take it by a single key. False where a
        person has to choose: the meaning of a tag that is not listed is never assumed.

    Examples
    --------
    >>> print(Question("A cell is blank.", ("blank means no", {"no": ""})))
    A cell is blank. If blank means no, state no=''.
    """

    def __init__(
        self, found: str, *ways: Way | tuple[str, Mapping[str, Any]], other: str = "", likely: bool = True
    ) -> None:
        self.found, self.other, self.likely = found, other, likely
        self.ways: tuple[Way, ...] = tuple(Way(*way) for way in ways)
        lines = (f"If {way.text}, state {way.statement}{way.gives and f' ({way.gives})'}." for way in self.ways)
        super().__init__(" ".join([found, *lines, *([other] if other else [])]))

    def decide(self, read: Callable[[Way], tuple[Any, str]]) -> Way:
        """Return the first way, if it is likely and no other gives other labels. Else raise, with the labels of each.

        Parameters
        ----------
        read : callable
            From a way to the labels, in a form that compares, and to a clause about them. A way that is an error is
            left out; where it is the likeliest one, its error is a part of the question. One that leads to a further
            question may give anything.
        """
        found: list[tuple[Way, Any]] = []
        other = self.other
        for way in self.ways:
            try:
                labels, gives = read(way)
            except Question:
                labels, gives = object(), ""
            except ValueError as error:
                if way is self.ways[0] and self.likely:
                    other = " ".join(filter(None, [other, f"It cannot be read so that {way.text}: {error}"]))
                continue
            found.append((way._replace(gives=gives), labels))
        if found and self.likely and not other and all(labels == found[0][1] for _, labels in found):
            return found[0][0]
        ways = [way for way, _ in found] or self.ways
        raise type(self)(self.found, *ways, other=other, likely=self.likely and other == self.other) from None


def _as_list(words: Any) -> list[str]:
    return [words] if isinstance(words, str) else list(words or ())
