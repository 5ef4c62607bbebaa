"""The commands that look after the lake: verify, compact, sweep, repair."""

from __future__ import annotations

from typing import Annotated

import typer

from gpuledger.errors import InputError, StorageError
from gpuledger.lake.schema import TABLES
from gpuledger.session import Session

__all__ = ["compact", "repair", "sweep", "verify"]


def verify(ctx: typer.Context) -> None:
    """Print what is wrong with the files of the lake; StorageError if anything is."""
    session = Session.of(ctx)
    problems = session.lake.verify()
    for problem in problems:
        session.write(f"{problem}\n")
    if problems:
        raise StorageError(
            f"files of the lake are not what their rows say: {len(problems)}",
            mend="put them back from a copy of the lake, or import again what they held",
        )
    session.write("the lake is what its rows say\n")


def compact(
    ctx: typer.Context,
    table: Annotated[
        list[str] | None, typer.Option("--table", metavar="TABLE", help="Only this table; may be repeated.")
    ] = None,
) -> None:
    """Compact each shard of the tables that hold more than one file."""
    session = Session.of(ctx)
    names = [name for name, schema in TABLES.items() if schema.kind != "derived"]
    for name in table or []:
        if name not in names:
            raise InputError(f"there is no table {name!r} to compact", mend=f"name one of {', '.join(names)}")
    lake, chosen = session.lake, table or names
    made = 0
    with session.progress(len(chosen) * lake.shards, "shards compacted") as progress:
        for name in chosen:
            for shard in range(lake.shards):
                made += len(lake.compact(name, shard, session.now()))
                progress.advance()
    lake.write_manifest()
    session.write(f"{made} files made\n")


def sweep(ctx: typer.Context) -> None:
    """Delete what was replaced, or never published, a day or more ago."""
    session = Session.of(ctx)
    gone = session.lake.sweep(session.now())
    session.lake.write_manifest()
    session.write(f"{len(gone)} files deleted\n")


def repair(ctx: typer.Context) -> None:
    """Take the rows of files that the database lacks from the copy beside the lake."""
    session = Session.of(ctx)
    found = session.open_lake(shards=1).repair(session.now())
    session.write(f"{len(found)} files found again\n")
