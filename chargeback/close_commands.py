"""The commands that close: `close` and `books`."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Annotated
from uuid import uuid4

import typer

from chargeback.closes import CLOSED, PROVISIONAL, PeriodClose, find_close
from chargeback.closing import Asked, close_period
from chargeback.commands import desk_of
from chargeback.desk import Desk
from chargeback.ledger import load_run, periods_with_books, run_in_force
from chargeback.obstacles import Obstacle, Signable, obstacles
from chargeback.outline import periods_with_facts
from chargeback.restated import bridges_of, collecting
from chargeback.restatements import booked_in
from chargeback.restating import ground_of
from chargeback.statement import By, state_statement
from gpuledger.errors import InputError
from gpuledger.instants import format_utc
from gpuledger.money import currency, format_minor
from gpuledger.session import Session
from gpuledger.versions import latest_fact_seq

__all__ = ["books", "close", "readable"]


class ListFormat(StrEnum):
    """How a list is written."""

    table = "table"
    json = "json"


@dataclass(frozen=True)
class PeriodState:
    """A month of a book: `total` in minor units; None stands for what it has not.

    `restated` has the differences of a closed month in minor units, by the month that collects them.
    """

    period: str
    state: str
    seq: int | None
    at: str | None
    by: str | None
    total: int | None
    in_the_way: list[str]
    restated: dict[str, int] = field(default_factory=dict)


def close(
    ctx: typer.Context,
    month: Annotated[str, typer.Option("--month", help="The month in the book's zone, like 2026-10.")],
    provisional: Annotated[
        bool, typer.Option("--provisional", help="Freeze it for review: a later run opens it again.")
    ] = False,
    sign: Annotated[
        list[Signable] | None, typer.Option("--sign", help="Close although this is not settled; repeatable.")
    ] = None,
    reason: Annotated[str, typer.Option("--reason", help="Why it is signed for; needed with --sign.")] = "",
    actor: Annotated[
        str, typer.Option("--actor", help="Who closes; without it the login name.", show_default=False)
    ] = "",
) -> None:
    """Close a month: check its books, freeze them with their facts and their statement."""
    why = readable(reason, "--reason")
    if sign and not why:
        raise InputError("--sign needs a reason", mend="add --reason and say why it can stay as it is")
    session = Session.of(ctx)
    desk = desk_of(session)
    who = readable(actor, "--actor") or session.login()
    asked = Asked(who, session.now(), provisional, frozenset(sign or ()), why)
    made, unsettled = close_period(desk, month, asked, uuid4().hex)
    for one in unsettled:
        session.say(f"{'not settled' if provisional else 'signed for'}: {one.says}")
    session.console.print(_done(made), markup=False, soft_wrap=True)


def books(
    ctx: typer.Context,
    format: Annotated[ListFormat, typer.Option("--format", help="How it is written.")] = ListFormat.table,
) -> None:
    """List the months of the book: state, seq, when and by whom closed, total, and what is in the way."""
    session = Session.of(ctx)
    desk = desk_of(session)
    now_s = session.now()
    with desk.database.read() as connection:
        there = periods_with_books(connection, desk.book.name)
    found = periods_with_facts(desk, desk.database.latest_seq(), now_s)
    states = [_state(desk, period, now_s) for period in sorted({*there, *found})]
    if format is ListFormat.json:
        session.write(json.dumps([asdict(one) for one in states], indent=2, ensure_ascii=False) + "\n")
    else:
        _print(desk, states, session)


def readable(text: str, flag: str) -> str:
    """The text without blanks around it; InputError where the database could not keep or show it."""
    if not all(char.isprintable() for char in text):
        raise InputError(f"{flag} has characters that do not print: {text!r}", mend="write it as plain text")
    return text.strip()


def _done(made: PeriodClose) -> str:
    frozen = made.frozen
    total = format_minor(frozen["total"], currency(frozen["currency"]["code"]))
    how = "closed provisionally" if made.state == PROVISIONAL else "closed"
    return (
        f"{made.period} is {how} at seq {made.seq} by {made.actor}: "
        f"{total} {frozen['currency']['code']}, statement {made.statement_digest}"
    )


def _state(desk: Desk, period: str, now_s: int) -> PeriodState:
    with desk.database.read() as connection:
        made = find_close(connection, desk.book.name, period)
        run_id = run_in_force(connection, desk.book.name, period)
        result = None if run_id is None else load_run(connection, run_id)
        latest_seq = latest_fact_seq(connection)
    if made is not None and made.state == CLOSED:
        return replace(_closed(made, []), restated=_restated(desk, period))
    if result is None:
        return PeriodState(
            period, "open", None, None, None, None, [f"no books: `gpuledger run --month {period}`"]
        )
    with desk.database.read() as connection:
        stated = collecting(connection, state_statement(desk.book, result, By.owner))
        booked = booked_in(connection, desk.book.name, period)
    ways = _ways(obstacles(result, stated, booked, now_s, latest_seq))
    if made is not None:
        return _closed(made, ways)
    return PeriodState(period, "open", result.seq, None, None, stated.collected, ways)


def _restated(desk: Desk, period: str) -> dict[str, int]:
    """By how much a closed month was restated, in minor units by the month that collects it."""
    ground = ground_of(desk, period)
    with desk.database.read() as connection:
        bridges = bridges_of(connection, ground, By.owner)
    booked = [one.booking_period for one in ground.counted]
    return {month: sum(one.totals.causes.values()) for month, one in zip(booked, bridges, strict=True)}


def _closed(made: PeriodClose, ways: list[str]) -> PeriodState:
    made.ensure_intact()
    at, total = format_utc(made.closed_at_s), int(made.frozen["total"])
    return PeriodState(made.period, made.state, made.seq, at, made.actor, total, ways)


def _ways(found: list[Obstacle]) -> list[str]:
    return [f"{one.signable.value}: {one.says}" if one.signable else one.says for one in found]


def _print(desk: Desk, states: list[PeriodState], session: Session) -> None:
    from rich.markup import escape
    from rich.table import Table

    money = currency(desk.book.currency)
    table = Table(title=f"books of {escape(desk.book.name)}", title_justify="left")
    for column in ("month", "state", "seq", "closed at", "by", money.code, "in the way of a close, or since"):
        table.add_column(column, justify="right" if column == money.code else "left")
    for one in states:
        total = "" if one.total is None else format_minor(one.total, money)
        seq = "" if one.seq is None else str(one.seq)
        said = [
            f"restated by {format_minor(minor, money)}, which {month} collects"
            for month, minor in one.restated.items()
        ]
        ways = escape("\n".join([*one.in_the_way, *said]))
        table.add_row(one.period, one.state, seq, one.at or "", escape(one.by or ""), total, ways)
    session.console.print(table)
