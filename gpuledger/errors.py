"""Every error that gpuledger raises on purpose, as one tree.

    GpuledgerError                 exit 1   something gpuledger can name went wrong
    ├── InputError                 exit 3   a file, row, term or option that the user gave is wrong
    │   ├── ColumnMapError         exit 3   a map of columns is wrong or does not fit its file
    │   ├── OverlapError           exit 3   two records claim the same thing for the same time
    │   └── RejectedRows           exit 3   `--strict`, and rows went to quarantine
    ├── SettingsError              exit 4   a setting is unknown, contradictory or of the wrong type
    ├── SchemaError                exit 5   the database or the lake has another schema version
    ├── StorageError               exit 5   the lake or the database cannot be read or written
    ├── BooksError                 exit 6   the books cannot be made or printed as asked
    │   └── InvariantError         exit 6   an audit found rows: what must always hold does not
    └── MissingExtra               exit 2   the command needs an extra that is not installed

Each error says what was wrong (`message`), where (`place`) and what to do next (`mend`).
The command line renders it once; nothing else prints errors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

__all__ = [
    "BooksError",
    "ColumnMapError",
    "GpuledgerError",
    "InputError",
    "InvariantError",
    "MissingExtra",
    "OverlapError",
    "Place",
    "RejectedRows",
    "SchemaError",
    "SettingsError",
    "StorageError",
]


@dataclass(frozen=True)
class Place:
    """Where in the user's input something stands: a file, and a row, line or column in it."""

    file: str = ""
    row: int | None = None
    line: int | None = None
    column: str = ""

    def __str__(self) -> str:
        parts = [self.file] if self.file else []
        parts += [f"row {self.row}"] if self.row is not None else []
        parts += [f"line {self.line}"] if self.line is not None else []
        parts += [f"column {self.column}"] if self.column else []
        return ", ".join(parts)


class GpuledgerError(Exception):
    """Something that gpuledger can name went wrong."""

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, place: Place | None = None, mend: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.place = place
        self.mend = mend

    def __str__(self) -> str:
        where = f" ({self.place})" if self.place and str(self.place) else ""
        return f"{self.message}{where}"


class InputError(GpuledgerError):
    """A file, row, term or option that the user gave is wrong."""

    exit_code = 3


class ColumnMapError(InputError):
    """A map of columns is wrong, or does not fit the file it is used on."""


class OverlapError(InputError):
    """Two records claim the same thing for the same time."""


class RejectedRows(InputError):
    """Rows went to quarantine although `--strict` was asked."""


class SettingsError(GpuledgerError):
    """A setting is unknown, contradictory or of the wrong type."""

    exit_code = 4


class SchemaError(GpuledgerError):
    """The database or the lake was written by another schema version."""

    exit_code = 5


class StorageError(GpuledgerError):
    """The lake or the database cannot be read or written."""

    exit_code = 5


class BooksError(GpuledgerError):
    """The books cannot be made or printed as asked."""

    exit_code = 6


class InvariantError(BooksError):
    """An audit found rows: something that must always hold does not."""


class MissingExtra(GpuledgerError):
    """The command needs an extra that is not installed."""

    exit_code = 2
