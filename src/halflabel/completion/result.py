"""The result of complete(): the full table and the evidence for it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from halflabel._arrays import Floats, Mask
from halflabel._files import atomic_write
from halflabel.completion import evidence, views
from halflabel.completion.assumptions import compare_frequencies
from halflabel.completion.caution import ResampledCalibration, fill_at_precision
from halflabel.completion.completed_frame import build_frame
from halflabel.completion.explanation import Explanation, explain_entry
from halflabel.completion.gaps import describe_gaps
from halflabel.completion.mapping.item_map import ItemMap, draw_item_map
from halflabel.completion.mapping.saved import SavedMap
from halflabel.completion.model_file import Predictor, save
from halflabel.completion.output import write_completed
from halflabel.completion.review import list_for_review, rank_for_review
from halflabel.completion.samples import Samples
from halflabel.completion.trust import list_contradictions, list_warnings
from halflabel.evidence.audit import Audit, digest_table, draw_audit
from halflabel.evidence.selection import is_selected
from halflabel.evidence.suspects import rank_missing, rank_suspects
from halflabel.labels import PartialLabels
from halflabel.labels.positive_only import LearnsFromPositives, mark_unassigned
from halflabel.labels.rules import Rule
from halflabel.methods.base import PartialLabelEstimator
from halflabel.table import OpenTable

AnyPath = str | os.PathLike[str]


@dataclass(frozen=True, eq=False, repr=False)
class Completion:
    """A completed table and the evidence for it; made by :func:`complete`.

    Parameters
    ----------
    opened : OpenTable
        The input: features, labels, roles, notes.
    model : PartialLabelEstimator
        The fitted method.
    min_precision : float or None
        The expected precision below which entries were left empty.
    calibrate_on : ndarray of bool, shape (n_items, n_labels), or None
        The given entries on which probabilities were fitted and are checked; None for all of them.
    """

    opened: OpenTable
    model: PartialLabelEstimator
    min_precision: float | None = None
    calibrate_on: Mask | None = None

    def __repr__(self) -> str:
        return "\n".join(views.describe_completion(self))

    def _repr_html_(self) -> str:
        return views.show_completion(self)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes from reading the table, in sentences."""
        return self.opened.notes

    @property
    def labels(self) -> PartialLabels:
        """The labels as they were given, without those that cannot be learned."""
        return self.opened.labels

    @property
    def index(self) -> pd.Index[Any]:
        """The ids of the items."""
        return self.opened.index

    @property
    def rule(self) -> Rule:
        """The threshold rule that decided which entries are filled in as relevant."""
        return self.model.resolve_rule() if self.min_precision is None else Rule("precision", at=self.min_precision)

    @property
    def gaps(self) -> tuple[str, ...]:
        """The kinds of gap and what was done about each, in sentences."""
        return describe_gaps(self.labels, self.model, self.rule)

    @cached_property
    def learned_from(self) -> PartialLabels:
        """The labels in the form that the method learns from: absent tags of an annotated item count as irrelevant."""
        return mark_unassigned(self.labels) if self.labels.positive_only else self.labels

    @cached_property
    def calibrated_on(self) -> PartialLabels:
        """:attr:`learned_from` without the entries that probabilities were not fitted on."""
        return self.learned_from if self.calibrate_on is None else self.learned_from.hide(~self.calibrate_on)

    @cached_property
    def learned_probabilities(self) -> Floats:
        """Probabilities of relevance in :attr:`learned_from`; for positive-only labels P(assigned)."""
        p: Floats = self.model.label_probabilities_
        if self.labels.positive_only and isinstance(self.model, LearnsFromPositives):
            p = self.model.assume(None).probabilities
        return p

    @property
    def observed_rate(self) -> float | None:
        """The label frequency c that is assumed for positive-only labels, if any."""
        return self.model.observed_rate if isinstance(self.model, LearnsFromPositives) else None

    @property
    def probability_of(self) -> str:
        """What probabilities are of: "being relevant", or "being assigned" for positive-only labels without c."""
        return Predictor(self.model, self.opened.roles, self.opened.encoder, self.labels.names).probability_of

    @cached_property
    def warnings(self) -> list[dict[str, str]]:
        """The results of all checks, the most serious first: level (warning, caution, note or fine), title, text."""
        return list_warnings(self)

    @cached_property
    def contradictions(self) -> list[dict[str, str]]:
        """The :attr:`warnings` that contradict the probabilities of gaps."""
        return list_contradictions(self)

    @property
    def has_precision(self) -> bool:
        """Whether percentages that depend on probabilities of gaps are printed: not if a check contradicts them."""
        return self.probability_of == "being relevant" and not self.contradictions

    @cached_property
    def is_selected(self) -> bool:
        """Whether known entries differ from gaps, so that they were probably chosen because of their value."""
        known = self.calibrated_on.observed
        return not self.labels.positive_only and is_selected(self.learned_from, known, self.learned_probabilities)

    @cached_property
    def assumptions(self) -> pd.DataFrame:
        """For positive-only labels, the effect of the label frequency c.

        Columns: observed_rate, filled (gaps filled in as relevant), expected (relevant entries expected among the
        gaps; missing where more was assigned than c), threshold (on the probability of being relevant, its mean over
        labels; missing where a precision decides instead). Empty for other labels.
        """
        return compare_frequencies(self)

    @cached_property
    def state(self) -> NDArray[np.int8]:
        """The labels after completion: +1 relevant, -1 irrelevant, 0 left unknown; given entries verbatim."""
        if self.min_precision is not None:
            filled = self.fill_at(self.min_precision)
        else:
            answer = np.asarray(self.model.transduction_).reshape(self.labels.shape)
            filled = np.where(answer == 1, 1, -1).astype(np.int8)
        return np.where(self.labels.observed, self.labels.state, filled)

    @cached_property
    def written_state(self) -> NDArray[np.int8]:
        """:attr:`state` of all labels of the completed table: one that is not learned stays as it was given."""
        whole = self.opened.written_labels
        state = whole.state.copy()
        state[:, [whole.names.index(name) for name in self.labels.names]] = self.state
        return state

    @cached_property
    def table(self) -> Any:
        """The table that was given, its gaps filled: the kind of object, index, columns and order as they were."""
        return self.opened.restore(self.frame)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The completed table as a DataFrame, whatever kind of object was given."""
        return build_frame(self)

    @cached_property
    def probabilities(self) -> pd.DataFrame:
        """Calibrated probabilities of :attr:`probability_of`; observed entries get out-of-fold probabilities."""
        return pd.DataFrame(self.model.label_probabilities_, index=self.index, columns=list(self.labels.names))

    @property
    def printed_probabilities(self) -> Floats:
        """The probabilities that a person reads: those of gaps are missing where a check contradicts them."""
        p = self.probabilities.to_numpy()
        return np.where(~self.labels.observed, np.nan, p) if self.contradictions else p

    @property
    def evidence_kinds(self) -> NDArray[np.str_]:
        """The kind of evidence for each entry: a name in :data:`halflabel.completion.evidence.KINDS`."""
        return np.array(evidence.KINDS)[self.evidence_codes]

    @property
    def gaps_by_evidence(self) -> dict[str, int]:
        """The number of gaps for each kind of evidence."""
        return evidence.count_gaps(self.labels, self.evidence_codes)

    @cached_property
    def evidence_codes(self) -> NDArray[np.int8]:
        """The kind of evidence for each entry, as its position in :data:`halflabel.completion.evidence.KINDS`."""
        return evidence.classify_entries(self.model, self.learned_from)

    @property
    def weights(self) -> sparse.csr_array | None:
        """The weights between items that the method used, if it used any."""
        return getattr(self.model, "weights_", None)

    @cached_property
    def suspects(self) -> pd.DataFrame:
        """The given entries, those first that are most probably wrong.

        Columns: item, label, given, probability (of being relevant, out of fold), wrong (posterior probability that the
        value was flipped, see :class:`halflabel.evidence.suspects.FlipRates`). If hardly any value is wrong, it is
        too high for difficult labels.

        Of positive-only labels these are the probable missing positives: entries that an annotated item lacks. There,
        ``wrong`` is the probability of being relevant, and missing if the label frequency is not known.
        """
        p = self.probabilities.to_numpy()
        if self.labels.positive_only:
            return self.name_items(rank_missing(self.labels, p, self.observed_rate))
        return self.name_items(rank_suspects(self.labels, p))

    def next_to_label(self, n: int = 20) -> pd.DataFrame:
        """Return the ``n`` items whose labels help most: item, bits, unknown.

        Unlabelled items come first: those whose labels reduce the expected error over all items most. The items with
        the most uncertain gaps follow; see :func:`halflabel.evidence.questions.rank_questions`.
        """
        return self.name_items(self._samples.rank_questions(n))

    @cached_property
    def expected_errors(self) -> pd.DataFrame:
        """The number of filled entries that are expected to be wrong, label by label and for all labels together.

        Columns: label, filled, expected, low, high (a band of 90 %, see
        :func:`halflabel.evidence.expected_errors.estimate_errors`). It is an estimate; :meth:`audit` gives a bound.
        """
        return self._samples.estimate_errors()

    def audit(self, n: int = 59, seed: int = 0, population: str = "all") -> Audit:
        """Draw ``n`` random filled entries that a person answers, for a certificate of their precision.

        Parameters
        ----------
        n : int, default=59
            Number of entries. 59 answers without an error prove a precision of .95 at a confidence of .95.
        seed : int, default=0
            Decides the entries.
        population : {"all", "relevant", "irrelevant"}, default="all"
            The filled entries that the certificate is about.
        """
        state, given = self.state, self.labels.state
        return draw_audit(self.index, self.labels.names, given, state, n=n, seed=seed, population=population)

    @property
    def digest(self) -> str:
        """The SHA-256 of the completed labels, which a certificate names."""
        return digest_table(list(map(str, self.index)), self.labels.names, self.state)

    def candidates(self, n: int = 100) -> pd.DataFrame:
        """Return the ``n`` unknown entries of learned labels that are likeliest to be relevant.

        Columns: item, label, rank, probability (of :attr:`probability_of`).
        """
        open_entries = ~self.labels.observed & self.learned_from.learnable
        p = np.where(open_entries, self.probabilities.to_numpy(), -1.0)
        # Probabilities near 1 are equal after clipping; the probabilities before it still differ.
        order = np.lexsort((-self.learned_probabilities.ravel(), -p.ravel()))[: min(n, int(open_entries.sum()))]
        rows, columns = np.unravel_index(order, p.shape)
        names, rank = np.array(self.labels.names, dtype=object), np.arange(1, len(rows) + 1)
        ranked = {"position": rows, "label": names[columns], "rank": rank, "probability": p[rows, columns]}
        return self.name_items(pd.DataFrame(ranked))

    @cached_property
    def ranked_for_review(self) -> pd.DataFrame:
        """The entries of :meth:`review` by position, without a limit."""
        return rank_for_review(self)

    def review(
        self, max_rows: int = 500, show: Sequence[str] | None = None, *, reason: str | None = None
    ) -> pd.DataFrame:
        """Return the entries that a person should check, in the order in which the answers help most.

        These are doubtful given entries, undecided entries, and filled values that are wrong with a notable
        probability; for positive-only labels probable missing positives, undecided entries, and uncertain values of
        items that are not annotated. The order is that of the probability that an answer changes the entry.

        Parameters
        ----------
        max_rows : int, default=500
            The maximum number of entries.
        show : sequence of str, optional
            The columns that stand for an item; by default the text column and a recognised id.
        reason : str, optional
            Only the entries of this reason, such as "probably a missing positive"; see the column ``reason``.

        Returns
        -------
        DataFrame
            Columns: item, label, given, suggested, probability (of :attr:`probability_of`; missing for gaps where
            :attr:`contradictions` are found), reason, answer (empty, for 1 or 0), and the shown columns.
        """
        return list_for_review(self, max_rows, show, reason)

    def explain(self, item: Any, label: str) -> Explanation:
        """Return why the entry of ``item`` (its id) and ``label`` has its probability.

        The column ``log_odds`` of its ``contributions`` adds up to the log odds of the probability.
        """
        return explain_entry(self, item, label)

    @cached_property
    def _samples(self) -> Samples:
        return Samples(self)

    @cached_property
    def drift(self) -> float | None:
        """How well labelled and unlabelled items can be separated (area under the ROC curve), or None."""
        return self._samples.measure_drift()

    def map(self, n_components: int = 2, **options: Any) -> ItemMap:
        """Return the items in a small number of dimensions; a map with the same options is drawn once.

        The options are those of :func:`halflabel.completion.mapping.item_map.draw_item_map`, such as ``method`` and
        ``label_weight``.
        """
        key = (n_components, *sorted(options.items()))
        if key not in self._maps:
            self._maps[key] = draw_item_map(self, n_components, **options)
        return self._maps[key]

    @cached_property
    def _maps(self) -> dict[tuple[Any, ...], ItemMap]:
        return {}

    def embedding(self, n_components: int = 2, **options: Any) -> pd.DataFrame:
        """Return the coordinates of :meth:`map`, which has the same options."""
        return self.map(n_components, **options).coordinates

    def report(self, path: AnyPath, **options: Any) -> Path:
        """Write the report as one self-contained HTML file and return its path.

        The options are those of :func:`halflabel.report.summarize`.
        """
        page = views.render_html(views.summarize(self, **options))
        with atomic_write(path, "w") as file:
            file.write(page)
        return Path(path)

    def write(
        self, path: AnyPath, format: str | None = None, *, mark: bool = False, question: str | None = None
    ) -> tuple[str, ...]:
        """Write the completed table, or with ``format`` the suggestions for an annotation tool.

        Parameters
        ----------
        path : path
            The suffix decides the notation of a table: .csv, .tsv, .parquet, .json, .jsonl, .xlsx, .feather.
        format : str, optional
            A name of :data:`halflabel.files.FORMATS`, such as "label-studio". By default, the export of an
            annotation tool is written for this tool if the suffix fits.
        mark : bool, default=False
            Add columns to a table that distinguish given entries from filled ones.
        question : str, optional
            Of Label Studio: the name of one question whose choices are the labels, in place of a question per label.

        Returns
        -------
        tuple of str
            One sentence for each thing that the file cannot hold.
        """
        return write_completed(self, path, format, mark=mark, question=question)

    @property
    def plot(self) -> views.Plots:
        """Figures on matplotlib's axes: ``map``, ``calibration``, ``coverage`` and ``learning_curve``."""
        return views.Plots(self)

    @property
    def predictor(self) -> Predictor:
        """The method and the way a table is read: what new items need."""
        opened = self.opened
        stated: dict[str, Any] = {"words": opened.find_words(), "meanings": opened.meanings, "empty": opened.empty}
        return Predictor(self.model, opened.roles, opened.encoder, self.labels.names, opened.notation, **stated)

    def save(self, path: AnyPath, *, item_map: ItemMap | None = None) -> None:
        """Write the model as one file, to be read by :func:`halflabel.load`; JSON and plain arrays, no pickle.

        With a map from :meth:`map`, new items can be placed on it: ``halflabel predict --map``.
        """
        kept = None if item_map is None else SavedMap.keep(item_map)
        save(path, replace(self.predictor, item_map=kept))

    def fill_at(self, precision: float, n_times: float = 1.0) -> NDArray[np.int8]:
        """Return the gaps that can be filled at a precision: +1 relevant, -1 irrelevant, 0 neither.

        Of each label and value, these are the most probable entries whose mean probability of being right reaches the
        precision. Probabilities of being relevant are lowered by their uncertainty, see
        :mod:`halflabel.completion.caution`.

        Parameters
        ----------
        precision : float in (0.5, 1)
        n_times : float, default=1
            As if the number of labelled items that calibrate were larger by this factor.
        """
        return fill_at_precision(self, self.model.label_probabilities_, precision, self.observed_rate, n_times)

    @cached_property
    def resampled_calibration(self) -> ResampledCalibration | None:
        """Calibrations of bootstrap samples of the labelled items; None if nothing was held out."""
        return self._samples.resample_calibration()

    def name_items(self, found: pd.DataFrame) -> pd.DataFrame:
        """Replace row positions by the ids of the items."""
        items = self.index[found["position"].to_numpy(dtype=int)]
        return found.assign(position=items).rename(columns={"position": "item"})
