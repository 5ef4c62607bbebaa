"""An explanation as tables for people and as JSON for programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from chargeback.explanation import UNITS, Explanation, Step
from chargeback.statement import gpu_hours
from gpuledger.money import Currency, currency, format_minor, format_quanta

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["as_json", "print_steps"]

_INSTANTS = frozenset({"claimed_from", "claimed_to", "end", "from", "start", "to"})


def as_json(explanation: Explanation) -> str:
    """The explanation as JSON, the same bytes for the same books.

    Amounts of whole minor units, counts and `ticks` are integers; all other money and hours decimal text.
    """
    money = currency(explanation.currency)
    document = {
        "explains": explanation.subject,
        "period": explanation.period,
        "zone": explanation.zone,
        "currency": explanation.currency,
        "seq": explanation.seq,
        "run": explanation.run,
        "charged": explanation.charged,
        "adds_up": not explanation.apart,
        "steps": [_json_step(step, money) for step in explanation.steps],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _json_step(step: Step, money: Currency) -> dict[str, Any]:
    count, rest = step.more or (0, {})
    return {
        "step": step.name,
        "says": step.says,
        "rows": [row.labels | _json_figures(row.figures, money) for row in step.rows],
        "more": {"rows": count} | _json_figures(rest, money) if step.more else None,
        "total": _json_figures(step.total, money),
        "adds_up": not step.differences,
        "differences": _json_figures(step.differences, money),
    }


def _json_figures(figures: dict[str, int], money: Currency) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in figures.items():
        if UNITS[name] == "ticks":
            found |= {f"{name}_ticks": value, f"{name}_gpu_hours": str(gpu_hours(value))}
        else:
            found[name] = format_quanta(value, money) if UNITS[name] == "quanta" else value
    return found


def print_steps(explanation: Explanation, console: Console) -> None:
    """Print each step as a table with its total, and whether it adds up."""
    money = currency(explanation.currency)
    subject = ", ".join(f"{name} {value}" for name, value in explanation.subject.items())
    console.print(f"{explanation.period}: {subject}", soft_wrap=True)
    console.print(
        f"run {explanation.run} at seq {explanation.seq}, charged as {explanation.charged}; "
        f"money in {explanation.currency}, time in GPU-hours",
        soft_wrap=True,
    )
    for number, step in enumerate(explanation.steps, 1):
        _print_step(number, step, money, console)


def _print_step(number: int, step: Step, money: Currency, console: Console) -> None:
    from rich.table import Table

    console.print()
    console.print(f"{number}. {step.name}: {step.says}", soft_wrap=True)
    labels = [label for label in _used(step) if label != "file"]
    table = Table(box=None, pad_edge=False, show_footer=False)
    for label in labels:
        table.add_column(label.replace("_", " "), overflow="fold", no_wrap=label in _INSTANTS)
    for figure in step.figures:
        table.add_column(figure.replace("_", " "), justify="right", no_wrap=True)
    blank = [""] * (len(labels) - 1)
    for row in step.rows:
        table.add_row(*(row.labels[label] for label in labels), *_texts(step, row.figures, money))
    if step.more:
        table.add_row(f"and {step.more[0]:,} more", *blank, *_texts(step, step.more[1], money))
    if step.figures:
        table.add_row("total", *blank, *_texts(step, step.total, money))
    console.print(table)
    for file in sorted({row.labels["file"] for row in step.rows if "file" in row.labels}):
        console.print(f"   in {file}", soft_wrap=True)
    if step.figures:
        console.print(f"   {_verdict(step, money)}", soft_wrap=True)


def _verdict(step: Step, money: Currency) -> str:
    if not step.differences:
        return "adds up"
    apart = ", ".join(f"{name} by {_text(name, value, money)}" for name, value in step.differences.items())
    return f"DOES NOT ADD UP: {apart}"


def _texts(step: Step, figures: dict[str, int], money: Currency) -> list[str]:
    return [_text(name, figures[name], money) for name in step.figures]


def _text(name: str, value: int, money: Currency) -> str:
    unit = UNITS[name]
    if unit == "ticks":
        return str(gpu_hours(value))
    if unit == "quanta":
        return format_quanta(value, money)
    return format_minor(value, money) if unit == "minor" else f"{value:,}"


def _used(step: Step) -> list[str]:
    """The labels that any row has something for; the first in any case."""
    used = [label for label in step.labels if any(row.labels[label] for row in step.rows)]
    return used or [step.labels[0]]
