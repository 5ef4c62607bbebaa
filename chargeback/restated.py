"""Restated statements: a closed month as it is known now, and what an open month collects of closed ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from sqlalchemy import Connection

from chargeback.bridge import Bridge, bridge_between, restated_cells, restated_lines
from chargeback.differences import Difference, Step
from chargeback.frozen_statement import thaw_statement
from chargeback.ledger import Result, load_run
from chargeback.restatements import Known, Restatement, booked_in, load_steps
from chargeback.restating import Ground
from chargeback.statement import By, Line, Restated, RestatedLine, Statement, state_statement

__all__ = ["as_restated", "before_the_open", "bridge_over", "bridges_of", "collecting"]

_NOW = Known()


def collecting(connection: Connection, made: Statement, known: Known = _NOW) -> Statement:
    """A statement with what its month collects of earlier ones, as of now, an instant or a seq."""
    restated = []
    for one in booked_in(connection, made.book.name, made.period, known):
        if steps := load_steps(connection, one):
            lines = _lines(made, steps, one.exact)
            restated.append(Restated(one.id, one.service_period, one.number, one.seq, tuple(lines)))
    return replace(made, restated=tuple(restated))


def as_restated(connection: Connection, ground: Ground, by: By) -> Statement:
    """A closed month as it is known since its last restatement: as it was closed, and what has changed.

    Without a restatement it is the statement as it was closed. What it collected itself is left out.
    """
    made = _as_closed(ground, by)
    if not ground.counted:
        return made
    made = _changed(connection, made, ground.counted)
    last = ground.counted[-1]
    fresh = _fresh(connection, made, last)
    summary = fresh.summary | {"restatements": [_told(one) for one in ground.counted]}
    return replace(made, state="restated", seq=last.seq, figures=fresh.figures, summary=summary)


def _as_closed(ground: Ground, by: By) -> Statement:
    """A month as it was closed, without what it collected itself."""
    return replace(thaw_statement(ground.close.statement, by), restated=())


def _told(one: Restatement) -> dict[str, str | int]:
    return {
        "number": one.number,
        "booked_in": one.booking_period,
        "seq": one.seq,
        "causes": one.causes,
        "by": one.actor,
        "reason": one.reason,
    }


def before_the_open(connection: Connection, ground: Ground, by: By) -> Statement:
    """A closed month as it was closed, with the restatements that are closed themselves."""
    return _changed(connection, _as_closed(ground, by), ground.kept)


def _changed(connection: Connection, made: Statement, ones: Sequence[Restatement]) -> Statement:
    """A statement with the differences of these; each is a rounding pool of its own."""
    for one in ones:
        changes = _lines(made, load_steps(connection, one), one.exact)
        money, minor = made.currency, sum(change.minor for change in changes)
        made = replace(
            made,
            seq=one.seq,
            lines=_changed_lines(made, changes, _fresh(connection, made, one)),
            total=made.total + minor,
            pools=made.pools | {f"restatement:{one.number}": (one.exact / money.quantum, minor)},
        )
    return made


def _fresh(connection: Connection, made: Statement, one: Restatement) -> Statement:
    """What a restatement reached, computed as a whole, in a statement's view."""
    return state_statement(made.book, load_run(connection, one.run_id), made.by)


def _lines(made: Statement, steps: Sequence[Step], exact: Fraction) -> list[RestatedLine]:
    """The lines of differences in a statement's view; their cents are the same in every view."""
    return restated_lines(restated_cells(steps, exact, made.currency), steps, made.by)


def _changed_lines(made: Statement, changes: Sequence[RestatedLine], fresh: Statement) -> list[Line]:
    """The lines with their changes; without an amount where there is none and none of it has a price now."""
    old, new = ({line.key: line for line in one.lines} for one in (made, fresh))
    changed = {change.key: change for change in changes}
    distributes = made.distributed is not None or fresh.distributed is not None
    found = []
    for key in sorted({*old, *changed, *new}):
        line = old.get(key, Line(key, 0, None, None))
        change = changed.get(key, RestatedLine(key, 0, 0, {}))
        minor, quanta = (line.minor or 0) + change.minor, (line.quanta or 0) + change.quanta
        ticks, part = line.ticks + change.ticks, (line.distributed or 0) + change.distributed
        priced = minor or quanta or (key in new and new[key].minor is not None)
        found.append(
            Line(key, ticks, minor, quanta, part if distributes else None)
            if priced
            else Line(key, ticks, None, None)
        )
    return [line for line in found if line.ticks or line.minor or line.quanta]


def bridges_of(connection: Connection, ground: Ground, by: By) -> list[Bridge]:
    """A bridge over each restatement of a month that counts, in order, from where the last one ended."""
    before = _as_closed(ground, by)
    bridges = []
    for one in ground.counted:
        steps = load_steps(connection, one)
        after = replace(load_run(connection, one.run_id), seq=one.seq)
        bridges.append(_bridge(before, steps, one.exact, after))
        before = _changed(connection, before, [one])
    return bridges


def bridge_over(before: Statement, found: Difference) -> Bridge:
    """The bridge from a statement over what was found to differ."""
    return _bridge(before, found.steps, found.exact, found.after)


def _bridge(before: Statement, steps: Sequence[Step], exact: Fraction, after: Result) -> Bridge:
    fresh = state_statement(before.book, after, before.by)
    return bridge_between(before, _lines(before, steps, exact), [step.cause for step in steps], fresh)
