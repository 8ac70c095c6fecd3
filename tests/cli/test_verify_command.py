"""halflabel verify: journals, models and folders; certificates are in test_finish_command.py."""

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
    path.write_text("".join(path.read_text().splitlines(keepends=True)[::2]))
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


def test_a_place_of_another_kind_is_named(tmp_path, songs):
    assert "holds no run" in run("verify", tmp_path).output
    assert "no such file" in run("verify", tmp_path / "none.json").output
    assert "is not a certificate" in run("verify", songs, songs).output
    (tmp_path / "a.jsonl").write_text('{"journal":"halflabel review","version":1}\n')
    assert "without a table" in run("verify", tmp_path / "a.jsonl", songs).output
