"""halflabel verify: journals and models; certificates are in test_finish_command.py."""

import pytest
from tests.cli.conftest import run

import halflabel as hl
from halflabel._ledger import Ledger

pytestmark = pytest.mark.usefixtures("one_member")


def test_a_journal_is_verified_and_a_lost_line_is_named(tmp_path):
    path = tmp_path / "songs.review.jsonl"
    with Ledger(path, "review") as ledger:
        ledger.begin({})
        ledger.append([{"n": 1}, {"n": 2}])
        chain = ledger.chain
    result = run("verify", path)
    assert result.exit_code == 0
    assert f"(2 records of a review, digest of the last line {chain})" in " ".join(result.output.split())
    with path.open("a") as file:
        file.write('{"n":')
    assert "The last line of" in run("verify", path).output
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1][::2]))
    result = run("verify", path)
    assert result.exit_code == 1
    assert "line 2: its digest does not follow" in result.output


def test_a_model_is_verified_and_a_damaged_one_is_named(tmp_path, songs):
    model = tmp_path / "songs.halflabel"
    hl.complete(songs, id="song", labels=["tag_*"], effort="fast").save(model)
    result = run("verify", model)
    assert (result.exit_code, "a model of 3 labels" in result.output) == (0, True), result.output
    model.write_bytes(model.read_bytes()[:-100])
    result = run("verify", model)
    assert (result.exit_code, "is damaged" in result.output) == (1, True), result.output


def test_a_report_is_verified_and_names_the_line_of_its_journal(tmp_path, songs):
    journal, report = tmp_path / "songs.review.jsonl", tmp_path / "songs.report.html"
    with Ledger(journal, "review") as ledger:
        ledger.begin({})
        ledger.append([{"n": 1}, {"n": 2}])
        reviewed = [("Digest of the journal", ledger.chain)]
        hl.complete(songs, id="song", labels=["tag_*"], effort="fast").report(report, reviewed=reviewed)
        ledger.append([{"n": 3}])
    assert "is as it was written" in run("verify", report).output
    result = run("verify", report, journal)
    assert (result.exit_code, "after line 3 of" in result.output, "1 line came later" in result.output) == (0, 1, 1)
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:2]))  # whole as a chain, and yet an answer is lost
    assert run("verify", journal).exit_code == 0
    result = run("verify", report, journal)
    assert (result.exit_code, "names no line of" in result.output) == (1, True)
    journal.write_text("".join(lines))
    page = report.read_text()
    report.write_text(page.replace("songs", "sings", 1) if "songs" in page else page.replace("e", "E", 1))
    for arguments in ([report], [report, journal]):
        assert "changed after it was written" in " ".join(run("verify", *arguments).output.split())


def test_a_place_of_another_kind_is_named(tmp_path, songs):
    assert "is not a file: name one" in run("verify", tmp_path).output
    assert "no such file" in run("verify", tmp_path / "none.json").output
    assert "is not a certificate" in run("verify", songs, songs).output
    journal = tmp_path / "a.jsonl"
    journal.write_text('{"journal":"halflabel review","version":2}\n')
    for table in (songs, journal):
        assert "without a table" in run("verify", journal, table).output
