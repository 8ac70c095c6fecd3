"""Check every relative link and anchor of the pages in Markdown; list the external links, which are not fetched.

    python .ci/links.py

A target is a file of the checkout or, in ``docs``, a page or a file that the build writes (reports, pictures, the
reference). An anchor is a heading of the target, in the form that GitHub and myst-parser give it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]

#: Code has no links; neither have comments.
CODE = re.compile(r"^(`{3,}|~{3,}).*?^\1$|`[^`\n]+`|<!--.*?-->", re.M | re.S)
LINKS = (
    re.compile(r"\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)"),
    re.compile(r"(?:href|src|srcset)=\"([^\"]+)\""),
    re.compile(r"^\[[^\]]+\]:\s*(\S+)", re.M),
)
FENCES = re.compile(r"^(`{3,}|~{3,}).*?^\1$", re.M | re.S)
ANCHORS = re.compile(r"\b(?:id|name)=\"([^\"]+)\"|^\(([\w-]+)\)=$", re.M)
EXTERNAL = re.compile(r"[a-z][a-z+.-]*:")

#: What the build of the pages writes.
BUILT = ("docs/_generated/", "docs/api/", "docs/reports/")


def list_pages(root: Path = ROOT) -> list[Path]:
    """Return the pages: Markdown at the top, under ``docs``, ``papers`` and ``.github``."""
    found = [*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("papers/*.md"), *root.glob("scale/*.md")]
    found += root.glob(".github/**/*.md")
    return sorted(page for page in found if not {"_build", "_generated", "api"} & set(page.relative_to(root).parts))


def list_links(text: str) -> Iterator[str]:
    """Yield the target of every link and picture."""
    text = CODE.sub("", text)
    for pattern in LINKS:
        yield from pattern.findall(text)


@cache
def list_anchors(page: Path) -> frozenset[str]:
    """Return the anchors of a page: its headings in small letters, and the ids that it sets."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".html":
        return frozenset(re.findall(r"\bid=\"?([\w-]+)", text))
    headings = re.findall(r"^#{1,6} (.+?)\s*$", FENCES.sub("", text), re.M)
    anchors = [explicit or own for explicit, own in ANCHORS.findall(text)]
    for heading in headings:
        slug = re.sub(r"[^\w\- ]", "", re.sub(r"\]\([^)]*\)", "", heading).lower()).replace(" ", "-")
        repeated = sum(each == slug or re.fullmatch(rf"{re.escape(slug)}-\d+", each) is not None for each in anchors)
        anchors.append(f"{slug}-{repeated}" if repeated else slug)
    return frozenset(anchors)


def find_problem(page: Path, link: str, root: Path = ROOT) -> str | None:
    """Return what is wrong with a link, or None."""
    path, _, anchor = link.partition("#")
    target = page if not path else (root / "docs" / path[1:] if path.startswith("/") else page.parent / path).resolve()
    if not target.is_relative_to(root):
        return f"{link} leaves the checkout"
    if target.relative_to(root).as_posix().startswith(BUILT):
        return None
    if not target.exists():
        return f"{link} does not exist"
    if anchor and target.suffix in (".md", ".html") and anchor not in list_anchors(target):
        return f"{link}: {target.relative_to(root)} has no heading #{anchor}"
    return None


def find_problems(root: Path = ROOT) -> list[str]:
    """Return a sentence per link that leads nowhere."""
    return [
        f"{page.relative_to(root)}: {problem}"
        for page in list_pages(root)
        for link in list_links(page.read_text(encoding="utf-8"))
        if not EXTERNAL.match(link) and (problem := find_problem(page, link, root))
    ]


def main() -> None:
    """Print the external links and the problems, and stop if there is a problem."""
    links = {page: list(list_links(page.read_text(encoding="utf-8"))) for page in list_pages()}
    external = sorted({link for each in links.values() for link in each if EXTERNAL.match(link)})
    problems = find_problems()
    print(*external, f"{len(external)} external links (not fetched)", sep="\n")
    print(f"{sum(map(len, links.values())) - len(external)} other links on {len(links)} pages", *problems, sep="\n")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
