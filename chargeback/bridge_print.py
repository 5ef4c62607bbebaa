"""A bridge as a table for people, as CSV for spreadsheets and as JSON for programs."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from chargeback.bridge import Bridge, BridgeLine
from chargeback.printing import grouped, spreadsheet_safe
from chargeback.statement import gpu_hours
from gpuledger.money import format_minor

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["as_csv", "as_json", "print_bridge"]


def as_json(bridge: Bridge) -> str:
    """The bridge as JSON, every line of it: amounts in whole minor units, hours as decimal text.

    `before` + the causes = `after`, and `after` + `rounding` = `fresh`, in every line and in the total.
    """
    document = {
        "period": bridge.period,
        "by": bridge.by.value,
        "currency": bridge.currency.code,
        "from_seq": bridge.seqs[0],
        "to_seq": bridge.seqs[1],
        "causes": list(bridge.causes),
        "lines": [_json_line(bridge, line) for line in bridge.lines],
        "total": _json_line(bridge, bridge.totals),
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _json_line(bridge: Bridge, line: BridgeLine) -> dict[str, Any]:
    return {
        "key": line.key,
        "gpu_hours_before": str(gpu_hours(line.ticks[0])),
        "gpu_hours_after": str(gpu_hours(line.ticks[1])),
        "before": line.before,
        "causes": {name: line.causes.get(name, 0) for name in bridge.causes},
        "after": line.after,
        "rounding": line.rounding,
        "fresh": line.fresh,
    }


def as_csv(bridge: Bridge) -> str:
    """The bridge as RFC 4180 CSV with a header, a row per line; keys are guarded against formulas."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(
        ["period", bridge.by.value, "currency", "before", *bridge.causes, "after", "rounding", "fresh"]
    )
    for line in bridge.lines:
        writer.writerow(
            [bridge.period, spreadsheet_safe(line.key), bridge.currency.code, *_amounts(bridge, line)]
        )
    return out.getvalue()


def _amounts(bridge: Bridge, line: BridgeLine) -> list[str]:
    parts = [line.causes.get(name, 0) for name in bridge.causes]
    amounts = [line.before or 0, *parts, line.after, line.rounding, line.fresh or 0]
    return [format_minor(amount, bridge.currency) for amount in amounts]


def print_bridge(bridge: Bridge, console: Console, names: tuple[str, str] = ("before", "after")) -> None:
    """Print the lines that differ, the total, and how many lines do not; `names` is what its ends are called.

    What a fresh computation rounds otherwise stands apart, where there is any.
    """
    from rich.markup import escape
    from rich.table import Table

    rounded = any(line.rounding for line in bridge.lines)
    table = Table(title=f"{bridge.period} by {bridge.by.value}: {bridge.currency.code}", title_justify="left")
    table.add_column(bridge.by.value)
    for column in (names[0], *bridge.causes, names[1], *(["rounding", "fresh"] if rounded else [])):
        table.add_column(column, justify="right")

    def add(line: BridgeLine) -> None:
        amounts = [grouped(amount) for amount in _amounts(bridge, line)]
        table.add_row(escape(line.key), *(amounts if rounded else amounts[:-2]))

    differing = [line for line in bridge.lines if _differs(line)]
    for line in differing:
        add(line)
    table.add_section()
    add(bridge.totals)
    console.print(table)
    console.print(
        f"from seq {bridge.seqs[0]} to seq {bridge.seqs[1]}, {_order(bridge)}; "
        f"lines without a difference: {len(bridge.lines) - len(differing)}",
        markup=False,
        soft_wrap=True,
    )
    for line in differing:
        if line.ticks[0] != line.ticks[1]:
            hours = f"{gpu_hours(line.ticks[0]):,.2f} to {gpu_hours(line.ticks[1]):,.2f}"
            console.print(f"{line.key}: GPU-hours from {hours}", markup=False, soft_wrap=True)


def _order(bridge: Bridge) -> str:
    return f"causes in the order {', '.join(bridge.causes)}" if bridge.causes else "no cause changes it"


def _differs(line: BridgeLine) -> bool:
    return bool(line.causes or line.rounding) or line.ticks[0] != line.ticks[1]
