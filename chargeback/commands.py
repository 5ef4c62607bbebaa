"""The commands of this room: `run`, `statement`, `verify`."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated
from uuid import uuid4

import typer

from chargeback.desk import Desk
from chargeback.ledger import Result, find_run, latest_head_seq, load_run, run_in_force
from chargeback.outline import periods_with_facts
from chargeback.printing import as_csv, as_json, print_table
from chargeback.runs import ensure_known, make_books
from chargeback.statement import By, gpu_hours, state_statement
from chargeback.sweep import sweep_runs
from chargeback.verify import print_checks, verify_period
from chargeback.workbench import Limits
from gpuledger import __version__
from gpuledger.calendars import month_bounds
from gpuledger.errors import BooksError, InvariantError
from gpuledger.instants import parse_instant
from gpuledger.session import Session

__all__ = ["run", "statement", "verify"]

Month = Annotated[str, typer.Option("--month", help="The month in the book's zone, like 2026-10.")]


class Format(StrEnum):
    """How a statement is written."""

    table = "table"
    csv = "csv"
    json = "json"


def run(
    ctx: typer.Context,
    month: Annotated[
        list[str] | None, typer.Option("--month", help="Only this month; may be given more than once.")
    ] = None,
) -> None:
    """Compute the books of every month with facts, or of the months named, at the latest seq."""
    session = Session.of(ctx)
    desk = _desk(session)
    seq = session.database.latest_seq()
    months = month or periods_with_facts(desk, seq, session.now())
    if not months:
        raise BooksError("there are no facts to make books of", mend="import holdings or an inventory first")
    for period in months:
        result = _make(session, desk, period, seq, in_force=True)
        made = state_statement(desk.book, result, By.team)
        session.say(
            f"{period}: seq {seq}, {gpu_hours(made.ticks)} GPU-hours, {len(made.lines)} teams and accounts"
        )

    sweep_runs(desk, session.now())


def statement(
    ctx: typer.Context,
    month: Month,
    by: Annotated[By, typer.Option("--by", help="What the lines are keyed by.")] = By.owner,
    format: Annotated[Format, typer.Option("--format", help="How it is written.")] = Format.table,
    as_of: Annotated[
        str, typer.Option("--as-of", help="As known at a seq, or at an instant like 2026-11-03T09:00Z.")
    ] = "",
) -> None:
    """Print a month's statement from the books in force, or as it was known at an earlier seq."""
    session = Session.of(ctx)
    desk = _desk(session)
    result = _as_of(session, desk, month, as_of) if as_of else _in_force(session, desk, month)
    made = state_statement(desk.book, result, by)
    if format is Format.json:
        session.write(as_json(made))
    elif format is Format.csv:
        session.write(as_csv(made))
    else:
        print_table(made, session.console)


def verify(ctx: typer.Context, month: Month) -> None:
    """Check what must always hold of a month's books, each with its figures; exit 6 when one does not."""
    session = Session.of(ctx)
    desk = _desk(session)
    checks = verify_period(desk, month, _in_force(session, desk, month))
    print_checks(checks, session.console)
    failed = [check.name for check in checks if check.status == "FAILED"]
    if failed:
        raise InvariantError(
            f"{len(failed)} of what must always hold does not: {', '.join(failed)}",
            mend="run `gpuledger run` again; if it stays, this is a fault of gpuledger: report it",
        )


def _desk(session: Session) -> Desk:
    settings, home = session.settings, session.home
    return Desk(
        database=session.database,
        lake=session.lake,
        book=session.book,
        books=home.books,
        scratch=home.scratch,
        limits=Limits(settings.memory_limit, settings.threads, home.scratch),
        workers=settings.workers,
        engine_version=__version__,
    )


def _make(session: Session, desk: Desk, period: str, seq: int, *, in_force: bool) -> Result:
    return make_books(
        desk,
        period,
        seq=seq,
        run_id=uuid4().hex,
        at_s=session.now(),
        in_force=in_force,
        progress=session.progress,
    )


def _in_force(session: Session, desk: Desk, period: str) -> Result:
    month_bounds(desk.book.zone, period)
    with desk.database.read() as connection:
        run_id = run_in_force(connection, desk.book.name, period)
        if run_id is None:
            raise BooksError(f"there are no books of {period}", mend=f"run `gpuledger run --month {period}`")
        made_at = latest_head_seq(connection, desk.book.name, period)
        result = load_run(connection, run_id)
    latest = desk.database.latest_seq()
    if made_at != latest:
        session.say(
            f"these books are of seq {made_at}; facts of seq {latest} are not in them: `gpuledger run`"
        )
    return result


def _as_of(session: Session, desk: Desk, period: str, as_of: str) -> Result:
    """The run of exactly what was known then: kept, or computed again without putting it in force."""
    seq = int(as_of) if re.fullmatch(r"[0-9]{1,9}", as_of) else _seq_at(session, as_of)
    ensure_known(desk.database, seq)
    with desk.database.read() as connection:
        run_id = find_run(connection, desk.book.name, period, seq)
    if run_id is None:
        run_id = _make(session, desk, period, seq, in_force=False).run_id
    with desk.database.read() as connection:
        return load_run(connection, run_id)


def _seq_at(session: Session, text: str) -> int:
    return session.database.seq_at(parse_instant(text, zone=session.book.zone, epoch_s=None))
