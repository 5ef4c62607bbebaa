"""Where books are made: one book of a home, with its database, lake, folders and limits."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from chargeback.workbench import Limits
from gpuledger.console import Progress
from gpuledger.lake import Lake
from gpuledger.versions import Book, Database

__all__ = ["Desk", "Progressing", "silent"]

Progressing = Callable[[int, str], AbstractContextManager[Progress]]
"""How a run says how far it is: given the number of steps and a label."""


@dataclass(frozen=True)
class Desk:
    """Where and with what books are made: `books` and `scratch` are folders, `limits` is for each worker."""

    database: Database
    lake: Lake
    book: Book
    books: Path
    scratch: Path
    limits: Limits
    workers: int
    engine_version: str


class _Silence:
    def advance(self, amount: int = 1) -> None:
        """Say nothing."""


def silent(total: int, label: str) -> AbstractContextManager[Progress]:
    """Progress that nobody sees."""
    return nullcontext(_Silence())
