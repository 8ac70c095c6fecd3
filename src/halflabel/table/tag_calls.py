"""Lists as programs print them: ``['a' 'b']`` of NumPy, ``{'a', 'b'}``, ``c("a", "b")`` of R, ``List(a, b)``."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple, Self

#: The begin of such a text, its names, and the end that belongs to the begin.
_BORDERS = re.compile(
    r"(?P<left>(?:[A-Za-z_][\w.]*(?P<call>\())?(?P<list>[\[({])?)"
    r"(?P<names>.*?)(?P<right>(?(list)[\])}])(?:,\s*dtype=[^()]+)?(?(call)\)))",
    re.DOTALL,
)
_NAME = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_NAMES = re.compile(rf"\s*{_NAME}(?:[\s,]+{_NAME})*\s*,?\s*")


#: The width of the texts of an array, which is not the same in all cells.
_WIDTH = re.compile(r",\s*dtype='[<>=|]?U\d+'")

#: Names of lists whose elements may have no quotes.
_LISTS = re.compile(r"(?:.*(?:array|list|seq|set|vector|buffer|tuple)|c)\([\[{(]?", re.IGNORECASE)


class Call(NamedTuple):
    """The text before all names, between two of them and after them, the quotes, and the text after a single name."""

    left: str
    glue: str
    right: str
    quote: str
    single: str = ""

    @classmethod
    def find(cls, texts: Sequence[str]) -> Self | None:
        """Return the notation of texts, or None if they are not lists as programs print them.

        Examples
        --------
        >>> Call.find(["['a' 'b']", "['a']"])
        Call(left='[', glue=' ', right=']', quote="'", single='')
        >>> Call.find(["List(a, b)"]), Call.find(["(a), (b)"])
        (Call(left='List(', glue=', ', right=')', quote='', single=''), None)
        """
        texts = [_WIDTH.sub("", text) for text in texts]
        cut = [
            match.group("left", "names", "right")
            for text in texts
            if (match := _BORDERS.fullmatch(text)) and match["left"] and match["right"]
        ]
        if not cut:
            return None
        (left, right), number = Counter((left, right) for left, _, right in cut).most_common(1)[0]
        inner = [names for first, names, last in cut if (first, last) == (left, right)]
        quoted = [names for names in inner if _NAMES.fullmatch(names)]
        is_call = _LISTS.fullmatch(left) is not None  # R has a text of one element without its call
        if 0 < len(quoted) < len(inner) or not (quoted or is_call) or number < len(texts) * (not (quoted and is_call)):
            return None
        quotes = Counter(name[0] for names in quoted for name in re.findall(_NAME, names))
        quote = quotes.most_common(1)[0][0] if quotes else ""
        glues = Counter(glue for names in inner for glue in re.split(_NAME if quote else r"[^\s,]+", names)[1:-1])
        single = "," if any(names.rstrip().endswith(",") for names in quoted) else ""  # ('a',) is a tuple of Python
        return cls(left, glues.most_common(1)[0][0] if glues else ", ", right, quote, single)

    @property
    def has_single(self) -> bool:
        """Whether a list of one name can be the name itself, as in R."""
        return bool(self.quote) and _LISTS.fullmatch(self.left) is not None

    def read(self, text: str) -> list[str]:
        """Return the names in a text. A text of another form is one name.

        Examples
        --------
        >>> Call("c(", ", ", ")", '"').read('c("a, b", "c")'), Call("c(", ", ", ")", '"').read("a")
        (['a, b', 'c'], ['a'])
        """
        whole, text = text, _WIDTH.sub("", text)
        if not (text.startswith(self.left) and text.endswith(self.right)):
            return [whole]
        inner = text[len(self.left) : len(text) - len(self.right)]
        if not self.quote:
            return [part.strip() for part in inner.split(",") if part.strip()]
        return [ast.literal_eval(name) for name in re.findall(_NAME, inner)]

    def write(self, names: Sequence[str]) -> str:
        """Return the text of a list of names."""
        if not names and (self.left, self.quote) == ("{", "'"):
            return "set()"  # {} is an object
        end = self.single if len(names) == 1 else ""
        return f"{self.left}{self.glue.join(map(self._quote, names))}{end}{self.right}"

    def _quote(self, name: str) -> str:
        if not self.quote:
            return name
        escaped = name.replace("\\", "\\\\").replace(self.quote, f"\\{self.quote}")
        return f"{self.quote}{escaped}{self.quote}"
