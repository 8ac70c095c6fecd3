"""Figure 2 drawn: a run keeps its map, and a page draws it from the records alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from papers.tests.cases import experiment_of, make_small, plan_cells, read_marks
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import KNeighborsClassifier

from halflabel.datasets import load_digits_tags
from halflabel.labels import PartialLabels
from halflabel.labels.masking import hide_items
from halflabel_papers.chain import Chain
from halflabel_papers.execute import execute
from halflabel_papers.load import load_paper
from halflabel_papers.maps import LDA, MAX_ITEMS, MAX_SETS, MapNeighbors, make_map_record
from halflabel_papers.page.build import build_page
from halflabel_papers.page.markdown import render_markdown
from halflabel_papers.page.model import Figure, render_html
from halflabel_papers.page.panels import MAX_KINDS
from halflabel_papers.plan import plan_runs
from halflabel_papers.protocols import transduction
from halflabel_papers.run import prepare
from halflabel_papers.sources import check_availability, load_data
from halflabel_papers.spec import SetSpec
from halflabel_papers.store import Record, Store

KEY = "figure2-drawn"


def cells():
    """One run of every method of the figure."""
    return plan_cells(load_paper("qian2010"), KEY)


def small(run):
    """The same run on a toy set, half of it labelled."""
    return make_small(run, observed=0.5)


def digits(method, trial=0):
    """The cell of the paper, as it is run."""
    return replace(cells()[method], trial=trial)


def test_a_class_of_discriminant_analysis_is_a_set_of_known_labels(rng):
    Y = rng.integers(2, size=(60, 2)).astype(float)
    X = rng.normal(size=(60, 5)) + Y @ rng.normal(size=(2, 5)) * 2
    gaps = Y.copy()
    gaps[:20], gaps[20:30, 1] = np.nan, np.nan
    expected = LinearDiscriminantAnalysis(n_components=2).fit(X[30:], Y[30:] @ [2, 1])
    np.testing.assert_array_equal(LDA(n_components=2).fit(X, gaps).transform(X), expected.transform(X))


# -- what a run keeps ------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")
def test_the_map_is_what_the_vote_saw_with_the_labels_as_they_are():
    run = digits("PCA")
    kept = transduction(run, None).facts["map"]
    whole, rng = load_digits_tags(), np.random.default_rng(run.seed)
    known = hide_items(whole.Y, 0.7, rng)
    rows = np.sort(rng.permutation(1797)[:MAX_ITEMS])
    places = PCA(2).fit_transform(whole.X)
    places -= np.median(places, axis=0)
    assert (kept["n_items"], len(kept["x"]), len(kept["labelled"])) == (1797, 600, 600)
    np.testing.assert_allclose(np.column_stack([kept["x"], kept["y"]]), places[rows], rtol=6e-4, atol=1e-9)
    assert [letter == "1" for letter in kept["labelled"]] == (~known.unlabelled[rows]).tolist()
    assert 0.25 < kept["labelled"].count("1") / 600 < 0.35
    for i, row in enumerate(rows):
        assert kept["sets"][kept["set"][i]] == [whole.Y.names[j] for j in np.flatnonzero(whole.Y.relevant[row])]


@pytest.mark.filterwarnings("ignore")
def test_every_method_draws_the_same_items_and_again_the_same():
    records = {method: execute(small(run), None) for method, run in cells().items()}
    maps = [record.facts["map"] for record in records.values()]
    assert len(maps) == 5
    for one in maps[1:]:
        assert {k: v for k, v in one.items() if k not in "xy"} == {k: v for k, v in maps[0].items() if k not in "xy"}
        assert one["x"] != maps[0]["x"]
    for method in ("PCA", "PCA + LDA", "Iteration 2"):
        assert execute(small(cells()[method]), None).deterministic == records[method].deterministic
    for record in records.values():
        assert Record.from_line(record.to_line()).deterministic == record.deterministic


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "change",
    [
        lambda run: replace(run, trial=1),
        lambda run: replace(run, options={k: v for k, v in run.options.items() if k != "draw"}),
        lambda run: replace(run, steps=run.steps[-1:]),
        lambda run: replace(run, steps=({**run.steps[0], "n_components": 3}, run.steps[1])),
    ],
)
def test_no_map_of_later_trials_without_the_option_or_of_other_than_two_dimensions(change):
    run = small(cells()["PCA"])
    assert "map" in transduction(run, None).facts
    outcome = transduction(change(run), None)
    assert "map" not in outcome.facts
    assert np.isfinite(outcome.metrics["micro_f1"])


def test_two_features_as_they_came_and_places_that_are_no_numbers_are_no_map():
    X = np.arange(10.0).reshape(5, 2)
    assert np.array_equal(Chain([None, None], X, {}).map_items(), X)
    assert Chain([None], X, {}).map_items() is None
    X[3, 1] = np.inf
    assert Chain([None, None], X, {}).map_items() is None


def labels_of(sets):
    return PartialLabels.from_table(pd.DataFrame(sets, columns=["a", "b", "c", "d"]))


def test_the_most_frequent_sets_are_named_and_all_others_are_minus_one(rng):
    every = [[i >> j & 1 for j in range(4)] for i in range(16)]
    rows = [every[i] for i in range(16) for _ in range(20 - i)] + [[1, 0, 0, None]]
    found = make_map_record(rng.normal(size=(len(rows), 2)), labels_of(rows), labels_of(rows), rng)
    assert MAX_SETS == MAX_KINDS == len(found["sets"])
    assert found["sets"] == [[name for name, has in zip("abcd", every[i], strict=True) if has] for i in range(10)]
    assert found["set"] == [i if i < 10 else -1 for i in range(16) for _ in range(20 - i)] + [-1]


def test_places_keep_four_digits_of_their_distance_from_the_middle(rng):
    """Directions are not centred: digits of a common offset would be all that is left."""
    places = 1e6 + rng.normal(size=(50, 2)) * [1e-3, 1e5]
    Y = labels_of(np.ones((50, 4)))
    found = make_map_record(places, Y, Y, rng)
    for name, own in zip("xy", places.T, strict=True):
        np.testing.assert_allclose(found[name], own - np.median(own), rtol=5.1e-4)
        assert all(len(f"{abs(v):.12g}".replace(".", "").strip("0").split("e")[0]) <= 4 for v in found[name])


# -- what a page shows -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def toy_records():
    runs = cells()
    return [execute(small(runs[name]), None) for name in ("PCA", "PCA + LDA", "Iteration 1")]


def page_of(work, records):
    """The page of the drawn figure alone."""
    only = (experiment_of(work.paper, KEY),)
    return build_page(replace(work, paper=replace(work.paper, experiments=only, claims=())), records)


def figures(page):
    return [block for section in page.sections for block in section.blocks if isinstance(block, Figure)]


@pytest.mark.filterwarnings("ignore")
def test_a_page_is_drawn_from_lines_alone(toy_records):
    work = prepare("qian2010", "default")
    lines = [replace(record, set="digits").to_line() for record in reversed(toy_records)]
    page = page_of(work, [Record.from_line(line) for line in lines])
    (figure,) = figures(page)
    assert figure.name == "figure2-drawn-digits-maps"
    assert "120 items of digits" in figure.caption
    assert figure.svg.index("PCA") < figure.svg.index("PCA + LDA") < figure.svg.index("Iteration 1")
    for record in toy_records:
        assert f"micro-F1 {record.metrics['micro_f1']:.3f}" in figure.svg
    filled = [filled for _, filled, *_ in read_marks(figure.svg)]
    assert (len(filled), sum(filled)) == (3 * 120, sum(r.facts["map"]["labelled"].count("1") for r in toy_records))
    section = next(section for section in page.sections if figure in section.blocks)
    assert section.title == "Figure 2, drawn: maps of two dimensions, 30 % labelled"
    text, drawings = render_markdown(page, "figures")
    assert list(drawings) == ["figure2-drawn-digits-maps.svg"]
    assert "figures/figure2-drawn-digits-maps.svg" in text
    assert figure.svg in render_html(page)


@pytest.mark.filterwarnings("ignore")
def test_a_page_without_maps_has_no_figure(toy_records):
    work = prepare("qian2010", "default")
    bare = [replace(record, set="digits", facts={}) for record in toy_records]
    assert figures(page_of(work, bare)) == []
    failed = Record.of(work.runs[0], failed="too hard")
    assert figures(page_of(work, [failed])) == []


@pytest.mark.filterwarnings("ignore")
def test_the_first_trial_is_drawn_and_items_at_the_edge_are_counted(toy_records):
    work = prepare("qian2010", "default")
    first = replace(toy_records[0], set="digits")
    far = {**first.facts["map"], "x": [1e6, *first.facts["map"]["x"][1:]]}
    records = [replace(first, facts={"map": far}), replace(first, trial=1)]
    (figure,) = figures(page_of(work, records))
    count = int(figure.caption.split("at the edge: PCA ")[1].rstrip("."))
    plain = figures(page_of(work, [first]))[0].caption
    assert count >= 1
    assert plain != figure.caption


def faces(path, names, rng):
    """Fifty pictures of five people, as the paper's: some are female, bearded or wear glasses."""
    who = np.repeat(np.arange(5), 10)
    pixels = 3 * rng.normal(size=(5, 30))[who] + rng.normal(size=(50, 30))
    labels = np.column_stack([*(who == k for k in range(5)), who > 2, who == 1]).astype(int)
    table = pd.DataFrame(np.hstack([pixels, labels]), columns=[*(f"p{i}" for i in range(30)), *names])
    table.to_csv(path, index=False)
    return path, tuple(names)


@pytest.mark.filterwarnings("ignore")
def test_your_own_faces_are_drawn_whatever_they_are_called(tmp_path, rng):
    names = ["<script>alert(1)</script>", "Bob & co", "]]>", "Di", "Eve", "female", "beard"]
    data = [faces(tmp_path / name, names, rng) for name in ("my faces (1).csv", "my faces <1>.csv")]
    work = prepare("qian2010", "quick", data=data)
    runs = [run for run in plan_runs(work.paper) if run.experiment == KEY and run.set.startswith("your ")]
    assert len(runs) == 4
    work = replace(work, runs=runs)
    page = page_of(work, work.run(Store(tmp_path / "records.jsonl"), n_jobs=1))
    drawings = figures(page)
    assert [figure.name for figure in drawings] == ["figure2-drawn-own-1-maps", "figure2-drawn-own-2-maps"]
    for figure in drawings:
        assert "50 items of your my faces" in figure.caption
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in figure.svg
    assert "<script" not in render_html(page)
    render_markdown(page, "figures")


# -- what it needs -----------------------------------------------------------------------------


def test_digits_are_always_here_and_nothing_is_drawn_at_random():
    work = prepare("qian2010", "quick", folder=None)
    assert work.sets["digits"].usable
    assert work.sets["digits"].status == "present"
    assert {run.set for run in work.startable} == {"digits"}
    rng = np.random.default_rng(0)
    data = load_data(work.startable[0].source, None, "whole", rng)
    assert data.sha256 == load_digits_tags().sha256
    assert rng.bit_generator.state == np.random.default_rng(0).bit_generator.state
    assert len(np.unique(data.Y.state, axis=0)) == 10, "a set of tags is one digit"


def test_a_generator_still_draws():
    made = SetSpec("toy", make="papers.tests.toy_models:make")
    assert check_availability(made, None).status == "generated"
    source = {"name": "toy", "make": made.make, "settings": {"n": 9}, "fetch": ""}
    first, second = (load_data(source, None, "whole", np.random.default_rng(seed)) for seed in (0, 1))
    assert first.X.shape == (9, 4)
    assert not np.array_equal(first.X, second.X)


@pytest.mark.parametrize(("n", "k"), [(540, 15), (211, 15), (210, 14), (10, 3), (1, 1)])
def test_the_vote_is_that_of_fifteen_or_of_the_root_of_a_few(n, k, rng):
    X, y, new = rng.normal(size=(n, 2)), rng.integers(2, size=n), rng.normal(size=(30, 2))
    vote, plain = MapNeighbors().fit(X, y), KNeighborsClassifier(k).fit(X, y)
    assert vote.n_neighbors_ == k
    np.testing.assert_array_equal(vote.predict_proba(new), plain.predict_proba(new))
    np.testing.assert_array_equal(vote.predict(new), plain.predict(new))
