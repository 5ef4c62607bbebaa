"""What the database keeps of restatements: which there are, and what each changed, by day and cause."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from typing import Any, TypeVar

from sqlalchemy import Connection, Table, insert, select, update

from chargeback.closes import CLOSED
from chargeback.differences import Step
from chargeback.units import EntryDay, TimeDay
from gpuledger.calendars import next_month
from gpuledger.canonical import canonical_json
from gpuledger.versions.tables import period_close, restated_entry_day, restated_time_day, restatement

__all__ = [
    "Known",
    "Restatement",
    "booked_in",
    "booking_period",
    "keep_restatement",
    "load_steps",
    "logged_as",
    "replace_restatement",
    "restatements_of",
]

Day = TypeVar("Day", EntryDay, TimeDay)


@dataclass(frozen=True)
class Restatement:
    """A restatement as the database keeps it: a row of `restatement`."""

    id: str
    book: str
    service_period: str
    booking_period: str
    number: int
    base_run_id: str
    run_id: str
    base_seq: int
    seq: int
    causes: str
    reopened: int
    reason: str
    actor: str
    made_at_s: int
    replaced_at_s: int | None
    rows: int
    digest: str
    exact_num: str
    exact_den: str

    @property
    def exact(self) -> Fraction:
        """By how much the period's exact total changed, in quanta."""
        return Fraction(int(self.exact_num), int(self.exact_den))


@dataclass(frozen=True)
class Known:
    """As of when: at an instant, at a seq, or now where neither is given."""

    at_s: int | None = None
    seq: int | None = None


def booking_period(connection: Connection, book: str, service: str) -> str:
    """The earliest month after a closed one that is not closed itself: it collects what is restated."""
    closed = set(
        connection.scalars(
            select(period_close.c.period).where(period_close.c.book == book, period_close.c.state == CLOSED)
        )
    )
    month = next_month(service)
    while month in closed:
        month = next_month(month)
    return month


def restatements_of(connection: Connection, book: str, service: str) -> list[Restatement]:
    """The restatements of a month that count, in order."""
    mine = (restatement.c.service_period == service) & restatement.c.replaced_at_s.is_(None)
    return _found(connection, book, mine)


def booked_in(connection: Connection, book: str, booking: str, known: Known = Known()) -> list[Restatement]:
    """The restatements that a month collects, as of now, an instant or a seq: one per service period."""
    at = restatement.c
    here = at.booking_period == booking
    if known.seq is not None:
        here &= at.seq <= known.seq
    elif known.at_s is not None:
        here &= (at.made_at_s <= known.at_s) & (at.replaced_at_s.is_(None) | (at.replaced_at_s > known.at_s))
    else:
        here &= at.replaced_at_s.is_(None)
    latest = {one.service_period: one for one in _found(connection, book, here)}
    return [latest[service] for service in sorted(latest)]


def _found(connection: Connection, book: str, which: Any) -> list[Restatement]:
    columns = [restatement.c[one.name] for one in fields(Restatement)]
    at = restatement.c
    query = select(*columns).where(at.book == book, which).order_by(at.number, at.seq, at.made_at_s, at.id)
    return [Restatement(*row) for row in connection.execute(query)]


def load_steps(connection: Connection, one: Restatement) -> list[Step]:
    """What a restatement changed, by cause, in the order in which the causes were taken."""
    entries = _days(connection, restated_entry_day, EntryDay, one.id)
    times = _days(connection, restated_time_day, TimeDay, one.id)
    order = ["engine", *one.causes.split(",")]
    names = sorted({*entries, *times}, key=order.index)
    return [Step(name, tuple(entries.get(name, ())), tuple(times.get(name, ()))) for name in names]


def _days(connection: Connection, table: Table, kind: type[Day], name: str) -> dict[str, list[Day]]:
    columns = [table.c[one.name] for one in fields(kind)]
    found: dict[str, list[Day]] = {}
    for cause, *values in connection.execute(
        select(table.c.cause, *columns).where(table.c.restatement_id == name).order_by(*columns)
    ):
        found.setdefault(cause, []).append(kind(*values))
    return found


def logged_as(one: Restatement) -> str:
    """What the audit log says of a restatement: what it starts from and reached, and what it holds."""
    said = asdict(one)
    for name in ("actor", "book", "made_at_s", "replaced_at_s", "service_period"):
        del said[name]
    return f"{one.service_period} of {one.book}: {canonical_json(said)}"


def replace_restatement(connection: Connection, one: Restatement, at_s: int) -> None:
    """Say that a restatement counts no more: another takes its place, or nothing differs any longer."""
    connection.execute(update(restatement).where(restatement.c.id == one.id).values(replaced_at_s=at_s))


def keep_restatement(connection: Connection, one: Restatement, steps: Iterable[Step]) -> None:
    """Keep a restatement with its daily differences."""
    connection.execute(insert(restatement).values(**asdict(one)))
    for step in steps:
        keys = {"restatement_id": one.id, "cause": step.cause}
        _insert(connection, restated_entry_day, keys, step.entries)
        _insert(connection, restated_time_day, keys, step.times)


def _insert(connection: Connection, table: Table, keys: dict[str, str], rows: Sequence[Any]) -> None:
    if rows:
        connection.execute(insert(table), [{**keys, **asdict(row)} for row in rows])
