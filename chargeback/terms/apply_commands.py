"""The command `gpuledger apply`: the terms of a folder become those in force."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from chargeback.close_commands import readable
from chargeback.commands import desk_of
from chargeback.desk import Desk
from chargeback.terms.apply_print import change_document, change_lines, month_document, print_months
from chargeback.terms.applying import keep_terms
from chargeback.terms.diff import Change, compare, counted
from chargeback.terms.folder import TermsFolder, read_folder
from chargeback.terms.in_force import Seqs, TermsInForce, terms_in_force
from chargeback.terms.moves import MonthMove, moved_months
from gpuledger.book_settings import planned_book
from gpuledger.money import currency
from gpuledger.session import Session
from gpuledger.versions import open_book

__all__ = ["apply"]


@dataclass(frozen=True)
class _Outcome:
    """What came of it: changes against what was in force, months that move (None: not computed), the seq."""

    dry_run: bool
    seq: int
    changes: Sequence[Change]
    months: Sequence[MonthMove] | None


def apply(
    ctx: typer.Context,
    folder: Annotated[
        Path, typer.Option("-f", "--folder", help="The folder of terms.", metavar="FOLDER")
    ] = Path("terms"),
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    no_money: Annotated[
        bool, typer.Option("--no-money", help="Leave out what the changes move in each month.")
    ] = False,
    actor: Annotated[
        str, typer.Option("--actor", help="Who applies; without it the login name.", show_default=False)
    ] = "",
    format: Annotated[
        Literal["table", "json"], typer.Option("--format", help="How the changes are written.")
    ] = "table",
) -> None:
    """Make the terms of a folder those in force: show what changes in words and money, then store it."""
    session = Session.of(ctx)
    who = readable(actor, "--actor") or session.login()
    desk = desk_of(session, planned_book(session.database, session.sourced))
    seq = desk.database.latest_seq()
    with desk.database.read() as connection:
        agreed = terms_in_force(connection, Seqs.at(seq))
    read = read_folder(folder, desk.book.zone, agreed)
    proposed = read.over(agreed)
    _say(session, read)
    outcome = _Outcome(dry_run, seq, compare(agreed, proposed), None)
    if not no_money:
        months = moved_months(desk, seq, session.now(), agreed, proposed, session.progress)
        outcome = replace(outcome, months=list(months) if outcome.changes else [])
    if outcome.changes and not dry_run:
        note = f"{folder}: {counted(outcome.changes)}"
        outcome = replace(outcome, seq=_store(session, desk, agreed, proposed, note, who))
    _print(session, desk, outcome) if format == "table" else _write(session, desk, outcome)


def _say(session: Session, read: TermsFolder) -> None:
    """The notices about a folder, on stderr."""
    for warning in read.warnings:
        session.say(f"warning: {warning}")
    for file, kind in read.absent.items():
        session.say(f"there is no {file}: the {kind} in force stay")
    if read.zone is not None:
        session.say(f"times without an offset were read in {read.zone}")


def _store(
    session: Session, desk: Desk, agreed: TermsInForce, proposed: TermsInForce, note: str, actor: str
) -> int:
    """Store the terms; the book whose zone they were read in is begun first, if it was not."""
    at_s = session.now()
    open_book(desk.database, desk.book, at_s=at_s)
    return keep_terms(desk.database, agreed, proposed, at_s=at_s, note=note, actor=actor)


def _print(session: Session, desk: Desk, outcome: _Outcome) -> None:
    console = session.console
    if not outcome.changes:
        console.print(f"nothing changes: the terms are those in force at seq {outcome.seq}")
        return
    for line in change_lines(outcome.changes):
        console.print(line, soft_wrap=True)
    print_months(outcome.months or (), currency(desk.book.currency), console)
    if outcome.months == []:
        console.print("no month with facts would change")
    if outcome.dry_run:
        console.print(f"nothing is stored: {counted(outcome.changes)} against seq {outcome.seq}")
    else:
        console.print(f"applied at seq {outcome.seq}: {counted(outcome.changes)}")
        console.print("`gpuledger run` computes the open months with them")


def _write(session: Session, desk: Desk, outcome: _Outcome) -> None:
    document = {
        "dry_run": outcome.dry_run,
        "seq": outcome.seq,
        "currency": desk.book.currency,
        "changes": [change_document(change) for change in outcome.changes],
        "months": None if outcome.months is None else [month_document(one) for one in outcome.months],
    }
    session.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
