"""The shapes that bills come in: how each is known by its header, and which of its columns says what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

__all__ = ["FIELDS", "NEEDED", "Defect", "Header", "Shape", "quoted"]

FIELDS = (
    "provider",
    "issuer",
    "billing_account",
    "billing_start",
    "billing_end",
    "invoice",
    "currency",
    "charge_start",
    "charge_end",
    "sub_account",
    "category",
    "charge_class",
    "frequency",
    "description",
    "billed",
    "effective",
    "list",
    "contracted",
    "resource",
    "resource_name",
    "service",
    "service_category",
    "sku",
    "sku_price",
    "region",
    "zone",
    "quantity",
    "unit",
    "pricing_category",
    "commitment",
    "commitment_status",
    "reservation",
    "reservation_status",
    "tags",
)
"""What is taken of a row, each as text; null is not said."""

NEEDED = (
    "provider",
    "billing_account",
    "currency",
    "billing_start",
    "billing_end",
    "charge_start",
    "charge_end",
    "category",
    "billed",
)
"""What no row can do without."""


def quoted(name: str) -> str:
    """A column's name in SQL."""
    return '"' + name.replace('"', '""') + '"'


class Header:
    """The names of a file's columns, found whatever their case; it keeps which of them were asked for."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(names)
        self.used: list[str] = []
        self._found = {name.strip().lower(): name for name in reversed(self.names)}

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._found

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def starting(self, *beginnings: str) -> list[str]:
        """The columns whose names begin so, in order."""
        return sorted(name for name in self.names if name.lower().startswith(beginnings))

    def sql(self, *names: str) -> str:
        """The text of the first of these columns that is there and not null, as SQL; null where none is."""
        there = [self._found[name.lower()] for name in names if name in self]
        self.used += [name for name in there if name not in self.used]
        return f"coalesce({', '.join(map(quoted, there))}, null)" if there else "cast(null as varchar)"


@dataclass(frozen=True)
class Defect:
    """What is odd in the rows of a shape without making them wrong: how it is said, and which rows are.

    `sql` is a condition on the fields of a row; `field` the one that it is about, where the header has it;
    `by` the field whose value is named beside the count.
    """

    says: str
    field: str
    sql: str
    by: str = "provider"


@dataclass(frozen=True)
class Shape:
    """A shape of bills.

    `marks` are columns all of which its header has; `fields` gives SQL by field over the columns of a header;
    `columns` the names by which a needed field is asked for, where it is not there; `said_of` what is to be
    said of a header, a sentence each.
    """

    name: str
    marks: tuple[str, ...]
    version: Callable[[Header], str]
    fields: Callable[[Header], dict[str, str]]
    columns: Mapping[str, str]
    said_of: Callable[[Header], list[str]] = field(default=lambda header: [])
    defects: tuple[Defect, ...] = ()

    def fits(self, header: Header) -> bool:
        """Whether a header is of this shape."""
        return all(mark in header for mark in self.marks)

    def missing(self, header: Header, given: Iterable[str]) -> list[str]:
        """The columns that a header lacks and nothing else gives."""
        nothing = header.sql()
        found = self.fields(header)
        return [self.columns[name] for name in NEEDED if found[name] == nothing and name not in given]
