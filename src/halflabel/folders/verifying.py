"""verify_folder(): whether the output of a folder run is unchanged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from halflabel._digests import is_intact, read_object
from halflabel._wording import plural, quoted
from halflabel.folders.manifest import FOLDER, Places, read_manifest
from halflabel.folders.model_sample import check_core


def verify_folder(out: Path) -> str:
    """Check every file of a folder run by its digest, and return a sentence.

    Raises
    ------
    ValueError
        In one sentence: the run has not ended, or files were changed or removed since then.
    """
    places = Places(out)
    manifest = read_manifest(places)
    if manifest is None:
        raise ValueError(f"{out} holds no run of halflabel: name the folder of {FOLDER}.")
    check_core(places.folder, manifest["core_files"].items())
    if not manifest["finished"] or not {"records", "lists"} <= manifest.keys():
        raise ValueError(f"the run of {out} has not ended: start it again with the same arguments.")
    if changed := sorted(set(_list_changed(places, manifest))):
        raise ValueError(
            f"{quoted(changed)} of {out}: the content has changed since the run; remove the folder and run again."
        )
    parts = plural(len(manifest["input"]), "part")
    return (
        f"{parts} of {out} and all other files of the run are unchanged (written by version {manifest['halflabel']})."
    )


def _list_changed(places: Places, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lists that have another content, and the parts whose record, table or probabilities have."""
    yield from (name for name, digest in manifest["lists"].items() if not is_intact(places.folder / name, digest))
    probabilities = manifest["settings"]["probabilities"]
    for name in manifest["input"]:
        record = places.record(name)
        if not is_intact(record, manifest["records"].get(name, "")):
            yield name
            continue
        outputs = [places.final(name)]
        if probabilities is not None:
            outputs.append(Path(probabilities) / f"{name}.parquet")
        if not all(map(is_intact, outputs, read_object(record)["outputs"])):
            yield name
