"""The commands that restate: `restate`, `reopen` and `diff`."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated
from uuid import uuid4

import typer

from chargeback.bridge import Bridge
from chargeback.bridge_print import as_csv, as_json, print_bridge
from chargeback.causes import CAUSES, causes_between, read_order
from chargeback.close_commands import readable
from chargeback.closes import CLOSED
from chargeback.commands import Format, Month, books_as_of, books_in_force, close_of, desk_of, seq_of
from chargeback.desk import Desk
from chargeback.differences import Computed, Difference, follow
from chargeback.ledger import Result, engine_of
from chargeback.restated import before_the_open, bridge_over, bridges_of
from chargeback.restating import AskedAgain, ground_of, is_renewed
from chargeback.restating import restate as make_restatement
from chargeback.statement import By, Statement, state_statement
from gpuledger.errors import InputError
from gpuledger.money import format_minor
from gpuledger.session import Session

__all__ = ["diff", "reopen", "restate"]

Order = Annotated[
    str,
    typer.Option(
        "--order",
        help=f"In which order the causes are taken: names of {', '.join(CAUSES)}, with commas; the others "
        "follow. Another order is another reading of the same total.",
    ),
]
Actor = Annotated[
    str, typer.Option("--actor", help="Who asks; without it the login name.", show_default=False)
]
ByView = Annotated[By, typer.Option("--by", help="What the lines are keyed by.")]
Written = Annotated[Format, typer.Option("--format", help="How it is written.")]


def restate(
    ctx: typer.Context,
    month: Month,
    order: Order = "",
    by: ByView = By.owner,
    format: Written = Format.table,
    reason: Annotated[str, typer.Option("--reason", help="Why; it is kept with the restatement.")] = "",
    actor: Actor = "",
) -> None:
    """Carry what became known of a closed month into the next open one, and print what changed by cause."""
    session = Session.of(ctx)
    asked = AskedAgain(_who(session, actor), session.now(), read_order(order), readable(reason, "--reason"))
    _restate(session, month, asked, by, format)


def reopen(
    ctx: typer.Context,
    month: Month,
    reason: Annotated[str, typer.Option("--reason", help="Why it is taken up again.")],
    by: ByView = By.owner,
    format: Written = Format.table,
    actor: Actor = "",
) -> None:
    """Take up a closed month again: each run restates it, until the month that collects it is closed.

    Its statement stays as it was closed.
    """
    session = Session.of(ctx)
    why = readable(reason, "--reason")
    if not why:
        raise InputError("a closed month is not taken up again without a reason", mend="say why in --reason")
    asked = AskedAgain(_who(session, actor), session.now(), reason=why, reopen=True)
    _restate(session, month, asked, by, format)


def diff(
    ctx: typer.Context,
    month: Month,
    since: Annotated[
        str,
        typer.Option(
            "--from",
            help="A seq or an instant; without it what was closed, or the books in force.",
            show_default=False,
        ),
    ] = "",
    until: Annotated[
        str, typer.Option("--to", help="A seq or an instant; without it the latest seq.", show_default=False)
    ] = "",
    order: Order = "",
    by: ByView = By.owner,
    format: Written = Format.table,
) -> None:
    """Print what changed in a month between two states of knowledge, by cause; nothing is booked."""
    session = Session.of(ctx)
    desk = desk_of(session)
    taken = read_order(order)
    base, before = _start(session, desk, month, since, by)
    seq = seq_of(session, desk, until) if until else desk.database.latest_seq()
    found = _follow(session, desk, base, seq, taken)
    _write(session, bridge_over(before, found), format, ("before", "after"))


def _who(session: Session, actor: str) -> str:
    return readable(actor, "--actor") or session.login()


def _restate(session: Session, month: str, asked: AskedAgain, by: By, format: Format) -> None:
    desk = desk_of(session)
    ground = ground_of(desk, month)
    ground.close.ensure_intact()
    if is_renewed(desk, ground, asked):
        session.say(f"{month} is restated already with all that is known")
    else:
        make_restatement(desk, ground, asked, uuid4().hex, progress=session.progress)
        ground = ground_of(desk, month)
    with desk.database.read() as connection:
        bridges = bridges_of(connection, ground, by)
    if ground.open is None:
        session.say(f"nothing of {month} differs from what was closed{' and restated' * bool(ground.kept)}")
    else:
        session.say(_booked(bridges[-1], month, ground.booking, bool(ground.open.reopened)))
    if bridges:
        names = ("as closed" if len(bridges) == 1 else "restated before", "as restated")
        _write(session, bridges[-1], format, names)


def _booked(bridge: Bridge, month: str, booking: str, reopened: bool) -> str:
    money = f"{format_minor(sum(bridge.totals.causes.values()), bridge.currency)} {bridge.currency.code}"
    until = "; each run renews it until that is closed" if reopened else ""
    return f"{month} is restated by {money}, which {booking} collects{until}"


def _start(session: Session, desk: Desk, month: str, since: str, by: By) -> tuple[Result, Statement]:
    """Where a difference begins: a run, and the statement that was printed of it."""
    if since:
        base = books_as_of(session, desk, month, since)
        return base, state_statement(desk.book, base, by)
    close = close_of(desk, month)
    if close is None or close.state != CLOSED:
        base = books_in_force(session, desk, month)
        return base, state_statement(desk.book, base, by)
    ground = ground_of(desk, month)
    ground.close.ensure_intact()
    with desk.database.read() as connection:
        return ground.base, before_the_open(connection, ground, by)


def _follow(session: Session, desk: Desk, base: Result, seq: int, order: tuple[str, ...]) -> Difference:
    with desk.database.read() as connection:
        again = engine_of(connection, base.run_id) != desk.engine_version
    causes = list(causes_between(desk, base.period, base.seq, seq, order, engine=again))
    start = Computed(base, desk.books / desk.book.name / base.period)
    found = follow(desk, start, causes, run_id=uuid4().hex, progress=session.progress)
    return Difference(found.before, replace(found.after, seq=seq), found.steps)


def _write(session: Session, bridge: Bridge, format: Format, names: tuple[str, str]) -> None:
    if format is Format.json:
        session.write(as_json(bridge))
    elif format is Format.csv:
        session.write(as_csv(bridge))
    else:
        print_bridge(bridge, session.console, names)
