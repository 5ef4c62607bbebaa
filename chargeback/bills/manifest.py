"""What an export's manifest says that it has: its files, and where told its rows.

AWS writes `reportKeys` or `dataFiles`, Azure `blobs` with `dataRowCount`; the metadata of FOCUS 1.3 says
whether the time it is for is complete.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpuledger.errors import InputError, Place
from gpuledger.text_files import read_text

__all__ = ["Manifest", "check_files", "read_manifest"]


@dataclass(frozen=True)
class Manifest:
    """What a manifest says: the names of all files, the rows where it counts them, whether more may come."""

    path: Path
    files: tuple[str, ...]
    rows: Mapping[str, int]
    total_rows: int | None
    is_open: bool


def read_manifest(path: Path) -> Manifest:
    """Read a manifest; `InputError` for one that names no files, counts no rows and says nothing of time."""
    try:
        said = json.loads(read_text(path, noun="manifest"))
    except ValueError as error:
        raise InputError(
            f"the manifest is no JSON: {error}", place=Place(str(path)), mend="fetch it again"
        ) from error
    if not isinstance(said, dict):
        raise _nothing(path)
    blobs = [one for one in _listed(said, "blobs") if isinstance(one, dict) and "blobName" in one]
    files = [str(one) for key in ("reportKeys", "dataFiles") for one in _listed(said, key)]
    files += [str(one["blobName"]) for one in blobs]
    rows = {
        _last(str(one["blobName"])): one["dataRowCount"]
        for one in blobs
        if _is_count(one.get("dataRowCount"))
    }
    total = said.get("dataRowCount")
    is_open = _is_open(said)
    if not files and not _is_count(total) and is_open is None:
        raise _nothing(path)
    return Manifest(
        path, tuple(map(_last, files)), rows, total if _is_count(total) else None, is_open is True
    )


def check_files(manifest: Manifest, rows: Mapping[Path, int]) -> int | None:
    """The rows that the files should have: None where the manifest proves nothing.

    Raises `InputError` where a file of the manifest was not given, or has other rows than it says.
    """
    given = {path.name: count for path, count in rows.items()}
    if absent := [name for name in manifest.files if name not in given]:
        raise _refused(
            manifest,
            f"of its {len(manifest.files)} files {len(absent)} were not given: {', '.join(absent)}",
        )
    if other := sorted(set(given) - set(manifest.files)) if manifest.files else []:
        raise _refused(manifest, f"{', '.join(other)} is not among its files")
    for name, count in manifest.rows.items():
        if given.get(name, count) != count:
            raise _refused(manifest, f"{name} has {given[name]} rows, and should have {count}")
    read = sum(rows.values())
    if manifest.total_rows is not None and manifest.total_rows != read:
        short = abs(manifest.total_rows - read)
        raise _refused(
            manifest, f"the files have {read} rows, and should have {manifest.total_rows}: {short} differ"
        )
    is_proof = (manifest.files or manifest.total_rows is not None) and not manifest.is_open
    return read if is_proof else None


def _is_open(said: Mapping[str, Any]) -> bool | None:
    """Whether FOCUS's metadata says that rows may still come; None where it says nothing of it."""
    complete = said.get("DatasetInstanceComplete")
    sectors = [one.get("TimeSectorComplete") for one in _listed(said, "TimeSectors") if isinstance(one, dict)]
    told = [one for one in (complete, *sectors) if isinstance(one, bool)]
    return None if not told else not all(told)


def _listed(said: Mapping[str, Any], key: str) -> Sequence[Any]:
    found = said.get(key)
    return found if isinstance(found, list) else []


def _last(name: str) -> str:
    return name.rpartition("/")[2]


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _nothing(path: Path) -> InputError:
    return InputError(
        "the manifest says neither files, rows nor what is complete",
        place=Place(str(path)),
        mend="name the manifest of AWS or Azure, or the metadata of FOCUS, that lies beside the bill",
    )


def _refused(manifest: Manifest, what: str) -> InputError:
    return InputError(
        f"by its manifest the bill is not whole: {what}; nothing was stored",
        place=Place(str(manifest.path)),
        mend="fetch what is missing, and name all files of the bill",
    )
