"""Verifying restatements: their files, their sums, and that they end at what a fresh computation gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple
from typing import Any

from sqlalchemy import select

from chargeback.checks import FAILED, Check, ok
from chargeback.closes import find_close
from chargeback.desk import Desk
from chargeback.differences import Step, files_digest, left_in_clearing, read_differences, sums_of
from chargeback.ledger import Result, load_run
from chargeback.restatements import Restatement, load_steps, logged_as, restatements_of
from chargeback.restating import restated_folder
from chargeback.statement import gpu_hours
from chargeback.units import EntryDay, TimeDay
from gpuledger.money import currency, format_quanta
from gpuledger.versions.tables import audit_log

__all__ = ["verify_restatements"]

_Day = EntryDay | TimeDay


def verify_restatements(desk: Desk, period: str) -> Iterator[Check]:
    """Check what was restated of a closed month; nothing where nothing was."""
    with desk.database.read() as connection:
        close = find_close(connection, desk.book.name, period)
        ones = restatements_of(connection, desk.book.name, period)
        steps = {one.id: load_steps(connection, one) for one in ones}
        said = set(connection.scalars(select(audit_log.c.detail).where(audit_log.c.action.in_(_ACTIONS))))
        if close is None or not ones:
            return
        closed, fresh = (load_run(connection, name) for name in (close.run_id, ones[-1].run_id))
    for one in ones:
        yield _files(desk, one, steps[one.id])
    yield _logged(ones, said)
    yield _telescopes(desk, closed, [step for one in ones for step in steps[one.id]], fresh)


_ACTIONS = ("restate", "reopen")


def _files(desk: Desk, one: Restatement, steps: Sequence[Step]) -> Check:
    """5: a restatement's entries are as they were written, sum to the daily totals, and clear."""
    folder, name = restated_folder(desk, one.service_period), f"restatement={one.id}"
    says = f"restatement {one.number}: its entries are as they were written, and clear"
    figures = f"{one.rows:,} entries, {one.digest[:16]}…"
    if files_digest(folder, name) != one.digest:
        return Check("5", says, FAILED, f"{figures}: a file has changed or is gone")
    left = left_in_clearing(desk, folder, name)
    apart = read_differences(desk, folder, name) != sums_of(steps)
    figures += f", {left} quanta left in clearing{', not as in the database' if apart else ''}"
    return Check("5", says, ok(not left and not apart), figures)


def _logged(ones: Sequence[Restatement], said: set[str]) -> Check:
    missing = [str(one.number) for one in ones if logged_as(one) not in said]
    figures = f"{len(ones)} restatements" + (f", not so: {', '.join(missing)}" if missing else "")
    return Check("7", "the audit log says the same of the restatements", ok(not missing), figures)


def _telescopes(desk: Desk, closed: Result, steps: Sequence[Step], fresh: Result) -> Check:
    """7: what was closed and all that was restated are a fresh computation, in each day and figure."""
    quanta = _apart(1, closed.entries, (row for step in steps for row in step.entries), fresh.entries)
    ticks = _apart(3, closed.times, (row for step in steps for row in step.times), fresh.times)
    money = f"{format_quanta(quanta, currency(desk.book.currency))} {desk.book.currency}"
    figures = f"{money} and {gpu_hours(ticks)} GPU-hours apart"
    return Check("7", "closed + restated = a fresh computation", ok(not quanta and not ticks), figures)


def _apart(figures: int, closed: Iterable[_Day], changes: Iterable[_Day], fresh: Iterable[_Day]) -> int:
    """By how much closed rows and their changes miss fresh ones; the last `figures` fields are compared."""
    left: Counter[tuple[Any, ...]] = Counter()
    for sign, rows in ((1, closed), (1, changes), (-1, fresh)):
        for row in rows:
            values = astuple(row)
            for place in range(1, figures + 1):
                left[place, *values[:-figures]] += sign * values[-place]
    return sum(map(abs, left.values()))
