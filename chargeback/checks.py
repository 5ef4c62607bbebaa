"""Checks: what must always hold of books, each with the figures that show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["FAILED", "OK", "OPEN", "Check", "ok", "print_checks"]

OK, OPEN, FAILED = "ok", "open", "FAILED"


@dataclass(frozen=True)
class Check:
    """One invariant by its number: what it says, and ok, open (a close must settle it) or FAILED."""

    name: str
    says: str
    status: str
    figures: str


def ok(good: bool) -> str:
    """The status of a check that holds or does not."""
    return OK if good else FAILED


def print_checks(checks: list[Check], console: Console, title: str = "what must always hold") -> None:
    """Print the checks as a table."""
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for column in ("no", "what", "status", "figures"):
        table.add_column(column)
    for check in checks:
        table.add_row(check.name, check.says, check.status, check.figures)
    console.print(table)
