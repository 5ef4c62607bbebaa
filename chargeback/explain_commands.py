"""The command `explain`."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal
from uuid import uuid4

import typer

from chargeback.closes import CLOSED, PeriodClose, find_close
from chargeback.commands import Month, books_as_of, books_in_force, desk_of
from chargeback.desk import Desk
from chargeback.explain import explain as explained
from chargeback.explain import nothing_but
from chargeback.explain_pick import Asked
from chargeback.explain_print import as_json, print_steps
from chargeback.explain_restated import collected_step, restated_steps
from chargeback.explanation import Step
from chargeback.ledger import Result, load_run
from chargeback.partitions import run_folders
from chargeback.restated import collecting
from chargeback.restating import ground_of
from chargeback.runs import make_books
from chargeback.statement import By, state_statement
from gpuledger.errors import BooksError, InputError, InvariantError
from gpuledger.instants import parse_instant
from gpuledger.session import Session

__all__ = ["explain"]

Format = Annotated[Literal["table", "json"], typer.Option("--format", help="How it is written.")]


def explain(
    ctx: typer.Context,
    month: Month,
    line: Annotated[
        str, typer.Argument(help="The key of a line, as the statement prints it.", metavar="LINE")
    ] = "",
    by: Annotated[By, typer.Option("--by", help="What the statement's lines are keyed by.")] = By.owner,
    holding: Annotated[
        str, typer.Option("--holding", help="Instead of a line: the run of a workload, to its lines.")
    ] = "",
    device: Annotated[
        str, typer.Option("--device", help="Instead of a line: the UUID of a device, to its lines.")
    ] = "",
    slot: Annotated[
        str, typer.Option("--slot", help="Instead of a line: a slot. Beside one: the atoms of this slot too.")
    ] = "",
    most: Annotated[
        int, typer.Option("--most", help="How many rows of a step are shown; the rest is one row.", min=1)
    ] = 10,
    view: Annotated[
        Literal["charged", "restated"],
        typer.Option("--view", help="restated: a closed month as it is known now, by restatement and cause."),
    ] = "charged",
    format: Format = "table",
    as_of: Annotated[
        str, typer.Option("--as-of", help="As known at a seq, or at an instant like 2026-11-03T09:00Z.")
    ] = "",
) -> None:
    """Explain a statement's line down to its source rows, or what a holding, device or slot ended in.

    Each step shows its largest rows, its total, and whether that adds up to the step before.
    """
    session = Session.of(ctx)
    asked = _asked(line, holding, device, slot, by)
    desk = desk_of(session)
    result, above = _above(session, desk, month, asked, view, as_of, most)
    if above and not _has_line(desk, result, asked):
        made = nothing_but(desk, result, asked, above)
    else:
        slot = "" if asked.kind in ("slot", "device") else slot
        made = explained(desk, _with_files(session, desk, result), asked, slot=slot, most=most)
        made = replace(made, steps=(*above, *made.steps))
    if format == "json":
        session.write(as_json(made))
    else:
        print_steps(made, session.console)
    if made.apart:
        raise InvariantError(
            f"{len(made.apart)} steps do not add up: {', '.join(made.apart)}",
            mend="run `gpuledger verify`; if that is in order, this is a fault of gpuledger: report it",
        )


def _above(
    session: Session, desk: Desk, month: str, asked: Asked, view: str, as_of: str, most: int
) -> tuple[Result, list[Step]]:
    """The run that is explained, and the steps that lead to its line from what was restated."""
    if view == "charged":
        result = _books(session, desk, month, as_of)
        if asked.kind != "line" or as_of:
            return result, []
        with desk.database.read() as connection:
            made = collecting(connection, state_statement(desk.book, result, asked.by))
        return result, collected_step(made, asked.key, most)
    if as_of or asked.kind != "line":
        raise InputError("--view restated explains a LINE, as it is known now", mend="leave the others out")
    ground = ground_of(desk, month)
    if not ground.counted:
        raise BooksError(
            f"{month} was not restated", mend=f"`gpuledger restate --month {month}`, or leave --view out"
        )
    with desk.database.read() as connection:
        steps = restated_steps(connection, ground, asked.key, asked.by, most)
        return load_run(connection, ground.counted[-1].run_id), steps


def _has_line(desk: Desk, result: Result, asked: Asked) -> bool:
    return any(line.key == asked.key for line in state_statement(desk.book, result, asked.by).lines)


def _asked(line: str, holding: str, device: str, slot: str, by: By) -> Asked:
    """What is explained: exactly one of these, where a slot may stand beside a line or a holding."""
    if sum(map(bool, (line, holding, device))) > 1 or (device and slot):
        raise InputError("several things are to be explained", mend="give a LINE, --holding or --device")
    if line:
        return Asked("line", line, by)
    if holding:
        return Asked("holding", holding, by)
    if device:
        return Asked("device", device, by)
    if slot:
        return Asked("slot", slot, by)
    raise InputError(
        "nothing is to be explained", mend="give the key of a LINE, or --holding, --device or --slot"
    )


def _books(session: Session, desk: Desk, month: str, as_of: str) -> Result:
    """The run that a statement so asked for is of: at an instant after a close, the closed one."""
    if not as_of:
        return books_in_force(session, desk, month)
    with desk.database.read() as connection:
        close = find_close(connection, desk.book.name, month)
        if close is not None and close.state == CLOSED and _is_later(close, desk, as_of):
            return load_run(connection, close.run_id)
    return books_as_of(session, desk, month, as_of)


def _is_later(close: PeriodClose, desk: Desk, as_of: str) -> bool:
    """Whether `as_of` is an instant, and not before the close."""
    is_seq = as_of.isdecimal() and len(as_of) < 10
    return not is_seq and close.closed_at_s <= parse_instant(as_of, zone=desk.book.zone, epoch_s=None)


def _with_files(session: Session, desk: Desk, result: Result) -> Result:
    """The run itself, or the same computed again where the files of a superseded run were swept."""
    if run_folders(desk, result):
        return result
    return make_books(
        desk,
        result.period,
        seq=result.seq,
        run_id=uuid4().hex,
        at_s=session.now(),
        in_force=False,
        progress=session.progress,
    )
