"""Is the difference more than chance? As the papers test it, and as is done today."""

from __future__ import annotations

import itertools

import pandas as pd

from halflabel.reproduction.page.charts import critical_difference
from halflabel.reproduction.page.model import Block, Cell, Figure, Grid
from halflabel.reproduction.results import Results, in_words, lower_is_better
from halflabel.reproduction.significance import ALPHA, p_in_words, paired, ranks
from halflabel.reproduction.sources import is_own
from halflabel.reproduction.spec import Experiment
from halflabel.reproduction.tables import metric_name, unit_of


def more_than_chance(results: Results, experiment: Experiment) -> tuple[Block, ...]:
    """Hero against each other method as the paper tests it, and all methods by their ranks as is done today."""
    hero = experiment.hero or results.paper.hero
    rows = []
    for metric in experiment.metrics:
        blocks = results.blocks(experiment, metric).dropna(axis=1, how="all")
        others = [name for name in blocks.columns if name != hero]
        if hero in blocks and len(blocks.dropna()) >= 2 and others:
            rows.append((metric_name(experiment, metric), _paired_row(experiment, metric, blocks, hero)))
    if not rows:
        return ()
    heads = tuple(name for name in experiment.methods if name != hero)
    caption = (
        f"{hero} minus each other method: mean difference, its 95 % bootstrap interval, "
        f"p of a paired t-test (* below {ALPHA:g}){_pooled(experiment)}"
    )
    return Grid(caption, heads, tuple(rows)), *_rank_figure(results, experiment)


def wins_and_losses(results: Results, experiment: Experiment) -> tuple[Block, ...]:
    """Hero against each other method, run by run, on every set and under every rule of a figure."""
    hero = experiment.hero or results.paper.hero
    others = tuple(name for name in experiment.methods if name != hero)
    rows = []
    for metric, name in itertools.product(experiment.curves, itertools.filterfalse(is_own, experiment.sets)):
        axis = ({experiment.x: x} for x in experiment.grid[experiment.x])
        runs = pd.concat([results.blocks(experiment, metric, at=at, set=name) for at in axis], ignore_index=True)
        cells = tuple(_wins(runs[hero] - runs[other], metric) for other in others)
        if any(cell.measured != "–" for cell in cells):
            rows.append((f"{metric_name(experiment, metric)}, {name}", cells))
    caption = f"{hero} against each other method in every run: wins : losses, and its mean difference"
    return (Grid(caption, others, tuple(rows)),) if rows else ()


def _wins(difference: pd.Series[float], metric: str) -> Cell:
    known = difference.dropna()
    if known.empty:
        return Cell("–")
    better = -known if lower_is_better(metric) else known
    return Cell(f"{(better > 0).sum()} : {(better < 0).sum()} ({known.mean():+.3f})")


def _pooled(experiment: Experiment) -> str:
    """Say so where a block is a mean over the points of a grid."""
    several = [name for name, values in experiment.grid.items() if len(values) > 1]
    return f"; each pair is a mean over {' and '.join(several)}" if several else ""


def _paired_row(experiment: Experiment, metric: str, blocks: pd.DataFrame, hero: str) -> tuple[Cell, ...]:
    cells = []
    for name in (each for each in experiment.methods if each != hero):
        both = blocks[[hero, name]].dropna() if name in blocks else blocks[[]]
        if len(both) < 2 or name not in blocks:
            cells.append(Cell("–"))
            continue
        test, unit = paired(both[hero], both[name]), unit_of(experiment, metric)
        span = f"{test.difference / unit:+.3f} [{test.low / unit:+.3f}, {test.high / unit:+.3f}]"
        cells.append(Cell(f"{span}, {p_in_words(test.p)}{' *' if test.p < ALPHA else ''}"))
    return tuple(cells)


def _rank_figure(results: Results, experiment: Experiment) -> tuple[Block, ...]:
    metric = results.paper.decisive
    if metric not in experiment.metrics:
        return ()
    blocks = results.blocks(experiment, metric).dropna(axis=1, how="all").dropna()
    if blocks.shape[1] < 3 or len(blocks) < 2:
        return ()
    ranking = ranks(blocks, greater_is_better=not lower_is_better(metric))
    caption = (
        f"Mean ranks in {in_words(metric)} over {len(blocks)} blocks (Friedman {p_in_words(ranking.p)}); methods under "
        f"one bar are not separated by Nemenyi's test at 5 %"
    )
    order = ", ".join(f"{method} {rank:.2f}" for method, rank in ranking.mean_ranks.sort_values().items())
    figure = Figure(f"{experiment.key}-ranks", caption, f"Mean ranks: {order}.", critical_difference(ranking))
    return (figure,)
