"""What a shape says of a row: prices, or why there is none; and what is checked of every row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from chargeback.price_lists.known_skus import gpus_of
from chargeback.price_lists.table import Row, Table
from chargeback.terms.prices import spelled_rate
from gpuledger.errors import InputError
from gpuledger.instants import parse_instant

__all__ = [
    "NO_GPU",
    "LeftOut",
    "Quote",
    "Read",
    "Shape",
    "Wanted",
    "amount",
    "checked_gpus",
    "instant",
    "refuse_others",
    "rows_read",
]

NO_GPU = "no GPU"


class LeftOut(Exception):
    """Why a row, or one price of it, is not taken: the reason, and what it says in this row."""

    def __init__(self, reason: str, said: str = "") -> None:
        super().__init__(reason)
        self.reason, self.said = reason, said


@dataclass(frozen=True)
class Quote:
    """One price of a row; a `currency` of "" and a `start_s` of None are not said by the list."""

    selector_kind: str
    selector: str
    rate: str
    region: str = ""
    zone: str = ""
    purchase_option: str = "on_demand"
    provider: str = ""
    currency: str = ""
    unit: str = "node_hour"
    month_rule: str = ""
    start_s: int | None = None


@dataclass(frozen=True)
class Wanted:
    """What is asked of a list.

    `provider` and `currency` are those of a list that names none, and pick from one that does. With
    `everything` prices of nodes without a GPU are kept too. `rules` are put on each price.
    """

    source: str
    from_s: int | None = None
    provider: str = ""
    currency: str = ""
    everything: bool = False
    rules: str = ""


Read = tuple[int, Quote | LeftOut]
"""A row's number, and one of its prices or a reason why it has none."""


@dataclass(frozen=True)
class Shape:
    """One shape of a list: the columns that it is recognised by, those that it may have, and how it is read.

    `quotes` says of each row at least one thing, and all that it says of a row in one go. `currency` is that
    of prices where neither the list nor the user names one.
    """

    name: str
    what: str
    columns: frozenset[str]
    quotes: Callable[[Table, Wanted], Iterator[Read]]
    optional: frozenset[str] = frozenset()
    currency: str = "USD"

    @property
    def uses(self) -> frozenset[str]:
        """All columns that are read."""
        return self.columns | self.optional


def rows_read(
    table: Table, quotes: Callable[[Mapping[str, str]], Iterable[Quote | LeftOut]]
) -> Iterator[Read]:
    """What a function says of each row's cells; what it raises as `LeftOut` is said of the row."""
    for row in table.rows:
        yield from _of_row(row, quotes)


def _of_row(row: Row, quotes: Callable[[Mapping[str, str]], Iterable[Quote | LeftOut]]) -> Iterator[Read]:
    try:
        if row.cells is None:
            raise LeftOut("another number of cells than the header has", f"{row.count} cells")
        for one in quotes(row.cells):
            yield row.number, one
    except LeftOut as reason:
        # Kept for every row that is skipped: without the frames that its traceback holds.
        yield row.number, reason.with_traceback(None)


def refuse_others(what: str, named: str, asked: str) -> None:
    """Raise `LeftOut` where a row is of another provider or currency than is asked for; "" is any."""
    if named and asked and named != asked:
        raise LeftOut(f"another {what} than {asked}", named)


def amount(text: str, what: str) -> str:
    """The text of a price that can be one, plain; raises `LeftOut`. A dollar sign before it is passed over.

    0 is refused: in a list of others it stands for a price that nobody knows.
    """
    try:
        rate = spelled_rate(text.removeprefix("$"))
    except InputError:
        raise LeftOut(f"{what} is no price", repr(text) if text else "it is empty") from None
    if rate == "0":
        raise LeftOut(f"{what} is 0, which lists write for what is not known")
    return rate


def instant(text: str, what: str) -> int:
    """An instant of a list, in UTC where it has no offset; raises `LeftOut`."""
    try:
        return parse_instant(text, zone="UTC", epoch_s=None)
    except InputError as error:
        raise LeftOut(f"{what} is no instant", error.message) from None


def checked_gpus(
    sku: str, provider: str, wanted: Wanted, *, listed: str = "", model: str = ""
) -> Fraction | None:
    """How many GPUs a node of this SKU has; `listed` and `model` are what the list says, "" is nothing.

    Raises `LeftOut` where that is not what its name says, and where it has none that is known, unless all
    rows are wanted.
    """
    known = gpus_of(sku, provider)
    count = _count(listed)
    if known and count is not None and known.count is not None and known.count != count:
        by_name = (
            f"{known.count} {known.model} by its name"
            if known.count
            else "none by its name, GPUs are attached"
        )
        raise LeftOut(
            "the number of GPUs is not that of the SKU", f"{sku} has {count} in the list, {by_name}"
        )
    if known and known.model and model and not known.is_model(model):
        raise LeftOut(
            "the model of the GPUs is not that of the SKU",
            f"{sku} has {model} in the list, {known.model} by its name",
        )
    found = count if known is None or known.count is None else known.count
    if (found == 0 or (found is None and known is None)) and not wanted.everything:
        raise LeftOut(NO_GPU, sku)
    return found


def _count(listed: str) -> Fraction | None:
    try:
        return Fraction(listed) if listed else None
    except (ValueError, ZeroDivisionError):
        raise LeftOut("the number of GPUs is no number", repr(listed)) from None
