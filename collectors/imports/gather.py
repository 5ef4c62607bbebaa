"""Gather the rows of a file into facts: each row is accepted, repeated, left out, or goes to quarantine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from collectors.imports.column_map import RowChoice
from collectors.imports.rows import BadRow, Cells, Misfit, Rejected, Row
from gpuledger.errors import ColumnMapError, Place

__all__ = ["Gathered", "gather", "wanted_rows"]

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")

_NAMED = 8

Wanted = Callable[[Cells], bool]


@dataclass
class Gathered(Generic[K, T]):
    """What the rows of a file came to.

    `items` are what rows say, by key; `first` is the row that says it, `again` the further rows that say the
    same; `left_out` counts rows that the map does not want. Each row is in one of these or in `rejected`. A
    row may say several things, as a job on several nodes does: it is accepted or rejected as a whole.
    """

    read: int = 0
    left_out: int = 0
    items: dict[K, T] = field(default_factory=dict)
    first: dict[K, int] = field(default_factory=dict)
    again: dict[K, list[int]] = field(default_factory=dict)
    rejected: list[Rejected] = field(default_factory=list)

    @property
    def accepted(self) -> int:
        """Rows that say something first."""
        return len(set(self.first.values()))

    @property
    def repeated(self) -> int:
        """Rows that only say again what other rows say."""
        return len({number for rows in self.again.values() for number in rows} - set(self.first.values()))

    @property
    def reasons(self) -> Counter[str]:
        """Rows in quarantine by reason."""
        return Counter(one.reason for one in self.rejected)

    def rows_of(self, key: K) -> list[int]:
        """The numbers of all rows that say this item."""
        return [self.first[key], *self.again.get(key, ())]

    def reject(self, key: K, reason: str, detail: str) -> None:
        """Send every row that says this item to quarantine."""
        self.rejected += [Rejected(number, reason, detail) for number in self.rows_of(key)]
        del self.items[key], self.first[key]
        self.again.pop(key, None)

    def put(self, key: K, item: T, number: int) -> bool:
        """Take in what a row says; False if another row says something else under this key."""
        known = self.items.setdefault(key, item)
        if known is item:
            self.first[key] = number
            return True
        self.again.setdefault(key, []).append(number)
        return known == item


def gather(
    rows: Iterable[Row | Misfit],
    read: Callable[[Cells], Iterable[T]],
    key_of: Callable[[T], K],
    *,
    wanted: Wanted | None = None,
    mend: str = "",
) -> Gathered[K, T]:
    """Read what each row says; rows that differ under one key all go to quarantine, in any order.

    `read` raises `BadRow` for a row that cannot be right; a `ColumnMapError` goes on, with the row. `mend`
    says what to do about rows that differ.
    """
    gathered: Gathered[K, T] = Gathered()
    contested: dict[K, None] = {}
    for row in rows:
        gathered.read += 1
        try:
            if isinstance(row, Misfit):
                raise BadRow(row.reason, f"{len(row.cells)} cells")
            if wanted is not None and not wanted(row.cells):
                gathered.left_out += 1
                continue
            items = read(row.cells)
        except BadRow as bad:
            gathered.rejected.append(Rejected(row.number, bad.reason, bad.detail))
            continue
        except ColumnMapError as error:
            error.place = replace(error.place or Place(), row=row.number)
            raise
        for item in items:
            key = key_of(item)
            if not gathered.put(key, item, row.number):
                contested[key] = None
    _reject_rivals(gathered, contested, mend)
    return gathered


def _reject_rivals(gathered: Gathered[K, T], contested: Iterable[K], mend: str) -> None:
    """Send the rows that contradict each other to quarantine, once each, with all else that they say."""
    bad: dict[int, Rejected] = {}
    for key in contested:
        numbers = gathered.rows_of(key)
        detail = _rivals(key, numbers, mend)
        for number in numbers:
            bad.setdefault(number, Rejected(number, "rows of one identity differ", detail))
    if not bad:
        return
    gathered.rejected += bad.values()
    for key in [key for key, number in gathered.first.items() if number in bad or key in gathered.again]:
        left = [number for number in gathered.rows_of(key) if number not in bad]
        gathered.again.pop(key, None)
        if not left:
            del gathered.items[key], gathered.first[key]
            continue
        gathered.first[key] = left[0]
        if left[1:]:
            gathered.again[key] = left[1:]


def _rivals(key: object, numbers: list[int], mend: str) -> str:
    name = "/".join(map(str, key)) if isinstance(key, tuple) else str(key)
    more = ", …" if len(numbers) > _NAMED else ""
    return f"{name} in rows {', '.join(map(str, sorted(numbers)[:_NAMED]))}{more}" + (
        f"; {mend}" if mend else ""
    )


def wanted_rows(choice: RowChoice) -> Wanted | None:
    """A function that says whether a row is wanted; None when all are."""
    only: Mapping[str, frozenset[str]] = {name: frozenset(texts) for name, texts in choice.only.items()}
    without = {name: frozenset(texts) for name, texts in choice.without.items()}
    if not only and not without:
        return None

    def wanted(cells: Cells) -> bool:
        kept = all(cells[column].strip() in texts for column, texts in only.items())
        return kept and not any(cells[column].strip() in texts for column, texts in without.items())

    return wanted
