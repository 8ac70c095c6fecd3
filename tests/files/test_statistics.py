"""Files of SPSS and Stata: value labels are words, declared missing values are gaps and are counted."""

import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import FEWER_EXAMPLES
from tests.fuzz.library_files import ends_process

import halflabel as hl
from halflabel.files import ReadError, read_table
from halflabel.files.statistics import _ends_process
from halflabel.table.source_files import read_file

pyreadstat = pytest.importorskip("pyreadstat", reason="pyreadstat (extra stats) is not installed")

LABELS = {"q1": {1: "Yes", 2: "No", 9: "No answer"}, "q2": {0: "Not selected", 1: "Selected"}, "scale": {1: "low", 7: "high"}}  # fmt: skip  # noqa: E501
SURVEY = pd.DataFrame(
    {
        "person": ["p1", "p2", "p3", "p4", "p5"],
        "q1": [1.0, 2, 9, np.nan, 1],
        "q2": [0.0, 1, 1, 0, np.nan],
        "age": [20.5, 30, -99, 40, 50],
        "scale": [1.0, 4, 7, 3, 2],
    }
)
MISSING = {"q1": [9], "age": [{"lo": -99, "hi": -90}]}


@pytest.fixture(scope="module", autouse=True)
def quick():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("halflabel.files.statistics._ends_process", ends_process)
        yield


@pytest.fixture
def survey(tmp_path):
    path = tmp_path / "survey.sav"
    pyreadstat.write_sav(SURVEY, path, variable_value_labels=LABELS, missing_ranges=MISSING)
    return path


def test_value_labels_are_words_and_declared_missing_values_are_gaps(survey):
    raw = read_table(survey)
    assert raw.frame["q1"].astype(object).where(raw.frame["q1"].notna(), None).tolist() == [
        "Yes",
        "No",
        None,
        None,
        "Yes",
    ]
    assert raw.frame["q2"].cat.categories.tolist() == ["Not selected", "Selected"]
    assert raw.frame["age"].isna().tolist() == [False, False, True, False, False]
    assert raw.frame["scale"].tolist() == SURVEY["scale"].tolist()  # only its ends have labels: it is a number
    assert raw.notes == (
        "The value labels of 2 columns are read in place of their numbers.",
        "Values that the file declares as missing are empty: 'q1' 1 (9), 'age' 1 (-99).",
    )


def test_labels_of_words_have_their_only_meaning_or_the_stated_one(survey):
    opened = hl.open_table(survey, id="person", labels=["q1"])
    assert opened.labels.to_frame()["q1"].tolist() == [1, 0, pd.NA, pd.NA, 1]
    assert hl.open_table(survey, labels=["q2"]).labels.to_frame()["q2"].tolist() == [0, 1, 1, 0, pd.NA]
    opened = hl.open_table(survey, id="person", labels=["q1", "q2"], yes=["Selected", "No"], no=["Not selected", "Yes"])
    assert opened.labels.to_frame()["q2"].tolist() == [0, 1, 1, 0, pd.NA]
    assert opened.labels.to_frame()["q1"].tolist() == [0, 1, pd.NA, pd.NA, 0]  # the stated meaning counts


@pytest.mark.parametrize("suffix", ["sav", "zsav", "dta"])
def test_each_format_under_its_name_and_by_its_content(tmp_path, suffix):
    path = tmp_path / f"a.{suffix}"
    options = {"row_compress": True} if suffix == "zsav" else {}
    getattr(pyreadstat, f"write_{suffix.removeprefix('z')}")(SURVEY, path, **options)
    read = read_file(path)
    pd.testing.assert_frame_equal(read.raw.frame, SURVEY, check_dtype=False)
    assert read.format == ("stata" if suffix == "dta" else "spss")
    path.rename(tmp_path / "b.dat")
    pd.testing.assert_frame_equal(read_file(tmp_path / "b.dat").raw.frame, SURVEY, check_dtype=False)


def test_letters_of_stata_are_gaps_and_are_counted(tmp_path):
    frame = SURVEY.astype({"age": object})
    frame.loc[2, "age"] = "a"
    pyreadstat.write_dta(frame, tmp_path / "a.dta", missing_user_values={"age": ["a"]})
    raw = read_table(tmp_path / "a.dta")
    assert raw.frame["age"].isna().sum() == 1
    assert pd.api.types.is_float_dtype(raw.frame["age"])
    assert raw.notes == ("Values that the file declares as missing are empty: 'age' 1 (a).",)


codes = st.integers(0, 6).map(float)


@FEWER_EXAMPLES
@given(
    cells=st.lists(st.one_of(codes, st.just(np.nan)), min_size=1, max_size=30),
    texts=st.dictionaries(codes, st.sampled_from(["Yes", "No", "a", "b", "c"]), max_size=7),
    span=st.tuples(codes, codes).map(sorted),
    declares=st.booleans(),
)
def test_every_cell_is_its_word_its_number_or_a_gap(tmp_path, cells, texts, span, declares):
    """An oracle by cell: a gap if empty or declared, else its label if all values have one, else its number."""
    path = tmp_path / "a.sav"
    missing = {"v": [{"lo": span[0], "hi": span[1]}]} if declares else {}
    pyreadstat.write_sav(pd.DataFrame({"v": cells}), path, variable_value_labels={"v": texts}, missing_ranges=missing)
    inside = [value for value in cells if value == value and not (declares and span[0] <= value <= span[1])]
    words = bool(inside) and all(value in texts for value in inside)
    expected = [None if value not in inside else texts[value] if words else value for value in cells]
    read = read_table(path).frame["v"].astype(object)
    assert [None if pd.isna(value) else value for value in read] == expected


@pytest.mark.parametrize("suffix", ["sav", "dta"])
@FEWER_EXAMPLES
@given(seed=st.integers(0, 2**32))
def test_a_damaged_file_is_one_sentence(tmp_path, suffix, seed):
    chance = np.random.default_rng(seed)
    path = tmp_path / f"a.{suffix}"
    getattr(pyreadstat, f"write_{suffix}")(SURVEY, path)
    content = bytearray(path.read_bytes())
    content = content[: chance.integers(1, len(content))] if chance.random() < 0.5 else content
    for _ in range(4):
        content[chance.integers(len(content))] = chance.integers(256)
    path.write_bytes(content)
    error = None
    try:
        read_file(path)
    except ReadError as raised:
        error = str(raised)
    assert error is None or str(path) in error


def test_without_the_package_a_sentence_names_the_extra(survey, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(ImportError, match=r"pip install 'halflabel\[stats\]'"):
        read_table(survey)


def test_a_module_next_to_the_file_of_a_user_is_not_run(survey, tmp_path, monkeypatch):
    """A file is read where the terminal stands, next to other files of the same sender."""
    (tmp_path / "pyreadstat.py").write_text("import pathlib; pathlib.Path('run').touch()")
    monkeypatch.chdir(tmp_path)
    assert not _ends_process("read_sav", survey)
    assert not (tmp_path / "run").exists()
