"""Build the wheels and the source archives, and use the wheels as a user does: in an environment of their own.

The environment gets the core dependencies only, so that a missing one is noticed. It runs the demo, and mypy reads
the types of halflabel's wheel for a short program of a user. Then the others are added, and a page is built.

    python .ci/package.py [--python python3.13]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from release import build_twice  # the script next to this one

ROOT = Path(__file__).parents[1]
USER_PROGRAM = ROOT / ".ci" / "user_program.py"


@dataclass(frozen=True)
class Distribution:
    """A folder with a pyproject.toml, the package that its wheel installs, and bounds for its two files.

    ``max_bytes`` are those of the wheel and of the source archive; a data file that came in by mistake is larger than
    the part that is left. ``required`` are files that the package reads.
    """

    folder: Path
    package: str
    max_bytes: tuple[int, int]
    required: tuple[str, ...]


PRODUCT = Distribution(ROOT, "halflabel", (1_040_000, 2_800_000), ("halflabel/py.typed", "halflabel/report/templates/"))
PAPERS = Distribution(
    ROOT / "papers",
    "halflabel_papers",
    (1_645_000, 1_700_000),  # 13 kB for each method on the full board of `halflabel benchmark`
    ("halflabel_papers/py.typed", "halflabel_papers/specs/zhang2008.toml", "pages/zhang2008/records.jsonl.gz"),
)


TOOLS = Distribution(ROOT / "tools", "halflabel_tools", (30_000, 30_000), ("halflabel_tools/py.typed",))
SCALE = Distribution(ROOT / "scale", "halflabel_scale", (60_000, 60_000), ("halflabel_scale/py.typed",))


def run(*command: str | Path, cwd: Path = ROOT) -> None:
    """Run a command without the paths of this checkout, and stop if it fails."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    subprocess.run([str(word) for word in command], check=True, cwd=cwd, env=environment)


def check_names(one: Distribution, path: Path, names: list[str], max_bytes: int) -> None:
    """Raise if the file is too large, lacks a file that the package reads, or holds what only this checkout needs."""
    size = path.stat().st_size
    if size > max_bytes:
        raise SystemExit(f"{path.name} has {size:,} bytes, more than {max_bytes:,}.")
    if missing := [each for each in one.required if not any(each in name for name in names)]:
        raise SystemExit(f"{path.name} lacks {missing[0]}.")
    if needless := [name for name in names if "__pycache__" in name or "/_build/" in name]:
        raise SystemExit(f"{path.name} holds {needless[0]}, which no user needs.")
    print(f"{path.name}: {size:,} bytes, {len(names)} files")


def build(one: Distribution, folder: Path) -> Path:
    """Build both files of a distribution twice, check their names, and return the path of the wheel."""
    folder.mkdir()
    for name, content in build_twice(one.folder).items():
        (folder / name).write_bytes(content)
    (wheel,), (archive,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    names = zipfile.ZipFile(wheel).namelist()
    check_names(one, wheel, names, one.max_bytes[0])
    if outside := [name for name in names if not name.startswith((f"{one.package}/", f"{one.package}-"))]:
        raise SystemExit(f"The wheel {wheel.name} installs {outside[0]} outside the package.")
    with tarfile.open(archive) as opened:
        check_names(one, archive, opened.getnames(), one.max_bytes[1])
    return wheel


def use(wheel: Path, papers: Path, scale: Path, tools: Path, folder: Path, python: str) -> None:
    """Install halflabel into a new environment, run the demo and a user's program there, then add the others."""
    environment = folder / "environment"
    run(python, "-m", "venv", environment)
    pip = environment / "bin" / "python", "-m", "pip", "install", "-q", "--no-compile"
    run(*pip, wheel)
    command = environment / "bin" / "halflabel"
    run(command, "demo", "-o", folder / "demo", cwd=folder)
    run(environment / "bin" / "python", USER_PROGRAM, cwd=folder)
    run(*pip, "pandas-stubs")
    types = "--strict", "--cache-dir=/dev/null", "--python-executable", environment / "bin" / "python"
    run(sys.executable, "-m", "mypy", "--config-file=", *types, USER_PROGRAM, cwd=folder)
    run(*pip, papers, scale, tools)
    run(command, "rank", "--help", cwd=folder)
    run(command, "reproduce", "zhang2008", "--from-records", "-o", folder / "page", cwd=folder)


def main() -> None:
    """Build, check and use."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", default=sys.executable, help="the interpreter of the new environment")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheels = [build(one, folder / one.package) for one in (PRODUCT, PAPERS, SCALE, TOOLS)]
        use(*wheels, folder, options.python)


if __name__ == "__main__":
    main()
