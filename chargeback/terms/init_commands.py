"""The command `gpuledger init`: a folder of terms to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chargeback.commands import desk_of
from chargeback.outline import outline
from chargeback.owners import Who
from chargeback.terms.starter_folder import refuse_existing, starter_files, write_folder
from gpuledger.book_settings import planned_book
from gpuledger.instants import SANE_END_S, SANE_START_S
from gpuledger.session import Session

__all__ = ["init"]


def init(
    ctx: typer.Context,
    folder: Annotated[Path, typer.Argument(help="The folder to write.", metavar="FOLDER")] = Path("terms"),
    map_for: Annotated[
        Path | None,
        typer.Option("--map-for", help="Also guess the map of this file's columns.", metavar="FILE"),
    ] = None,
) -> None:
    """Write a folder of terms to begin with: commented files that `gpuledger apply` takes as they are."""
    session = Session.of(ctx)
    refuse_existing(folder)
    whos = _whos(session)
    if map_for is not None and (code := session.call("import", "map", map_for)):
        raise typer.Exit(code)
    texts = starter_files(whos)
    write_folder(folder, texts)
    session.console.print(f"wrote {', '.join(str(folder / name) for name in texts)}", soft_wrap=True)
    session.console.print(f"fill them in, then: gpuledger apply -f {folder} --dry-run", soft_wrap=True)


def _whos(session: Session) -> tuple[Who, ...]:
    """What all holdings of the home say of their owners."""
    desk = desk_of(session, planned_book(session.database, session.sourced))
    return outline(desk, desk.database.latest_seq(), SANE_START_S, SANE_END_S).whos
