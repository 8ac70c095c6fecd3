"""SVG that a page can take in: paths and texts, and nothing that could run, load, style the page or share an id."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from io import StringIO
from xml.etree import ElementTree

from matplotlib.figure import Figure

FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif"

#: All that a drawing may hold. No attribute of these can name an address.
ALLOWED = {
    "svg": {"viewBox", "width", "height", "font-family", "stroke-linejoin"},
    "path": {"d", "style", "transform"},
    "text": {"x", "y", "transform", "font-size", "text-anchor", "fill"},
}

#: Values in which nothing can hide: names, numbers, colours, and the two functions that move and turn.
HARMLESS = re.compile(r"(?:[\w\s.,:;#%'-]|(?:translate|rotate)\([\d\s.,-]*\))*")

_SPACE = "{http://www.w3.org/2000/svg}"
_HREF = "{http://www.w3.org/1999/xlink}href"


def printable(text: object) -> str:
    r"""Return the text with a mark in place of characters that XML cannot hold.

    Examples
    --------
    >>> printable("a\x00b")
    'a\ufffdb'
    """
    return re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", str(text))


def written(figure: Figure) -> str:
    """Return a figure as paths and texts, the same bytes every time.

    Marks, which matplotlib defines once and refers to, are written out; numbers are cut to a hundredth of a unit. The
    look of a text is in attributes, which the style sheet of a page overrides. Clipping is lost: draw inside the axes.
    """
    file = StringIO()
    figure.savefig(file, format="svg", transparent=True)
    drawn = ElementTree.fromstring(file.getvalue())
    root = blank(*(round(float(part), 1) for part in drawn.attrib["viewBox"].split()[2:]))
    root.extend(list(_shapes(drawn)))
    return ElementTree.tostring(root, encoding="unicode")


def blank(width: float, height: float) -> ElementTree.Element:
    """Return a drawing with nothing on it; by itself it is shown 1.4 pixels to the unit."""
    return ElementTree.Element(
        "svg",
        {
            "xmlns": _SPACE[1:-1],
            "viewBox": f"0 0 {width:g} {height:g}",
            "width": f"{1.4 * width:g}",
            "height": f"{1.4 * height:g}",
            "font-family": FONTS,
            "stroke-linejoin": "round",
        },
    )


def _shapes(drawn: ElementTree.Element) -> Iterator[ElementTree.Element]:
    """Return what is seen, in the order it is drawn."""
    marks: dict[str, dict[str, str]] = {}
    for element in drawn.iter():
        tag, own = element.tag.removeprefix(_SPACE), element.attrib
        if tag == "path" and "id" in own:
            marks["#" + own["id"]] = own
        elif tag == "path" and own.get("d") and own["style"] != "fill: none":
            yield _path(own["d"], own["style"])
        elif tag == "use":
            mark = marks[own[_HREF]]
            place = f"translate({_short(own['x'])} {_short(own['y'])})"
            style = dict.fromkeys([*mark["style"].split("; "), *own["style"].split("; ")])
            yield _path(mark["d"], "; ".join(style), place)
        elif tag == "text":
            yield _text(own, element.text or "")


def _path(d: str, style: str, transform: str = "") -> ElementTree.Element:
    placed = {"transform": transform} if transform else {}
    return ElementTree.Element("path", {"d": _short(" ".join(d.split())), "style": style, **placed})


def _text(own: Mapping[str, str], text: str) -> ElementTree.Element:
    looks = {"font-size": r"([\d.]+)px", "text-anchor": r"text-anchor: (\w+)", "fill": r"fill: (#\w+)"}
    found = {name: re.search(pattern, own["style"]) for name, pattern in looks.items()}
    placed = {name: _short(own[name]) for name in ("x", "y", "transform") if name in own}
    element = ElementTree.Element("text", {**placed, **{name: match[1] for name, match in found.items() if match}})
    element.text = text
    return element


def _short(numbers: str) -> str:
    return re.sub(r"-?\d+\.\d+", lambda match: f"{float(match[0]):.2f}".rstrip("0").rstrip("."), numbers)


def refuse_foreign(svg: str) -> None:
    """Refuse a drawing that holds anything but what :func:`written` makes.

    Raises
    ------
    ValueError
        If the text is not XML, or holds a declaration, an element, an attribute or a value of any other kind.

    Examples
    --------
    >>> refuse_foreign('<svg xmlns="http://www.w3.org/2000/svg"><path d="M 0 0"/></svg>')
    """
    try:
        if "<!" in svg or "<?" in svg:
            raise ValueError("it has a declaration")
        for element in ElementTree.fromstring(svg).iter():
            _refuse(element)
    except (ElementTree.ParseError, ValueError) as error:
        raise ValueError(
            f"this drawing cannot go on a page: {error}. Draw it with halflabel.reproduction.page.charts."
        ) from error


def _refuse(element: ElementTree.Element) -> None:
    tag = element.tag.removeprefix(_SPACE)
    if tag not in ALLOWED or not element.tag.startswith(_SPACE):
        raise ValueError(f"it holds <{tag}>")
    for name, value in element.attrib.items():
        if name not in ALLOWED[tag] or not HARMLESS.fullmatch(value):
            raise ValueError(f"its <{tag}> has {name}={value!r}")
