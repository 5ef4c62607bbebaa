"""The command `gpuledger commitments`: what each was used for in a month, and what of it was lost."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from chargeback.commands import Month, books_in_force, desk_of
from chargeback.commitments.uses import CommitmentUse, commitment_uses
from chargeback.outline import outline
from chargeback.period_terms import terms_at
from chargeback.statement import places
from chargeback.terms.in_force import Seqs
from gpuledger.calendars import month_bounds
from gpuledger.errors import InputError
from gpuledger.instants import format_utc
from gpuledger.money import Currency, currency, format_minor, format_quanta, half_up
from gpuledger.session import Session

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["commitments"]


def commitments(
    ctx: typer.Context,
    month: Month,
    name: Annotated[
        str, typer.Option("--hours", help="Only this one, with each of its hours.", metavar="NAME")
    ] = "",
    format: Annotated[
        Literal["table", "json"], typer.Option("--format", help="How it is written.")
    ] = "table",
) -> None:
    """List a month's commitments: how much of each is used, by which teams, and what is lost."""
    session = Session.of(ctx)
    desk = desk_of(session)
    result = books_in_force(session, desk, month)
    known = outline(desk, result.seq, *month_bounds(desk.book.zone, month))
    terms = terms_at(desk, month, Seqs.at(result.seq), known)
    found = [one for one in commitment_uses(desk, result, terms) if _is_asked(one, name)]
    if name and not found:
        raise InputError(
            f"{month} has no commitment {name}", mend="`gpuledger commitments` lists their names"
        )
    money = currency(desk.book.currency)
    through = format_utc(result.through_s) if result.through_s < terms.end_s else ""
    if format == "json":
        session.write(_as_json(month, found, money, through, with_hours=bool(name)))
    else:
        _print(month, found, money, session.console)
        if name:
            _print_hours(found[0], money, session.console)
        if through:
            session.console.print(f"known to {through}: what is used or lost after that is not yet known")


def _is_asked(one: CommitmentUse, name: str) -> bool:
    return not name or one.commitment.name in (name, f"commitment:{name}")


def _as_json(
    month: str, found: Sequence[CommitmentUse], money: Currency, through: str, *, with_hours: bool
) -> str:
    """Quantities as text to six places, amounts to the quantum; `known_to` where the month is not over."""
    document = {
        "period": month,
        "currency": money.code,
        "known_to": through or None,
        "commitments": [_json_one(one, money, with_hours) for one in found],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _json_one(one: CommitmentUse, money: Currency, with_hours: bool) -> dict[str, Any]:
    commitment = one.commitment
    said: dict[str, Any] = {
        "commitment": commitment.name,
        "covers": commitment.lot.said,
        "from": format_utc(commitment.lot.from_s),
        "to": format_utc(commitment.lot.to_s),
        "counted_in": commitment.measure,
        "committed": str(places(one.sum("committed"), 6)),
        "used": str(places(one.sum("used"), 6)),
        "utilisation": _text(_part(one.sum("used"), one.sum("committed"))),
        "eligible_gpu_hours": str(places(one.eligible, 6)),
        "covered_gpu_hours": str(places(one.covered, 6)),
        "coverage": _text(_part(one.covered, one.eligible)),
        "recognised": format_quanta(half_up(one.sum("recognised")), money),
        "lost": format_quanta(half_up(one.sum("lost")), money),
        "lost_to": commitment.waste,
        "per_covered_gpu_hour": _text(_rate(one, money)),
        "teams": {team: str(places(hours, 6)) for team, hours in sorted(one.teams.items()) if hours},
    }
    if with_hours:
        said["hours"] = [
            {
                "from": format_utc(hour.from_s),
                "to": format_utc(hour.to_s),
                "committed": str(places(hour.committed, 6)),
                "used": str(places(hour.used, 6)),
                "recognised": format_quanta(half_up(hour.recognised), money),
                "lost": format_quanta(half_up(hour.lost), money),
            }
            for hour in one.hours
        ]
    return said


def _print(month: str, found: Sequence[CommitmentUse], money: Currency, console: Console) -> None:
    from rich.markup import escape
    from rich.table import Table

    if not found:
        console.print(f"{month} has no commitments: docs/commitments.md says how they are written")
        return
    title = f"{month}: commitments, in {money.code}"
    table = Table("commitment", "until", "counted in", title=title, title_justify="left")
    for column in ("committed", "used", "of it", "cost", "lost"):
        table.add_column(column, justify="right", no_wrap=True)
    for one in found:
        table.add_row(
            escape(one.commitment.name.removeprefix("commitment:")),
            format_utc(one.commitment.lot.to_s)[:10],
            {"gpu": "GPU-hours", "node": "node-hours"}.get(one.commitment.measure, money.code),
            _short(one.sum("committed")),
            _short(one.sum("used")),
            _text(_part(one.sum("used"), one.sum("committed"))) or "",
            _minor(one.sum("recognised"), money),
            _minor(one.sum("lost"), money),
        )
    console.print(table)
    _print_teams(found, money, console)


def _print_teams(found: Sequence[CommitmentUse], money: Currency, console: Console) -> None:
    """For whom each was used, which part that is of what it may cover, and what each hour comes to."""
    from rich.markup import escape
    from rich.table import Table

    table = Table("commitment", "team", title="what they cover", title_justify="left")
    for column in ("GPU-hours", "of those it may", f"each, in {money.code}"):
        table.add_column(column, justify="right")
    for one in found:
        name = escape(one.commitment.name.removeprefix("commitment:"))
        for team, hours in sorted(one.teams.items()):
            if hours:
                table.add_row(name, escape(team), _short(hours), "", "")
        part = _text(_part(one.covered, one.eligible)) or ""
        table.add_row(name, "all", _short(one.covered), part, _text(_rate(one, money)) or "")
        table.add_section()
    console.print(table)
    console.print(
        "each comes to what the commitment costs, with what is lost, by the GPU-hours that it covers"
    )


def _print_hours(one: CommitmentUse, money: Currency, console: Console) -> None:
    from rich.table import Table

    table = Table("from", title="hour by hour", title_justify="left")
    for column in ("committed", "used", "cost", "lost"):
        table.add_column(column, justify="right")
    for hour in one.hours:
        amounts = (_minor(amount, money) for amount in (hour.recognised, hour.lost))
        table.add_row(format_utc(hour.from_s), _short(hour.committed), _short(hour.used), *amounts)
    console.print(table)


def _part(part: Fraction, whole: Fraction) -> Fraction | None:
    return part / whole if whole else None


def _text(part: Fraction | None) -> str | None:
    return None if part is None else str(places(part, 4))


def _rate(one: CommitmentUse, money: Currency) -> Fraction | None:
    """What a covered GPU-hour comes to with what is lost, in major units; None where nothing is covered."""
    return _part(one.sum("recognised") / money.quantum, one.covered)


def _short(value: Fraction) -> str:
    return f"{places(value, 2):,}"


def _minor(quanta: Fraction, money: Currency) -> str:
    return format_minor(half_up(quanta / money.quanta_per_minor), money)
