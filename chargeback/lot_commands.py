"""The command `gpuledger lots`: what each lot comes to by a month's end, what is prepaid and what accrued."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from chargeback.commands import Month, desk_of
from chargeback.lot_balances import LotBalance, lot_balances
from gpuledger.instants import format_utc
from gpuledger.money import Currency, currency, format_minor, format_quanta, half_up
from gpuledger.session import Session

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["lots"]

_FIGURES = ("month", "recognised", "invoiced", "prepaid", "accrued")


def lots(
    ctx: typer.Context,
    month: Month,
    format: Annotated[
        Literal["table", "json"], typer.Option("--format", help="How it is written.")
    ] = "table",
) -> None:
    """List a month's lots: what each recognises, what is invoiced of it, what is prepaid or accrued."""
    session = Session.of(ctx)
    desk = desk_of(session)
    found = lot_balances(desk, month, session.database.latest_seq())
    money = currency(desk.book.currency)
    if format == "json":
        session.write(_as_json(month, found, money))
    else:
        _print(month, found, money, session.console)


def _as_json(month: str, found: Sequence[LotBalance], money: Currency) -> str:
    """Amounts as decimal text in the book's currency, to its quantum; what they are of, as it is known."""
    document = {
        "period": month,
        "currency": money.code,
        "lots": [_json_lot(one, money) for one in found],
        "total": {name: format_quanta(half_up(_sum(found, name)), money) for name in _FIGURES},
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _json_lot(one: LotBalance, money: Currency) -> dict[str, Any]:
    lot = one.lot
    figures = {name: format_quanta(half_up(getattr(one, name)), money) for name in _FIGURES}
    return {
        "lot": lot.name,
        "kind": lot.kind,
        "class": lot.lot_class,
        "rounding_pool": lot.rounding_pool,
        "says": lot.said,
        "from": format_utc(lot.from_s),
        "to": format_utc(lot.to_s),
        "amount": format_quanta(half_up(lot.amount), money),
        **figures,
    }


def _print(month: str, found: Sequence[LotBalance], money: Currency, console: Console) -> None:
    from rich.table import Table

    if not found:
        console.print(f"{month} has no lots: docs/lots.md and docs/bills.md say how money enters")
        return
    table = Table("lot", "kind", title=f"{month}: lots, in {money.code}", title_justify="left")
    for name in ("in the month", *_FIGURES[1:]):
        table.add_column(name, justify="right", no_wrap=True)
    for one in found:
        figures = (_rounded(getattr(one, name), money) for name in _FIGURES)
        table.add_row(one.lot.name, one.lot.kind, *figures)
    table.add_section()
    table.add_row("total", "", *(_rounded(_sum(found, name), money) for name in _FIGURES))
    console.print(table)
    console.print("to the end of the month, or as far as sources are complete; exchange differences apart")


def _sum(found: Sequence[LotBalance], name: str) -> Fraction:
    return sum((getattr(one, name) for one in found), Fraction(0))


def _rounded(amount: Fraction, money: Currency) -> str:
    return format_minor(half_up(amount / money.quanta_per_minor), money)
