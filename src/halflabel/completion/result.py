"""The result of complete(): the full table and the evidence for it."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from halflabel._arguments import name_right
from halflabel._files import atomic_write
from halflabel.completion.display import Figures, find_views
from halflabel.completion.evidence import Evidence
from halflabel.completion.mapping.item_map import ItemMap, draw_item_map
from halflabel.completion.model_file.predictor import Predictor
from halflabel.completion.output import write_completed
from halflabel.completion.review_list import list_for_review
from halflabel.completion.verdict import Verdict, decide
from halflabel.labels import PartialLabels
from halflabel.labels.rules import Rule
from halflabel.methods.base import PartialLabelEstimator
from halflabel.numerics.layout.tsne import MIN_ITEMS
from halflabel.table import OpenTable
from halflabel.table.items import choose_shown

if TYPE_CHECKING:
    from halflabel.completion.answers import Answers
    from halflabel.completion.explanation import Explanation
    from halflabel.completion.finish import Task
    from halflabel.corrections.correction import Learned
    from halflabel.table.accepted import PathLike, TableLike

AnyPath = str | os.PathLike[str]


@dataclass(frozen=True, eq=False, repr=False)
class Completion:
    """A completed table: the input, the fitted method, and the evidence for each value. :func:`complete` makes it.

    Its tables are of the library of the items: pandas in, pandas out, and polars in, polars out. There, ids that have a
    name are the first column. :attr:`frame` and the tables of :attr:`evidence` are of pandas in any case.

    Parameters
    ----------
    evidence : Evidence
        The input, the fitted method, and each number that is printed about its values.
    """

    evidence: Evidence

    if not TYPE_CHECKING:  # a type checker would take any name

        def __getattr__(self, name: str) -> Any:
            names = dir(type(self))
            if name in names:  # a property, whose own error is raised again
                return object.__getattribute__(self, name)
            raise AttributeError(f"a Completion has no {name!r}{name_right(name, names)}", name=name, obj=self)

    def __repr__(self) -> str:
        return str(self.verdict)

    def _repr_html_(self) -> str:
        return find_views().show_completion(self)

    @cached_property
    def verdict(self) -> Verdict:
        """The sentences that open each output: gaps filled, how many values are wrong, and the next step."""
        return decide(self.evidence)

    @property
    def opened(self) -> OpenTable:
        """The input: features, labels, roles, notes."""
        return self.evidence.opened

    @property
    def model(self) -> PartialLabelEstimator:
        """The fitted method, without the :attr:`corrections` of its probabilities."""
        return self.evidence.model

    @property
    def corrections(self) -> Mapping[str, Learned]:
        """The records that correct the probabilities of the method, by name: "votes", "shift", "rules"."""
        return self.evidence.fit.by_name

    @property
    def rule(self) -> Rule:
        """The threshold rule that decided which entries are filled in as relevant."""
        return self.evidence.rule

    @property
    def state(self) -> NDArray[np.int8]:
        """The labels after completion: +1 relevant, -1 irrelevant, 0 left unknown. Given entries do not change."""
        return self.evidence.state

    @property
    def probability_of(self) -> str:
        """The event of the probabilities: "being relevant", or "being assigned" for positive-only labels without c."""
        return self.predictor.probability_of

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes from reading the table, and the correction of probabilities if there is one, in sentences."""
        return (*self.evidence.fit.sentences, *self.opened.notes)

    @property
    def labels(self) -> PartialLabels:
        """The labels as they were given, without the labels that cannot be learned."""
        return self.opened.labels

    @property
    def index(self) -> pd.Index[Any]:
        """The ids of the items."""
        return self.opened.index

    @cached_property
    def table(self) -> Any:
        """The table that was given, its gaps filled: the kind of object, index, columns and order as they were."""
        return self.opened.restore(self.frame)

    @property
    def frame(self) -> pd.DataFrame:
        """The completed table as a DataFrame, whatever kind of object was given."""
        return self.evidence.frame

    @cached_property
    def probabilities(self) -> pd.DataFrame:
        """Calibrated probabilities of :attr:`probability_of`. Observed entries get out-of-fold probabilities."""
        table = pd.DataFrame(self.evidence.probabilities, index=self.index, columns=list(self.labels.names))
        return self.opened.as_given(table)

    @cached_property
    def suspects(self) -> pd.DataFrame:
        """The given entries, the most probably wrong entries first.

        Columns: item, label, given, probability (of being relevant, out of fold). Their order is that of the posterior
        that the value was flipped, see :class:`halflabel.evidence.suspects.FlipRates`. The number of wrong ones is not
        stated: nothing in a table distinguishes flipped values from values that depend on chance.

        Of positive-only labels these are the probable missing positives: entries that an annotated item lacks.
        """
        return self.opened.as_given(self.evidence.suspects)

    def next_to_label(self, n: int = 20) -> pd.DataFrame:
        """Return the ``n`` items whose labels help most: item, bits, unknown.

        Unlabelled items come first, in the order in which their labels reduce the expected error over all items. The
        items with the most uncertain gaps follow, see :func:`halflabel.evidence.questions.rank_questions`.
        """
        return self.opened.as_given(self.evidence.next_to_label(n))

    @cached_property
    def expected_errors(self) -> pd.DataFrame:
        """The number of filled entries that are expected to be wrong, label by label and for all labels together.

        Columns: label, filled, expected, low, high (a band of 90 %, see
        :func:`halflabel.evidence.expected_errors.estimate_errors`). It is an estimate; :meth:`finish` gives a bound.
        Where a check contradicts the estimate (:attr:`Evidence.contradictions`), and for a label with fewer than 5
        given values of yes, expected, low and high are missing.
        """
        return self.opened.as_given(self.evidence.expected_errors)

    def prevalence(self, by: str | None = None, confidence: float = 0.90) -> pd.DataFrame:
        """Return how frequent each label is among all items, with an interval. Do not count the completed values.

        Each completed value is the more probable one, so that counts of them are biased. Here the known entries are
        counted, and the probabilities correct for the items that happen to be known, see
        :mod:`halflabel.evidence.prevalence`. The interval is right if entries are known by chance: where a check
        contradicts it, and without a label frequency of assigned tags, this raises a ValueError. Answers to questions
        that a queue chose are not used.

        Columns: label, group (``by`` a column of the table, for values of at least 20 items), n_items, n_labelled,
        share, low, high, count, count_low, count_high, gain (the number of known entries, per known entry, that give an
        equally narrow interval without probabilities). A label needs 5 known entries in a group.
        """
        from halflabel.completion.prevalence_table import tabulate_prevalence

        return self.opened.as_given(tabulate_prevalence(self.evidence.of_filled, by, confidence))

    def ask_frequency(self, n: int = 20) -> pd.DataFrame:
        """Return questions about absent entries of positive-only labels, whose answers show the label frequency.

        Columns: item, label, why, chance (the known probability of being drawn, which increases with the probability of
        the entry), answer (empty, for 1 or 0), and the columns that describe an item. Give the answers to
        ``complete(..., observed_rate="ask", answers=answers)``; ask 20 questions three times.
        """
        asked = self.evidence.asked_frequency
        if asked is None:
            raise ValueError('the label frequency was not asked for: call complete(..., observed_rate="ask").')
        return self.opened.as_given(asked.ask(self.opened, n))

    def finish(
        self,
        max_error: float = 0.05,
        confidence: float = 0.95,
        seed: int | None = None,
        journal: AnyPath | None = None,
        **part: Any,
    ) -> Task[Completion]:
        """Ask questions until the whole delivered table has at most a stated share of errors.

        The bound holds after every answer, so that a person can stop at any time. The parameters are described at
        :class:`halflabel.completion.finish.Task`.
        """
        from halflabel.completion.finish import Task  # imported here, as below: few completions need it

        return Task(self, max_error=max_error, confidence=confidence, seed=seed, journal=journal, **part)

    def review(
        self, max_rows: int = 500, show: Sequence[str] | None = None, *, reason: str | None = None
    ) -> pd.DataFrame:
        """Return the entries that a person should check, in the order in which the answers help most.

        These are doubtful given entries, undecided entries, and filled values that are wrong with a notable
        probability; for positive-only labels probable missing positives, undecided entries, and uncertain values of
        items that are not annotated.

        Columns: item, label, given, suggested, probability (of :attr:`probability_of`; missing for gaps where
        :attr:`Evidence.contradictions` are found), reason (``reason`` selects one), answer (empty, for 1 or 0), and
        columns that describe an item (``show``, by default the text column and a recognised id).
        """
        return self.opened.as_given(list_for_review(self.evidence, max_rows, show, reason))

    def update(self, answers: TableLike | PathLike | Answers) -> Completion:
        """Return the completion after some further answers, in a small part of the time of a new fit.

        The labels of the answered entries are fitted again, each on the structures of the last fit to all entries, see
        :class:`halflabel.methods.auto.kept.KeptFit`. Calibrations, weights and all other labels stay, and trees learn
        corrections only. The result depends on the answers, and not on the number of updates. It is near that of a new
        fit: after many answers, call :func:`complete` with all of them.

        Raises
        ------
        ValueError
            If only a new fit can learn the answers: with another method than the default one, with a prior, from
            positive-only labels, or if a label gets its first value of one kind. The error has the way on.

        Examples
        --------
        >>> import numpy as np, pandas as pd
        >>> from halflabel import complete
        >>> songs = pd.DataFrame({"tempo": [60.1, 62.3, 64.7, 61.2, 120.4, 122.8, 125.1, 121.7]})
        >>> songs["dance"] = [0, 0, np.nan, np.nan, 1, 1, np.nan, np.nan]
        >>> answers = pd.DataFrame({"item": [2, 7], "label": "dance", "answer": [1, 1]})
        >>> complete(songs, labels=["dance"]).update(answers).table["dance"].tolist()
        [0, 0, 1, 0, 1, 1, 1, 1]
        """
        from halflabel.completion.updating import learn_answers

        return Completion(learn_answers(self.evidence, answers))

    def explain(self, item: Hashable, label: str) -> Explanation:
        """Return why the entry of ``item`` (its id) and ``label`` has its probability.

        The column ``log_odds`` of its ``contributions`` adds up to the log odds of the probability.
        """
        from halflabel.completion.explanation import explain_entry

        return explain_entry(self.evidence, item, label)

    def map(self, n_components: int = 2, **options: Any) -> ItemMap:
        """Return the items in a small number of dimensions. A map with the same options is drawn once.

        The options are parameters of :func:`halflabel.completion.mapping.item_map.draw_item_map`, such as
        ``label_weight``.
        """
        if options.get("max_landmarks", 0) >= max(len(self.labels), MIN_ITEMS):
            del options["max_landmarks"]  # it changes nothing
        key = (n_components, *sorted(options.items()))
        if key not in self._maps:
            self._maps[key] = draw_item_map(self.evidence, n_components, **options)
        return self._maps[key]

    @cached_property
    def _maps(self) -> dict[tuple[Any, ...], ItemMap]:
        return {}

    def report(self, path: AnyPath, **options: Any) -> Path:
        """Write the report as one self-contained HTML file and return its path.

        The options are parameters of :func:`halflabel.report.summarize`, such as ``title``, ``marks`` and ``show``.
        """
        views = find_views()
        page = views.render_html(views.summarize(self, **options))
        with atomic_write(path, "w") as file:
            file.write(page)
        return Path(path)

    def write_map(
        self, path: AnyPath, label: str | None = None, *, item_map: ItemMap | None = None, title: str = ""
    ) -> Path:
        """Write the map as a picture and return its path.

        Parameters
        ----------
        path : path
            The suffix decides: .html is a page with all items up to 100,000, which can be zoomed, searched and selected
            from, in one file; .svg is a drawing, and .png an image.
        label : str, optional
            The label for the colours; by default the one with the most relevant entries. A page offers others, too.
        item_map : ItemMap, optional
            From :meth:`map`, of two dimensions, with other settings than the defaults.
        """
        options: dict[str, Any] = {"label": label, "show": choose_shown(self.opened, None), "title": title}
        picture = find_views().draw_picture(self, item_map or self.map(), Path(path).suffix.lower(), **options)
        with atomic_write(path) as file:
            file.write(picture)
        return Path(path)

    def write(self, path: AnyPath, format: str | None = None) -> tuple[str, ...]:
        """Write the completed table, or with ``format`` the suggestions for an annotation tool.

        Parameters
        ----------
        path : path
            The suffix decides the notation of a table: .csv, .tsv, .parquet, .json, .jsonl, .xlsx, .feather.
        format : str, optional
            A name of :data:`halflabel.files.FORMATS`, such as "label-studio". By default, the export of an
            annotation tool is written for this tool if the suffix fits.

        It returns one sentence for each thing that the file cannot hold.
        """
        return write_completed(self.evidence, path, format)

    @property
    def plot(self) -> Figures:
        """Figures on matplotlib's axes: ``map``, ``calibration``, ``coverage`` and ``learning_curve``."""
        return find_views().Plots(self)

    @property
    def predictor(self) -> Predictor:
        """The method and the way a table is read, for new items."""
        opened, names = self.opened, self.labels.names
        words, meanings, empty = opened.find_words(), opened.meanings, opened.description.empty
        model = self.evidence.fit.for_new_items
        return Predictor(model, opened.roles, opened.encoder, names, opened.notation, words, meanings, empty)

    def save(self, path: AnyPath) -> None:
        """Write the model as one file for :func:`halflabel.load`. It holds JSON and plain arrays, without pickle."""
        from halflabel.completion.model_file.saving import save

        save(path, self.predictor)
