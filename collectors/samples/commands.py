"""The command `gpuledger import samples`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from collectors.imports.intake import Options, open_intake
from collectors.imports.map_file import read_map
from collectors.samples.imports import import_samples
from collectors.samples.sample_map import SampleMap
from gpuledger.session import Session

__all__ = ["samples"]


def samples(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(help="CSV (also gzip), TSV or Parquet.", metavar="FILE")],
    map: Annotated[Path, typer.Option("--map", help="Map of the file's columns (YAML).", metavar="MAP")],
    epoch: Annotated[
        str | None,
        typer.Option(help="Instant from which numeric times count; over the map's.", metavar="INSTANT"),
    ] = None,
    source: Annotated[
        str | None, typer.Option(help="Name of the source; over the map's.", metavar="NAME")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Import nothing if any row cannot be right.")
    ] = False,
    format: Annotated[
        Literal["table", "json"], typer.Option("--format", help="How to print the summary.")
    ] = "table",
) -> None:
    """Import what devices, partitions and holders reported, and make their activity."""
    session = Session.of(ctx)
    column_map = read_map(map, SampleMap)
    intake = open_intake(file, column_map, Options(epoch, None, source, strict), session.settings.cluster)
    with session.progress(intake.table.size, f"reading {file.name}") as bar:
        summary = import_samples(intake, column_map, session, bar.advance)
    if format == "json":
        session.write(summary.as_json())
    else:
        summary.show(session.console)
