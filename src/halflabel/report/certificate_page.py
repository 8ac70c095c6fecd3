"""The page of a certificate: it proves the certificate again in the browser, without a network."""

from __future__ import annotations

import json
from importlib.resources import files

from halflabel._digests import sign_page
from halflabel.evidence.certificate import Certificate


def render_certificate(certificate: Certificate) -> str:
    """Return a static page. A table that is dropped on it is checked against the certificate."""
    page = (files("halflabel.report") / "pages" / "certificate.html").read_text(encoding="utf-8")
    parts = {"SENTENCE": str(certificate), "CERTIFICATE": dict(certificate)}  # the last one in the file first
    for name, content in parts.items():
        page = page.replace(name, json.dumps(content).replace("<", "\\u003c"), 1)
    return sign_page(page)
