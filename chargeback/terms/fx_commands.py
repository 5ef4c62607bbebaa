"""The command `gpuledger import fx`: exchange rates by day."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from chargeback.terms.fx_import import FxTable, parse_fx, read_day
from gpuledger.session import Session
from gpuledger.text_files import read_text
from gpuledger.versions import FxFact, fx_in_force, put_fx

__all__ = ["fx"]


def fx(
    ctx: typer.Context,
    file: Annotated[
        Path,
        typer.Argument(
            help="CSV: date, base, quote, rate; or the European Central Bank's table.", metavar="FILE"
        ),
    ],
    since: Annotated[
        str,
        typer.Option("--from", help="Leave out rates of earlier days.", metavar="DAY", show_default=False),
    ] = "",
    source: Annotated[
        str, typer.Option(help="Who says so; without it the file's name.", show_default=False)
    ] = "",
    format: Annotated[
        Literal["table", "json"], typer.Option("--format", help="How to print the summary.")
    ] = "table",
) -> None:
    """Import exchange rates by day: all of them, or nothing and an error that names file and row."""
    session = Session.of(ctx)
    table = parse_fx(read_text(file), str(file), source or file.stem)
    if since:
        first = read_day(since, "--from")
        table = replace(table, facts=tuple(fact for fact in table.facts if fact.day >= first))
    figures = _bring_in(session, table, file)
    if format == "json":
        session.write(json.dumps(figures, ensure_ascii=False, indent=2) + "\n")
        return
    counts = ", ".join(
        f"{name} {figures[name]}" for name in ("rows", "rates", "new", "changed", "unchanged", "absent")
    )
    console = session.console
    console.print(f"fx from {file}: {counts}", soft_wrap=True)
    if table.facts:
        console.print(f"rates are of {figures['first']} to {figures['last']}", soft_wrap=True)
    if table.skipped:
        left = ", ".join(f"{code} {count}" for code, count in table.skipped.items())
        console.print(f"left out, since no currency is known by the code: {left}", soft_wrap=True)
    console.print(f"known at seq {figures['seq']}", soft_wrap=True)


def _bring_in(session: Session, table: FxTable, file: Path) -> dict[str, Any]:
    """Make versions of the rates that say something new, in one commit; nothing new makes none."""
    seq = session.database.latest_seq()
    with session.database.read() as connection:
        known = {fact.identity: fact for fact in fx_in_force(connection, seq)}
    fresh = [fact for fact in table.facts if not _is_known(fact, known.get(fact.identity))]
    if fresh:
        with session.database.commit("import fx", at_s=session.now(), note=f"fx: {file}") as commit:
            put_fx(commit, fresh)
            seq = commit.seq
    new = sum(fact.identity not in known for fact in fresh)
    days = _days(table.facts)
    return {
        "kind": "fx",
        "file": str(file),
        "seq": seq,
        "shape": table.shape,
        "rows": table.rows,
        "rates": len(table.facts),
        "new": new,
        "changed": len(fresh) - new,
        "unchanged": len(table.facts) - len(fresh),
        "absent": table.absent,
        "skipped": table.skipped,
        "first": days[0],
        "last": days[1],
    }


def _is_known(fact: FxFact, known: FxFact | None) -> bool:
    """Whether the same rate is in force; from another source it says nothing new."""
    return known is not None and replace(fact, source=known.source) == known


def _days(facts: Sequence[FxFact]) -> tuple[str | None, str | None]:
    """The first and the last day, None where there is no rate."""
    days = [fact.day for fact in facts]
    return min(days, default=None), max(days, default=None)
