"""The commands of this room: `run`, `statement`, `verify`."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated
from uuid import uuid4

import typer

from chargeback.checks import FAILED, Check, print_checks
from chargeback.closes import CLOSED, PeriodClose, already_closed, find_close
from chargeback.desk import Desk
from chargeback.frozen_statement import thaw_statement
from chargeback.ledger import (
    Result,
    find_run,
    latest_head_seq,
    load_run,
    periods_with_books,
    run_in_force,
)
from chargeback.outline import periods_with_facts
from chargeback.printing import as_csv, as_json, print_table
from chargeback.restated import as_restated, collecting
from chargeback.restatements import Known
from chargeback.restating import ground_of, renew
from chargeback.runs import ensure_known, make_books
from chargeback.statement import By, Statement, gpu_hours, state_statement
from chargeback.sweep import sweep_runs
from chargeback.verify import verify_database, verify_period
from chargeback.workbench import Limits
from gpuledger import __version__
from gpuledger.calendars import month_bounds
from gpuledger.errors import BooksError, InputError, InvariantError
from gpuledger.instants import format_utc, parse_instant
from gpuledger.session import Session
from gpuledger.versions import Book, latest_fact_seq

__all__ = [
    "Month",
    "books_as_of",
    "books_in_force",
    "close_of",
    "desk_of",
    "run",
    "seq_of",
    "statement",
    "verify",
]

Month = Annotated[str, typer.Option("--month", help="The month in the book's zone, like 2026-10.")]


class View(StrEnum):
    """Which reading of a month is printed."""

    charged = "charged"
    closed = "closed"
    restated = "restated"


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
    desk = desk_of(session)
    seq = session.database.latest_seq()
    months = month or periods_with_facts(desk, seq, session.now())
    if not months:
        raise BooksError("there are no facts to make books of", mend="import holdings or an inventory first")
    for period in _still_open(session, desk, months, named=bool(month)):
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
    view: Annotated[
        View,
        typer.Option(
            "--view",
            help="charged: the month and what it collects of earlier ones; closed: as it was closed; "
            "restated: as it was closed, and what is known since.",
        ),
    ] = View.charged,
) -> None:
    """Print a month's statement from the books in force, or as it was known at an earlier seq."""
    session = Session.of(ctx)
    desk = desk_of(session)
    made = _stated(session, desk, month, by, as_of, view)
    if format is Format.json:
        session.write(as_json(made))
    elif format is Format.csv:
        session.write(as_csv(made))
    else:
        print_table(made, session.console)


def _stated(session: Session, desk: Desk, month: str, by: By, as_of: str, view: View) -> Statement:
    if view is not View.charged:
        return _of_closed(desk, month, by, as_of, view)
    made = _frozen(session, desk, month, as_of, by)
    if made is not None:
        return made
    result = books_as_of(session, desk, month, as_of) if as_of else books_in_force(session, desk, month)
    with desk.database.read() as connection:
        return collecting(connection, state_statement(desk.book, result, by), _known(session, as_of))


def _of_closed(desk: Desk, month: str, by: By, as_of: str, view: View) -> Statement:
    """A closed month as it was closed, or with what was restated; InputError together with --as-of."""
    if as_of:
        raise InputError(
            f"--as-of and --view {view.value} ask for two things", mend="leave one of the two out"
        )
    ground = ground_of(desk, month)
    ground.close.ensure_intact()
    with desk.database.read() as connection:
        if view is View.restated:
            return as_restated(connection, ground, by)
    return thaw_statement(ground.close.statement, by)


def _known(session: Session, as_of: str) -> Known:
    if not as_of:
        return Known()
    seq = _asked_seq(as_of)
    return Known(seq=seq) if seq is not None else Known(at_s=_instant(session, as_of))


def verify(
    ctx: typer.Context,
    month: Annotated[
        str,
        typer.Option("--month", help="Only this month; without it all that have books.", show_default=False),
    ] = "",
) -> None:
    """Check what must always hold of the books, each with its figures; exit 6 when one does not."""
    session = Session.of(ctx)
    desk = desk_of(session)
    with desk.database.read() as connection:
        months = [month] if month else periods_with_books(connection, desk.book.name)
    broken: list[str] = []
    for period in months:
        checks = verify_period(desk, period, books_in_force(session, desk, period))
        print_checks(checks, session.console, f"{period}: what must always hold")
        broken += [_told(period, check) for check in checks if check.status == FAILED]
    checks = verify_database(desk.database)
    print_checks(checks, session.console, "the database")
    broken += [_told("the database", check) for check in checks if check.status == FAILED]
    if broken:
        raise InvariantError(
            f"{len(broken)} of what must always hold does not: {'; '.join(broken)}",
            mend="an open month: run `gpuledger run` again, and report a fault if it stays; "
            "what is closed, or the log: bring it back from a backup",
        )


def _told(what: str, check: Check) -> str:
    return f"{what}: {check.name} {check.says} ({check.figures})"


def desk_of(session: Session, planned: Book | None = None) -> Desk:
    """The desk of a command: its book, lake, folders and limits.

    With a `planned` book no book is begun, for a command that only looks.
    """
    settings, home = session.settings, session.home
    return Desk(
        database=session.database,
        lake=session.open_lake(shards=planned.shards) if planned else session.lake,
        book=planned or session.book,
        books=home.books,
        scratch=home.scratch,
        limits=Limits(settings.memory_limit, settings.threads, home.scratch),
        workers=settings.workers,
        engine_version=__version__,
    )


def _still_open(session: Session, desk: Desk, months: list[str], *, named: bool) -> list[str]:
    """The months that are not closed; one that was reopened is restated; one that was `named` is an error."""
    still_open = []
    for period in months:
        made = close_of(desk, period)
        if made is None or made.state != CLOSED:
            still_open.append(period)
        elif again := renew(desk, period, session.now(), uuid4().hex, progress=session.progress):
            session.say(f"{period}: reopened, and restated in {again.booking}")
        elif named:
            raise already_closed(made)
        else:
            session.say(f"{period}: closed at seq {made.seq}, left as it is")
    return still_open


def close_of(desk: Desk, period: str) -> PeriodClose | None:
    """The close of a month, provisional or final."""
    with desk.database.read() as connection:
        return find_close(connection, desk.book.name, period)


def _frozen(session: Session, desk: Desk, period: str, as_of: str, by: By) -> Statement | None:
    """The statement as a close froze it, where that is what was asked for; None where it is to be made."""
    made = close_of(desk, period)
    if made is None:
        return None
    if as_of:
        seq = _asked_seq(as_of)
        same = made.seq == seq if seq is not None else made.closed_at_s <= _instant(session, as_of)
        if made.state != CLOSED or not same:
            return None
    else:
        _say_later(session, desk, period, made.seq, closed=made.state == CLOSED)
    made.ensure_intact()
    return thaw_statement(made.statement, by)


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


def books_in_force(session: Session, desk: Desk, period: str) -> Result:
    """The run that a month's heads name; says so where later facts are not in it."""
    month_bounds(desk.book.zone, period)
    with desk.database.read() as connection:
        run_id = run_in_force(connection, desk.book.name, period)
        if run_id is None:
            raise BooksError(f"there are no books of {period}", mend=f"run `gpuledger run --month {period}`")
        made_at = latest_head_seq(connection, desk.book.name, period)
        result = load_run(connection, run_id)
    made = close_of(desk, period)
    _say_later(session, desk, period, made_at or 0, closed=made is not None and made.state == CLOSED)
    return result


def _say_later(session: Session, desk: Desk, period: str, made_at: int, *, closed: bool) -> None:
    with desk.database.read() as connection:
        latest = latest_fact_seq(connection)
    if made_at < latest:
        mend = f": `gpuledger diff --month {period}`" if closed else ": `gpuledger run`"
        session.say(f"these books are of seq {made_at}; facts of seq {latest} are not in them{mend}")


def books_as_of(session: Session, desk: Desk, period: str, as_of: str) -> Result:
    """The run of exactly what was known then: kept, or computed again without putting it in force."""
    seq = seq_of(session, desk, as_of)
    with desk.database.read() as connection:
        run_id = find_run(connection, desk.book.name, period, seq)
    if run_id is None:
        run_id = _make(session, desk, period, seq, in_force=False).run_id
    with desk.database.read() as connection:
        return load_run(connection, run_id)


def seq_of(session: Session, desk: Desk, as_of: str) -> int:
    """The seq that is asked for, or that was the latest at the instant; BooksError where none was known."""
    asked = _asked_seq(as_of)
    seq = session.database.seq_at(_instant(session, as_of)) if asked is None else asked
    ensure_known(desk.database, seq)
    return seq


def _asked_seq(as_of: str) -> int | None:
    """The seq that is asked for; None where it is an instant."""
    return int(as_of) if re.fullmatch(r"[0-9]{1,9}", as_of) else None


def _instant(session: Session, text: str) -> int:
    try:
        at_s = parse_instant(text, zone=session.book.zone, epoch_s=None)
    except InputError as error:
        mend = "give a seq that a statement printed, or an instant such as 2026-11-03T09:00Z"
        raise InputError(f"as known when? {error.message}", mend=mend) from error
    if at_s > session.now():
        raise InputError(
            f"{format_utc(at_s)} is in the future: what will be known then is not known yet",
            mend="leave the option out for what is known now",
        )
    return at_s
