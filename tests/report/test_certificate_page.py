"""The page of a certificate, opened from the disk: green for its own table, red for any other."""

import shutil

import numpy as np
import pandas as pd
import pytest
from tests.evidence.test_proof import NAMES, play

from halflabel.evidence.certificate import make_certificate
from halflabel.report.certificate_page import render_certificate

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def write_case(seed, folder):
    """Write the page and the table of a random proof."""
    proof, _ = play(np.random.default_rng(seed), steps=60)
    columns = {"id": "song", "labels": list(NAMES), "yes": [], "no": [], "unknown": []}
    made = make_certificate(proof, seed_from="secrets", columns=columns)
    (folder / f"{seed}.html").write_text(render_certificate(made), encoding="utf-8")
    state = pd.DataFrame(proof.delivered, columns=list(NAMES)).astype("Int8")
    table = ((state + 1) // 2).mask(state == 0).assign(song=proof.ids, note='a "quoted", note\nin two lines')
    table.to_csv(folder / f"{seed}.csv", index=False)
    return made, table


def test_the_page_holds_no_markup_of_the_certificate(tmp_path):
    made, _ = write_case(1, tmp_path)
    hostile = type(made)({**made, "by": "</script><script>alert(1)</script>"})
    page = render_certificate(hostile)
    assert page.count("<script") == 2
    assert "https://" not in page
    assert "http://" not in page


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_the_page_agrees_with_the_library(tmp_path):
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.on("request", lambda request: pytest.fail(request.url) if request.url.startswith("http") else None)
        for seed in range(12):
            made, table = write_case(seed, tmp_path)
            page.goto((tmp_path / f"{seed}.html").as_uri())
            page.set_input_files("#file", tmp_path / f"{seed}.csv")
            page.wait_for_selector("#result:visible")
            assert page.inner_text("#result").replace("\xa0", " ") == f"Verified. {made}".replace("\xa0", " "), seed
            assert page.get_attribute("#result", "class") == "right"
            table.loc[3, "sad"] = 1 - table["sad"].fillna(0)[3]
            table.to_csv(tmp_path / "changed.csv", index=False)
            page.set_input_files("#file", tmp_path / "changed.csv")
            page.wait_for_selector("#result.wrong")
            assert "not the one that was certified" in page.inner_text("#result")
        browser.close()
