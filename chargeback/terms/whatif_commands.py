"""The command `gpuledger whatif`: who would pay what by other terms, which stay as they are."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from chargeback.commands import desk_of
from chargeback.statement import By
from chargeback.terms.apply_print import change_document, change_lines, month_document, print_months
from chargeback.terms.diff import compare
from chargeback.terms.folder import read_folder
from chargeback.terms.in_force import Seqs, terms_in_force
from chargeback.terms.moves import MonthMove, moved_months
from gpuledger.book_settings import planned_book
from gpuledger.calendars import month_bounds
from gpuledger.money import currency
from gpuledger.session import Session

__all__ = ["whatif"]


def whatif(
    ctx: typer.Context,
    folder: Annotated[Path, typer.Argument(help="A folder of terms; files that it lacks stay as in force.")],
    month: Annotated[
        list[str] | None, typer.Option("--month", help="Only this month; may be given more than once.")
    ] = None,
    by: Annotated[By, typer.Option("--by", help="What the lines are keyed by.")] = By.team,
    format: Annotated[
        Literal["table", "json"], typer.Option("--format", help="How it is written.")
    ] = "table",
) -> None:
    """Price months by other prices, commitments or policies, and say who would pay what; keep nothing."""
    session = Session.of(ctx)
    desk = desk_of(session, planned_book(session.database, session.sourced))
    for name in month or ():
        month_bounds(desk.book.zone, name)
    seq = desk.database.latest_seq()
    with desk.database.read() as connection:
        agreed = terms_in_force(connection, Seqs.at(seq))
    read = read_folder(folder, desk.book.zone, agreed)
    for warning in read.warnings:
        session.say(f"warning: {warning}")
    proposed = read.over(agreed)
    changes = compare(agreed, proposed)
    moved: Sequence[MonthMove] = []
    if changes:
        asked = set(month or ())
        moved = list(
            moved_months(desk, seq, session.now(), agreed, proposed, session.progress, months=asked, by=by)
        )
    if format == "json":
        document = {
            "currency": desk.book.currency,
            "by": by.value,
            "changes": [change_document(change) for change in changes],
            "months": [_document(one) for one in moved],
        }
        session.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
        return
    for line in change_lines(changes):
        session.console.print(line, soft_wrap=True)
    print_months(moved, currency(desk.book.currency), session.console, by.value)
    if not moved:
        session.console.print("nobody would pay anything else" if changes else "the terms are those in force")


def _document(one: MonthMove) -> dict[str, Any]:
    """A month for JSON, its lines by their keys."""
    said = month_document(one)
    lines = [{"key": line.pop("team"), **line} for line in said.pop("teams")]
    return {**said, "lines": lines}
