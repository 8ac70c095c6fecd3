"""Validate the public docstrings: run as a script by .ci/run."""

from __future__ import annotations

import sys

from numpydoc.validate import validate

import halflabel
import halflabel.methods.baselines
import halflabel_papers.comparators

#: What this project does not ask for: extended summaries, See Also and examples everywhere, full stops in lists.
IGNORED = {"ES01", "SA01", "EX01", "SS06", "PR07", "PR08", "PR09", "GL01", "GL03", "RT03"}


def main() -> int:
    """Print every finding and return how many there are."""
    public = [f"halflabel.{name}" for name in halflabel.__all__ if not name.startswith("__")]
    for package in (halflabel.methods.baselines, halflabel_papers.comparators):
        public += [f"{package.__name__}.{name}" for name in package.__all__]
    findings = [
        f"{name}: {code} {text}" for name in public for code, text in validate(name)["errors"] if code not in IGNORED
    ]
    print("\n".join(findings) or f"{len(public)} public docstrings are in order.")
    return len(findings)


if __name__ == "__main__":
    sys.exit(bool(main()))
