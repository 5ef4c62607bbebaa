"""Bills and their reconciliation as tables for people and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from chargeback.bills.amounts import shown
from chargeback.bills.listing import ListedBill
from chargeback.bills.outcome_print import standing_said
from chargeback.bills.reconciliation import Reconciled
from gpuledger.instants import format_utc
from gpuledger.money import currency, format_minor, half_up

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["listing_json", "print_listing"]

_MOST_NAMED = 5


def listing_json(
    listed: Sequence[ListedBill], reconciled: Sequence[Reconciled] = (), book_currency: str = ""
) -> str:
    """The bills as JSON: exact decimal text in each bill's currency; what is rated in the book's."""
    rated = {one.bill: one for one in reconciled}
    said = [_json_bill(one) | _json_rated(rated.get(one.bill.identity), book_currency) for one in listed]
    return json.dumps({"bills": said}, indent=2, ensure_ascii=False) + "\n"


def print_listing(
    listed: Sequence[ListedBill],
    console: Console,
    reconciled: Sequence[Reconciled] = (),
    book_currency: str = "",
) -> None:
    """Print a table of the bills, what nothing knows of them, and what was rated against what was billed."""
    from rich.table import Table

    if not listed:
        console.print("no bills: bring some in with `gpuledger import bill`")
        return
    table = Table("bill", box=None, pad_edge=False)
    for name in ("lines", "total", "lots", "placed", "unknown", "left out", "difference", ""):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("standing")
    for one in listed:
        table.add_row(*_cells(one))
    console.print(table)
    for text in _said(listed):
        console.print(text, soft_wrap=True, markup=False, highlight=False)
    if reconciled:
        _print_reconciled(reconciled, book_currency, console)


def _cells(one: ListedBill) -> list[str]:
    bill = one.bill
    amounts = (Fraction(bill.total), one.placed, one.unknown, one.left_out, one.difference)
    total, *rest = (_rounded(amount, bill.currency) for amount in amounts)
    return [bill.identity, str(bill.rows), total, str(one.lots), *rest, bill.currency, standing_said(bill)]


def _rounded(amount: Fraction, code: str) -> str:
    """An amount to the minor unit, halves away from 0; one that is not 0 and would show so, in full."""
    cur = currency(code)
    minor = half_up(amount * 10**cur.minor_digits)
    return shown(amount) if amount and not minor else format_minor(minor, cur)


def _said(listed: Sequence[ListedBill]) -> list[str]:
    """What lies behind the columns: the lines that nothing knows by name, and why lines are left out."""
    said = []
    for one in listed:
        code = one.bill.currency
        for name in one.names[:_MOST_NAMED]:
            what = name.resource or name.service or "no resource and no service"
            service = f" of {name.service}" if name.resource and name.service else ""
            said.append(
                f"{one.bill.identity}: unknown: {name.category} {what}{service}, {name.lines} "
                f"line{'s' * (name.lines != 1)}, {shown(name.amount)} {code} ({name.reason})"
            )
        if more := one.names[_MOST_NAMED:]:
            rest = sum((name.amount for name in more), Fraction(0))
            said.append(f"{one.bill.identity}: unknown: {len(more)} more, {shown(rest)} {code}")
        said += [
            f"{one.bill.identity}: left out: {reason}, {shown(amount)} {code}"
            for reason, amount in one.reasons
        ]
    return said


def _print_reconciled(reconciled: Sequence[Reconciled], code: str, console: Console) -> None:
    from rich.table import Table

    table = Table("bill", box=None, pad_edge=False)
    names = ("rated", "charged", "difference", "other", "unknown", "left out", "fx", "billed", "")
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    for one in reconciled:
        amounts = [getattr(one, name.replace(" ", "_")) for name in names if name]
        table.add_row(
            one.bill, *(_rounded(amount / currency(code).quantum, code) for amount in amounts), code
        )
    console.print(table)


def _json_bill(one: ListedBill) -> dict[str, Any]:
    bill = one.bill
    return {
        "bill": bill.identity,
        "provider": bill.provider,
        "billing_account": bill.billing_account,
        "invoice": bill.invoice or None,
        "from": format_utc(bill.start_s),
        "to": None if bill.end_s is None else format_utc(bill.end_s),
        "invoiced": None if bill.invoiced_s is None else format_utc(bill.invoiced_s),
        "format": bill.format,
        "source": bill.source,
        "lines": bill.rows,
        "total": bill.total,
        "currency": bill.currency,
        "standing": one.standing,
        "stated_lines": bill.stated_rows,
        "stated_total": bill.stated_total or None,
        "lots": one.lots,
        "placed": shown(one.placed),
        "unknown": shown(one.unknown),
        "left_out": shown(one.left_out),
        "difference": shown(one.difference),
        "unknown_lines": [
            {
                "category": name.category,
                "service": name.service or None,
                "resource": name.resource or None,
                "lines": name.lines,
                "amount": shown(name.amount),
                "reason": name.reason,
            }
            for name in one.names
        ],
        "left_out_lines": [{"reason": reason, "amount": shown(amount)} for reason, amount in one.reasons],
    }


def _json_rated(one: Reconciled | None, code: str) -> dict[str, Any]:
    """What was rated, as exact fractions of quanta of the book; nothing where nobody said."""
    if one is None:
        return {}
    names = ("rated", "charged", "difference", "other", "unknown", "left_out", "fx", "billed")
    exact = {name: getattr(one, name) for name in names}
    return {
        "reconciled": {
            "currency": code,
            **{name: f"{value.numerator}/{value.denominator}" for name, value in exact.items()},
        }
    }
