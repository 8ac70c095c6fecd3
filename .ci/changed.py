"""Print the tests of what differs from a commit: those of each changed room, and those of changed pages.

    python .ci/changed.py origin/main

A room is a folder of a package. Its tests are those of the folder of the same name, so that a change in
``src/halflabel/methods/auto`` is tested by ``tests/methods/auto``. Tests of other rooms are left to the whole run.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1]

#: Packages, and the folders that mirror them.
MIRRORS = {
    "src/halflabel": "tests",
    "papers/src/halflabel_papers": "papers/tests",
    "scale/src/halflabel_scale": "scale/tests",
    "tools/src/halflabel_tools": "tools/tests",
}

#: Tests of files that belong to no package.
OF_PAGES = ("tests/test_docs.py", "tests/test_links.py")
PAGES = ("docs/", "README.md", "CHANGELOG.md", "CONTRIBUTING.md")


def list_changed(base: str) -> list[str]:
    """Return the paths that differ from a commit, with untracked ones."""
    commands = ("diff", "--name-only", "--diff-filter=d", base), ("ls-files", "--others", "--exclude-standard")
    found: list[str] = []
    for command in commands:
        output = subprocess.run(["git", *command], check=True, cwd=ROOT, capture_output=True, text=True).stdout
        found += output.splitlines()
    return found


def find_tests(path: str) -> tuple[str, ...]:
    """Return the tests of a changed file."""
    file = PurePosixPath(path)
    if path.startswith(PAGES):
        return OF_PAGES
    for package, tests in MIRRORS.items():
        if file.is_relative_to(package):
            return _mirror(file.relative_to(package), PurePosixPath(tests))
        if file.is_relative_to(tests) and file.suffix == ".py":
            if file.name.startswith("test_"):
                return (path,)
            inside = file.parent != PurePosixPath(tests)
            return (str(file.parent),) if inside else ()  # helpers of all tests are left to the whole run
    return ()


def _mirror(module: PurePosixPath, tests: PurePosixPath) -> tuple[str, ...]:
    """Return the deepest folder that mirrors a module's folder, or for a module without one its test file."""
    for folder in [parent for parent in module.parents if parent.name]:
        if (ROOT / tests / folder).is_dir():
            return (str(tests / folder),)
    name = module.parts[0].removesuffix(".py").strip("_")
    file = tests / f"test_{name}.py"
    return (str(file),) if (ROOT / file).is_file() else ()


def main() -> None:
    """Print the tests, each once; a folder stands for all files in it."""
    tests = {PurePosixPath(test) for path in list_changed(sys.argv[1]) for test in find_tests(path)}
    print("\n".join(sorted(str(test) for test in tests if not tests & set(test.parents))))


if __name__ == "__main__":
    main()
