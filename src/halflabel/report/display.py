"""A completion and an explanation as a terminal and a notebook show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import escape

from halflabel._wording import clipped, count, percent, plural, quoted
from halflabel.completion.contribution_table import write_log_odds
from halflabel.evidence.suspects import list_doubtful
from halflabel.report.figures import draw_map
from halflabel.report.quality import count_filled, count_relevant, describe_labels
from halflabel.report.render import load_templates
from halflabel.report.scatter import choose_points
from halflabel.report.sentences import write_doubtful, write_errors, write_relevant
from halflabel.table.roles import ON_REQUEST, VOTES

if TYPE_CHECKING:
    from halflabel.completion.explanation import Explanation
    from halflabel.completion.result import Completion

#: Maximum number of labels in a notebook, and of items for which it draws a map.
MAX_LABELS, MAX_MAP_ITEMS = 5, 5000


def describe_filled(completion: Completion) -> str:
    """Return how many gaps were filled in with each value, and the expected precision if no check contradicts it."""
    by_value = count_filled(completion)
    has_precision = completion.evidence.has_precision
    parts = []
    for name, row in by_value.items():
        expected = f" (expected precision {row['shown']})" if has_precision and row["filled"] else ""
        parts.append(f"{count(int(row['filled']))} as {name}{expected}")
    if has_precision:
        unknown = ""
    elif completion.evidence.contradictions:
        unknown = "; the expected precision is unknown, see the warnings"
    else:
        unknown = "; the expected precision depends on the label frequency"
    filled = f"Filled in: {', '.join(parts)}{unknown}.".replace("\xa0", " ")
    return f"{filled} For the frequency of a label use prevalence, not these numbers."


def describe_warnings(completion: Completion, *, every: bool = True) -> tuple[str, ...]:
    """Return the warnings of the report in sentences and its cautions by title, or only the contradictions."""
    evidence = completion.evidence
    found = evidence.warnings if every else [*evidence.correction, *evidence.contradictions]
    warned, doubted = ([each for each in found if each["level"] == level] for level in ("warning", "caution"))
    sentences = {
        "warning": [f"Warning: {each['title']}. {each['text']} [{each['code']}]" for each in warned],
        "caution": [f"Caution: {each['title']}. [{each['code']}]" for each in doubted],
    }
    return tuple(sentence.replace("\xa0", " ") for level in sentences.values() for sentence in level)


def describe_errors(completion: Completion) -> str:
    """Return how many filled entries are expected to be wrong, with a band of 90 %, or an empty string."""
    if not completion.evidence.has_precision:
        return ""
    filled, expected, low, high = completion.evidence.expected_errors.iloc[-1][["filled", "expected", "low", "high"]]
    return write_errors(int(filled), expected, low, high)


def describe_relevant(completion: Completion) -> str:
    """Return how many of the relevant entries were filled in at the requested precision, or an empty string."""
    if completion.evidence.min_precision is None or not completion.evidence.has_precision:
        return ""
    return write_relevant(**count_relevant(completion, completion.evidence.min_precision)).replace("\xa0", " ")


def describe_suspects(completion: Completion) -> str:
    """Return how many entries are expected to be wrong, or an empty text if a check contradicts it."""
    suspects, labels = completion.evidence.suspects, completion.labels
    if not completion.evidence.has_precision:
        return ""
    if not labels.positive_only:
        return write_doubtful(list_doubtful(suspects, labels)["wrong"].to_numpy())
    entries = plural(len(suspects), "absent entry is", "absent entries are")
    return f"About {count(round(suspects['wrong'].sum()))} of {entries} a missing positive."


def describe_completion(completion: Completion) -> tuple[str, ...]:
    """Return sentences about the table, the filled entries, contradictions, and entries to check."""
    n, n_labels = completion.labels.shape
    gaps, open_entries = int((~completion.labels.observed).sum()), int((completion.state == 0).sum())
    size = f"{plural(n, 'item')}, {plural(n_labels, 'label')}: {plural(gaps, 'gap')}, {count(open_entries)} left empty."
    check = f"{describe_suspects(completion)} The entries to check first: .review(); all: .suspects.".strip()
    rest = f"Completed table: .table; {plural(len(completion.notes), 'note')}: .notes; report: .report('report.html')."
    done = f"{describe_filled(completion)} Threshold rule: {completion.rule.name}."
    unused = [name for name, reason in completion.opened.roles.ignored if reason not in (ON_REQUEST, VOTES)]
    left = [f"Not used: {quoted(unused, 5)}; the reasons: .opened."] if unused else []
    return (size, done, *left, *describe_warnings(completion, every=False), check, rest)


def describe_review(completion: Completion, listed: int) -> str:
    """Return how many entries to check there are for each reason, and how many of them a review table lists."""
    number = completion.evidence.doubts["reason"].value_counts()
    if not len(number):
        return "There is no entry to check."
    entries = plural(int(number.sum()), "entry", "entries")
    reasons = "; ".join(f"{reason} ({count(int(n))})" for reason, n in number.items())
    return f"{entries} to check: {reasons}. The first {count(listed)} are listed."


def show_completion(completion: Completion) -> str:
    """Return the page of a notebook, or the sentences alone if the page cannot be made: a result is always shown."""
    try:
        return render_completion(completion)
    except Exception as reason:  # anything else would show a traceback in place of the result
        text = f"{completion!r}\nThe page for notebooks could not be made ({type(reason).__name__}: {reason})."
        return f"<pre>{escape(text)}</pre>"


def render_completion(completion: Completion) -> str:
    """Return the sentences, the worst labels and a small map as escaped HTML for a notebook."""
    rows = describe_labels(completion.evidence.of_checked, None)[:MAX_LABELS]
    sentences = (*describe_completion(completion), *completion.notes)
    return (
        load_templates()
        .get_template("notebook.html.j2")
        .render(
            sentences=[clipped(sentence, 500) for sentence in sentences],
            labels=[{**row, "name": clipped(row["name"])} for row in rows],
            map_figure=_draw_small_map(completion),
        )
    )


def describe_explanation(explanation: Explanation) -> str:
    """Return an explanation in a few sentences, and a line for each part."""
    words = {1: "relevant", 0: "irrelevant", None: "unknown"}
    return (
        f"{clipped(explanation.item)}, {clipped(explanation.label)}: {words[explanation.value]} "
        f"(given: {words[explanation.given]}), probability {percent(explanation.probability)}, threshold "
        f"{percent(explanation.threshold)}. {_describe_parts(explanation)}"
    ).replace("\xa0", " ")


def _describe_parts(explanation: Explanation) -> str:
    """Return the parts of an explanation, one on each line, after a sentence that names them."""
    if not len(explanation.contributions):
        return explanation.note
    without = ", by models that were fitted without the item" if explanation.out_of_fold else ""
    total = explanation.contributions["log_odds"].sum()
    rows = [*explanation.contributions.itertuples(index=False, name=None), ("sum", total, "")]
    lines = [f"{write_log_odds(value):>8}  {part:<20}  {clipped(rests_on, 300)}" for part, value, rests_on in rows]
    return "\n".join([f"The parts of its log odds{without}:", *map(str.rstrip, lines)])


def render_explanation(explanation: Explanation) -> str:
    """Return an explanation with its parts and its supporting items as HTML for a notebook."""
    tables: list[Any] = [explanation.contributions, explanation.supporting]
    page = load_templates().from_string("<p>{{ sentence }}</p>")
    sentence = describe_explanation(explanation).partition("\n")[0]
    return "".join([page.render(sentence=sentence), *(table.to_html(index=False, border=0) for table in tables)])


def _draw_small_map(completion: Completion) -> dict[str, Any] | None:
    """Return the map of a table of moderate size, if it has two dimensions."""
    if len(completion.labels) > MAX_MAP_ITEMS:
        return None
    try:
        coordinates = completion.map(2).places
    except ValueError:  # too few features or items for two dimensions
        return None
    p, rng = completion.evidence.printed_probabilities, np.random.default_rng(0)
    points = choose_points(coordinates, completion.labels, completion.state, None, rng, p=p)
    return draw_map(points)
