"""Descriptions of papers: every one can be planned, and a wrong one raises with its place."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from papers.tests.cases import TOY

from halflabel_papers.archive import NAME
from halflabel_papers.load import find_published_page, list_papers, load_paper
from halflabel_papers.plan import plan_runs
from halflabel_papers.spec import TIERS, SpecError


@pytest.mark.parametrize("key", list_papers())
@pytest.mark.parametrize("tier", ["quick", "default", "full"])
def test_every_committed_paper_can_be_planned(key, tier):
    paper = load_paper(key, tier)
    assert paper.key == key
    assert plan_runs(paper)


def test_the_wheel_has_the_page_and_the_records_of_every_paper():
    specification = importlib.util.spec_from_file_location("hatch_build", Path(__file__).parents[1] / "hatch_build.py")
    hook = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(hook)
    expected = {
        str(find_published_page(key, file)): f"halflabel_papers/pages/{key}/{file}"
        for key in list_papers()
        for file in ("index.html", NAME)
    }
    assert hook.list_pages("wheel") == expected
    assert all(Path(page).is_file() for page in expected)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('key = "toy"', 'key = "toy"\nauthor = "X"', "there is no key 'author'"),
        ('methods = ["good", "poor"', 'methods = ["godo", "poor"', "there is no method 'godo'"),
        ("hamming_loss = 0.5", "haming_loss = 0.5", "there is no metric 'haming_loss'"),
        ("[tiers.quick]", "[tiers.brief]", "tiers.brief"),
        ('curve = "skip"', 'curves = "skip"', "there is no experiment 'curves'"),
        ('key = "toy"', "key = toy", "the file is not valid TOML"),
        ('protocol = "split"', 'protocol = "splitt"', "there is no protocol 'splitt'"),
        ('average = "trial"', 'average = "trials"', "there is no average 'trials'"),
        ('rules = ["cardinality"]', 'rules = ["cardinalityy"]', "there is no threshold rule 'cardinalityy'"),
        (
            'metrics = ["average_precision", "h',
            'metrics = ["average_precisoin", "h',
            "there is no metric 'average_precisoin'",
        ),
        ('x = "keep"', 'x = "kept"', "there is no axis 'kept'"),
        ('kind = "beats"', 'kind = "beatz"', "there is no check 'beatz'"),
        ('experiment = "table"', 'experiment = "tabel"', "there is no experiment 'tabel'"),
        ('files = { "away.arff" = "00" }', "", "neither files nor a generator"),
        ('title = "A table"', "", "title"),
        ("trials = 3", "trial = 3", "there is no key 'trial'"),
    ],
)
def test_a_wrong_description_raises_with_its_place(tmp_path, old, new, sentence):
    text = Path(TOY).read_text()
    assert old in text
    (tmp_path / "wrong.toml").write_text(text.replace(old, new, 1))
    with pytest.raises(SpecError, match=sentence):
        [load_paper(str(tmp_path / "wrong.toml"), tier) for tier in TIERS]


def test_unknown_papers_and_tiers_are_list_packages():
    with pytest.raises(SpecError, match=r"there is no paper 'zhang2009'.*zhang2008"):
        load_paper("zhang2009")
    with pytest.raises(SpecError, match="no tier 'fast'"):
        load_paper("zhang2008", "fast")


def test_a_tier_runs_less():
    assert len(plan_runs(load_paper(TOY, "quick"))) == 1 * 2 * 3
    assert len(plan_runs(load_paper(TOY, "full"))) == 3 * 3 * 3 + 2 * 2 * 2


def test_whole_printed_tables_are_compared_again_too():
    em = next(each for each in load_paper("goldberg2010", "full").experiments if each.key == "em")
    assert {cell.metric for cell in em.published} == {"imputation_error"}
    assert len(em.published) == len(em.methods) * 24
    assert {cell.value for cell in em.published if cell.at == {"omega": 0.1}} >= {1.01, 0.79, 1.25}
