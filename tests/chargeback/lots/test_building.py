"""Lots out of what the terms say: recognised in their time, invoiced in another, exact at any size."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lots_said import cents, day_after, in_month, made, months_between, read

from chargeback.lots.lot import Lot, truncated
from gpuledger.instants import format_utc, parse_instant
from gpuledger.money import currency

EXAMPLES = json.loads((Path(__file__).parents[2] / "conformance" / "examples.json").read_text("utf-8"))
USD = 10**9


def lot(text: str, zone: str = "UTC", book: str = "USD", until: str = "2050-01-01") -> Lot:
    (found,) = made(lots=f"[{{lot: a, {text}}}]", zone=zone, book=book, until=until).values()
    return found


def fee(amount: str = "1460.00", more: str = "from: 2026-01-01, account: shared") -> str:
    return f"kind: fee, every: month, amount: {amount}, currency: USD, {more}"


def purchase(amount: str, begins: str, ends: str, kind: str = "purchase", code: str = "USD") -> str:
    return f"kind: {kind}, amount: {amount}, currency: {code}, from: {begins}, to: {ends}, account: shared"


def invoiced(found: Lot) -> list[tuple[str, Fraction, str]]:
    return [(format_utc(one.at_s)[:10], one.amount / USD, one.number) for one in found.invoices]


def test_fee_of_example_e03_is_the_cost_of_each_month_whatever_its_length() -> None:
    (example,) = (one for one in EXAMPLES["examples"] if one["id"] == "E03")
    monthly, upfront = example["expected"]["variants"]
    found = lot(fee())
    assert {month: cents(found, month) for month in monthly["lines"]} == monthly["lines"]
    year = lot(purchase("366.00", "2027-05-26", "2028-05-26"))
    assert {month: cents(year, month) for month in upfront["lines"]} == upfront["lines"]
    assert year.amount == 366 * USD


def test_fee_of_a_month_that_is_cut_is_pro_rata_by_time() -> None:
    found = lot(fee("31.00", "from: 2026-01-11, to: 2026-03-15T12:00Z, account: shared"))
    assert [in_month(found, month) / USD for month in ("2026-01", "2026-02", "2026-03", "2026-04")] == [
        21,
        31,
        Fraction(29, 2),
        0,
    ]


def test_months_of_a_fee_are_those_of_the_books_zone() -> None:
    found = lot(fee("744", "from: 2026-03-01, account: shared"), zone="Europe/Berlin")
    assert cents(found, "2026-03", "Europe/Berlin") == "744.00"
    (march, *_) = found.segments
    assert march.to_s - march.from_s == 743 * 3600


def test_open_fee_is_known_as_far_as_the_horizon_and_a_purchase_to_its_end() -> None:
    found = lot(fee("30"), until="2026-02-15")
    assert found.to_s == parse_instant("2026-02-15T00:00Z", zone=None, epoch_s=None)
    assert [in_month(found, month) / USD for month in ("2026-01", "2026-02")] == [30, 15]
    assert lot(purchase("12", "2026-01-01", "2027-01-01"), until="2026-02-15").amount == 12 * USD


def test_fee_that_changes_is_one_lot_of_two_entries() -> None:
    entry = "lot: a, kind: fee, every: month, currency: USD, account: shared"
    later, earlier = "amount: 12, from: 2026-03-01", "amount: 10, from: 2026-01-01, to: 2026-03-01"
    found = made(lots=f"[{{{entry}, {later}}}, {{{entry}, {earlier}}}]", until="2026-05-01")
    assert list(found) == ["lot:a"]
    amounts = [in_month(found["lot:a"], month) / USD for month in months_between("2026-01", "2026-04")]
    assert amounts == [10, 10, 12, 12]
    assert found["lot:a"].said == "10 USD each month; then 12 USD each month"


def test_nothing_is_known_of_a_lot_that_begins_at_the_horizon_and_is_not_invoiced() -> None:
    entry = f"[{{lot: a, {purchase('12', '2026-02-01', '2027-01-01')}}}]"
    assert not made(lots=entry, until="2026-02-01")
    assert made(lots=entry, until="2026-02-02")


def test_fee_that_is_invoiced_before_its_time_is_there_with_its_invoice_and_no_amount() -> None:
    text = fee("12", "from: 2026-02-01, account: shared, invoiced: {on: 2026-01-20, amount: 12}")
    found = lot(text, until="2026-02-01")
    assert (found.amount, invoiced(found)) == (0, [("2026-01-20", 12, "")])


def test_purchase_is_invoiced_as_a_whole_or_in_parts() -> None:
    text = purchase("12", "2026-02-01", "2027-01-01")
    assert invoiced(lot(f"{text}, invoiced: 2026-01-20")) == [("2026-01-20", 12, "")]
    parts = "[{on: 2026-03-20, amount: 4, number: I2}, {on: 2026-01-20, amount: 8, number: I1}]"
    found = lot(f"{text}, invoiced: {parts}")
    assert invoiced(found) == [("2026-01-20", 8, "I1"), ("2026-03-20", 4, "I2")]
    assert invoiced(lot(f"{text}, invoiced: {parts}", until="2026-03-20")) == [("2026-01-20", 8, "I1")]


@pytest.mark.parametrize(
    ("word", "days"),
    [
        ("in_advance", ["2026-01-11", "2026-02-01", "2026-03-01"]),
        ("in_arrears", ["2026-02-01", "2026-03-01", "2026-03-16"]),
    ],
)
def test_fee_is_invoiced_each_month_ahead_or_after(word: str, days: list[str]) -> None:
    found = lot(fee("31", f"from: 2026-01-11, to: 2026-03-16, account: shared, invoiced: {word}"))
    assert invoiced(found) == list(zip(days, [21, 31, 15], [""] * 3, strict=True))
    assert all(one.fx == 0 for one in found.invoices)


def test_fee_in_advance_is_invoiced_for_the_whole_month_that_has_begun() -> None:
    found = lot(fee("31", "from: 2026-01-01, account: shared, invoiced: in_advance"), until="2026-02-02")
    assert invoiced(found) == [("2026-01-01", 31, ""), ("2026-02-01", 31, "")]
    arrears = lot(fee("31", "from: 2026-01-01, account: shared, invoiced: in_arrears"), until="2026-02-01")
    assert invoiced(arrears) == []


@pytest.mark.parametrize(
    ("amount", "code"),
    [
        ("1400000.00", "USD"),
        ("500000000", "USD"),
        ("500000000.000000001", "USD"),
        ("700000000000", "KRW"),
        ("75000000000", "JPY"),
        ("0.000000001", "USD"),
        ("1e-9", "EUR"),
        ("-0.01", "USD"),
        ("0", "USD"),
    ],
)
def test_amount_is_exact_whatever_its_size_currency_and_sign(amount: str, code: str) -> None:
    found = lot(purchase(amount, "2026-01-01", "2029-01-01", "true_up", code), book=code)
    assert found.amount == Fraction(amount) * currency(code).quantum
    months = months_between("2026-01", "2028-12")
    assert sum(in_month(found, month) for month in months) == found.amount
    bounds = [parse_instant(f"{month}-01T00:00Z", zone=None, epoch_s=None) for month in [*months, "2029-01"]]
    parts = [found.recognised(low, high) for low, high in pairwise(bounds)]
    assert sum(parts) == truncated(found.amount)


def test_negative_lot_beside_a_positive_one_mirrors_it() -> None:
    lots = ", ".join(
        f"{{lot: {name}, {purchase(amount, '2026-01-01', '2026-12-31', 'true_up')}}}"
        for name, amount in (("a", "1400000.01"), ("b", "-1400000.01"))
    )
    one, other = made(lots=f"[{lots}]").values()
    assert [in_month(one, month) for month in months_between("2026-01", "2026-12")] == [
        -in_month(other, month) for month in months_between("2026-01", "2026-12")
    ]
    cut = parse_instant("2026-05-05T05:05:05Z", zone=None, epoch_s=None)
    assert one.recognised(one.from_s, cut) == -other.recognised(other.from_s, cut)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "lot:a:USD"),
        ("contract: 2026-17", "contract:2026-17:USD"),
        ("invoiced: {on: 2026-01-01, number: INV-7}", "invoice:INV-7:USD"),
        ("contract: 2026-17, invoiced: {on: 2026-01-01, number: INV-7}", "contract:2026-17:USD"),
        ("contract: 2026-17, rounding_pool: hall", "hall:USD"),
        (
            "invoiced: [{on: 2026-01-01, amount: 1, number: I1}, {on: 2026-02-01, amount: 1, number: I2}]",
            "lot:a:USD",
        ),
    ],
)
def test_cents_are_given_by_contract_else_invoice_else_alone(text: str, expected: str) -> None:
    more = f", {text}" if text else ""
    assert lot(purchase("12", "2026-01-01", "2027-01-01") + more).rounding_pool == expected


@pytest.mark.parametrize(
    ("text", "lot_class", "covers"),
    [
        ("lots: kind: purchase, amount: 1, to: 2027-01-01, account: shared", "estimate", False),
        ("lots: kind: purchase, amount: 1, to: 2027-01-01, pays_for: {node: n}", "estimate", True),
        (
            "lots: kind: purchase, amount: 1, to: 2027-01-01, pays_for: {node: n}, covers: false",
            "estimate",
            False,
        ),
        (
            "lots: kind: purchase, amount: 1, to: 2027-01-01, invoiced: 2026-01-01, account: shared",
            "billed",
            False,
        ),
        ("lots: kind: fee, every: month, amount: 1, pays_for: {node: n}, covers: true", "estimate", True),
        ("lots: kind: fee, every: month, amount: 1, pays_for: {node: n}, class: internal", "internal", False),
        ("lots: kind: fee, every: month, amount: 1, account: shared, invoiced: in_arrears", "billed", False),
        ("energy: it_kw: 1, pue: 1, tariff: 1, pays_for: {node: n}", "internal", False),
    ],
)
def test_class_and_cover_follow_from_kind_and_invoices(text: str, lot_class: str, covers: bool) -> None:
    section, _, entry = text.partition(": ")
    name = "energy" if section == "energy" else "lot"
    entry = f"[{{{name}: a, currency: USD, from: 2026-01-01, {entry}}}]"
    (found,) = made(**{section: entry}, until="2027-01-01").values()
    assert (found.lot_class, found.covers) == (lot_class, covers)


def test_targets_are_slots_other_lots_or_an_account() -> None:
    entry = "currency: USD, from: 2026-01-01, to: 2027-01-01, amount: 1"
    found = made(
        lots=f"""
- {{lot: s, kind: purchase, {entry}, pays_for: {{node: [n1, "n2-*"], model: H100}}, absent: unusable}}
- {{lot: f, kind: tax, {entry}, follows: [s, "bill:AWS/*"]}}
- {{lot: r, kind: tax, {entry}, recoverable: true}}
- {{lot: u, kind: purchase, {entry}, account: unusable}}
"""
    )
    assert found["lot:s"].target.slots == {"node": ["n1", "n2-*"], "model": ["H100"]}
    assert found["lot:s"].absent == "unusable" and found["lot:f"].absent == "overhead"
    assert found["lot:f"].target.lots == ("lot:s", "bill:AWS/*")
    assert found["lot:r"].target.account == "tax_recoverable"
    assert (found["lot:u"].target.account, found["lot:u"].target.slots) == ("unusable", None)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["UTC", "Europe/Berlin", "America/Los_Angeles", "Asia/Kolkata"]),
    st.integers(0, 1500),
    st.integers(1, 900),
    st.integers(-(10**12), 10**12),
    st.lists(st.integers(0, 900 * 86_400), max_size=8),
)
def test_any_cut_of_a_life_recognises_the_amount(
    zone: str, first: int, length: int, amount: int, cuts: list[int]
) -> None:
    begins = day_after("2024-01-01", first)
    text = purchase(f"{amount}e-3", begins, day_after(begins, length), "true_up")
    found = lot(text, zone=zone)
    assert found.amount == Fraction(amount, 1000) * USD
    edges = sorted({found.from_s, found.to_s, *(min(found.to_s, found.from_s + cut) for cut in cuts)})
    parts = [found.recognised(low, high) for low, high in pairwise(edges)]
    assert sum(parts) == truncated(found.amount)


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(["UTC", "Europe/Berlin", "America/Los_Angeles", "Asia/Kolkata"]),
    st.integers(0, 700),
    st.integers(1, 400),
    st.integers(0, 10**9),
)
def test_fee_of_whole_months_is_its_amount_each(zone: str, first: int, length: int, amount: int) -> None:
    begins = day_after("2024-01-01", first)
    ends = day_after(begins, length)
    found = lot(fee(f"{amount}e-2", f"from: {begins}, to: {ends}, account: shared"), zone=zone)
    for month in months_between(begins[:7], ends[:7])[1:-1]:
        assert in_month(found, month, zone) == Fraction(amount, 100) * USD
    start_s, end_s = (parse_instant(day, zone=zone, epoch_s=None) for day in (begins, ends))
    assert (found.from_s, found.to_s) == (start_s, end_s)


def test_order_of_the_entries_changes_nothing() -> None:
    entries = [f"{{lot: {name}, {fee()}}}" for name in "abc"]
    forth, back = (
        made(lots=f"[{', '.join(order)}]", until="2026-03-01") for order in (entries, entries[::-1])
    )
    assert list(forth.items()) == list(back.items())
    facts, _ = read(lots=f"[{entries[0]}]")
    assert facts[0].identity == "a/2026-01-01T00:00:00Z"
