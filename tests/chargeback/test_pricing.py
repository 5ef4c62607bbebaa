"""The price pass: meters by the second, lots by piece, pools by slot-seconds; nothing lost on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chargeback.fx import fx_rates
from chargeback.landing import Priced
from chargeback.lots.lot import Invoiced, Lot, Segment, Target
from chargeback.meters import Meter
from chargeback.money_parts import TICKS
from chargeback.pricing import PricingTerms, price
from chargeback.tariffs import Tariff
from chargeback.units import PoolPart
from gpuledger.calendars import calendar_pieces
from gpuledger.errors import BooksError
from gpuledger.money import currency
from gpuledger.versions import FxFact

USD = 10**9
HOUR = 1_790_000_000 // 3600 * 3600
PIECES = calendar_pieces("UTC", HOUR, HOUR + 3 * 3600)
METERS = {
    "a@2": Meter("a", "a@2", Fraction(2 * USD, 3600), "2", "USD"),
    "b@3": Meter("b", "b@3", Fraction(3 * USD, 3600), "3", "USD"),
    "n@8": Meter("n", "n@8", Fraction(8 * USD, 3600), "8", "USD", unit="node_hour"),
}
BOTH = pytest.mark.parametrize("pooled", [True, False])


def part(
    record: str,
    start: int = 0,
    end: int = 3600,
    count: int = 1,
    *,
    shard: int = 0,
    ticks: int = TICKS,
    node_slots: int = 1,
    hour: int = 0,
    model: str = "H100",
) -> PoolPart:
    piece_s, day = HOUR + hour * 3600, PIECES[0].day
    whole = (piece_s + start, piece_s + end, count)
    return PoolPart(shard, model, "eu", piece_s, day, day, record, ticks, node_slots, *whole)


def lot(
    name: str, amount: int | Fraction, *, hours: int = 1, target: Target | None = None, **values: object
) -> Lot:
    segments = (Segment(HOUR, HOUR + hours * 3600, Fraction(amount)),)
    made = Lot(f"lot:{name}", "purchase", "billed", f"pool:{name}", segments, target or Target())
    return replace(made, **values)  # type: ignore[arg-type]


def pays(*lots: Lot, meter: str = "") -> dict[str, Tariff]:
    """The tariff of slots that these lots pay for, beside a meter."""
    record = " + ".join([*([meter] if meter else []), *(one.name for one in lots)])
    return {record: Tariff(record, METERS.get(meter), tuple(one.name for one in lots))}


def priced(
    parts: Sequence[PoolPart],
    lots: Sequence[Lot] = (),
    tariffs: dict[str, Tariff] | None = None,
    *,
    pooled: bool = True,
    fx: Sequence[FxFact] = (),
    through_s: int = HOUR + 10 * 3600,
    meters: dict[str, Meter] = METERS,
    tolerance: Fraction | None = None,
) -> Priced:
    known = {name: Tariff(name, meter) for name, meter in meters.items()} | (tariffs or {})
    terms = PricingTerms(
        pooled=pooled,
        currency=currency("USD"),
        pieces=PIECES,
        tariffs=known,
        numbers={record: number for number, record in enumerate(known, 1)},
        lots=lots,
        throughs={one.name: through_s for one in lots},
        fx=fx_rates(fx),
        tolerance=tolerance,
    )
    return price(parts, terms)


def on_slots(found: Priced) -> int:
    """All that slots carry, in quanta; meters' own amounts aside."""
    return sum(row.amount for row in (*found.shares, *found.lot_shares))


def beside(found: Priced) -> dict[tuple[str, str], int]:
    return {(row.account, row.state): row.amount for row in found.direct}


def test_a_price_change_inside_an_hour_is_charged_to_the_second() -> None:
    found = priced([part("a@2", 0, 1200), part("b@3", 1200, 3600)], pooled=False)
    amounts = {row.price_no: row.amount for row in found.amounts}
    assert amounts == {1: 666_666_667, 2: 2_000_000_000} or amounts == {1: 666_666_666, 2: 2_000_000_000}
    assert found.exact == {"a": Fraction(2 * USD, 3), "b": Fraction(2 * USD)}


def test_a_pool_rounds_by_its_device_class_and_a_meter_by_its_lot() -> None:
    parts = [part("a@2"), part("b@3")]
    assert list(priced(parts).exact) == ["H100"]
    assert list(priced(parts, pooled=False).exact) == ["a", "b"]


@pytest.mark.parametrize("node_slots", [1, 2, 7, 8])
def test_the_slots_of_a_node_share_its_price(node_slots: int) -> None:
    found = priced([part("n@8", count=node_slots, node_slots=node_slots)], pooled=False)
    (one,) = found.amounts
    assert one.node_slots == node_slots
    assert abs(one.amount - Fraction(8 * USD, node_slots)) < 1
    assert found.exact == {"n": 8 * USD}


def test_a_partition_of_a_device_pays_its_part_of_a_price_per_gpu() -> None:
    found = priced([part("a@2", ticks=TICKS // 4)], pooled=False)
    assert found.exact == {"a": Fraction(2 * USD, 4)}


def test_a_meter_in_another_currency_is_converted_at_the_rate_of_its_day() -> None:
    day = PIECES[0].day
    rate = FxFact("x", 0, None, "EUR", "USD", day, "1.25", "ecb")
    euros = {"e@4": Meter("e", "e@4", Fraction(4 * USD, 3600), "4", "EUR")}
    found = priced([part("e@4")], fx=[rate], meters=euros)
    assert found.exact == {"H100": 5 * USD}
    with pytest.raises(BooksError, match=f"no exchange rate of EUR in USD is known for {day}"):
        priced([part("e@4")], meters=euros)


@BOTH
def test_a_lot_goes_to_its_slots_by_their_time(pooled: bool) -> None:
    bought = lot("rack", 900, target=Target({"node": ["n"]}))
    tariffs = pays(bought)
    parts = [part("lot:rack", 0, 1200, shard=0), part("lot:rack", 0, 2400, shard=1)]
    found = priced(parts, [bought], tariffs, pooled=pooled)
    by_shard = {row.shard: row.amount for row in (*found.shares, *found.lot_shares)}
    assert by_shard == {0: 300, 1: 600}
    assert found.exact == ({"H100": 900} if pooled else {"pool:rack": 900})
    assert found.direct == []


@BOTH
def test_a_lots_money_is_never_in_a_piece_where_its_slots_are_not(pooled: bool) -> None:
    """The hour without slots goes to overhead, and makes the other hour no dearer."""
    bought = lot("rack", 2000, hours=2, target=Target({"node": ["n"]}))
    found = priced([part("lot:rack", hour=1)], [bought], pays(bought), pooled=pooled)
    assert on_slots(found) == 1000
    assert beside(found) == {("overhead", "absent"): 1000}


@pytest.mark.parametrize("account", ["unusable", "commitment_unused", "overhead"])
def test_a_lot_whose_slots_are_absent_goes_where_it_says(account: str) -> None:
    bought = lot("block", 500, target=Target({"node": ["n"]}), absent=account)
    found = priced([], [bought], pays(bought))
    assert beside(found) == {(account, "absent" if account == "overhead" else ""): 500}


def billed(amount: int, **values: object) -> Lot:
    """A lot of a bill that takes the place of what meters make of its slots."""
    given = {"kind": "invoice", "supersedes": True, "target": Target({"node": ["n"]})} | values
    return lot("bill", amount, **given)  # type: ignore[arg-type]


def in_place_of(*meters: str) -> dict[str, Tariff]:
    """The tariffs of slots whose meters, or none, a bill takes the place of, by the meter's record."""
    found = (Tariff(f"[{name}]", METERS.get(name), ("lot:bill",), is_superseded=True) for name in meters)
    return {tariff.record: tariff for tariff in found}


FIVE_PERCENT = Fraction(1, 20)


def by_size(found: Priced) -> list[int]:
    return [row.amount for row in (*found.shares, *found.lot_shares)]


@BOTH
def test_a_bill_takes_the_place_of_its_estimate_and_is_split_by_it(pooled: bool) -> None:
    bill = billed(5 * USD - 100)
    parts = [part("[a@2]"), part("[b@3]", shard=1)]
    found = priced(parts, [bill], in_place_of("a@2", "b@3"), pooled=pooled, tolerance=FIVE_PERCENT)
    assert on_slots(found) == 5 * USD - 100 and found.direct == [] and found.amounts == []
    assert pooled or by_size(found) == [2 * USD - 40, 3 * USD - 60]
    assert found.rated == {"lot:bill": 5 * USD}, "also where bill and estimate are near each other"


@BOTH
@pytest.mark.parametrize("amount", [0, 4 * USD, 6 * USD])
def test_a_bill_that_is_too_far_from_its_estimate_leaves_the_rest_in_reconciliation(
    pooled: bool, amount: int
) -> None:
    """Also a bill of nothing: what the estimate says is charged, and the whole of it stands against it."""
    parts = [part("[a@2]"), part("[b@3]", shard=1, hour=1)]
    bill = billed(amount, hours=2)
    found = priced(parts, [bill], in_place_of("a@2", "b@3"), pooled=pooled, tolerance=FIVE_PERCENT)
    assert on_slots(found) == 5 * USD
    assert {row.account for row in found.direct} == {"reconciliation"}
    assert sum(row.amount for row in found.direct) == amount - 5 * USD
    assert sum(found.exact.values()) == amount
    near = priced(parts, [bill], in_place_of("a@2", "b@3"), pooled=pooled)
    assert on_slots(near) == amount and near.direct == [], "any difference may be let pass"


@BOTH
def test_a_bill_of_slots_without_a_price_is_split_by_their_time(pooled: bool) -> None:
    parts = [part("[]", 0, 1200), part("[]", 0, 2400, shard=1)]
    found = priced(parts, [billed(900)], in_place_of(""), pooled=pooled, tolerance=FIVE_PERCENT)
    assert by_size(found) == [300, 600] and found.rated == {}


@BOTH
def test_a_credit_follows_what_it_credits_by_amount(pooled: bool) -> None:
    credit = lot("credit", -1000, hours=3, target=Target(lots=("a",)))
    parts = [part("a@2", shard=0), part("a@2", 0, 1800, shard=1, hour=1), part("b@3", shard=2, hour=1)]
    found = priced(parts, [credit], pooled=pooled)
    mine = found.recognised if pooled else found.lot_shares
    by_shard = {row.shard: row.amount for row in mine if getattr(row, "lot", "lot:credit") == "lot:credit"}
    assert {
        shard: abs(amount - wanted) <= 1
        for shard, amount in by_shard.items()
        for wanted in [{0: -667, 1: -333}[shard]]
    } == {0: True, 1: True}
    assert sum(by_shard.values()) == -1000


def test_what_follows_nothing_stands_in_its_account() -> None:
    credit = lot("credit", -1000, target=Target(lots=("meter:none*",), account="shared"))
    assert beside(priced([part("a@2")], [credit])) == {("shared", ""): -1000}


@pytest.mark.parametrize(("start", "end"), [(600, 3000), (600, 7200), (0, 600)])
def test_what_holds_for_a_part_of_an_hour_follows_what_that_hour_costs(start: int, end: int) -> None:
    segments = (Segment(HOUR + start, HOUR + end, Fraction(-1000)),)
    credit = lot("credit", 0, target=Target(lots=("a",)), segments=segments)
    found = priced([part("a@2")], [credit], pooled=False)
    assert (found.direct, [row.amount for row in found.lot_shares]) == ([], [-1000])


def test_a_tax_may_follow_a_lot_that_follows_a_meter() -> None:
    support = lot("support", 100, hours=3, target=Target(lots=("a",)))
    tax = lot("tax", 10, hours=3, target=Target(lots=("lot:support",)))
    found = priced([part("a@2")], [tax, support], pooled=False)
    named = {charge.charge_no: charge.lot for charge in found.charges}
    assert {named[row.charge_no]: row.amount for row in found.lot_shares} == {
        "lot:support": 100,
        "lot:tax": 10,
    }


def test_lots_that_follow_each_other_are_refused_by_name() -> None:
    one = lot("one", 1, target=Target(lots=("lot:two",)))
    two = lot("two", 1, target=Target(lots=("lot:one",)))
    with pytest.raises(BooksError, match=r"in a ring: lot:one, lot:two"):
        priced([part("a@2")], [one, two])


def test_a_negative_lot_beside_a_positive_one_keeps_both() -> None:
    up, down = (
        lot(name, amount, target=Target({"node": ["n"]})) for name, amount in (("up", 7), ("down", -5))
    )
    tariffs = pays(down, up)
    found = priced([part(next(iter(tariffs)), count=3)], [up, down], tariffs, pooled=False)
    named = {charge.charge_no: charge.lot for charge in found.charges}
    assert {named[row.charge_no]: row.amount for row in found.lot_shares} == {"lot:up": 7, "lot:down": -5}


def test_fixed_lots_are_rounded_by_what_they_reach() -> None:
    """A third of two cents an hour: 0.67, 1.33, 2.00, so the hours cost 1, 0 and 1, and all of them 2."""
    thirds = [lot("third", 2 * 10**7, hours=3), lot("other", 1, hours=1)]
    ends = [HOUR + hours * 3600 for hours in (1, 2, 3)]
    reached = [priced([], thirds, through_s=end).cents["pool:third"] for end in ends]
    assert reached == [1, 1, 2]


def test_what_is_only_known_up_to_an_instant_is_recognised_up_to_it() -> None:
    found = priced([], [lot("rent", 3600, hours=2)], through_s=HOUR + 600)
    assert beside(found) == {("shared", ""): 300}


def test_an_invoice_settles_what_is_accrued_and_prepays_the_rest() -> None:
    bought = lot("rent", 3000, hours=3, invoices=(Invoiced(HOUR + 3600, Fraction(3000)),))
    found = priced([], [bought])
    assert {row.account: row.amount for row in found.billed} == {"accrued": 1000, "prepaid": 2000}
    assert [(row.from_account, row.amount) for row in found.direct] == [
        ("accrued", 1000),
        ("prepaid", 1000),
        ("prepaid", 1000),
    ]


def test_what_exchange_rates_made_of_an_invoice_goes_to_fx() -> None:
    bought = lot("rent", 1000, invoices=(Invoiced(HOUR, Fraction(1100), fx=Fraction(100)),))
    found = priced([], [bought])
    assert beside(found) == {("fx", ""): 100, ("shared", ""): 1000}
    assert sum(row.amount for row in found.billed) == 1100


def test_recoverable_tax_is_no_cost() -> None:
    tax = lot("vat", 190, target=Target(account="tax_recoverable"), invoices=(Invoiced(HOUR, Fraction(190)),))
    found = priced([], [tax])
    assert (found.direct, [row.account for row in found.billed]) == ([], ["tax_recoverable"])


parts = st.builds(
    lambda record, edges, count, shard, size, hour: part(
        record,
        *sorted(edges),
        count * (size if record == "n@8" else 1),
        shard=shard,
        ticks=TICKS // size,
        node_slots=size,
        hour=hour,
    ),
    st.sampled_from(sorted(METERS)),
    st.lists(st.integers(0, 3600), min_size=2, max_size=2, unique=True),
    st.integers(1, 2000),
    st.integers(0, 3),
    st.sampled_from([1, 2, 7]),
    st.integers(0, 2),
)
several = st.lists(parts, min_size=1, max_size=8)


@given(several)
def test_what_lots_recognise_is_what_shards_and_sizes_carry(found: list[PoolPart]) -> None:
    made = priced(found)
    assert sum(row.amount for row in made.recognised) == sum(row.amount for row in made.shares)
    assert sum(row.slot_seconds for row in made.shares) == sum(
        (row.to_s - row.from_s) * row.slot_count for row in found
    )


@given(several)
def test_the_order_of_parts_changes_nothing(found: list[PoolPart]) -> None:
    credit = lot("credit", -(10**9) - 1, hours=3, target=Target(lots=("a", "n")))
    for pooled in (True, False):
        forwards, backwards = (priced(order, [credit], pooled=pooled) for order in (found, found[::-1]))
        assert vars(forwards) == vars(backwards)


@given(several)
def test_every_device_second_of_a_pool_costs_the_same_within_a_quantum(found: list[PoolPart]) -> None:
    shares = priced(found).shares
    for piece_s in {row.piece_s for row in shares}:
        here = [row for row in shares if row.piece_s == piece_s]
        total = sum(row.amount for row in here)
        weight = sum(row.slot_seconds * row.slot_ticks for row in here)
        for row in here:
            assert abs(row.amount - Fraction(total * row.slot_seconds * row.slot_ticks, weight)) < 1


@given(several, st.integers(-(10**18), 10**18), st.booleans())
def test_all_of_a_lot_that_follows_lands_somewhere(found: list[PoolPart], amount: int, pooled: bool) -> None:
    one = lot("one", amount, hours=3, target=Target(lots=("a",)))
    made = priced(found, [one], pooled=pooled)
    landed = sum(row.amount for row in made.direct)
    if pooled:
        landed += sum(row.amount for row in made.recognised if row.lot == "lot:one")
    else:
        landed += sum(row.amount for row in made.lot_shares)
    assert landed == amount
