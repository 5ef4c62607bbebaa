"""Sweeping: files of runs and closes that nothing names and that nobody can be reading any more."""

from __future__ import annotations

import shutil

from chargeback.desk import Desk
from chargeback.ledger import runs_to_keep

__all__ = ["sweep_runs"]

_KEPT_S = 86_400


def sweep_runs(desk: Desk, at_s: int) -> int:
    """Delete what superseded and broken runs and closes wrote a day or more before `at_s`; give how many.

    What the database keeps of a run stays, so that its statement still prints.
    """
    with desk.database.read() as connection:
        kept = runs_to_keep(connection, at_s - _KEPT_S)
    book = desk.books / desk.book.name
    old = [
        folder
        for folder in (
            *book.glob("*/*/*/run=*"),
            *book.glob("*/facts/*/close=*"),
            *book.glob("*/restated/*/*/restatement=*"),
        )
        if folder.name.partition("=")[2] not in kept and folder.stat().st_mtime <= at_s - _KEPT_S
    ]
    old += [
        folder
        for folder in desk.scratch.iterdir()
        if folder.name not in kept and folder.stat().st_mtime <= at_s - _KEPT_S
    ]
    for folder in old:
        shutil.rmtree(folder, ignore_errors=True)
    return len(old)
