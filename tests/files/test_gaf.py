"""Gene annotations: NOT is a known no, comments are no rows, and damage is named by line."""

import gzip

import pandas as pd
import pytest

import halflabel as hl
from halflabel.files import ReadError, read_table
from halflabel.files.gaf import COLUMNS


def make_line(gene, term, qualifier="involved_in"):
    cells = dict.fromkeys(COLUMNS, "x") | {"symbol": gene, "go_id": term, "qualifier": qualifier, "with_from": ""}
    return "\t".join(cells.values())


LINES = ["!gaf-version: 2.2", "! a comment", make_line("g1", "T1"), make_line("g1", "T2", "NOT|located_in"),
         make_line("g2", "T2"), make_line("g2", "T1", "not_NOTED"), make_line("g9", "T1")]  # fmt: skip


@pytest.mark.parametrize("name", ["sgd.gaf", "sgd.gaf.gz", "sgd.txt"])
def test_not_is_a_known_no(tmp_path, name):
    content = "\n".join(LINES).encode()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    frame = read_table(tmp_path / name).frame
    assert frame["value"].tolist() == [1, 0, 1, 1, 1]
    assert frame["with_from"].isna().all()
    genes = pd.DataFrame({"gene": ["g1", "g2", "g3"], "n": [0.5, 1.5, 2.5]})
    opened = hl.open_table(
        genes, id="gene", pairs=tmp_path / name, on="symbol", tag="go_id", value="value", absent="unknown",
    )  # fmt: skip
    assert opened.labels.names == ("T1", "T2")
    assert opened.labels.state.tolist() == [[1, -1], [1, 1], [0, 0]]
    assert "1 of 5 pairs name ids that are not in the table, such as 'g9': left out." in opened.notes


def test_damage_is_named_by_line(tmp_path):
    (tmp_path / "a.gaf").write_text("\n".join([*LINES, "a\tb"]))
    with pytest.raises(ReadError, match=r"a\.gaf: line 8: 2 cells, but a line of GAF 2 has 15 to 17"):
        read_table(tmp_path / "a.gaf")
    (tmp_path / "a.gaf").write_text("!gaf-version: 2.2\n")
    with pytest.raises(ReadError, match="there are no annotations in it"):
        read_table(tmp_path / "a.gaf")
