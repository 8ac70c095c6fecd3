"""Build the wheel and the source archive, and use the wheel as a user does: in an environment of its own.

The environment gets the core dependencies only, so that a missing one is noticed. It runs the demo, and mypy reads
the wheel's types for a short program of a user.

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
from pathlib import Path

ROOT = Path(__file__).parents[1]
USER_PROGRAM = ROOT / ".ci" / "user_program.py"

#: Bytes. Today the wheel has 1.8 MB, half of it the pages and records of the four papers, and the archive 3.0 MB; a
#: data file that came in by mistake is larger than what is left.
MAX_BYTES = {"wheel": 2_000_000, "source archive": 3_300_000}

REQUIRED = ("halflabel/py.typed", "halflabel/reproduction/papers/zhang2008.toml", "halflabel/report/templates/")


def run(*command: str | Path, cwd: Path = ROOT) -> None:
    """Run a command without the paths of this checkout, and stop if it fails."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    subprocess.run([str(word) for word in command], check=True, cwd=cwd, env=environment)


def check_names(kind: str, path: Path, names: list[str]) -> None:
    """Raise if the file is too large, lacks a file that the library reads, or holds what only this checkout needs."""
    size = path.stat().st_size
    if size > MAX_BYTES[kind]:
        raise SystemExit(f"The {kind} {path.name} has {size:,} bytes, more than {MAX_BYTES[kind]:,}.")
    if missing := [each for each in REQUIRED if not any(each in name for name in names)]:
        raise SystemExit(f"The {kind} {path.name} lacks {missing[0]}.")
    if needless := [name for name in names if "__pycache__" in name or "/_build/" in name]:
        raise SystemExit(f"The {kind} {path.name} holds {needless[0]}, which no user needs.")
    print(f"{kind}: {path.name}, {size:,} bytes, {len(names)} files")


def build(folder: Path) -> Path:
    """Build both files, check what they hold, and return the path of the wheel."""
    run(sys.executable, "-m", "hatchling", "build", "-d", folder)
    (wheel,), (archive,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    names = zipfile.ZipFile(wheel).namelist()
    check_names("wheel", wheel, names)
    if outside := [name for name in names if not name.startswith("halflabel")]:
        raise SystemExit(f"The wheel {wheel.name} installs {outside[0]} outside the package.")
    with tarfile.open(archive) as opened:
        check_names("source archive", archive, opened.getnames())
    return wheel


def use(wheel: Path, folder: Path, python: str) -> None:
    """Install the wheel into a new environment, run the demo there, and check a user's program with mypy."""
    environment = folder / "environment"
    run(python, "-m", "venv", environment)
    pip = environment / "bin" / "python", "-m", "pip", "install", "-q", "--no-compile"
    run(*pip, wheel)
    run(environment / "bin" / "halflabel", "demo", "-o", folder / "demo", cwd=folder)
    run(environment / "bin" / "python", USER_PROGRAM, cwd=folder)
    run(*pip, "pandas-stubs")
    types = "--strict", "--cache-dir=/dev/null", "--python-executable", environment / "bin" / "python"
    run(sys.executable, "-m", "mypy", "--config-file=", *types, USER_PROGRAM, cwd=folder)


def main() -> None:
    """Build, check and use."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", default=sys.executable, help="the interpreter of the new environment")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        use(build(folder / "dist"), folder, options.python)


if __name__ == "__main__":
    main()
