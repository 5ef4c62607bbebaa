"""A statement as a table for people, as CSV for spreadsheets and as JSON for programs."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from chargeback.policies import DISTRIBUTABLE, FALLBACK, NONE, distributing
from chargeback.statement import Figures, Line, RestatedLine, Statement, gpu_hours, gpu_microseconds
from gpuledger.instants import format_utc
from gpuledger.money import format_minor, format_quanta

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = ["as_csv", "as_json", "grouped", "notes", "print_table", "spreadsheet_safe"]

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def as_json(statement: Statement) -> str:
    """The statement as JSON, the same bytes for the same statement.

    `amount` and `total` are whole minor units; hours, coverage and `unrounded` are exact decimal text.
    """
    start, end = statement.window
    document: dict[str, Any] = {
        "period": statement.period,
        "currency": statement.currency.code,
        "state": statement.state,
        "total": statement.collected,
        "gpu_microseconds": gpu_microseconds(statement.ticks),
        "gpu_hours": str(gpu_hours(statement.ticks)),
        "coverage": None if statement.coverage is None else str(statement.coverage),
        "by": statement.by.value,
        "lines": [_json_line(statement, line) for line in statement.lines],
        **_json_restated(statement),
        **_json_figures(statement.figures),
        "window": {"start": start, "end": end},
        "zone": statement.book.zone,
        "seq": statement.seq,
        "data_through": {
            source: format_utc(through_s) for source, through_s in statement.summary["data_through"].items()
        },
        "policies": statement.summary["policies"],
        "prices": statement.summary["prices"],
        "rounding_pools": [
            {"pool": name, "exact": f"{exact.numerator}/{exact.denominator}", "total": minor}
            for name, (exact, minor) in statement.pools.items()
        ],
    }
    for what in ("close", "restatements"):
        if what in statement.summary:
            document[what] = statement.summary[what]
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _json_line(statement: Statement, line: Line) -> dict[str, Any]:
    return {
        "key": line.key,
        "gpu_hours": str(gpu_hours(line.ticks)),
        "amount": line.minor,
        "unrounded": None if line.quanta is None else format_quanta(line.quanta, statement.currency),
        **({} if statement.distributed is None else {"distributed": line.distributed}),
    }


def _json_restated(statement: Statement) -> dict[str, Any]:
    """What is collected of earlier months; nothing where that is nothing."""
    if not statement.restated:
        return {}
    return {
        "lines_total": statement.total,
        "restated": [
            {
                "period": one.period,
                "restatement": one.number,
                "seq": one.seq,
                "total": one.total,
                "lines": [_json_restated_line(statement, line) for line in one.lines],
            }
            for one in statement.restated
        ],
    }


def _json_restated_line(statement: Statement, line: RestatedLine) -> dict[str, Any]:
    return {
        "key": line.key,
        "gpu_hours": str(gpu_hours(line.ticks)),
        "amount": line.minor,
        "unrounded": format_quanta(line.quanta, statement.currency),
        "causes": line.causes,
    }


def _json_figures(figures: Figures) -> dict[str, str | None]:
    return {
        "idle_free_gpu_hours": None if figures.idle_free is None else str(gpu_hours(figures.idle_free)),
        "unpriced_gpu_hours": str(gpu_hours(figures.unpriced)),
        "contested_gpu_hours": str(gpu_hours(figures.contested)),
        "orphaned_gpu_hours": str(gpu_hours(figures.orphaned)),
    }


def as_csv(statement: Statement) -> str:
    """The lines as RFC 4180 CSV with a header; keys come from users and are guarded against formulas.

    A row of an earlier period is a difference that this statement collects.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    shown = ["distributed"] * (statement.distributed is not None)
    writer.writerow(["period", statement.by.value, "gpu_hours", "amount", "currency", "unrounded", *shown])
    for line in statement.lines:
        priced = line.minor is not None and line.quanta is not None
        writer.writerow(
            [
                statement.period,
                spreadsheet_safe(line.key),
                gpu_hours(line.ticks),
                format_minor(line.minor or 0, statement.currency) if priced else "",
                statement.currency.code,
                format_quanta(line.quanta or 0, statement.currency) if priced else "",
                *(format_minor(line.distributed or 0, statement.currency) if priced else "" for _ in shown),
            ]
        )
    for one in statement.restated:
        for change in one.lines:
            writer.writerow(
                [
                    one.period,
                    spreadsheet_safe(change.key),
                    gpu_hours(change.ticks),
                    format_minor(change.minor, statement.currency),
                    statement.currency.code,
                    format_quanta(change.quanta, statement.currency),
                    *("" for _ in shown),
                ]
            )
    return out.getvalue()


def spreadsheet_safe(text: str) -> str:
    """The text with an apostrophe before it where a spreadsheet would take it for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def print_table(statement: Statement, console: Console) -> None:
    """Print the statement as a table, its totals, and whatever is not settled."""
    from rich.markup import escape
    from rich.table import Table

    code = statement.currency.code
    start, end = statement.window
    table = Table(
        title=f"{statement.period} by {statement.by.value} ({statement.state})", title_justify="left"
    )
    table.add_column(statement.by.value)
    table.add_column("GPU-hours", justify="right")
    table.add_column(code, justify="right")
    shown = statement.distributed is not None
    if shown:
        table.add_column("of it distributed", justify="right")
    for line in statement.lines:
        amount = "unpriced" if line.minor is None else grouped(format_minor(line.minor, statement.currency))
        part = [grouped(format_minor(line.distributed or 0, statement.currency))] * shown
        table.add_row(escape(line.key), f"{gpu_hours(line.ticks):,.2f}", amount, *part)
    table.add_section()
    if statement.restated:
        _add_restated(table, statement)
    total = grouped(format_minor(statement.collected, statement.currency))
    part = [grouped(format_minor(statement.distributed or 0, statement.currency))] * shown
    table.add_row("total", f"{gpu_hours(statement.collected_ticks):,.2f}", total, *part)
    console.print(table)
    console.print(f"[{start}, {end}) in {statement.book.zone}; seq {statement.seq}", markup=False)
    for note in notes(statement):
        console.print(note, markup=False)


def _add_restated(table: Table, statement: Statement) -> None:
    """The period's own total, and below it the differences of each earlier period with theirs."""
    from rich.markup import escape

    def add(name: str, ticks: int, minor: int) -> None:
        table.add_row(
            escape(name), f"{gpu_hours(ticks):,.2f}", grouped(format_minor(minor, statement.currency))
        )

    add(f"{statement.period} itself", statement.ticks, statement.total)
    for one in statement.restated:
        table.add_section()
        for line in one.lines:
            add(f"{one.period} {line.key}", line.ticks, line.minor)
        add(f"{one.period} restated", one.ticks, one.total)
    table.add_section()


def notes(statement: Statement) -> list[str]:
    """What a reader must know besides the lines, a sentence each."""
    figures = statement.figures
    through = [
        f"{source} to {format_utc(at_s)}" for source, at_s in statement.summary["data_through"].items()
    ]
    said = [f"data through: {', '.join(through) or 'not said by any source'}"]
    said.append(
        f"cents follow the owner view; rounded once in {len(statement.pools)} pool(s); "
        f"coverage {'unknown' if statement.coverage is None else statement.coverage}"
    )
    if statement.distributed is not None:
        said.append(f"distributed: {', '.join(_ways(statement))}")
    if astray := statement.summary.get("entitlements_astray"):
        said.append(f"ASTRAY: entitlements name pools without a slot: {', '.join(astray)}")
    if nodes := statement.summary.get("nodes_without_resources"):
        named = ", ".join(nodes[:5]) + (f" and {len(nodes) - 5} more" if len(nodes) > 5 else "")
        said.append(
            f"node_cost: no CPUs, memory or licences are known of {named}: all of their price is for GPUs"
        )
    if figures.unpriced:
        said.append(f"UNPRICED: {gpu_hours(figures.unpriced)} GPU-hours have no price and no amount here")
    if figures.contested:
        said.append(f"CONTESTED: {gpu_hours(figures.contested)} GPU-hours are claimed twice (__conflict__)")
    if figures.orphaned:
        said.append(
            f"ORPHANED: {gpu_hours(figures.orphaned)} GPU-hours are claimed where no slot was: not charged"
        )
    if figures.idle_free is None:
        said.append("capacity is assumed from what is held: idle time is not known")
    return said + _restatement_notes(statement) + _close_notes(statement)


def _ways(statement: Statement) -> list[str]:
    """By which policies money of what nobody held is distributed, such as `idle_free by even/1`."""
    policies = statement.summary["policies"]
    chosen = {account: policies[distributing(account)] for account in DISTRIBUTABLE}
    said = [f"{account} by {choice}" for account, choice in chosen.items() if choice != NONE]
    return said + [f"else by {policies[FALLBACK]}"] * (policies[FALLBACK] != NONE)


def _restatement_notes(statement: Statement) -> list[str]:
    said = []
    for one in statement.summary.get("restatements", ()):
        reason = f": {one['reason']}" if one["reason"] else ""
        said.append(
            f"restatement {one['number']}, of seq {one['seq']}, is charged in {one['booked_in']}{reason}"
        )
    return said


def _close_notes(statement: Statement) -> list[str]:
    if (close := statement.summary.get("close")) is None:
        return []
    said = [f"{statement.state} at {close['at']} by {close['by']}"]
    said += [
        f"{'SIGNED FOR' if one['signed'] else 'NOT SETTLED'}: {one['what']}: {one['figure']}"
        for one in close["unsettled"]
    ]
    return said + [f"reason: {close['reason']}"] * bool(close["reason"])


def grouped(amount: str) -> str:
    """Decimal text with a comma after each three digits of its whole part."""
    sign = "-" if amount.startswith("-") else ""
    whole, point, minor = amount.removeprefix("-").partition(".")
    return f"{sign}{int(whole):,}{point}{minor}"
