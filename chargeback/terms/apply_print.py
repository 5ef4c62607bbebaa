"""What `apply` prints: the changes in words, what they move in money, and both as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from chargeback.printing import grouped
from chargeback.statement import gpu_hours
from chargeback.terms.diff import Action, Change, Values
from chargeback.terms.moves import MonthMove, TeamMove
from gpuledger.money import Currency, format_minor

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["change_document", "change_lines", "month_document", "print_months"]

_ABSENT = {
    "from": "always",
    "to": "open",
    "unit": "gpu_hour",
    "rules": "by the second",
    "status": "final",
}
_SIGNS = {Action.new: "+", Action.changed: "~", Action.taken_over: "=", Action.withdrawn: "-"}


def change_lines(changes: Sequence[Change]) -> Iterator[str]:
    """A line for each term that changes; an order of rules is one change, with each rule that moved."""
    for change in changes:
        if change.action in _SIGNS:
            yield f"{_SIGNS[change.action]} {change.kind} {change.name}: {_told(change)}"
    moved = [change for change in changes if change.action is Action.moved]
    for kind in dict.fromkeys(change.kind for change in moved):
        told = "; ".join(_moved(change) for change in moved if change.kind == kind)
        yield f"~ the order of the {kind.replace('rule', 'rules')} changed: {told}"


def _told(change: Change) -> str:
    if change.action is Action.taken_over:
        return f"taken over from {_text(change.before, 'source')}, which was imported"
    if change.action is Action.changed:
        keys = [key for key in change.differing if key != "origin"]
        taken = ["taken over from an import"] * ("origin" in change.differing)
        start = (change.before or {}).get("from")
        since = [] if start is None or "from" in keys else [f"from {start}"]
        return ", ".join([*since, *(_turned(change, key) for key in keys), *taken])
    values = change.after or change.before or {}
    return ", ".join(f"{_key(key)} {text}" for key, text in values.items() if text and key != "origin")


def _turned(change: Change, key: str) -> str:
    return f"{_key(key)} {_text(change.before, key)} → {_text(change.after, key)}"


def _text(values: Values | None, key: str) -> str:
    return (values or {}).get(key) or _ABSENT.get(key, "none")


def _moved(change: Change) -> str:
    return f"{change.name}, {_turned(change, 'place')}"


def _key(key: str) -> str:
    return key.replace("_", " ")


def print_months(months: Iterable[MonthMove], money: Currency, console: Console, key: str = "team") -> None:
    """Print what each month would move: a sentence where one team's money becomes another's, else a table.

    `key` is the heading of what lines are keyed by.
    """
    for month in months:
        if (sentence := _one_to_one(month, money)) is not None:
            console.print(sentence, soft_wrap=True)
        else:
            _print_lines(month, money, console, key)
        for note in _notes(month):
            console.print(f"{month.month} {note}", soft_wrap=True)


def _one_to_one(month: MonthMove, money: Currency) -> str | None:
    """The sentence, where the total stays and all that one team loses another gains."""
    differing = [team for team in month.teams if team.difference]
    if len(differing) != 2 or month.totals[0] != month.totals[1]:
        return None
    loser, gainer = sorted(differing, key=lambda team: team.difference)
    amount = grouped(format_minor(gainer.difference, money))
    return f"{month.month} would move {amount} {money.code} from {loser.team} to {gainer.team}"


def _print_lines(month: MonthMove, money: Currency, console: Console, key: str) -> None:
    from rich.markup import escape
    from rich.table import Table

    before, after = month.totals
    if month.obstacle:
        console.print(f"{month.month} would come to {grouped(format_minor(after, money))} {money.code}")
        return
    table = Table(title=f"{month.month} would change, in {money.code}", title_justify="left")
    for column in (key, "before", "after", "difference"):
        table.add_column(column, justify="left" if column == key else "right")
    total = TeamMove("total", before, after)
    for one in month.teams:
        table.add_row(escape(one.team), *_cells(one, money))
    table.add_section()
    table.add_row("total", *_cells(total, money))
    console.print(table)


def _cells(one: TeamMove, money: Currency) -> tuple[str, str, str]:
    before, after = (
        "" if minor is None else grouped(format_minor(minor, money)) for minor in (one.before, one.after)
    )
    sign = "+" if one.difference > 0 else ""
    return before, after, sign + grouped(format_minor(one.difference, money))


def _notes(month: MonthMove) -> Iterator[str]:
    if month.obstacle:
        yield f"cannot be compared: {month.obstacle}"
    before, after = month.unpriced
    if before is not None and before != after:
        yield f"would have {_hours(after)} unpriced GPU-hours, and has {_hours(before)}"
    if month.is_closed:
        carries = f"`gpuledger restate --month {month.month}` carries the difference into an open month"
        yield f"is closed: {carries}"


def _hours(ticks: int) -> str:
    return f"{gpu_hours(ticks):,.2f}"


def change_document(change: Change) -> dict[str, Any]:
    """A change for JSON: what the term says before and after, null where it says nothing."""
    return {
        "kind": change.kind,
        "action": change.action.value,
        "name": change.name,
        "before": None if change.before is None else dict(change.before),
        "after": None if change.after is None else dict(change.after),
    }


def month_document(month: MonthMove) -> dict[str, Any]:
    """A month for JSON: amounts in whole minor units, GPU-hours as decimal text, null where not known."""
    before, after = month.unpriced
    return {
        "month": month.month,
        "closed": month.is_closed,
        "total": {"before": month.totals[0], "after": month.totals[1]},
        "unpriced_gpu_hours": {
            "before": None if before is None else str(gpu_hours(before)),
            "after": str(gpu_hours(after)),
        },
        "teams": [
            {"team": one.team, "before": one.before, "after": one.after, "difference": one.difference}
            for one in month.teams
        ],
        "obstacle": month.obstacle or None,
    }
