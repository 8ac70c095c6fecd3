"""Shapes of delimited text that a file decides: each is read at once, and what was understood is a sentence."""

from __future__ import annotations

import csv
import io
import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import FEWER_EXAMPLES

from halflabel.files import ReadError, read_table, write_frame

NAMES = ["song", "tempo", "tags", "rock"]
MARKS = st.sampled_from(",;\t|")
WORDS = st.text("abcxyz ._", min_size=1, max_size=6).filter(lambda cell: cell.strip() == cell and cell[0] not in "._")
TEXTS = st.one_of(WORDS, st.builds('{} "{}"'.format, WORDS, WORDS), st.builds("{}, {}".format, WORDS, WORDS))
ROWS = st.lists(st.tuples(WORDS, st.decimals(-99, 99, places=1), TEXTS, st.integers(0, 1)), min_size=4, max_size=8).map(
    lambda rows: [[f"song {word}", f"{tempo}", tags, f"{rock}"] for word, tempo, tags, rock in rows]
)


def as_text(rows, mark, **options):
    text = io.StringIO()
    csv.writer(text, delimiter=mark, lineterminator="\n", **options).writerows(rows)
    return text.getvalue()


def with_blanks(rows, mark):
    return "".join(f"{mark} ".join(f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in row) + "\n" for row in rows)


def in_single_quotes(rows, mark):
    return "".join(mark.join(f"'{cell}'" for cell in row) + "\n" for row in rows)


def with_backslash(rows, mark):
    return as_text(rows, mark, doublequote=False, escapechar="\\", quoting=csv.QUOTE_ALL)


#: The text of a header and rows, and words of the sentence about it.
SHAPES = {
    "title": (lambda rows, mark: "Export of 2024\n" + as_text(rows, mark), "above them are titles"),
    "title and blank": (lambda rows, mark: "Export\n\n" + as_text(rows, mark), "above them are titles"),
    "padded title": (lambda rows, mark: f"Export{3 * mark}\n" + as_text(rows, mark), "above them are titles"),
    "comments": (lambda rows, mark: "# made by us\n# a: 1; b, c\n" + as_text(rows, mark), ""),
    "comment of cells": (lambda rows, mark: mark.join(["# by us", "2024", "a", "b\n"]) + as_text(rows, mark), ""),
    "comment as header": (lambda rows, mark: "# made by us\n# " + as_text(rows, mark), ""),
    "# before a name": (lambda rows, mark: "#" + as_text(rows, mark), ""),
    "sep=": (lambda rows, mark: f"sep={mark}\n" + as_text(rows, mark), ""),
    "second header": (
        lambda rows, mark: as_text([rows[0], ["Which?", "How fast?", "Which?", "Is it?"], *rows[1:]], mark),
        "as a second header, and left out: 2",
    ),
    "repeated header": (
        lambda rows, mark: as_text([*rows[:3], [f"{cell} " for cell in rows[0]], *rows[3:]], mark),
        "1 line repeats the column names, and was left out: line 4",
    ),
    "remark": (lambda rows, mark: as_text(rows, mark) + f"Source: us{mark}\n", "fewer cells, and was left out"),
    "row names": (lambda rows, mark: as_text([rows[0], *(["r", *row] for row in rows[1:])], mark), "as row names"),
    "trailing delimiter": (lambda rows, mark: as_text([rows[0], *([*row, ""] for row in rows[1:])], mark), ""),
}


#: Rare notations, and words of the error about each.
RARE = {
    "blanks": (with_blanks, "blanks in front of its quotes"),
    "single quotes": (in_single_quotes, "single quotes around its cells"),
    "backslash": (with_backslash, "a backslash in front of quotes"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("shapes")


def check_written(raw, path):
    again = path.with_stem("again")
    write_frame(raw.frame, again, raw.form)
    assert again.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("shape", SHAPES)
@FEWER_EXAMPLES
@given(rows=ROWS, mark=MARKS, suffix=st.sampled_from([".csv", ".txt"]), encoding=st.sampled_from(["utf-8", "utf-16"]))
def test_a_shape_is_read_at_once_and_reported(folder, shape, suffix, encoding, rows, mark):
    make, shown = SHAPES[shape]
    path = folder / f"t{suffix}"
    path.write_text(make([NAMES, *rows], mark), encoding=encoding)
    raw = read_table(path)
    assert raw.form.cells.select(NAMES).to_pandas().to_numpy().tolist() == rows
    assert shown in " ".join(raw.notes)
    assert raw.frame["tempo"].tolist() == [float(row[1]) for row in rows]
    if shape in ("title", "comments", "comment of cells", "comment as header", "# before a name", "sep="):
        check_written(raw, path)


@FEWER_EXAMPLES
@given(rows=ROWS, mark=MARKS, n_cells=st.integers(2, 3))
def test_a_last_line_that_was_cut_is_an_error_and_no_remark(folder, rows, mark, n_cells):
    """A remark is one text. Of an item whose line was cut, the first cells are there."""
    path = folder / "t.csv"
    rows = [[f"s{j}", *row[1:]] for j, row in enumerate(rows)]
    path.write_text(as_text([NAMES, *rows], mark) + mark.join(["s99", "7", "x", "y"][:n_cells]))
    with pytest.raises(
        ReadError, match=rf"{n_cells} cells, but the header has 4.*leave it out \(skip_rows='\d+'\)"
    ) as error:
        read_table(path)
    line = re.search(r"skip_rows='(\d+)'", str(error.value))[1]
    assert len(read_table(path, skip_rows=line).frame) == len(rows)


@FEWER_EXAMPLES
@given(rows=ROWS, mark=MARKS)
def test_rows_without_names_are_rows(folder, rows, mark):
    path = folder / "t.csv"
    rows = [[f"{j}.jpg", *row[1:]] for j, row in enumerate(rows)]
    path.write_text(as_text(rows, mark))
    raw = read_table(path)
    assert raw.form.cells.to_pandas().to_numpy().tolist() == rows
    assert list(raw.frame) == ["column 1", "column 2", "column 3", "column 4"]
    assert "state header='1'" in raw.notes[-1]
    assert len(read_table(path, header="1").frame) == len(rows) - 1
    check_written(raw, path)


@FEWER_EXAMPLES
@given(
    first=st.lists(st.integers(0, 3000), min_size=3, max_size=6, unique=True),
    below=st.integers(1, 4),
    start=st.sampled_from([[], ["song"], [""], ["NA"]]),
    above=st.sampled_from(["", "# made by us\n", "sep=,\n"]),
)
def test_names_that_are_numbers_are_reported_with_the_way_to_read_them_as_a_row(folder, first, below, start, above):
    path = folder / "t.csv"
    under = ["7" if cell in ("", "NA") else cell for cell in start]
    rows = [start + list(map(str, first)), *[under + list(map(str, range(5000, 5000 + len(first))))] * below]
    path.write_text(above + as_text(rows, ","))
    raw = read_table(path)
    assert list(raw.frame) == [cell or "index" for cell in rows[0]]
    [way] = re.findall(r"If it is a row, state header='(.*?)'", " ".join(raw.notes))
    found = read_table(path, header=way).form.cells.to_pandas().fillna("").to_numpy().tolist()
    assert found == [["" if cell == "NA" else cell for cell in row] for row in rows]


def test_a_second_header_below_names_in_two_lines_is_reported_with_the_way_to_keep_it(folder):
    path = folder / "t.csv"
    path.write_text("id,jazz,,rock,\n,yes,no,yes,no\ntext,a?,b?,c?,d?\n" + 6 * "7,1,0,1,0\n")
    raw = read_table(path)
    [way] = re.findall(r"left out: 3\. header='(.*?)' keeps them as rows", " ".join(raw.notes))
    kept = read_table(path, header=way)
    assert list(kept.frame) == list(raw.frame) == ["id", "jazz: yes", "jazz: no", "rock: yes", "rock: no"]
    assert (len(raw.frame), kept.frame.iloc[0].tolist()) == (6, ["text", "a?", "b?", "c?", "d?"])


@FEWER_EXAMPLES
@given(
    rows=st.lists(st.lists(st.sampled_from("01"), min_size=3, max_size=3), min_size=7, max_size=9),
    shape=st.sampled_from([(NAMES, ""), (NAMES, "NA"), (NAMES, "?"), (NAMES, "unknown"), (None, ""), (None, "NA")]),
    n_gaps=st.integers(1, 3),
)
def test_first_items_without_known_values_are_rows(folder, rows, shape, n_gaps):
    """A gap is no name, and the same word in all labels is no further header."""
    (names, word), path = shape, folder / "t.csv"
    rows = [[f"{j}.5", row[0], *([word, word] if j < n_gaps else row[1:])] for j, row in enumerate(rows)]
    path.write_text("\n".join(map(",".join, [*([names] if names else []), *rows])) + "\n")
    raw = read_table(path)
    assert len(raw.frame) == len(rows)
    assert list(raw.frame) == (names or [f"column {number}" for number in (1, 2, 3, 4)])
    check_written(raw, path)


@pytest.mark.parametrize("rows", ["{}.jpg,a;b", "{}.jpg;a, b;c", "{},5;1,5;2,5"])
def test_rows_without_names_that_two_marks_separate_are_asked_about(folder, rows):
    path = folder / "t.csv"
    path.write_text("\n".join(rows.format(number) for number in range(5)))
    with pytest.raises(ReadError, match=r"its rows have no names and can be separated by ',' and ';'.*delimiter="):
        read_table(path)
    for mark in ",;":
        frame = read_table(path, delimiter=mark, header="none").frame
        assert frame.shape == (5, rows.count(mark) + 1)


@pytest.mark.parametrize("row", ["{}.jpg,0.5,a;b", "{}.jpg;0.5;a, b;1", "{}.jpg|7|a, b|x"])
def test_columns_of_numbers_show_the_mark_of_rows_without_names(folder, row):
    path = folder / "t.csv"
    path.write_text("\n".join(row.format(number) for number in range(5)))
    mark = next(mark for mark in "|;," if row.count(mark) > 1)
    assert read_table(path).frame.shape == (5, row.count(mark) + 1)


def test_names_that_are_numbers_are_names(folder):
    path = folder / "t.csv"
    for names in ("song,2019,2020", ",0", "0,1,2", "gene,1023,877,1544"):
        path.write_text("\n".join([names, *(",".join(["3.5"] * len(names.split(","))) for _ in range(4))]))
        assert [name for name in read_table(path).frame if name != "index"] == [n for n in names.split(",") if n]


@FEWER_EXAMPLES
@given(rows=ROWS, mark=MARKS, answers=st.lists(WORDS, min_size=2, max_size=2, unique=True))
def test_two_rows_of_names(folder, rows, mark, answers):
    path = folder / "t.csv"
    first, second = ["song", "tempo", "Which tags?", ""], ["", "Answer", *(f"tag {each}" for each in answers)]
    path.write_text(as_text([first, second, *rows], mark))
    raw = read_table(path)
    assert list(raw.frame) == ["song", "tempo", *second[2:]]
    assert "The column names are in lines 1 and 2." in raw.notes
    path.write_text(as_text([["song", "a", "", "b", ""], ["", "yes", "no", "yes", "no"],
                             *([*row, "1"] for row in rows)], mark))  # fmt: skip
    assert list(read_table(path).frame) == ["song", "a: yes", "a: no", "b: yes", "b: no"]


@FEWER_EXAMPLES
@given(rows=ROWS, at=st.integers(0, 3), more=st.integers(0, 2))
def test_quotes_are_characters_where_one_is_not_closed(folder, rows, at, more):
    """A later quote does not close it: the rows between are no cell."""
    path, rows = folder / "t.tsv", [[*row[:2], row[2].replace('"', ""), row[3]] for row in rows]
    for place in {at, at - more}:
        rows[place][2] = f'"{rows[place][2]}'
    rows.insert(0, ["5", "6", '5" single', "7"])  # a quote that opens nothing
    path.write_text("\n".join(map("\t".join, [NAMES, *rows])) + "\n")
    raw = read_table(path)
    assert raw.form.cells.to_pandas().to_numpy().tolist() == rows
    line = 3 + min(place % (len(rows) - 1) for place in {at, at - more})
    assert f"Quotes are read as characters, because one is opened in line {line} and not closed." in raw.notes
    check_written(raw, path)


def test_the_line_of_a_quote_that_is_not_closed_is_not_that_of_a_cell_of_several_lines(folder):
    path = folder / "t.tsv"
    path.write_text('id\ttext\tn\na\t"x\ty\nb\tz"\t7\nc\t"open\t8\nd\te\t9\n')
    raw = read_table(path)
    assert "Quotes are read as characters, because one is opened in line 4 and not closed." in raw.notes
    assert raw.form.cells.column("text").to_pylist() == ['"x', 'z"', '"open', "e"]


@pytest.mark.parametrize(("word", "mark"), [("tab", "\t"), ("Semicolon", ";"), ("|", "|")])
def test_notes_of_anki_have_no_names(folder, word, mark):
    path = folder / "notes.txt"
    rows = [["front a", "back", "rock live"], ["front b", "back", "sad"], ["front c", "", "sad"]]
    path.write_text(f"#separator:{word}\n#html:true\n#tags column:3\n" + as_text(rows, mark))
    raw = read_table(path)
    assert (list(raw.frame), raw.frame.fillna("").to_numpy().tolist()) == (["column 1", "column 2", "column 3"], rows)
    check_written(raw, path)


def test_repeated_and_missing_names_are_distinct_columns(folder):
    path = folder / "t.csv"
    path.write_text("id,Labels,Labels,,Labels\na,rock,sad,1,\nb,live,,2,\n")
    raw = read_table(path)
    assert list(raw.frame) == ["id", "Labels", "Labels 2", "column 4", "Labels 3"]
    assert raw.notes == (
        "1 column has no name: 'column 4'.",
        "3 columns have the name 'Labels': “Labels”, “Labels 2” and “Labels 3”.",
    )
    check_written(raw, path)


def test_stated_headers(folder):
    path = folder / "t.csv"
    path.write_text("a,b\nc,d\ne,f\ng,h\n")
    assert read_table(path, header="none").frame.to_numpy().tolist()[0] == ["a", "b"]
    assert list(read_table(path, header="2").frame) == ["c", "d"]
    assert list(read_table(path, header="1-2").frame) == ["a", "b"]
    for wrong in ("9", "1-4", "3-5", "2-1", "x"):
        with pytest.raises(ReadError, match="header="):
            read_table(path, header=wrong)


def test_a_header_of_three_rows_is_stated_for_texts_and_for_sheets(folder):
    rows = [["", "2024", "", "2025", ""], ["id", "jazz", "", "rock", ""], ["", "yes", "no", "yes", "no"]]
    table = pd.DataFrame([["a", 1, 2, 3, 4], ["b", 5, 6, 7, 8]])
    pd.concat([pd.DataFrame(rows), table]).to_csv(folder / "t.csv", header=False, index=False)
    pd.concat([pd.DataFrame(rows), table]).to_excel(folder / "t.xlsx", header=False, index=False)
    for name in ("t.csv", "t.xlsx"):
        frame = read_table(folder / name, header="1-3").frame
        assert list(frame) == ["id", "jazz: yes", "jazz: no", "rock: yes", "rock: no"]
        assert frame.to_numpy().tolist() == table.to_numpy().tolist()


@pytest.mark.parametrize("notation", RARE)
@FEWER_EXAMPLES
@given(rows=ROWS, mark=MARKS)
def test_a_rare_notation_is_named_and_its_two_lines_convert_it(folder, notation, rows, mark):
    make, shown = RARE[notation]
    rows = [[*rows[0][:2], 'a "b"', rows[0][3]], *rows[1:]] if notation == "backslash" else rows
    path = folder / "rare.csv"
    path.write_text(make([NAMES, *rows], mark))
    assert follow(path, shown).form.cells.to_pandas().to_numpy().tolist() == rows


@FEWER_EXAMPLES
@given(rows=ROWS, mark=st.sampled_from("~^:&\x01"))
def test_a_rare_mark_between_cells_is_asked_for_and_its_key_reads_them(folder, rows, mark):
    rows = [[re.sub(f"[ ,;|{mark}]+", "_", cell) for cell in row] for row in rows]
    path = folder / "rare.csv"
    path.write_text("".join(mark.join(row) + "\n" for row in [NAMES, *rows]))
    with pytest.raises(ReadError, match="there is one column only") as error:
        read_table(path)
    assert f"delimiter={mark!r} if that separates" in str(error.value)
    assert read_table(path, delimiter=mark).form.cells.to_pandas().to_numpy().tolist() == rows


def follow(path, shown):
    """Read the file that the two lines of the error make."""
    with pytest.raises(ReadError, match=shown) as caught:
        read_table(path)
    exec("\n".join(re.findall("`(.*?)`", str(caught.value))), {})
    return read_table(path.with_suffix(".new.csv"))


def test_a_backslash_in_front_of_a_quote_outside_of_quotes_is_a_character(folder):
    path = folder / "latex.csv"
    path.write_text('name,tempo\nK\\"onig,1.5\nM\\"uller,2.5\n"a, b",3.5\n')
    assert read_table(path).frame["name"].tolist() == ['K\\"onig', 'M\\"uller', "a, b"]


def test_blanks_before_quotes_below_a_comment_with_the_names(folder):
    path = folder / "audio.csv"
    path.write_text('# made 2017\n# id, start, labels\na1, 30.0, "/m/1,/m/2"\na2, 0.0, "/m/1"\na3, 9.5, "/m/2"\n')
    frame = follow(path, "blanks in front of its quotes").frame
    assert frame.to_numpy().tolist() == [["a1", 30.0, "/m/1,/m/2"], ["a2", 0.0, "/m/1"], ["a3", 9.5, "/m/2"]]
    assert list(frame) == ["id", "start", "labels"]
