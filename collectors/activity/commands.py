"""The command `gpuledger lake rebuild-activity`."""

from __future__ import annotations

from datetime import date
from typing import Annotated

import typer

from collectors.activity.rebuild import rebuild_all
from gpuledger.errors import InputError
from gpuledger.session import Session

__all__ = ["rebuild_activity"]


def rebuild_activity(
    ctx: typer.Context,
    day: Annotated[
        list[str] | None,
        typer.Option("--day", metavar="DAY", help="Only this UTC day, YYYY-MM-DD; may be repeated."),
    ] = None,
) -> None:
    """Make activity and energy anew from the samples that are known."""
    session = Session.of(ctx)
    days = [_day(text) for text in day or []] or None
    workers = session.settings.workers
    rebuilt = rebuild_all(session.database, session.lake, days, at_s=session.now(), workers=workers)
    session.write(f"{rebuilt.parts} days and shards made anew, {rebuilt.changed} changed\n")


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError as error:
        raise InputError(f"{text!r} is no day", mend="write --day 2026-10-31") from error
