"""One import from the file's side: the file, checked against its map, its source, and its reach."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from collectors.imports.column_map import ColumnMap
from collectors.imports.gather import Gathered, gather, wanted_rows
from collectors.imports.quarantine import BadRecord, with_raw
from collectors.imports.reader import Table, check_columns, open_table
from collectors.imports.rows import Cells
from collectors.imports.times import Times
from gpuledger.errors import InputError, Place, RejectedRows

__all__ = ["Intake", "Options", "Reach", "open_intake", "source_of"]

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")

Watch = Callable[[int], Any]


@dataclass(frozen=True)
class Options:
    """What the command line says over the map, and whether rows that cannot be right fail it."""

    epoch: str | None = None
    through: str | None = None
    source: str | None = None
    strict: bool = False


@dataclass(frozen=True)
class Reach:
    """Up to which instant a source is complete, by cluster, and who said so; empty where nobody did."""

    through_s: dict[str, int]
    said_by: str


@dataclass(frozen=True)
class Intake:
    """A file that is being imported."""

    file: str
    table: Table
    column_map: ColumnMap
    times: Times
    source: str
    cluster: str
    options: Options

    @property
    def kind(self) -> str:
        """What its rows are: holdings, inventory or capacity."""
        kind: str = self.column_map.kind  # type: ignore[attr-defined]
        return kind

    def gather(
        self, read: Callable[[Cells], T], key_of: Callable[[T], K], mend: str, watch: Watch
    ) -> Gathered[K, T]:
        """Read all rows, of which each says one thing; `watch` is told how far reading went on."""
        return self.gather_each(lambda cells: (read(cells),), key_of, mend, watch)

    def gather_each(
        self, read: Callable[[Cells], Iterable[T]], key_of: Callable[[T], K], mend: str, watch: Watch
    ) -> Gathered[K, T]:
        """Read all rows, of which each may say several things; `watch` is told how far reading went on."""
        rows = self.table.rows(self.column_map.columns_read(), watch)
        return gather(rows, read, key_of, wanted=wanted_rows(self.column_map.rows), mend=mend)

    def quarantined(self, gathered: Gathered[Any, Any]) -> list[BadRecord]:
        """The rejected rows as they came; raises `RejectedRows` where the command is strict."""
        if gathered.rejected and self.options.strict:
            reasons = ", ".join(f"{reason} ({count})" for reason, count in gathered.reasons.most_common())
            raise RejectedRows(
                f"{len(gathered.rejected)} of {gathered.read} rows cannot be right: {reasons}",
                place=Place(self.file, row=min(one.number for one in gathered.rejected)),
                mend="mend them, or import without --strict: they go to quarantine, the rest goes in",
            )
        columns = self.column_map.columns_read()
        return with_raw(gathered.rejected, self.table, columns, self.source, self.file)

    def reach(self, clusters: Iterable[str], otherwise: tuple[dict[str, int], str] = ({}, "")) -> Reach:
        """How far the file reaches: the option, else the map, else what its rows say."""
        wanted = sorted({*clusters}) or [self.cluster]
        if self.options.through is not None:
            at_s = self.times.declared(self.options.through, "--through")
            return Reach(dict.fromkeys(wanted, at_s), "--through")
        if self.column_map.data_through is not None:
            at_s = self.times.declared(self.column_map.data_through, "data_through")
            return Reach(dict.fromkeys(wanted, at_s), "the map")
        through_s, said_by = otherwise
        return Reach(through_s, said_by if through_s else "")


def open_intake(path: Path, column_map: ColumnMap, options: Options, cluster: str) -> Intake:
    """Open a file and check that its map fits; `cluster` is what rows belong to that name none."""
    file = str(path)
    table = open_table(path, column_map.delimiter)
    check_columns(table, column_map.columns_read(), file)
    times = Times.of(column_map, file, options.epoch)
    source = options.source or column_map.source or source_of(path)
    if not source.isprintable():
        raise InputError(
            f"the name of the source, {source!r}, has characters that do not print",
            place=Place(file),
            mend="name it with --source",
        )
    constant = column_map.fields.cluster
    own = constant.constant if constant is not None else None
    return Intake(file, table, column_map, times, source, own or cluster, options)


def source_of(path: Path) -> str:
    """The name of a file without what says its format, as the name of its source.

    >>> source_of(Path("exports/sacct.csv.gz"))
    'sacct'
    """
    return Path(path.name.removesuffix(".gz")).stem
