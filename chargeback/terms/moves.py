"""What other terms would move: each month computed with the terms in force and with the proposed ones.

Nothing of it is kept: what is computed here goes to a folder that is removed again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

from chargeback.closes import CLOSED, find_close
from chargeback.desk import Desk, Progressing
from chargeback.ledger import Result, engine_of, load_run, periods_with_books, run_in_force
from chargeback.outline import Outline, outline, periods_with_facts
from chargeback.period_terms import come_to_the_same, terms_of
from chargeback.repricing import reprice
from chargeback.runs import compute_books
from chargeback.statement import By, Statement, state_statement
from chargeback.terms.in_force import TermsInForce
from chargeback.units import Terms
from gpuledger.calendars import month_bounds
from gpuledger.errors import BooksError
from gpuledger.versions import latest_fact_seq

__all__ = ["MonthMove", "TeamMove", "moved_months"]


@dataclass(frozen=True)
class TeamMove:
    """The line of a team, or of another key, before and after in minor units; None without line or price."""

    team: str
    before: int | None
    after: int | None

    @property
    def difference(self) -> int:
        return (self.after or 0) - (self.before or 0)


@dataclass(frozen=True)
class MonthMove:
    """What a month would come to: totals in minor units, time without a price in ticks, teams that differ.

    `obstacle` says why it cannot be compared; then there is no figure of before.
    """

    month: str
    is_closed: bool
    totals: tuple[int | None, int]
    unpriced: tuple[int | None, int]
    teams: tuple[TeamMove, ...]
    obstacle: str = ""

    @property
    def is_still(self) -> bool:
        """Whether no figure of the month changes."""
        return not self.obstacle and not self.teams and self.unpriced[0] == self.unpriced[1]


@dataclass(frozen=True)
class _Month:
    """A month at a seq: what the lake holds of it, and whether it is closed."""

    name: str
    seq: int
    known: Outline
    is_closed: bool


def moved_months(
    desk: Desk,
    seq: int,
    now_s: int,
    agreed: TermsInForce,
    proposed: TermsInForce,
    progress: Progressing,
    *,
    months: Collection[str] = (),
    by: By = By.team,
) -> Iterator[MonthMove]:
    """Each month with facts in which the proposed terms change a figure, as known at `seq`.

    `now_s` is the clock, `months` are the only ones that are looked at, where any are named. Raises
    BooksError where books cannot be made with the proposed terms.
    """
    with desk.database.read() as connection:
        there = periods_with_books(connection, desk.book.name)
    for period in sorted(months or {*there, *periods_with_facts(desk, seq, now_s)}):
        month = _month(desk, period, seq)
        after = terms_of(desk, period, seq, month.known, proposed)
        move = _move(desk, month, agreed, after, progress, by)
        if move is not None and not move.is_still:
            yield move


def _month(desk: Desk, period: str, seq: int) -> _Month:
    with desk.database.read() as connection:
        close = find_close(connection, desk.book.name, period)
    known = outline(desk, seq, *month_bounds(desk.book.zone, period))
    return _Month(period, seq, known, close is not None and close.state == CLOSED)


def _move(
    desk: Desk, month: _Month, agreed: TermsInForce, after: Terms, progress: Progressing, by: By
) -> MonthMove | None:
    """What changes in a month; None where both terms come to the same."""
    as_agreed, as_proposed = (_named(progress, f"as {which}") for which in ("agreed", "proposed"))
    try:
        before = terms_of(desk, month.name, month.seq, month.known, agreed)
        if come_to_the_same(before, after):
            return None
        stood = _stood(desk, month)
        old = stood or _computed(desk, month, before, as_agreed)
    except BooksError as error:
        obstacle = f"with the terms in force it cannot be computed: {error.message}"
        made = _stated(desk, _computed(desk, month, after, as_proposed), by)
        return MonthMove(
            month.name, month.is_closed, (None, made.total), (None, made.figures.unpriced), (), obstacle
        )
    again = reprice(desk, stood, before, after) if stood else None
    new = again or _computed(desk, month, after, as_proposed)
    return _compared(month, _stated(desk, old, by), _stated(desk, new, by))


def _named(progress: Progressing, which: str) -> Progressing:
    """The same progress, that says which terms it computes with."""
    return lambda total, label: progress(total, f"{label} {which}")


def _stood(desk: Desk, month: _Month) -> Result | None:
    """The books in force, where they are what would be computed now."""
    with desk.database.read() as connection:
        run_id = run_in_force(connection, desk.book.name, month.name)
        if run_id is None or engine_of(connection, run_id) != desk.engine_version:
            return None
        result = load_run(connection, run_id)
        return result if result.seq >= latest_fact_seq(connection) else None


def _computed(desk: Desk, month: _Month, terms: Terms, progress: Progressing) -> Result:
    run_id = uuid4().hex
    with TemporaryDirectory(prefix="apply-", dir=desk.scratch) as folder:
        return compute_books(desk, terms, month.known, run_id=run_id, books=Path(folder), progress=progress)


def _stated(desk: Desk, result: Result, by: By) -> Statement:
    return state_statement(desk.book, result, by)


def _compared(month: _Month, before: Statement, after: Statement) -> MonthMove:
    old = {line.key: line.minor for line in before.lines}
    new = {line.key: line.minor for line in after.lines}
    moves = [TeamMove(team, old.get(team), new.get(team)) for team in sorted({**old, **new})]
    return MonthMove(
        month=month.name,
        is_closed=month.is_closed,
        totals=(before.total, after.total),
        unpriced=(before.figures.unpriced, after.figures.unpriced),
        teams=tuple(move for move in moves if move.before != move.after),
    )
