"""Where the files of a run lie, and that they are on the disk before the database says so."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from chargeback.desk import Desk
from chargeback.ledger import Result, heads
from gpuledger.errors import StorageError

__all__ = ["run_folders", "to_disk"]


def run_folders(desk: Desk, result: Result) -> list[Path]:
    """The folders of a run's partitions; those that the heads name where it is in force."""
    root = desk.books / desk.book.name / result.period
    with desk.database.read() as connection:
        named = heads(connection, desk.book.name, result.period)
    if named and {row.run_id for row in named} == {result.run_id}:
        return [root / row.day / str(row.shard) / f"run={row.run_id}" for row in named]
    return sorted(root.glob(f"*/*/run={result.run_id}"))


def to_disk(folders: Iterable[Path], root: Path) -> None:
    """Write out the files of these folders and the folders up to `root`; StorageError where that fails."""
    kept = list(folders)
    above = {parent for folder in kept for parent in folder.parents if parent.is_relative_to(root)}
    files = [path for folder in kept for path in folder.iterdir()]
    try:
        for path in (*files, *kept, *sorted(above, reverse=True)):
            _write_out(path)
    except OSError as error:
        raise StorageError(
            f"what was written cannot be kept: {error}", mend="look at the disk, then try again"
        ) from error


def _write_out(path: Path) -> None:
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
