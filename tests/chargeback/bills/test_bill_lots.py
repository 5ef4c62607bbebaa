"""Lines of bills as lots: where each goes, exactly, and that nothing is lost on the way."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from focus_rows import DAY_S, HOUR_S, NOVEMBER_S, OCTOBER_S, bill_fact, line_table
from hypothesis import given, settings
from hypothesis import strategies as st

from chargeback.bills import BillLots, bill_lines, bill_lots, matched_by
from chargeback.bills.listing import Instance
from chargeback.fx import fx_rates
from chargeback.lots.lot import Lot
from gpuledger.canonical import canonical_json
from gpuledger.errors import BooksError
from gpuledger.instants import format_utc
from gpuledger.versions import BillFact, BillRuleFact, Book, FxFact

BILL = "AWS/1234/2026-10/INV-7/USD"
USD = 10**9
NODE = Instance("c/n1", "i-0abc", OCTOBER_S - DAY_S, None)
OTHER = Instance("c/n2", "i-2", OCTOBER_S, None)
BOOK = Book("main", "UTC", "USD", 1, "pooled")


def rule(
    position: int,
    action: Mapping[str, Any],
    start_s: int = 0,
    end_s: int | None = None,
    **matching: Any,
) -> BillRuleFact:
    text = canonical_json(matching)
    return BillRuleFact(f"{text}@{start_s}", start_s, end_s, position, text, canonical_json(dict(action)))


def rates(base: str, quote: str, days: Mapping[str, str]) -> Any:
    return fx_rates(FxFact(day, 0, 1, base, quote, day, rate, "test") for day, rate in days.items())


def made(
    *lines: Mapping[str, Any],
    nodes: Sequence[Instance] = (NODE, OTHER),
    rules: Sequence[BillRuleFact] = (),
    bills: Sequence[BillFact] | None = None,
    fx: Any = None,
    book: Book = BOOK,
    known: Sequence[Instance] | None = None,
) -> BillLots:
    read = bill_lines(bills or [bill_fact()], line_table(*lines), matched_by(rules), known)
    return bill_lots(read, nodes, rules, fx or fx_rates([]), book)


def by_name(found: BillLots) -> dict[str, Lot]:
    """The lots by what is behind their bill's name, `tax:` before it for one that follows."""
    return {lot.name.replace(BILL, "").removeprefix("bill:"): lot for lot in found.lots}


def hour(number: int, **said: Any) -> dict[str, Any]:
    return {"start_s": OCTOBER_S + number * HOUR_S, "end_s": OCTOBER_S + (number + 1) * HOUR_S, **said}


def test_a_line_about_a_nodes_instance_pays_for_that_node_in_place_of_its_estimate() -> None:
    (lot,) = made(hour(0), hour(1), hour(2)).lots
    assert lot.name == f"bill:{BILL}/i-0abc"
    assert lot.target.slots == {"instance": ["i-0abc"]}
    assert (lot.kind, lot.lot_class, lot.covers, lot.supersedes) == ("invoice", "billed", True, True)
    assert (lot.rounding_pool, lot.currency, lot.absent) == (f"bill:{BILL}", "USD", "overhead")
    assert [(one.from_s - OCTOBER_S, one.to_s - OCTOBER_S, one.amount) for one in lot.segments] == [
        (0, 3 * HOUR_S, 6 * USD)
    ]
    assert [(one.at_s, one.amount, one.number) for one in lot.invoices] == [
        (NOVEMBER_S - 1, 6 * USD, "INV-7")
    ]


@pytest.mark.parametrize(
    ("resource", "instance"),
    [
        ("i-0abc", "i-0abc"),
        ("arn:aws:ec2:us-east-1:123:instance/i-0abc", "i-0abc"),
        ("//compute.googleapis.com/projects/p/zones/z/instances/4711", "4711"),
        ("/subscriptions/s/resourcegroups/r/providers/microsoft.compute/virtualmachines/vm1", "VM1"),
        ("/SUBSCRIPTIONS/s/rg/vm1", "/subscriptions/S/rg/vm1"),
    ],
)
def test_a_resource_is_a_node_by_its_id_or_the_last_part_of_its_path(resource: str, instance: str) -> None:
    found = made({"resource": resource}, nodes=[Instance("c/n", instance, OCTOBER_S, None)])
    assert found.lots[0].target.slots == {"instance": [instance]}
    assert found.unknown == ()


@pytest.mark.parametrize("resource", ["i-0abcd", "I-0ABC", "arn:aws:ec2:volume/vol-1", None])
def test_a_resource_that_nobody_knows_goes_to_reconciliation_by_name(resource: str | None) -> None:
    found = made({"resource": resource}, {"resource": resource}, hour(1))
    lots = by_name(found)
    assert lots["/unknown"].target.account == "reconciliation"
    assert lots["/unknown"].amount == 4 * USD
    (unknown,) = found.unknown
    assert (unknown.resource, unknown.service, unknown.lines, unknown.amount) == (resource or "", "EC2", 2, 4)


def test_lots_are_the_same_where_only_the_resources_that_may_be_nodes_are_told_apart() -> None:
    azure = Instance("c/n3", "/subscriptions/S/vm3", OCTOBER_S, None)
    nodes = [NODE, OTHER, azure, Instance("c/n4", "vm4", OCTOBER_S, None)]
    resources = (
        "i-0abc",
        "arn:aws:ec2:instance/i-2",
        "/Subscriptions/s/VM3",
        "/subscriptions/s/rg/VM4/",
        "I-2",
    )
    lines = [hour(0, resource=resource, billed="1") for resource in (*resources, "vol-1", "vol-2", None)]
    some, every = made(*lines, nodes=nodes, known=nodes), made(*lines, nodes=nodes)
    assert some.lots == every.lots
    assert [(one.lines, one.amount) for one in every.unknown] == [(1, 1)] * 4
    assert sum(one.lines for one in some.unknown) == 4
    assert len(some.unknown) == 2  # I-2 may be i-2, and is not: it keeps its name
    by_resource = (rule(1, {"account": "shared"}, resource=["vol-*"]),)
    assert by_name(made(*lines, nodes=nodes, known=nodes, rules=by_resource))["/shared"].amount == 2 * USD


def test_an_id_that_two_nodes_have_at_once_tells_none_of_them() -> None:
    twins = [NODE, Instance("c/n9", "i-0abc", OCTOBER_S, None)]
    found = made(hour(0), nodes=twins)
    assert list(by_name(found)) == ["/unknown"]
    assert found.unknown[0].reason == "c/n1, c/n9 have this id at once"
    renamed = [
        Instance("c/n1", "i-0abc", OCTOBER_S, OCTOBER_S + HOUR_S),
        Instance("c/n9", "i-0abc", OCTOBER_S + HOUR_S, None),
    ]
    assert list(by_name(made(hour(0), nodes=renamed))) == ["/i-0abc"]


def test_the_first_rule_that_matches_says_what_a_line_is_for() -> None:
    rules = (
        rule(1, {"leave_out": "the shop's"}, tags={"team": ["shop-*", "x"]}),
        rule(2, {"pays_for": {"cluster": ["train-*"]}}, service=["EKS"], region=["eu-*"]),
        rule(3, {"account": "tax_recoverable"}, category=["Tax"]),
        rule(4, {"follows": ["lot:rack-*"]}, description=["*support*"]),
        rule(5, {"pays_for": {"node": ["n1"]}, "beside": True}, service_category=["Storage"]),
    )
    found = made(
        hour(0, tags='{"team":"shop-1"}', service="EKS", region="eu-1"),
        hour(0, tags='{"team":"ml"}', service="EKS", region="eu-1"),
        hour(0, service="EKS", region="us-1"),
        hour(0, category="Tax", billed="0.5"),
        hour(0, description="Enterprise support", billed="3"),
        hour(0, service_category="Storage", billed="0.1"),
        rules=rules,
    )
    lots = by_name(found)
    assert set(lots) == {
        "/cluster=train-*",
        "/i-0abc",
        "/tax_recoverable/tax",
        "usage:/as lot:rack-*",
        "/node=n1/beside",
    }
    assert lots["/cluster=train-*"].target.slots == {"cluster": ["train-*"]}
    assert lots["/tax_recoverable/tax"].target.account == "tax_recoverable"
    assert lots["usage:/as lot:rack-*"].target.lots == ("lot:rack-*",)
    assert (lots["/node=n1/beside"].covers, lots["/node=n1/beside"].supersedes) == (False, False)
    assert [(one.reason, one.lines, one.amount, one.quanta) for one in found.left_out] == [
        ("the shop's", 1, 2, 2 * USD)
    ]


def test_a_rule_counts_for_lines_whose_charge_period_begins_in_its_time() -> None:
    edge = OCTOBER_S + 2 * HOUR_S
    rules = (
        rule(1, {"account": "shared"}, 0, edge, service=["EC2"]),
        rule(1, {"account": "overhead"}, edge, None, service=["EC2"]),
    )
    lots = by_name(made(*(hour(number) for number in range(5)), rules=rules))
    assert {name: lot.amount for name, lot in lots.items()} == {"/shared": 4 * USD, "/overhead": 6 * USD}
    assert lots["/shared"].to_s == lots["/overhead"].from_s == edge


def test_lines_with_equal_target_are_one_lot_whatever_found_it() -> None:
    rules = (rule(1, {"pays_for": {"instance": ["i-0abc"]}}, service=["EBS"]),)
    (lot,) = made(hour(0), hour(0, service="EBS", resource="vol-1", billed="0.5"), rules=rules).lots
    assert (lot.name, lot.amount) == (f"bill:{BILL}/i-0abc", Fraction(5, 2) * USD)


def test_purchases_credits_and_corrections_are_beside_the_price_of_a_node() -> None:
    found = made(
        hour(0),
        hour(0, category="Purchase", billed="100"),
        hour(0, category="Adjustment", billed="-1"),
        hour(0, category="Credit", billed="-0.5"),
    )
    lots = by_name(found)
    assert {name: lot.supersedes for name, lot in lots.items()} == {
        "/i-0abc": True,
        "/i-0abc/purchase": False,
        "/i-0abc/adjustment": False,
        "/i-0abc/credit": False,
    }
    assert all(lot.target.slots == {"instance": ["i-0abc"]} for lot in lots.values())
    assert lots["/i-0abc/credit"].amount == -USD // 2


def test_a_tax_follows_the_other_lines_of_its_bill_and_a_credit_those_of_its_service() -> None:
    found = made(
        hour(0),
        hour(0, resource="i-2", service="Other"),
        hour(0, category="Tax", resource=None, service="Tax", billed="0.4"),
        hour(0, category="Credit", resource=None, service="EC2", billed="-1"),
        hour(0, category="Credit", resource=None, service="Gone", billed="-2"),
        hour(0, category="Credit", resource=None, service=None, billed="-3"),
    )
    lots = by_name(found)
    everything = (f"bill:{BILL}/*",)
    assert {name: lot.target.lots for name, lot in lots.items() if ":" in name} == {
        "tax:": everything,
        "credit:/EC2": (f"bill:{BILL}/i-0abc",),
        "credit:/Gone": everything,
        "credit:": everything,
    }
    assert all(lots[name].absent == "reconciliation" for name in lots if ":" in name)


def test_a_tax_with_nothing_to_follow_is_reconciled() -> None:
    (lot,) = made(hour(0, category="Tax", resource=None)).lots
    assert (lot.target.lots, lot.target.account) == ((), "reconciliation")


def test_what_an_invoice_says_beyond_its_lines_is_a_lot_of_its_own() -> None:
    bill = bill_fact(rows=1, total="2.004", stated_total="2.00", invoiced_s=NOVEMBER_S + DAY_S)
    lots = by_name(made(hour(0, billed="2.004"), bills=[bill]))
    assert lots["/difference"].amount == -4_000_000
    assert lots["/difference"].target.account == "reconciliation"
    assert sum(one.amount for lot in lots.values() for one in lot.invoices) == 2 * USD
    assert {one.at_s for lot in lots.values() for one in lot.invoices} == {NOVEMBER_S + DAY_S}


@pytest.mark.parametrize(
    ("code", "amount", "quanta"),
    [
        ("USD", "500000000", 500_000_000 * 10**9),
        ("USD", "-1400000.123456789012", Fraction(-1_400_000_123_456_789_012, 1000)),
        ("USD", "0.000000001", 1),
        ("KRW", "123456789012", 123_456_789_012 * 10**6),
        ("JPY", "1500000000.5", 15_000_000_005 * 10**6),
    ],
)
def test_great_and_small_amounts_are_exact_in_any_currency(code: str, amount: str, quanta: Fraction) -> None:
    bill = bill_fact(currency=code)
    book = Book("main", "UTC", code, 1, "pooled")
    (lot,) = made(hour(0, billed=amount, currency=code), bills=[bill], book=book).lots
    assert lot.amount == lot.invoices[0].amount == quanta


def test_744_hours_of_four_tenths_of_a_cent_are_three_dollars_less_two_cents_and_four() -> None:
    """Rounded by the line they were nothing: the invoice says 2.98, its lines 2.976."""
    bill = bill_fact(rows=744, total="2.976", stated_total="2.98")
    found = made(*(hour(number, billed="0.0040000000") for number in range(744)), bills=[bill])
    lots = by_name(found)
    assert lots["/i-0abc"].amount == 2_976_000_000
    assert len(lots["/i-0abc"].segments) == 1
    assert lots["/difference"].amount == 4_000_000
    assert sum(one.amount for lot in found.lots for one in lot.invoices) == 2_980_000_000


def test_charge_periods_that_overlap_are_cut_at_each_others_edges() -> None:
    day = {"start_s": OCTOBER_S, "end_s": OCTOBER_S + DAY_S, "billed": "24"}
    (lot,) = made(day, hour(3, billed="5"), hour(3, billed="1")).lots
    assert [
        ((one.from_s - OCTOBER_S) // HOUR_S, (one.to_s - OCTOBER_S) // HOUR_S) for one in lot.segments
    ] == [
        (0, 3),
        (3, 4),
        (4, 24),
    ]
    assert [one.amount for one in lot.segments] == [3 * USD, 7 * USD, 20 * USD]


def test_a_charge_of_an_instant_is_recognised_in_its_second() -> None:
    (lot,) = made({"end_s": OCTOBER_S}).lots
    assert [(one.from_s, one.to_s, one.amount) for one in lot.segments] == [
        (OCTOBER_S, OCTOBER_S + 1, 2 * USD)
    ]


def test_a_free_hour_is_an_hour_at_no_price_and_no_gap() -> None:
    (lot,) = made(hour(0), hour(1, billed="0"), hour(2)).lots
    assert [one.amount for one in lot.segments] == [2 * USD, 0, 2 * USD]


def test_usage_is_converted_by_its_day_and_all_else_by_that_of_the_invoice() -> None:
    """The book's days are Tokyo's: its 5 October begins at 15:00 UTC on the 4th."""
    days = {f"2026-10-{day:02}": f"1{day:02}" for day in range(1, 32)} | {"2026-11-01": "200"}
    book = Book("main", "Asia/Tokyo", "JPY", 1, "pooled")
    start_s = OCTOBER_S + 3 * DAY_S + 14 * HOUR_S
    usage = {"start_s": start_s, "end_s": start_s + 2 * HOUR_S, "billed": "4"}
    purchase = usage | {"category": "Purchase"}
    lots = by_name(made(usage, purchase, fx=rates("USD", "JPY", days), book=book))
    yen = 10**7
    assert [(one.from_s, one.amount) for one in lots["/i-0abc"].segments] == [
        (start_s, 2 * 104 * yen),
        (start_s + HOUR_S, 2 * 105 * yen),
    ]
    assert [one.amount for one in lots["/i-0abc/purchase"].segments] == [4 * 200 * yen]
    assert [(one.amount, one.fx) for one in lots["/i-0abc"].invoices] == [(4 * 200 * yen, 382 * yen)]
    assert [(one.amount, one.fx) for one in lots["/i-0abc/purchase"].invoices] == [(4 * 200 * yen, 0)]


def test_a_rate_that_is_not_known_is_an_error_that_names_it() -> None:
    with pytest.raises(BooksError, match="no exchange rate of USD in JPY is known for 2026-10-01"):
        made(hour(0), book=Book("main", "UTC", "JPY", 1, "pooled"))


def test_no_lines_make_no_lots() -> None:
    assert made(bills=[bill_fact()]).lots == ()
    assert made({"bill": "another"}).lots == ()


AMOUNTS = st.integers(-(10**15), 10**15).map(lambda units: f"{Decimal(units).scaleb(-12):f}")
PLACES = st.sampled_from(["i-0abc", "i-2", "vol-1", None])
CATEGORIES = st.sampled_from(["Usage", "Purchase", "Tax", "Credit", "Adjustment"])


@st.composite
def some_lines(draw: st.DrawFn) -> list[dict[str, Any]]:
    lines = []
    for _ in range(draw(st.integers(1, 12))):
        start_s = OCTOBER_S + draw(st.integers(0, 5)) * 1800
        end_s = start_s + draw(st.integers(0, 4)) * 1800
        line = {"start_s": start_s, "end_s": end_s, "billed": draw(AMOUNTS)}
        lines.append(line | {"resource": draw(PLACES), "category": draw(CATEGORIES)})
    return lines


RULES = (
    rule(1, {"leave_out": "not ours"}, resource=["vol-*"], category=["Purchase"]),
    rule(2, {"account": "shared"}, category=["Purchase", "Adjustment"]),
)


@settings(max_examples=settings().max_examples // 4)
@given(some_lines())
def test_lots_charge_at_each_instant_what_their_lines_do(lines: list[dict[str, Any]]) -> None:
    """The oracle takes each line by itself, with fractions, and knows nothing of groups or the engine."""
    found = made(*lines, rules=RULES)
    wanted: dict[str, list[tuple[int, int, Fraction]]] = defaultdict(list)
    for line in lines:
        end_s = max(line["end_s"], line["start_s"] + 1)
        wanted[_name(line)].append((line["start_s"], end_s, Fraction(line["billed"]) * USD))
    left_out = wanted.pop("left out", [])
    lots = by_name(found)
    assert set(lots) == set(wanted)
    for name, parts in wanted.items():
        edges = sorted({at_s for start_s, end_s, _ in parts for at_s in (start_s, end_s)})
        for at_s in [*edges, *(edge + 700 for edge in edges)]:
            assert lots[name].recognised_to(at_s) == sum(_charged(part, at_s) for part in parts)
        ends = [(one.from_s, one.to_s) for one in lots[name].segments]
        assert all(one[1] <= other[0] for one, other in pairwise(ends))
    billed = sum((one.amount for lot in found.lots for one in lot.invoices), Fraction(0))
    out = sum((one.quanta for one in found.left_out), Fraction(0))
    assert out == sum(amount for _, _, amount in left_out)
    assert billed + out == sum(Fraction(line["billed"]) * USD for line in lines)


def _charged(part: tuple[int, int, Fraction], at_s: int) -> Fraction:
    start_s, end_s, amount = part
    return amount * (min(max(at_s, start_s), end_s) - start_s) / (end_s - start_s)


def _name(line: Mapping[str, Any]) -> str:
    category, resource = line["category"], line["resource"]
    if category == "Purchase" and resource == "vol-1":
        return "left out"
    if category in ("Purchase", "Adjustment"):
        return f"/shared/{category.lower()}"
    if resource in ("i-0abc", "i-2"):
        return f"/{resource}" if category == "Usage" else f"/{resource}/{category.lower()}"
    return {"Usage": "/unknown", "Tax": "tax:", "Credit": "credit:/EC2"}[category]


@settings(max_examples=settings().max_examples // 10)
@given(some_lines(), st.sampled_from(["UTC", "Asia/Kolkata", "America/New_York"]))
def test_days_of_exchange_lose_nothing(lines: list[dict[str, Any]], zone: str) -> None:
    """At one rate for every day the lots are that rate times the lines, in whichever zone days begin."""
    days = {f"2026-{month:02}-{day:02}": "0.9" for month in (9, 10, 11) for day in range(1, 31)}
    fx = rates("USD", "EUR", days)
    plain = {lot.name: lot.amount for lot in made(*lines).lots}
    found = made(*lines, fx=fx, book=Book("main", zone, "EUR", 1, "pooled"))
    assert {lot.name: lot.amount for lot in found.lots} == {
        name: amount * Fraction(9, 10) for name, amount in plain.items()
    }


def test_the_instants_of_these_tests_are_what_they_say() -> None:
    assert format_utc(OCTOBER_S) == "2026-10-01T00:00:00Z"
    assert datetime.fromtimestamp(NOVEMBER_S, UTC).isoformat() == "2026-11-01T00:00:00+00:00"
