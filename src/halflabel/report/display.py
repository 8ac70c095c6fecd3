"""A completion and an explanation as a terminal and a notebook show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from markupsafe import escape

from halflabel._wording import clipped, count, percent, plural
from halflabel.completion.contribution_table import write_log_odds
from halflabel.report.render import load_templates
from halflabel.report.rows import draw_strip

if TYPE_CHECKING:
    from halflabel.completion.explanation import Explanation
    from halflabel.completion.result import Completion

#: Number of filled values in a notebook.
ROWS = 6


def describe_warnings(completion: Completion) -> tuple[str, ...]:
    """Return the warnings of the report in sentences and its cautions by title."""
    found = completion.evidence.warnings
    warned, doubted = ([each for each in found if each["level"] == level] for level in ("warning", "caution"))
    sentences = {
        "warning": [f"Warning: {each['title']}. {each['text']} [{each['code']}]" for each in warned],
        "caution": [f"Caution: {each['title']}. [{each['code']}]" for each in doubted],
    }
    return tuple(sentence.replace("\xa0", " ") for level in sentences.values() for sentence in level)


def describe_review(completion: Completion) -> str:
    """Return how many values to check there are for each reason."""
    number = completion.evidence.doubts["reason"].value_counts()
    if not len(number):
        return "There is no value to check."
    reasons = "; ".join(f"{reason} ({count(int(n))})" for reason, n in number.items())
    return f"{plural(int(number.sum()), 'value')} to check: {reasons}."


def show_completion(completion: Completion) -> str:
    """Return the page of a notebook, or the sentences alone if the page cannot be made: a result is always shown."""
    try:
        return render_completion(completion)
    except Exception as reason:  # anything else would show a traceback in place of the result
        text = f"{completion!r}\nThe page for notebooks could not be made ({type(reason).__name__}: {reason})."
        return f"<pre>{escape(text)}</pre>"


def render_completion(completion: Completion) -> str:
    """Return the verdict and some random filled values as escaped HTML for a notebook."""
    rows = draw_strip(
        completion.evidence, lambda rows: [{"item": clipped(completion.index[row])} for row in rows], ROWS
    )
    page, event = load_templates().get_template("notebook.html.j2"), name_event(completion)
    return page.render(verdict=completion.verdict, rows=rows, probability_of=event)


def name_event(completion: Completion) -> str:
    """Return the event of the probabilities, as a page names it."""
    return "yes" if completion.probability_of == "being relevant" else "being assigned"


def describe_explanation(explanation: Explanation) -> str:
    """Return an explanation in a few sentences, and a line for each part."""
    words = {1: "yes", 0: "no", None: "unknown"}
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
    """Return an explanation with its parts and their largest shares as HTML for a notebook."""
    tables: list[Any] = [explanation.contributions, explanation.carriers]
    page = load_templates().from_string("<p>{{ sentence }}</p>")
    sentence = describe_explanation(explanation).partition("\n")[0]
    return "".join([page.render(sentence=sentence), *(table.to_html(index=False, border=0) for table in tables)])
