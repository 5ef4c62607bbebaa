"""What was rated against what was billed: the difference is always said, and nothing is missing from it."""

from __future__ import annotations

import io
import json
from fractions import Fraction

from focus_rows import HOUR_S, OCTOBER_S, bill_fact, line_table
from rich.console import Console

from chargeback.bills import BillLots, bill_lines, bill_lots, reconcile
from chargeback.bills.allocation import allocate
from chargeback.bills.listing import Instance, listed_bills
from chargeback.bills.listing_print import listing_json, print_listing
from chargeback.fx import fx_rates
from gpuledger.canonical import canonical_json
from gpuledger.versions import BillRuleFact, Book, FxFact

BILL = "AWS/1234/2026-10/INV-7/USD"
USD = 10**9
NODES = [Instance("c/n1", "i-0abc", OCTOBER_S, None)]
RULES = [
    BillRuleFact(
        "r",
        0,
        None,
        1,
        canonical_json({"sub_account": ["shop"]}),
        canonical_json({"leave_out": "the shop's"}),
    ),
    BillRuleFact(
        "s", 0, None, 2, canonical_json({"service": ["EKS"]}), canonical_json({"account": "shared"})
    ),
]
LINES = (
    {"billed": "3"},
    {"billed": "0.25", "resource": None, "service": "EKS"},
    {"billed": "0.5", "resource": "i-nobody"},
    {"billed": "7", "sub_account": "shop"},
)


def made(currency: str = "USD", rate: str = "1", **said: object) -> BillLots:
    read = bill_lines([bill_fact(rows=4, total="10.75", **said)], line_table(*LINES))
    days = ("2026-10-01", "1"), ("2026-10-31", rate)
    fx = fx_rates(FxFact(day, 0, 1, "USD", currency, day, of, "test") for day, of in days)
    return bill_lots(read, NODES, RULES, fx, Book("main", "UTC", currency, 1, "pooled"))


def test_a_bill_is_told_by_what_was_rated_and_what_was_not() -> None:
    (one,) = reconcile(made(), {f"bill:{BILL}/i-0abc": Fraction(5, 2) * USD})
    assert (one.bill, one.rated, one.charged) == (BILL, Fraction(5, 2) * USD, 3 * USD)
    assert one.difference == USD // 2
    assert (one.other, one.unknown, one.left_out) == (USD // 4, USD // 2, 7 * USD)
    assert (one.fx, one.billed) == (0, Fraction(43, 4) * USD)


def test_the_difference_is_there_also_when_it_is_nothing() -> None:
    (one,) = reconcile(made(), {f"bill:{BILL}/i-0abc": Fraction(3) * USD})
    assert one.difference == 0
    assert _table((one,)).splitlines()[-1].split() == [
        BILL, "3.00", "3.00", "0.00", "0.25", "0.50", "7.00", "0.00", "10.75", "USD",
    ]  # fmt: skip


def test_a_bill_of_which_nothing_was_rated_has_a_difference_of_nothing() -> None:
    (one,) = reconcile(made(), {})
    assert (one.rated, one.charged, one.difference) == (0, 0, 0)
    assert one.other == Fraction(13, 4) * USD


def test_what_the_day_of_the_invoice_makes_of_usage_stands_apart() -> None:
    (one,) = reconcile(made("EUR", "1.1"), {f"bill:{BILL}/i-0abc": Fraction(3) * USD})
    assert one.fx == Fraction(15, 4) * USD / 10
    assert one.billed == Fraction(1075, 100) * USD * Fraction(11, 10)


def test_what_an_invoice_says_beyond_its_lines_is_reconciled_with_what_is_unknown() -> None:
    (one,) = reconcile(made(stated_total="10.76"), {})
    assert one.unknown == Fraction(51, 100) * USD
    assert one.billed == Fraction(1076, 100) * USD


def test_the_listing_has_every_dollar_of_a_bill_once() -> None:
    bill = bill_fact(rows=4, total="10.75", stated_total="10.75")
    read = bill_lines([bill], line_table(*LINES))
    (one,) = listed_bills([bill], allocate(read, NODES, RULES))
    assert (one.placed, one.unknown, one.left_out) == (Fraction(13, 4), Fraction(1, 2), 7)
    assert one.placed + one.unknown + one.left_out == Fraction(bill.total)
    assert (one.standing, one.lots, one.difference) == ("proven", 3, 0)
    (said,) = json.loads(listing_json([one]))["bills"]
    assert said["unknown_lines"] == [
        {
            "category": "Usage",
            "service": "EC2",
            "resource": "i-nobody",
            "lines": 1,
            "amount": "0.5",
            "reason": "no rule, and no node with this id",
        }
    ]
    assert said["left_out_lines"] == [{"reason": "the shop's", "amount": "7"}]
    assert (said["total"], said["placed"], said["unknown"], said["left_out"]) == ("10.75", "3.25", "0.5", "7")


def test_the_page_names_what_nobody_knows_the_most_money_first_and_adds_up_the_rest() -> None:
    lines = [{"billed": f"{number}", "resource": f"i-{number}"} for number in range(1, 8)]
    bill = bill_fact(rows=7, total="28", start_s=OCTOBER_S, end_s=OCTOBER_S + HOUR_S)
    listed = listed_bills([bill], allocate(bill_lines([bill], line_table(*lines)), [], []))
    text = _listing(listed)
    named = [line for line in text.splitlines() if ": unknown: " in line]
    assert named[0] == f"{BILL}: unknown: Usage i-7 of EC2, 1 line, 7 USD (no rule, and no node with this id)"
    assert named[-1] == f"{BILL}: unknown: 2 more, 3 USD"
    assert len(named) == 6


def test_a_page_without_bills_says_how_to_bring_some_in() -> None:
    assert "gpuledger import bill" in _listing(())


def _listing(listed: object, *more: object) -> str:
    out = io.StringIO()
    print_listing(listed, Console(file=out, width=200), *more)  # type: ignore[arg-type]
    return out.getvalue()


def _table(reconciled: object) -> str:
    bill = bill_fact(rows=4, total="10.75")
    listed = listed_bills([bill], allocate(bill_lines([bill], line_table(*LINES)), NODES, RULES))
    return _listing(listed, reconciled, "USD")
