"""Answers to questions with choices: one question per label (yes, no, unsure), or one whose choices are the labels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from halflabel._wording import plural
from halflabel.files.collector import Collector
from halflabel.files.field_values import share_in
from halflabel.labels.answers import Answer, read_answer

YES, NO, UNSURE = Answer.YES.value, Answer.NO.value, Answer.UNSURE.value


def word_for(value: int | None) -> str:
    """Return the choice that means the value of an entry."""
    return UNSURE if value is None else YES if value else NO


def read_choice(word: object) -> Answer | None:
    """Return the answer that a choice means in a question about one label, or None for the name of a label."""
    answer = read_answer(word)
    return None if answer is Answer.NONE else answer


@dataclass
class Answers:
    """Answers as a file gives them. Only all of them together show which questions have labels as choices."""

    _people: list[tuple[int, str | None, str | None]] = field(default_factory=list)
    _answers: list[tuple[int, str, tuple[str, ...]]] = field(default_factory=list)
    _guesses: list[tuple[int, str, tuple[str, ...], float | None, str | None]] = field(default_factory=list)
    _words: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def annotation(self, item: int, by: str | None = None, at: str | None = None) -> int:
        """Note that a person annotated an item, and return the number of the annotation."""
        self._people.append((item, by, at))
        return len(self._people) - 1

    def answer(self, annotation: int, question: str, chosen: Iterable[str]) -> None:
        """Add the choices of an annotation."""
        choices = tuple(chosen)
        self._words[question].update(choices)
        self._answers.append((annotation, question, choices))

    def guess(self, item: int, question: str, chosen: Iterable[str], score: float | None, by: str | None) -> None:
        """Add the choices of a model."""
        choices = tuple(chosen)
        self._words[question].update(choices)
        self._guesses.append((item, question, choices, score, by))

    def settle(self, collector: Collector) -> set[str]:
        """Give everything to the collector: answers about one label as cells, answers about several labels as lists.

        Return the questions whose choices are labels: not all of them read as yes, no and unsure.
        """
        listing = {question for question, words in self._words.items() if None in map(read_choice, words)}
        self._settle_answers(collector, listing)
        self._settle_guesses(collector, listing)
        return listing

    def _settle_answers(self, collector: Collector, listing: set[str]) -> None:
        chosen_in: list[set[str]] = [set() for _ in self._people]
        for annotation, question, choices in self._answers:
            if question in listing:
                chosen_in[annotation].update(_labels(question, choices, listing))
            else:
                item, by, at = self._people[annotation]
                collector.add(item, question, _meaning(choices), "person" if by else "given", None, by, at)
        for (item, by, at), names in zip(self._people, chosen_in, strict=True):
            if listing:
                collector.add_list(item, names, "person" if by else "given", by, at)
            else:
                collector.annotate(item, frozenset(), by, at)

    def _settle_guesses(self, collector: Collector, listing: set[str]) -> None:
        n_odd = 0
        for item, question, choices, score, by in self._guesses:
            p = share_in(score)
            n_odd += p is None and score is not None
            if question in listing:
                labels = _labels(question, choices, listing)
                collector.may_list(labels)
                for label in labels:
                    collector.add(item, label, 1.0, "model", p, by)
            else:
                value = _meaning(choices)
                p = None if p is None or value is None else p if value else 1 - p
                collector.add(item, question, value, "model", p, by)
        if n_odd:
            collector.notes.append(f"{plural(n_odd, 'score')} outside 0 to 1 left out: a probability is from 0 to 1.")


def _meaning(choices: tuple[str, ...]) -> float | None:
    """Return the value that the choices mean, or None for no choice and for choices that contradict each other."""
    answers = {read_choice(choice) for choice in choices}
    answer = answers.pop() if len(answers) == 1 else None
    return None if answer is None else answer.value_of_entry


def _labels(question: str, choices: tuple[str, ...], listing: set[str]) -> list[str]:
    """Return choices as names of labels. With several such questions, each name begins with its question."""
    return [f"{question}: {choice}" if len(listing) > 1 else choice for choice in choices]
