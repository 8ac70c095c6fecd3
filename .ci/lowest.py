"""Print the lowest versions that pyproject.toml allows, as constraints for pip."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

#: Optional dependencies of the library, and what the tests need; the other tools of developers are left out.
EXTRAS = ("excel", "test")


def list_lowest(project: dict[str, Any]) -> list[str]:
    """Return "name==version" for every dependency, all of which are written as "name>=version"."""
    extras = project["optional-dependencies"]
    requirements = [*project["dependencies"], *(each for extra in EXTRAS for each in extras[extra])]
    if odd := [each for each in requirements if not re.fullmatch(r"[\w-]+>=[\w.]+", each)]:
        raise ValueError(f"{odd[0]!r} in pyproject.toml is not of the form name>=version.")
    return sorted({each.replace(">=", "==") for each in requirements})


if __name__ == "__main__":
    pyproject = Path(__file__).parents[1] / "pyproject.toml"
    print("\n".join(list_lowest(tomllib.loads(pyproject.read_text())["project"])))
