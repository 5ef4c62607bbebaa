"""The commands `gpuledger import holdings`, `inventory`, `capacity`, `states`, `partitions`, `phases` and
`checkpoints`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import typer

from collectors.imports.column_map import CapacityMap, ColumnMap, HoldingMap, InventoryMap
from collectors.imports.imports import import_capacity, import_holdings, import_inventory
from collectors.imports.intake import Intake, Options, Watch, open_intake
from collectors.imports.map_file import read_map
from collectors.imports.summary import Summary
from collectors.imports.track_imports import (
    import_checkpoints,
    import_partitions,
    import_phases,
    import_states,
)
from collectors.imports.track_maps import CheckpointMap, PartitionMap, PhaseMap, StateMap
from gpuledger.session import Session

__all__ = ["capacity", "checkpoints", "holdings", "inventory", "partitions", "phases", "states"]

M = TypeVar("M", bound=ColumnMap)

File = Annotated[Path, typer.Argument(help="CSV (also gzip), TSV or Parquet.", metavar="FILE")]
Map = Annotated[Path, typer.Option("--map", help="Map of the file's columns (YAML).", metavar="MAP")]
Epoch = Annotated[
    str | None,
    typer.Option(help="Instant from which numeric times count; over the map's.", metavar="INSTANT"),
]
Through = Annotated[
    str | None,
    typer.Option(help="Instant up to which the source is complete; over the map's.", metavar="INSTANT"),
]
Source = Annotated[str | None, typer.Option(help="Name of the source; over the map's.", metavar="NAME")]
Strict = Annotated[bool, typer.Option("--strict", help="Import nothing if any row cannot be right.")]
Format = Annotated[Literal["table", "json"], typer.Option("--format", help="How to print the summary.")]


def holdings(
    ctx: typer.Context,
    file: File,
    map: Map,
    epoch: Epoch = None,
    through: Through = None,
    source: Source = None,
    strict: Strict = False,
    format: Format = "table",
) -> None:
    """Import who held what, and when."""
    _run(ctx, file, map, HoldingMap, import_holdings, Options(epoch, through, source, strict), format)


def inventory(
    ctx: typer.Context,
    file: File,
    map: Map,
    epoch: Epoch = None,
    through: Through = None,
    source: Source = None,
    strict: Strict = False,
    format: Format = "table",
) -> None:
    """Import nodes, slots and devices."""
    _run(ctx, file, map, InventoryMap, import_inventory, Options(epoch, through, source, strict), format)


def capacity(
    ctx: typer.Context,
    file: File,
    map: Map,
    epoch: Epoch = None,
    through: Through = None,
    source: Source = None,
    strict: Strict = False,
    format: Format = "table",
) -> None:
    """Import counts over time of the units there are, and of the units held."""
    _run(ctx, file, map, CapacityMap, import_capacity, Options(epoch, through, source, strict), format)


def states(
    ctx: typer.Context,
    file: File,
    map: Map,
    epoch: Epoch = None,
    through: Through = None,
    source: Source = None,
    strict: Strict = False,
    format: Format = "table",
) -> None:
    """Import what nodes or slots were good for, and when."""
    _run(ctx, file, map, StateMap, import_states, Options(epoch, through, source, strict), format)


def partitions(
    ctx: typer.Context,
    file: File,
    map: Map,
    epoch: Epoch = None,
    through: Through = None,
    source: Source = None,
    strict: Strict = False,
    format: Format = "table",
) -> None:
    """Import how devices were cut into partitions, and when."""
    _run(ctx, file, map, PartitionMap, import_partitions, Options(epoch, through, source, strict), format)


def phases(
    ctx: typer.Context,
    file: File,
    map: Map,
    epoch: Epoch = None,
    through: Through = None,
    source: Source = None,
    strict: Strict = False,
    format: Format = "table",
) -> None:
    """Import what workloads' runs were at, and when."""
    _run(ctx, file, map, PhaseMap, import_phases, Options(epoch, through, source, strict), format)


def checkpoints(
    ctx: typer.Context,
    file: File,
    map: Map,
    epoch: Epoch = None,
    through: Through = None,
    source: Source = None,
    strict: Strict = False,
    format: Format = "table",
) -> None:
    """Import when the work of workloads' runs was kept."""
    options = Options(epoch, through, source, strict)
    _run(ctx, file, map, CheckpointMap, import_checkpoints, options, format)


def _run(
    ctx: typer.Context,
    file: Path,
    map: Path,
    kind: type[M],
    bring_in: Callable[[Intake, M, Session, Watch], Summary],
    options: Options,
    format: str,
) -> None:
    session = Session.of(ctx)
    column_map = read_map(map, kind)
    intake = open_intake(file, column_map, options, session.settings.cluster)
    with session.progress(intake.table.size, f"reading {file.name}") as bar:
        summary = bring_in(intake, column_map, session, bar.advance)
    if format == "json":
        session.write(summary.as_json())
    else:
        summary.show(session.console)
