"""What pays for a slot: the most specific price, lots before it and beside it, over stretches of time."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from chargeback.lots.lot import Lot, Segment, Target
from chargeback.meters import Window, meter_of, record_name
from chargeback.places import MATCHED_BY, NodeLife, Place
from chargeback.tariffs import Tariffs, tariffs_of
from gpuledger.calendars import month_bounds
from gpuledger.versions import PriceFact

WINDOW = Window(0, 300)


def price(
    selector: str, rate: str, start: int = 0, end: int | None = None, kind: str = "model", **values: str
) -> PriceFact:
    given = {"region": "", "purchase_option": "", "currency": "USD", "source": "list"} | values
    return PriceFact(f"{kind}/{selector}/{given}@{start}", start, end, kind, selector, rate=rate, **given)


def lot(name: str, start: int = 0, end: int = 300, *, covers: bool = True, **target: list[str]) -> Lot:
    segments = (Segment(start, end, Fraction(1000)),)
    slots = target or {"node": ["c/n1"]}
    return Lot(name, "purchase", "billed", name, segments, Target(slots), covers=covers)


def life(start: int = 0, end: int | None = None, node: str = "c/n1", **said: str) -> NodeLife:
    names = ("provider", "billing_account", "region", "zone", "sku", "purchase_option", "instance")
    given = dict.fromkeys((*names, "reservation", "ended_by"), "") | said
    return NodeLife(node, start, end, **given)


H100 = Place("c/n1/0", "", "H100", "eu", "", "c", "c/n1")


def made(
    prices: list[PriceFact] | None = None,
    lots: list[Lot] | None = None,
    lives: list[NodeLife] | None = None,
    place: Place = H100,
    window: Window = WINDOW,
) -> Tariffs:
    return tariffs_of([place], lives or [], prices or [], lots or [], window)


def stretches(found: Tariffs) -> list[tuple[str, int, int]]:
    return [
        (span.price_record, span.from_s, span.to_s)
        for span in sorted(found.spans, key=lambda span: span.from_s)
    ]


def rates(found: Tariffs) -> list[tuple[str, int, int]]:
    return [(record.rsplit("@", 1)[1], low, high) for record, low, high in stretches(found)]


def test_the_price_changes_where_its_record_does() -> None:
    found = made([price("H100", "2", 0, 120), price("H100", "3", 120)])
    assert rates(found) == [("2", 0, 120), ("3", 120, 300)]


def test_a_record_cut_in_two_at_one_rate_is_one_stretch() -> None:
    found = made([price("H100", "2", 0, 120), price("H100", "2.00", 120)])
    assert rates(found) == [("2", 0, 300)]


def test_no_price_is_no_stretch_and_never_a_price_of_nothing() -> None:
    assert made([price("A100", "2")]).spans == ()
    free = made([price("H100", "0")])
    assert rates(free) == [("0", 0, 300)]
    assert all(tariff.is_priced for tariff in free.records.values())


@pytest.mark.parametrize(
    ("weaker", "stronger"),
    [
        (price("*", "1"), price("H100", "2")),
        (price("H100", "1"), price("H100", "2", region="eu")),
        (price("H100", "1", region="eu"), price("p5", "2", kind="sku")),
        (price("H100", "1"), price("H100", "2", purchase_option="spot")),
        (price("H100", "1", region="eu"), price("H100", "2", region="eu", provider="aws")),
        (price("H100", "1", provider="aws"), price("H100", "2", provider="aws", zone="eu-1a")),
        (price("p5", "1", kind="sku", region="eu"), price("res-7", "2", kind="contract")),
        (price("p5", "1", kind="sku", region="eu"), price("i-0abc", "2", kind="contract")),
    ],
)
def test_the_more_specific_price_counts(weaker: PriceFact, stronger: PriceFact) -> None:
    place = Place("c/n1/0", "p5", "H100", "eu", "spot", "c", "c/n1")
    said = life(provider="aws", zone="eu-1a", reservation="res-7", instance="i-0abc")
    for order in ([weaker, stronger], [stronger, weaker]):
        assert rates(made(order, lives=[said], place=place)) == [("2", 0, 300)]


def test_a_price_of_another_region_or_purchase_option_does_not_fit() -> None:
    assert made([price("H100", "2", region="us")]).spans == ()
    assert made([price("H100", "2", purchase_option="spot")]).spans == ()
    assert made([price("H100", "2", provider="aws")]).spans == ()
    assert made([price("res-7", "2", kind="contract")]).spans == ()


def test_what_a_slot_leaves_out_its_node_says_while_it_runs_so() -> None:
    bare = Place("c/n1/0", "", "H100", "", "", "c", "c/n1")
    lives = [life(0, 100, region="eu"), life(200, None, region="us")]
    assert rates(made([price("H100", "2", region="eu")], lives=lives, place=bare)) == [("2", 0, 100)]
    assert rates(made([price("H100", "2", region="us")], lives=lives, place=bare)) == [("2", 200, 300)]
    here = made([price("H100", "2", region="eu")], lives=[life(region="us")])
    assert rates(here) == [("2", 0, 300)], "what the slot says goes before what its node says"


def test_a_meter_is_an_exact_rational_per_second() -> None:
    meter = meter_of(price("H100", "2.744705"), WINDOW)
    assert meter.rate == Fraction(2_744_705_000, 3600)
    assert meter.lot == "meter:model:H100:*:*:USD"


def test_a_price_in_another_currency_keeps_it() -> None:
    meter = meter_of(price("H100", "3600", currency="JPY"), WINDOW)
    assert (meter.currency, meter.rate) == ("JPY", Fraction(10**7))


@pytest.mark.parametrize(
    ("month", "rule", "hours"),
    [
        ("2026-02", "actual", 672),
        ("2026-03", "actual", 744),
        ("2026-02", "730", 730),
        ("2026-03", "730", 730),
        ("2026-03", "720", 720),
    ],
)
def test_a_price_per_month_is_divided_by_the_hours_that_its_rule_names(
    month: str, rule: str, hours: int
) -> None:
    """T53: what a GPU-hour costs in February and in March is the rule's doing, and its record says so."""
    fact = price("H100", "1460", unit="gpu_month", month_rule=rule)
    meter = meter_of(fact, Window(*month_bounds("UTC", month)))
    assert meter.rate == Fraction(1460 * 10**9, hours * 3600)
    assert record_name(fact).endswith(f"@1460/gpu_month/{rule}")


def test_a_month_with_a_day_of_23_hours_has_an_hour_less() -> None:
    window = Window(*month_bounds("Europe/Berlin", "2026-03"))
    meter = meter_of(price("H100", "743", unit="gpu_month", month_rule="actual"), window)
    assert meter.rate == Fraction(10**9, 3600)


def test_a_lot_that_covers_a_slot_is_its_one_source() -> None:
    """T51: no meter is in force where a covering lot pays."""
    found = made([price("H100", "2")], [lot("lot:bought", 100, 200)])
    assert stretches(found) == [
        ("meter:model:H100:*:*:USD@2", 0, 100),
        ("lot:bought", 100, 200),
        ("meter:model:H100:*:*:USD@2", 200, 300),
    ]
    assert found.records["lot:bought"].meter is None
    assert found.records["lot:bought"].is_priced


def test_a_lot_beside_a_price_leaves_it_in_force() -> None:
    found = made([price("H100", "2")], [lot("lot:support", covers=False)])
    (tariff,) = found.records.values()
    assert tariff.meter is not None
    assert tariff.lots == ("lot:support",)


def test_time_that_only_a_lot_beside_prices_pays_for_is_unpriced() -> None:
    found = made([], [lot("lot:support", covers=False)])
    assert [tariff.is_priced for tariff in found.records.values()] == [False]


def test_a_lot_that_supersedes_keeps_the_price_that_it_is_split_by() -> None:
    bill = replace(lot("bill:1"), supersedes=True)
    (tariff,) = made([price("H100", "2")], [bill]).records.values()
    assert tariff.is_superseded
    assert tariff.meter is not None
    assert tariff.is_priced


@pytest.mark.parametrize(
    ("target", "fits"),
    [
        ({"node": ["c/n1"]}, True),
        ({"node": ["n1"]}, True),
        ({"node": ["n2", "n*"]}, True),
        ({"node": ["n2"]}, False),
        ({"slot": ["n1/0"]}, True),
        ({"slot": ["n1/1"]}, False),
        ({"model": ["H100"], "cluster": ["c"]}, True),
        ({"model": ["H100"], "cluster": ["d"]}, False),
        ({"provider": ["aws"]}, True),
        ({"provider": ["*"], "zone": ["*"]}, False),
    ],
)
def test_a_target_must_fit_in_all_that_it_names(target: dict[str, list[str]], fits: bool) -> None:
    found = made([], [lot("lot:bought", **target)], [life(provider="aws")])
    assert bool(found.spans) == fits, "what is not known fits no pattern"


def test_a_lot_may_match_by_all_that_a_slot_and_its_node_say() -> None:
    said = life(provider="aws", billing_account="1", zone="a", instance="i", reservation="r")
    place = Place("c/n1/0", "p5", "H100", "eu", "spot", "c", "c/n1")
    target = {name: ["*"] for name in MATCHED_BY}
    assert stretches(made([], [lot("lot:bought", **target)], [said], place)) == [("lot:bought", 0, 300)]


def test_the_clusters_that_a_lot_pays_in_are_told() -> None:
    places = [H100, Place("d/n1/0", "", "H100", "eu", "", "d", "d/n1")]
    found = tariffs_of(places, [], [], [lot("lot:bought", model=["H100"])], WINDOW)
    assert found.clusters == {"lot:bought": ("c", "d")}


def test_a_lots_gap_is_no_time_that_it_pays_for() -> None:
    parts = (Segment(0, 100, Fraction(1)), Segment(100, 150, Fraction(1)), Segment(200, 300, Fraction(1)))
    found = made([], [Lot("lot:a", "fee", "billed", "a", parts, Target({"node": ["*"]}), covers=True)])
    assert stretches(found) == [("lot:a", 0, 150), ("lot:a", 200, 300)]


def test_a_run_is_counted_by_the_rules_of_its_price() -> None:
    rules = '{"interrupted_free_s":3600}'
    spot = price("H100", "2", rules=rules)
    window = Window(0, 10_000)
    free = made([spot], lives=[life(0, 2700, ended_by="provider")], window=window)
    (record,) = {record for record, low, _ in stretches(free) if low < 2700}
    meter = free.records[record].meter
    assert meter is not None
    assert (meter.rate, free.records[record].is_priced) == (0, True)
    charged = made([spot], lives=[life(0, 2700, ended_by="user")], window=window)
    assert all(
        one.meter and one.meter.rate == meter_of(spot, window).rate for one in charged.records.values()
    )


def test_places_that_are_paid_for_alike_are_one_class() -> None:
    places = [Place(f"c/n1/{number}", "", "H100", "eu", "", "c", "c/n1") for number in range(8)]
    odd = Place("c/n1/8", "", "A100", "eu", "", "c", "c/n1")
    found = tariffs_of([*places, odd], [], [price("H100", "2")], [], WINDOW)
    assert len({found.classes[place] for place in places}) == 1
    assert found.classes[odd] != found.classes[places[0]]


def test_order_and_repetition_of_what_is_said_change_nothing() -> None:
    prices = [price("H100", "2", 0, 120), price("*", "1"), price("H100", "3", 200)]
    lots = [lot("lot:b", 50, 250, covers=False), lot("lot:a", 100, 130)]
    lives = [life(0, 60, region="eu"), life(60, None, region="us")]
    places = [H100, Place("c/n1/1", "", "A100", "eu", "", "c", "c/n1")]
    one = tariffs_of(places, lives, prices, lots, WINDOW)
    other = tariffs_of([*places[::-1], *places], lives[::-1], prices[::-1], lots[::-1], WINDOW)
    assert one == other
