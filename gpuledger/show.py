"""The commands that print what gpuledger itself knows: its settings and its metric catalogue."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Literal

import typer

from gpuledger.session import Session
from gpuledger.settings import SETTINGS

__all__ = ["metrics", "settings"]

Format = Annotated[Literal["table", "json"], typer.Option("--format", help="How to print it.")]

_PASSWORD = re.compile(r"(?<=:)[^:/@]+(?=@)")


def settings(ctx: typer.Context, format: Format = "table") -> None:
    """Print each setting with its value, its source and its help; a password in an address is masked."""
    session = Session.of(ctx)
    rows = [
        {
            "name": one.name,
            "value": _masked(getattr(session.settings, one.name)),
            "source": session.sourced.sources[one.name],
            "help": one.help,
        }
        for one in SETTINGS
    ]
    if format == "json":
        session.write(json.dumps(rows, ensure_ascii=False, indent=2) + "\n")
    else:
        _print_table(session, list(rows[0]), [[str(row[c]) for c in row] for row in rows])


def metrics(ctx: typer.Context, format: Format = "table") -> None:
    """Print the metric catalogue: each metric with its type, unit, labels and help."""
    from gpuledger.catalogue import catalogue

    session = Session.of(ctx)
    found = catalogue()
    if format == "json":
        rows = [asdict(metric) for metric in found]
        session.write(json.dumps(rows, ensure_ascii=False, indent=2, default=str) + "\n")
    else:
        _print_table(
            session, ["name", "type", "unit", "help"], [[m.name, m.type, m.unit, m.help] for m in found]
        )


def _masked(value: str | int) -> str | int:
    return _PASSWORD.sub("***", value) if isinstance(value, str) else value


def _print_table(session: Session, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*row)
    session.console.print(table)
