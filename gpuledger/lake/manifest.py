"""A copy of `lake_file` beside the lake, and the way back from it when the database was lost or is older."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select

from gpuledger.errors import SchemaError, StorageError
from gpuledger.lake import records
from gpuledger.lake.records import LakeFile
from gpuledger.lake.schema import SCHEMA_VERSION
from gpuledger.versions.database import Commit
from gpuledger.versions.tables import knowledge

if TYPE_CHECKING:
    from gpuledger.lake.store import Lake

__all__ = ["MANIFEST", "repair", "write_manifest"]

MANIFEST = "manifest.json"


def write_manifest(lake: Lake) -> None:
    """Write the copy anew: the commits with their seq and wall time, and every row of `lake_file`."""
    with lake.database.read() as connection:
        commits = connection.execute(select(knowledge).order_by(knowledge.c.seq)).mappings().all()
        files = records.all_files(connection)
    copy = {
        "schema_version": SCHEMA_VERSION,
        "commits": [dict(commit) for commit in commits],
        "files": [asdict(file) for file in files],
    }
    text = json.dumps(copy, ensure_ascii=False, indent=1, sort_keys=True)
    lake.store.put(MANIFEST, text.encode(), replace=True)


def repair(lake: Lake, at_s: int) -> list[LakeFile]:
    """Add the rows of `lake_file` that the copy has and the database lacks, with the seqs they had.

    A file that counts in the database, and no more in the copy, counts no more.
    """
    copy = _read(lake)
    last = max((int(commit["seq"]) for commit in copy["commits"]), default=0)
    with lake.database.commit("repair", at_s=at_s, above=last) as commit:
        _add_commits(commit, copy["commits"])
        known = {file.path: file for file in records.all_files(commit.connection)}
        found = [LakeFile(**row) for row in copy["files"]]
        missing = [file for file in found if file.path not in known and lake.store.find(file.path)]
        records.add(commit.connection, missing)
        counting = {path for path, file in known.items() if file.removed_seq is None}
        records.take_over_ends(commit.connection, [file for file in found if file.path in counting])
    return missing


def _read(lake: Lake) -> dict[str, Any]:
    if lake.store.find(MANIFEST) is None:
        raise StorageError(
            f"there is no {MANIFEST} beside the lake", mend="put the database back from its backup"
        )
    copy: dict[str, Any] = json.loads(lake.store.read(MANIFEST))
    if copy["schema_version"] > SCHEMA_VERSION:
        raise SchemaError(f"{MANIFEST} has schema {copy['schema_version']}, this gpuledger {SCHEMA_VERSION}")
    return copy


def _add_commits(commit: Commit, copied: list[dict[str, Any]]) -> None:
    """Take over the commits that the database lacks; StorageError where it knows one as another."""
    rows = commit.connection.execute(select(knowledge)).mappings()
    known = {row["seq"]: dict(row) for row in rows}
    for row in copied:
        if known.get(row["seq"], row) != row:
            kinds = f"{known[row['seq']]['kind']!r} in the database and {row['kind']!r} in {MANIFEST}"
            raise StorageError(
                f"seq {row['seq']} is {kinds}",
                mend="they belong to two homes, or went apart after a backup was put back",
            )
    missing = [row for row in copied if row["seq"] not in known]
    if missing:
        commit.connection.execute(insert(knowledge), missing)
