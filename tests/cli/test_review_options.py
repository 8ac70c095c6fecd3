"""halflabel complete: the columns that stand for an item, the review table and its answers."""

from __future__ import annotations

import pandas as pd
import pytest
from tests.cli.conftest import outputs, run

pytestmark = pytest.mark.usefixtures("small_forests")


def test_the_report_shows_the_columns_that_stand_for_an_item(songs):
    assert run("complete", songs, "--labels", "tag_*", "--show", "song,f0", "--effort", "fast").exit_code == 0
    page = songs.with_name("songs.report.html").read_text()
    assert '<span class="shown" title="song">s' in page
    assert '<span class="shown" title="f0">' in page


def test_a_column_to_show_that_does_not_exist_ends_the_run_before_the_fit(songs):
    result = run("complete", songs, "--labels", "tag_*", "--show", "songs")
    assert result.exit_code == 1
    assert "did you mean 'song'" in result.output
    assert outputs(songs) == []
