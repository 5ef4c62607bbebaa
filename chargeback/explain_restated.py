"""The steps of a line that was restated: from what was closed over each cause to what is known now."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection

from chargeback.bridge import BridgeLine
from chargeback.explanation import Row, Step, told
from chargeback.restated import bridges_of
from chargeback.restating import Ground
from chargeback.statement import By, Statement
from gpuledger.errors import InputError

__all__ = ["collected_step", "restated_steps"]


def collected_step(made: Statement, key: str, most: int) -> list[Step]:
    """What a line collects of earlier months, by restatement and cause; nothing where it does not."""
    own = next((line.minor or 0 for line in made.lines if line.key == key), 0)
    rows = [_row(f"{made.period} itself", "", own)]
    for one in made.restated:
        changes = [line.causes for line in one.lines if line.key == key]
        rows += [
            _row(f"{one.period} restated, {one.number}", cause, part)
            for causes in changes
            for cause, part in causes.items()
        ]
    if len(rows) == 1:
        return []
    says = "the month itself, and what it collects of earlier ones: `--view restated` of these explains it"
    return [_told("collected", says, rows, own + sum(row.figures["amount"] for row in rows[1:]), most)]


def restated_steps(connection: Connection, ground: Ground, key: str, by: By, most: int) -> list[Step]:
    """From a closed line over every restatement and cause to the line of a fresh computation.

    InputError where neither the closed month nor what is known of it now has such a line.
    """
    bridges = bridges_of(connection, ground, by)
    lines = {
        number: line for number, bridge in enumerate(bridges, 1) for line in bridge.lines if line.key == key
    }
    if not lines:
        keys = sorted({line.key for bridge in bridges for line in bridge.lines})
        raise InputError(
            f"{ground.close.period} has no line {key!r} by {by.value}",
            mend=f"there are {', '.join(keys[:10])}",
        )
    return [_bridged(lines, most), _fresh(lines[max(lines)], most)]


def _bridged(lines: Mapping[int, BridgeLine], most: int) -> Step:
    rows = [_row("as closed", "", lines[min(lines)].before or 0)]
    for number, line in lines.items():
        rows += [_row(f"restatement {number}", cause, part) for cause, part in line.causes.items()]
    says = "what was closed, and what each cause changed since"
    return _told("restated", says, rows, lines[max(lines)].after, max(most, len(rows)))


def _fresh(line: BridgeLine, most: int) -> Step:
    rows = [_row("as restated", "", line.after), _row("rounding, booked nowhere", "", line.rounding)]
    says = "a fresh computation of what is known; the steps below are of it"
    return _told("fresh", says, rows, line.fresh or 0, max(most, 2))


def _row(what: str, cause: str, minor: int) -> Row:
    return Row({"what": what, "cause": cause}, {"amount": minor})


def _told(name: str, says: str, rows: list[Row], total: int, most: int) -> Step:
    return told(
        name, says, rows, labels=["what", "cause"], figures=["amount"], wanted={"amount": total}, most=most
    )
