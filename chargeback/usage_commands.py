"""The command `usage`."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chargeback.commands import Format, Month, books_in_force, desk_of
from chargeback.energy import Energy, energy_by, kwh, unplaced
from chargeback.printing import spreadsheet_safe
from chargeback.statement import By, gpu_hours
from chargeback.usage import ACCOUNTS, IdleHolder, Usage, UsageLine, idle_holders, usage_of
from chargeback.usage_phases import PHASES, lives_of
from gpuledger.session import Session

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["usage"]


def usage(
    ctx: typer.Context,
    month: Month,
    by: Annotated[By, typer.Option("--by", help="What the lines are keyed by.")] = By.team,
    top: Annotated[int, typer.Option("--top", help="How many idle holders are listed; 0: none.", min=0)] = 10,
    format: Annotated[Format, typer.Option("--format", help="How it is written.")] = Format.table,
) -> None:
    """Print a month's GPU-hours by account and owner, what is known of them, energy, and top idle holders."""
    session = Session.of(ctx)
    desk = desk_of(session)
    result = books_in_force(session, desk, month)
    made = usage_of(result, by).living(lives_of(desk, result, by))
    made = made.powered(energy_by(desk, result, by), unplaced(result))
    if top:
        made = replace(made, holders=idle_holders(desk, result, top))
    if format is Format.json:
        session.write(_as_json(made))
    elif format is Format.csv:
        session.write(_as_csv(made))
    else:
        _print(made, session.console)


def _hours(line: UsageLine) -> list[str]:
    return [str(gpu_hours(line.ticks.get(account, 0))) for account in ACCOUNTS]


def _life(line: UsageLine) -> dict[str, str]:
    """The hours of each phase, and the suspended time that is told as a total only."""
    hours = {f"{phase}_gpu_hours": str(gpu_hours(line.life.phases.get(phase, 0))) for phase in PHASES}
    return hours | {"suspended_told_gpu_hours": str(gpu_hours(line.life.suspended_told))}


def _as_json(made: Usage) -> str:
    """The usage as JSON: hours and coverage as decimal text, null for what is not known."""
    document = {
        "period": made.period,
        "by": made.by.value,
        "seq": made.seq,
        "capacity_known": made.capacity_known,
        "lines": [_json_line(line) for line in made.lines],
        "total": _json_line(made.total),
        "unplaced_energy_kwh": str(kwh(made.unplaced)) if made.unplaced else None,
        "idle_holders": [_json_holder(one) for one in made.holders],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _json_line(line: UsageLine) -> dict[str, Any]:
    hours = {f"{account}_gpu_hours": text for account, text in zip(ACCOUNTS, _hours(line), strict=True)}
    known = {"coverage": _text(line.coverage), "idle_part": _text(line.idle), **_energy(line)}
    return {"key": line.key, "gpu_hours": str(gpu_hours(line.total)), **hours, **_life(line), **known}


def _energy(line: UsageLine) -> dict[str, str | None]:
    """The energy, null where none is known, and the part of all its time for which it is known."""
    return {"energy_kwh": _text(line.energy.kwh), "energy_coverage": _text(line.energy_coverage)}


def _json_holder(one: IdleHolder) -> dict[str, Any]:
    return {
        "run": one.run,
        "owner": one.owner,
        "team": one.team,
        "held_gpu_hours": str(gpu_hours(one.held)),
        "idle_gpu_hours": str(gpu_hours(one.idle)),
        "coverage": _text(one.coverage),
        "energy_kwh": _text(one.energy.kwh),
    }


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _as_csv(made: Usage) -> str:
    """The lines as RFC 4180 CSV with a header; keys are guarded against formulas."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    columns = [f"{account}_gpu_hours" for account in ACCOUNTS]
    columns += _life(made.total)
    known_columns = ["coverage", "idle_part", *_energy(made.total)]
    writer.writerow(["period", made.by.value, "gpu_hours", *columns, *known_columns])
    for line in made.lines:
        known = [_text(line.coverage), _text(line.idle), *_energy(line).values()]
        key = spreadsheet_safe(line.key)
        hours = [*_hours(line), *_life(line).values()]
        writer.writerow([made.period, key, gpu_hours(line.total), *hours, *(text or "" for text in known)])
    return out.getvalue()


def _print(made: Usage, console: Console) -> None:
    from rich.markup import escape
    from rich.table import Table

    shown = [account for account in ACCOUNTS if made.total.ticks.get(account)]
    table = Table(title=f"{made.period} by {made.by.value}: GPU-hours", title_justify="left")
    energy = ["kWh", "kWh known"] if made.total.energy.joules is not None else []
    for column in (made.by.value, "all", *shown, "coverage", "idle", *energy):
        table.add_column(column, justify="left" if column == made.by.value else "right")

    def add(line: UsageLine) -> None:
        hours = [f"{gpu_hours(line.ticks.get(account, 0)):,.2f}" for account in shown]
        known = [_text(line.coverage) or "", "" if line.idle is None else f"{line.idle:.1%}"]
        known += [_kwh(line.energy), _text(line.energy_coverage) or ""] if energy else []
        table.add_row(escape(line.key), f"{gpu_hours(line.total):,.2f}", *hours, *known)

    for line in made.lines:
        add(line)
    table.add_section()
    add(made.total)
    console.print(table)
    _print_lives(made, console)
    if made.unplaced:
        told = f"{kwh(made.unplaced):,f} kWh more are of devices that no inventory places in a slot then"
        console.print(told, markup=False)
    if not made.capacity_known:
        console.print("capacity is assumed from what is held: idle time is not known", markup=False)
    if made.holders:
        _print_holders(made, console)


def _kwh(energy: Energy) -> str:
    return "" if energy.kwh is None else f"{energy.kwh:,.2f}"


def _print_lives(made: Usage, console: Console) -> None:
    """A table of the phases that any line has time in; it is part of the held time above."""
    from rich.markup import escape
    from rich.table import Table

    names = [name for name, hours in _life(made.total).items() if Decimal(hours)]
    if not names:
        return
    table = Table(title="GPU-hours held while", title_justify="left")
    for column in (made.by.value, *(name.removesuffix("_gpu_hours") for name in names)):
        table.add_column(column, justify="left" if column == made.by.value else "right")
    lived = [line for line in made.lines if line.life.phases or line.life.suspended_told]
    for line in (*lived, made.total):
        hours = _life(line)
        last = bool(lived) and line is lived[-1]
        table.add_row(escape(line.key), *(f"{Decimal(hours[name]):,.2f}" for name in names), end_section=last)
    console.print(table)


def _print_holders(made: Usage, console: Console) -> None:
    from rich.markup import escape
    from rich.table import Table

    table = Table(title="held and idle the longest", title_justify="left")
    energy = ["kWh"] if any(one.energy.joules is not None for one in made.holders) else []
    for column in ("holder", "owner", "team", "held", "idle", "coverage", *energy):
        left = column in ("holder", "owner", "team")
        table.add_column(column, justify="left" if left else "right")
    for one in made.holders:
        held, idle = (f"{gpu_hours(ticks):,.2f}" for ticks in (one.held, one.idle))
        who = (escape(one.run), escape(one.owner), escape(one.team))
        table.add_row(*who, held, idle, _text(one.coverage), *(_kwh(one.energy) for _ in energy))
    console.print(table)
