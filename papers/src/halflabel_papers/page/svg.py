"""SVG inside a page: paths and texts only, nothing that runs, loads, styles the page or has an id."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from io import StringIO
from xml.etree import ElementTree

from matplotlib.figure import Figure

FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif"

#: The elements and attributes of a drawing. None of these attributes can hold an address.
ALLOWED = {
    "svg": {"viewBox", "width", "height", "font-family", "stroke-linejoin"},
    "path": {"d", "style", "transform"},
    "text": {"x", "y", "transform", "font-size", "text-anchor", "fill"},
}

#: Safe values: names, numbers, colours, and the two functions that move and turn.
HARMLESS = re.compile(r"(?:[\w\s.,:;#%'-]|(?:translate|rotate)\([\d\s.,-]*\))*")

_SPACE = "{http://www.w3.org/2000/svg}"
_HREF = "{http://www.w3.org/1999/xlink}href"


def printable(text: object) -> str:
    r"""Return the text with a replacement for characters that XML cannot hold.

    Examples
    --------
    >>> printable("a\x00b")
    'a\ufffdb'
    """
    return re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", str(text))


def convert_figure(figure: Figure) -> str:
    """Return a figure as paths and texts, the same bytes every time.

    Marks, which matplotlib defines once and then references, become paths; numbers are rounded to a hundredth of a
    unit. The look of a text is in attributes, which the style sheet of a page overrides. Clipping is lost: draw inside
    the axes.
    """
    file = StringIO()
    figure.savefig(file, format="svg", transparent=True)
    source = ElementTree.fromstring(file.getvalue())
    root = make_root(*(round(float(part), 1) for part in source.attrib["viewBox"].split()[2:]))
    root.extend(list(_convert_shapes(source)))
    return ElementTree.tostring(root, encoding="unicode")


def make_root(width: float, height: float) -> ElementTree.Element:
    """Return an empty drawing. Without a style sheet, a unit is 1.4 pixels."""
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


def _convert_shapes(source: ElementTree.Element) -> Iterator[ElementTree.Element]:
    """Yield the visible elements, in their order."""
    marks: dict[str, dict[str, str]] = {}
    for element in source.iter():
        tag, own = element.tag.removeprefix(_SPACE), element.attrib
        if tag == "path" and "id" in own:
            marks["#" + own["id"]] = own
        elif tag == "path" and own.get("d") and own["style"] != "fill: none":
            yield make_path(own["d"], own["style"])
        elif tag == "use":
            mark = marks[own[_HREF]]
            place = f"translate({_round_numbers(own['x'])} {_round_numbers(own['y'])})"
            style = dict.fromkeys([*mark["style"].split("; "), *own["style"].split("; ")])
            yield make_path(mark["d"], "; ".join(style), place)
        elif tag == "text":
            yield _convert_text(own, element.text or "")


def make_path(d: str, style: str, transform: str = "") -> ElementTree.Element:
    """Return a path, its numbers rounded to a hundredth."""
    placed = {"transform": transform} if transform else {}
    return ElementTree.Element("path", {"d": _round_numbers(" ".join(d.split())), "style": style, **placed})


def _convert_text(own: Mapping[str, str], text: str) -> ElementTree.Element:
    looks = {"font-size": r"([\d.]+)px", "text-anchor": r"text-anchor: (\w+)", "fill": r"fill: (#\w+)"}
    matches = {name: re.search(pattern, own["style"]) for name, pattern in looks.items()}
    placed = {name: _round_numbers(own[name]) for name in ("x", "y", "transform") if name in own}
    return make_text(text, {**placed, **{name: match[1] for name, match in matches.items() if match}})


def make_text(text: str, attributes: Mapping[str, str]) -> ElementTree.Element:
    """Return a line of text."""
    element = ElementTree.Element("text", dict(attributes))
    element.text = text
    return element


def _round_numbers(numbers: str) -> str:
    return re.sub(r"-?\d+\.\d+", lambda match: f"{float(match[0]):.2f}".rstrip("0").rstrip("."), numbers)


def check_svg(svg: str) -> None:
    """Raise if a drawing has anything that :func:`convert_figure` does not write.

    Raises
    ------
    ValueError
        If the text is not XML, or has a declaration, or an element, an attribute or a value of another kind.

    Examples
    --------
    >>> check_svg('<svg xmlns="http://www.w3.org/2000/svg"><path d="M 0 0"/></svg>')
    """
    try:
        if "<!" in svg or "<?" in svg:
            raise ValueError("it has a declaration")
        for element in ElementTree.fromstring(svg).iter():
            _check_element(element)
    except (ElementTree.ParseError, ValueError) as error:
        raise ValueError(
            f"this drawing cannot go on a page: {error}. Draw it with halflabel_papers.page.charts."
        ) from error


def _check_element(element: ElementTree.Element) -> None:
    tag = element.tag.removeprefix(_SPACE)
    if tag not in ALLOWED or not element.tag.startswith(_SPACE):
        raise ValueError(f"it has the element <{tag}>")
    for name, value in element.attrib.items():
        if name not in ALLOWED[tag] or not HARMLESS.fullmatch(value):
            raise ValueError(f"its <{tag}> has {name}={value!r}")
