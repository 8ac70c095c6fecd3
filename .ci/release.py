"""Make the files of a release: both distributions, the tested set of dependencies with hashes, and a bill of materials.

    python .ci/release.py FOLDER

Each distribution is built twice; other bytes the second time are an error, and so is a dependency under a licence that
binds its users. The set of dependencies is what pip chooses for the wheel today: run the tests with it first
(`pip install --require-hashes -r constraints.txt`). The upload is the act of a person.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import uuid
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]

#: Licences that bind the users of this library. The Mozilla licence binds its own files only.
BINDING = re.compile(r"\bA?GPL|GNU (Affero )?General Public|\bSSPL\b|\bEUPL\b", re.IGNORECASE)

#: With an exception for programs that link to the library, these do not bind.
LINKING = re.compile(r"LGPL|Lesser General Public|GCC Runtime|exception", re.IGNORECASE)


def build(folder: Path, out: Path) -> dict[str, bytes]:
    """Return the distributions of a folder by name."""
    environment = {**os.environ, "SOURCE_DATE_EPOCH": _read_commit_time()}
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(out)]
    subprocess.run(command, check=True, cwd=folder, env=environment, capture_output=True)
    return {path.name: path.read_bytes() for path in sorted(out.iterdir())}


def build_twice(folder: Path) -> dict[str, bytes]:
    """Return the distributions of a folder. Raise if a second build has other bytes."""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        first, second = build(folder, Path(one)), build(folder, Path(two))
    if first != second:
        raise SystemExit(f"{folder}: two builds of the same commit differ.")
    return first


def list_dependencies(wheel: Path) -> list[dict[str, Any]]:
    """Return the packages that pip chooses for a wheel, the wheel left out, by name."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        pip = [f"{folder}/bin/python", "-m", "pip", "install", "-q"]
        subprocess.run([*pip, "--upgrade", "pip"], check=True)  # an old one does not report the newest kind of licence
        command = [*pip, "--dry-run", "--ignore-installed", "--report", "-", str(wheel)]
        report = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    chosen = [each for each in json.loads(report)["install"] if not each["requested"]]
    return sorted(chosen, key=lambda each: str(each["metadata"]["name"]).lower())


def describe_licence(metadata: dict[str, Any]) -> str:
    """Return the licence of a package: its expression, a short text, or the names of its classifiers."""
    named = [each.split(" :: ")[-1] for each in metadata.get("classifier", []) if each.startswith("License ::")]
    text = (metadata.get("license") or "").strip()
    stated = metadata.get("license_expression") or (text if len(text) < 80 and "\n" not in text else "")
    return stated or "; ".join(named) or "not stated"


def check_licences(chosen: list[dict[str, Any]]) -> None:
    """Print the licence of each package. Raise for one that binds, or that is not stated."""
    for each in chosen:
        licence = describe_licence(each["metadata"])
        print(f"{each['metadata']['name']} {each['metadata']['version']}: {licence}")
        if licence == "not stated" or (BINDING.search(licence) and not LINKING.search(licence)):
            raise SystemExit(f"{each['metadata']['name']}: the licence is {licence}.")


def write_constraints(chosen: list[dict[str, Any]]) -> str:
    """Return the packages with the hashes of their files, for pip."""
    lines = [
        f"{each['metadata']['name']}=={each['metadata']['version']} --hash=sha256:{_hash(each)}" for each in chosen
    ]
    return "\n".join(lines) + "\n"


def write_bill(name: str, version: str, chosen: list[dict[str, Any]]) -> str:
    """Return a bill of materials in the format CycloneDX 1.5."""
    parts = [
        {
            "type": "library",
            "bom-ref": _refer(each),
            "name": each["metadata"]["name"],
            "version": each["metadata"]["version"],
            "purl": _refer(each),
            "hashes": [{"alg": "SHA-256", "content": _hash(each)}],
            "licenses": [{"license": {"name": describe_licence(each["metadata"])}}],
        }
        for each in chosen
    ]
    own = {"type": "library", "bom-ref": f"{name}@{version}", "name": name, "version": version}
    links = [{"ref": own["bom-ref"], "dependsOn": [part["bom-ref"] for part in parts]}]
    serial = uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(parts, sort_keys=True))
    head = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "serialNumber": f"urn:uuid:{serial}"}
    return json.dumps({**head, "metadata": {"component": own}, "components": parts, "dependencies": links}, indent=1)


def _refer(each: dict[str, Any]) -> str:
    return f"pkg:pypi/{each['metadata']['name'].lower()}@{each['metadata']['version']}"


def _hash(each: dict[str, Any]) -> str:
    return str(each["download_info"]["archive_info"]["hashes"]["sha256"])


def _read_commit_time() -> str:
    """Return the time of the commit in seconds: the time of every file in the archives."""
    shown = subprocess.run(["git", "log", "-1", "--format=%ct"], check=True, capture_output=True, text=True, cwd=ROOT)
    return shown.stdout.strip()


def main() -> None:
    """Write all files, and their digests."""
    out = Path(sys.argv[1])
    out.mkdir(parents=True)
    for folder in (ROOT, ROOT / "papers", ROOT / "scale", ROOT / "tools"):
        for name, content in build_twice(folder).items():
            (out / name).write_bytes(content)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["name"]
    (wheel,) = out.glob(f"{project}-*.whl")
    chosen = list_dependencies(wheel)
    check_licences(chosen)
    (out / "constraints.txt").write_text(write_constraints(chosen))
    (out / "bill-of-materials.cdx.json").write_text(write_bill(project, wheel.name.split("-")[1], chosen))
    digests = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}" for path in sorted(out.iterdir())]
    (out / "SHA256SUMS").write_text("\n".join(digests) + "\n")


if __name__ == "__main__":
    main()
