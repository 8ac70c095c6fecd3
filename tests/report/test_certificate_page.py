"""The page of a certificate: its sentence and its facts, for a person, with nothing that runs."""

import numpy as np
from tests.evidence.test_proof import NAMES, play

from halflabel._digests import is_page_intact
from halflabel.evidence.certificate import make_certificate
from halflabel.report.certificate_page import render_certificate


def make(**changes):
    proof, _ = play(np.random.default_rng(1), steps=60)
    columns = {"id": "song", "labels": list(NAMES), "yes": [], "no": [], "unknown": []}
    made = make_certificate(proof, seed_from="secrets", columns=columns)
    return type(made)({**made, **changes})


def test_the_page_shows_the_sentence_and_is_signed(tmp_path):
    made = make()
    path = tmp_path / "page.html"
    path.write_text(render_certificate(made), encoding="utf-8")
    assert str(made) in path.read_text(encoding="utf-8")
    assert f"<dd>{made['table']}</dd>" in path.read_text(encoding="utf-8")
    assert is_page_intact(path)


def test_the_page_holds_no_markup_of_the_certificate_and_loads_nothing():
    page = render_certificate(make(method="</dd><script>alert(1)</script>", labels=["<b>"]))
    assert "<script" not in page
    assert "<b>" not in page
    assert "://" not in page
