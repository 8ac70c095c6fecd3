"""The page of a certificate, for a person: its sentence and its facts. ``halflabel verify`` proves it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from halflabel._digests import sign_page

if TYPE_CHECKING:
    from halflabel.completion import Completion
    from halflabel.evidence.certificate import Certificate

#: The facts that the page shows, by the key of the certificate.
_FACTS = ("entries", "answered", "audited", "errors", "not_sure", "level", "alpha", "seed", "seed_from", "table",
          "halflabel", "method")  # fmt: skip

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Certificate of halflabel</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 1.05rem/1.5 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem; }}
dt {{ opacity: .7; }} dd {{ margin: 0 0 .5rem; overflow-wrap: anywhere; }}
</style>
<h1>Certificate</h1>
<p>{sentence}</p>
<dl>{facts}</dl>
<p><code>halflabel verify CERTIFICATE.json TABLE</code> computes the digests, the random order of the seed and the bound
again.</p>
</html>
"""


def render_certificate(certificate: Certificate) -> str:
    """Return a page without a script."""
    facts = "".join(
        f"<dt>{name.replace('_', ' ')}</dt><dd>{escape(str(certificate.get(name)))}</dd>" for name in _FACTS
    )
    return sign_page(_PAGE.format(sentence=escape(str(certificate)), facts=facts))


def write_certificates(completion: Completion, certificates: Sequence[Certificate]) -> list[str]:
    """Return each certificate as a sentence. Raise if a certificate is about another completed table."""
    if any(completion.evidence.digest not in each.digests for each in certificates):
        raise ValueError(
            "a certificate is about another completed table: complete the table again with the data, the options and "
            "the version of the certified one, or make another certificate."
        )
    return [f"{each} Random choice: seed {each['seed']}." for each in certificates]
