"""The separator of the tags in a text: chosen by evidence, and never where the evidence allows two readings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from halflabel._wording import clipped, option, plural
from halflabel.table.ambiguous import AmbiguousReading
from halflabel.table.tag_text import fold_case, read_score, split_tags

#: Separators that are recognised; the first is the one that stays where no cell holds any.
SEPARATORS = (";", ",", "|", "\n", "\t", "<br>", "<br/>", "<br />", "、", "，", "；", "｜", "،", "؛")

#: The words for separators that an option cannot hold well. "none": a cell is one tag.
WORDS = {"space": " ", "newline": "\n", "tab": "\t", "none": ""}

#: Minimum number of cells for evidence: five rows are shown before the fit, so that a small table is seen as it is.
MIN_CELLS = 10

#: Maximum number of separators that an error offers, where no known one was found.
MAX_WAYS = 3

#: Marks at the edges of a name, and everything there but letters and digits.
_EDGES, _WORD_EDGES = "()[]{}\"'#+-!?.: ", re.compile(r"^[\W_]+|[\W_]+$")

#: Minimum share of the parts at a comma that occur in other texts, too. Names have commas more often than other marks.
MIN_SHARE = 0.51

#: Maximum number of characters between two labels.
MAX_GLUE = 12

#: Maximum numbers of labels that are compared, and of words in one of them.
MAX_LABELS, MAX_WORDS = 3000, 12


def read_separator(text: str) -> str:
    """Return the separator that an option states."""
    return WORDS.get(text, text)


def name_separator(sep: str) -> str:
    """Return a separator as an option states it.

    Examples
    --------
    >>> name_separator(" "), name_separator("/"), name_separator("")
    ('space', '/', 'none')
    """
    return {mark: word for word, mark in WORDS.items()}.get(sep, sep)


def choose_separator(texts: Sequence[str], column: str) -> str:
    """Return the separator of the tags in these texts.

    Of several marks, the right one cuts texts into parts that occur in other texts, too. Without a mark, labels that
    contain other labels, or that are made of the same parts, show a separator that is not known.

    Raises
    ------
    AmbiguousReading
        If another reading is as likely.

    Examples
    --------
    >>> choose_separator(["a, b", "a"], "tags"), choose_separator(["a"], "tags")
    (',', ';')
    """
    distinct = list(dict.fromkeys(texts))[:MAX_LABELS]
    found = [mark for mark in SEPARATORS if any(len(split_tags(text, mark)) > 1 for text in distinct)]
    if not found:
        _check_overlap(distinct, column)
        return SEPARATORS[0]
    share = {mark: _confirm(distinct, mark) for mark in [*found, *_list_marks(distinct)]}
    best = _rank(share)[0]
    pure = [mark for mark in found if not _is_mixed(distinct, mark, share)]
    fits = [mark for mark in pure if share[mark] == share[best] and share[mark] >= (0.5, MIN_SHARE)[mark == ","]]
    if len(pure if len(texts) < MIN_CELLS else fits) == 1 and (len(texts) >= MIN_CELLS or len(found) == 1):
        return (fits or pure)[0]
    joining = {mark for mark in share if mark != best and mark.strip() and _is_mixed(distinct, best, [mark])}
    likely = sorted({*found, best, *joining}, key=lambda mark: (share[mark], mark in found, mark), reverse=True)
    cells = plural(sum(len(split_tags(text, likely[0])) > 1 for text in texts), "cell")
    example = clipped(next(text for text in distinct if len(split_tags(text, likely[0])) > 1), 60)
    several = " If several separate tags, write one of them in all cells." * (len(likely) > 1)
    raise AmbiguousReading(
        f"The cells of the tags column {column!r} hold {_name_marks(likely)}, such as {example!r}; "
        f"{_name_marks(likely[:1])} {'are' if likely[0].isspace() else 'is'} in {cells}.{several}",
        *((f"{_describe(mark)} tags", option("sep", name_separator(mark))) for mark in likely),
        ("a cell is one tag", option("sep", "none")),
    )


def _name_marks(marks: Sequence[str]) -> str:
    names = [{" ": "blanks", "\n": "line breaks", "\t": "tabs"}.get(mark, repr(mark)) for mark in marks]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _describe(sep: str) -> str:
    return {" ": "blanks separate", "\n": "line breaks separate", "\t": "tabs separate"}.get(sep, f"{sep!r} separates")


def _confirm(texts: Iterable[str], sep: str) -> float:
    """Return the share of the parts, of texts with this separator, that occur in another text, too."""
    cells = [[fold_case(read_score(part)[0]) for part in split_tags(text, sep) if part] for text in texts]
    number = Counter(part for parts in cells for part in set(parts))
    of_several = [part for parts in cells if len(parts) > 1 for part in parts if _WORD_EDGES.sub("", part)]
    return sum(number[part] > 1 for part in of_several) / max(len(of_several), 1)


def _list_marks(texts: Iterable[str]) -> list[str]:
    """Return the most frequent texts between two words, without the separators that are recognised.

    The marks at the edges of names, such as brackets, are left out in a second form of each.
    """
    marks = Counter[str]()
    for text in texts:
        text = re.sub(r"\s*[:=@]?\s*\d*\.\d+", "1", text)  # a score is a part of its tag
        for run in set(re.findall(r"(?<=[^\W_])[\W_]+(?=[^\W_])", text)):
            marks.update({run.strip(), run.strip(_EDGES).strip(), " " if " " in run else ""})
    likely = [mark for mark, _ in marks.most_common(20) if mark and not set(mark) & set(SEPARATORS)]
    return likely[:8]


def _is_mixed(texts: Iterable[str], sep: str, marks: Iterable[str]) -> bool:
    """Return whether another mark separates labels from each other, too."""
    labels = {fold_case(part) for text in texts for part in split_tags(text, sep) if part}
    return any(mark != sep and _joins_labels(labels, mark) for mark in marks)


def _joins_labels(labels: Collection[str], mark: str) -> bool:
    """Return whether a label consists of other labels with a mark between them."""
    cut = ([part for part in split_tags(label, mark) if part] for label in labels if mark in label)
    return any(len(parts) > 1 and all(part in labels for part in parts) for parts in cut)


def _check_overlap(texts: Iterable[str], column: str) -> None:
    """Raise if the texts, taken as one label each, look like several labels with a separator between them."""
    labels = {fold_case(text): text for text in texts}
    inner = _find_containing(labels)
    words = _find_joining_words(labels.values())
    marks = list(dict.fromkeys([*_find_glues(labels.values()), *words, *_list_marks(labels)]))
    shared = [mark for mark in marks if _shares_parts(labels, mark) or _joins_labels(labels, mark)]
    if not marks or (3 * len(inner) <= len(labels) and not shared):
        return
    likely = _rank({mark: _confirm(labels, mark) for mark in marks})
    likely = list({mark.strip() or " ": mark for mark in reversed(likely)}.values())[::-1][:MAX_WAYS]
    example = labels[next((label for label in inner if likely[0] in label), next(iter(inner or labels)))]
    how = (
        f"{len(inner)} of {len(labels)} labels contain another label" if inner else "labels are made of the same parts"
    )
    raise AmbiguousReading(
        f"No separator was found in the tags column {column!r}, but {how}, such as {clipped(example, 60)!r}.",
        *((f"{_describe(sep)} tags", option("sep", name_separator(sep))) for sep in likely),
        ("a cell is one tag", option("sep", "none")),
    )


def _find_glues(labels: Iterable[str]) -> list[str]:
    """Return the texts between two labels that other labels consist of, the longest first."""
    known, glues = set(labels), Counter[str]()
    for label in known:
        ends = [j for j in range(1, len(label)) if label[j:] in known]
        glues.update({label[i:j] for j in ends for i in range(1, j) if label[:i] in known})
    found = [glue for glue, n in glues.items() if n > 1 and len(glue) <= MAX_GLUE and not set(glue) & set(SEPARATORS)]
    whole = [glue for glue in found if not any(label in glue for label in known)]
    return sorted(whole, key=lambda glue: (-len(glue), glue))


def _find_joining_words(labels: Iterable[str]) -> list[str]:
    """Return the words, with blanks, that are inside several labels and never at their edges."""
    words = [label.split() for label in labels]
    inside = Counter(word for each in words for word in set(each[1:-1]))
    edges = {word for each in words for word in (*each[:1], *each[-1:])}
    return [f" {word} " for word, n in inside.items() if n > 1 and word not in edges]


def _rank(share: Mapping[str, float]) -> list[str]:
    """Return marks, the most confirmed first. A blank is the last of equal ones, since names have blanks, too."""
    return sorted(share, key=lambda mark: (-share[mark], mark == " "))


def _find_containing(labels: Iterable[str]) -> list[str]:
    """Return the labels that contain another label as a word."""
    known = {_WORD_EDGES.sub("", label): label for label in labels}
    return [label for label in labels if _contains(label, known)]


def _contains(label: str, known: Mapping[str, str]) -> bool:
    words = [(match.start(), match.end()) for match in re.finditer(r"[^\W_]+", label)][:MAX_WORDS]
    spans = (label[words[i][0] : words[j][1]] for i in range(len(words)) for j in range(i, len(words)))
    return any(known.get(span, label) != label for span in spans)


def _shares_parts(labels: Collection[str], mark: str) -> bool:
    """Return whether a mark cuts most labels with it into parts that occur in other labels, too."""
    cut = [[part.strip() for part in label.split(mark)] for label in labels if mark in label]
    shared = Counter(part for parts in cut for part in set(parts))
    whole = sum(all(shared[part] > 1 for part in parts) for parts in cut)
    return len(cut) > 2 and 3 * len(cut) > len(labels) and 2 * whole > len(cut)
