"""Closing: the books in force of a month, checked and frozen with their facts and their statement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection

from chargeback.closes import (
    CLOSED,
    PROVISIONAL,
    PeriodClose,
    books_digest,
    ensure_not_closed,
    keep_close,
)
from chargeback.desk import Desk
from chargeback.frozen_facts import freeze_facts
from chargeback.frozen_statement import format_version_of, freeze_statement
from chargeback.ledger import Result, load_run, run_in_force
from chargeback.obstacles import Obstacle, Signable, broken, obstacles
from chargeback.partitions import run_folders, to_disk
from chargeback.restated import collecting
from chargeback.restatements import Restatement, booked_in
from chargeback.statement import By, Statement, state_statement
from chargeback.verify import verify_database, verify_period
from gpuledger.calendars import month_bounds
from gpuledger.canonical import text_digest
from gpuledger.errors import BooksError
from gpuledger.instants import format_utc
from gpuledger.versions import latest_fact_seq

__all__ = ["Asked", "close_period"]


@dataclass(frozen=True)
class Asked:
    """A close as it is asked for: by whom, when, and what is signed for with which reason."""

    actor: str
    at_s: int
    provisional: bool = False
    signed: frozenset[Signable] = frozenset()
    reason: str = ""


def close_period(desk: Desk, period: str, asked: Asked, close_id: str) -> tuple[PeriodClose, list[Obstacle]]:
    """Close a month: freeze the books in force, all in one transaction at the end.

    Gives the close, and what a provisional one leaves unsettled or a final one was signed for. Raises
    BooksError that names every obstacle, or says that the month is closed; nothing has changed then.
    """
    result, latest_seq, made, booked = _books(desk, period)
    checks = [*verify_period(desk, period, result), *verify_database(desk.database)]
    standing = broken(checks) + obstacles(result, made, booked, asked.at_s, latest_seq)
    _refuse(period, [one for one in standing if not _let_pass(one, asked)], asked)
    facts, statement = freeze_facts(desk, result, close_id), _freeze(desk, result, asked, standing)
    to_disk(run_folders(desk, result), desk.books)
    with desk.database.write() as connection:
        _refuse_changed(connection, desk, result, made)
        close = PeriodClose(
            book=desk.book.name,
            period=period,
            state=PROVISIONAL if asked.provisional else CLOSED,
            close_id=close_id,
            run_id=result.run_id,
            seq=result.seq,
            closed_at_s=asked.at_s,
            actor=asked.actor,
            format_version=format_version_of(made),
            statement_digest=text_digest(statement),
            books_digest=books_digest(connection, desk.book.name, period, result.run_id),
            facts_digest=facts,
            statement=statement,
        )
        keep_close(connection, close)
    return close, standing


def _books(desk: Desk, period: str) -> tuple[Result, int, Statement, list[Restatement]]:
    """The books in force, the seq of the latest facts, the statement and what it collects."""
    month_bounds(desk.book.zone, period)
    with desk.database.read() as connection:
        ensure_not_closed(connection, desk.book.name, period)
        run_id = run_in_force(connection, desk.book.name, period)
        if run_id is None:
            raise BooksError(f"there are no books of {period}", mend=f"run `gpuledger run --month {period}`")
        result = load_run(connection, run_id)
        made = collecting(connection, state_statement(desk.book, result, By.owner))
        return result, latest_fact_seq(connection), made, booked_in(connection, desk.book.name, period)


def _let_pass(one: Obstacle, asked: Asked) -> bool:
    return one.signable is not None and (asked.provisional or one.signable in asked.signed)


def _refuse(period: str, left: Sequence[Obstacle], asked: Asked) -> None:
    if not left:
        return
    lines = [f"\n  {one.says}: {one.mend}" for one in left]
    names = sorted({one.signable.value for one in left if one.signable is not None})
    signs = " ".join(f"--sign {name}" for name in names)
    mend = f"mend each; or sign for what can stay: {signs} --reason TEXT" if names else "mend each"
    raise BooksError(f"{period} cannot be closed:{''.join(lines)}", mend=mend)


def _freeze(desk: Desk, result: Result, asked: Asked, standing: Sequence[Obstacle]) -> str:
    state = PROVISIONAL if asked.provisional else CLOSED
    summary = result.summary | {"close": _signature(asked, standing)}
    with desk.database.read() as connection:
        views = [collecting(connection, state_statement(desk.book, result, by)) for by in By]
    return freeze_statement([replace(made, state=state, summary=summary) for made in views])


def _signature(asked: Asked, standing: Sequence[Obstacle]) -> dict[str, Any]:
    """Who closed, when, and what was left unsettled: signed for, or only warned of."""
    return {
        "at": format_utc(asked.at_s),
        "by": asked.actor,
        "reason": asked.reason,
        "unsettled": [
            {
                "what": one.signable.value,
                "figure": one.says,
                "signed": not asked.provisional or one.signable in asked.signed,
            }
            for one in standing
            if one.signable is not None
        ],
    }


def _refuse_changed(connection: Connection, desk: Desk, result: Result, made: Statement) -> None:
    """With the lock held: nobody closed the month, and its books and facts are those that were checked."""
    ensure_not_closed(connection, desk.book.name, result.period)
    in_force = run_in_force(connection, desk.book.name, result.period)
    same = in_force == result.run_id and collecting(connection, made) == made
    if not same or latest_fact_seq(connection) > result.seq:
        raise BooksError(
            f"the books or facts of {result.period} changed while it was being closed", mend="close again"
        )
