"""Commitments in the price pass: used money where it is used, unused money apart, the rest at its price."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction

import pytest

from chargeback.commitments.commitment import Commitment, Coverable, Level
from chargeback.fx import fx_rates
from chargeback.landing import Priced
from chargeback.lots.lot import Lot, Segment, Target
from chargeback.meters import Meter
from chargeback.money_parts import TICKS
from chargeback.pricing import PricingTerms, price
from chargeback.tariffs import Tariff
from chargeback.units import PoolPart
from gpuledger.calendars import calendar_pieces
from gpuledger.money import currency

USD = 10**9
HOUR = 1_790_000_000 // 3600 * 3600
DAY = HOUR + 24 * 3600
PIECES = calendar_pieces("UTC", HOUR, DAY)
METER = Meter("meter", "meter@3", Fraction(3 * USD, 3600), "3", "USD")
BOTH = pytest.mark.parametrize("pooled", [True, False])


def part(record: str, count: int, hour: int, *, model: str = "H100", node_slots: int = 1) -> PoolPart:
    start = HOUR + hour * 3600
    day = PIECES[hour].day
    return PoolPart(0, model, "", start, day, day, record, TICKS, node_slots, start, start + 3600, count)


def commitment(
    name: str,
    each_hour: str,
    units: str,
    *,
    turn: int = 20,
    covers: Sequence[Coverable] = (),
    **values: object,
) -> Commitment:
    """A commitment for a day that costs so much an hour, with so many units, or so much money an hour."""
    amount = Fraction(each_hour) * 24 * USD
    lot = Lot(name, "commitment", "billed", name, (Segment(HOUR, DAY, amount),), Target(), currency="USD")
    measure = "spend" if any(one.rate or one.discount for one in covers) else "gpu"
    level = Fraction(units) / 3600 if measure == "spend" else Fraction(units)
    made = {"measure": measure, "window": "hour", **values}
    levels = (Level(HOUR, DAY, level),)
    return Commitment(lot, levels=levels, covers=tuple(covers) or (Coverable({}),), turn=turn, **made)  # type: ignore[arg-type]


def tariff(record: str, *names: str, meter: Meter | None = METER) -> Tariff:
    return Tariff(record, meter, commitments=tuple((name, 0) for name in names))


def priced(
    parts: Sequence[PoolPart],
    commitments: Sequence[Commitment],
    *tariffs: Tariff,
    pooled: bool,
    hours: int = 24,
) -> Priced:
    terms = PricingTerms(
        pooled=pooled,
        currency=currency("USD"),
        pieces=PIECES,
        tariffs={one.record: one for one in tariffs},
        numbers={one.record: number for number, one in enumerate(tariffs, 1)},
        lots=[one.lot for one in commitments],
        throughs={one.name: HOUR + hours * 3600 for one in commitments},
        fx=fx_rates([]),
        tolerance=None,
        commitments={one.name: one for one in commitments},
    )
    return price(parts, terms)


def costs(found: Priced) -> dict[str, int]:
    """Money on slots by lot or meter, and money apart by lot and account; in quanta."""
    sums: dict[str, int] = defaultdict(int)
    names = {charge.charge_no: charge.lot for charge in found.charges}
    for share in found.lot_shares:
        sums[names[share.charge_no]] += share.amount
    for pool in found.recognised:
        sums[pool.lot] += pool.amount
    for direct in found.direct:
        sums[f"{direct.lot} {direct.account}"] += direct.amount
    return dict(sums)


@BOTH
def test_each_hour_is_used_or_lost_by_itself(pooled: bool) -> None:
    """E12: 8 GPUs at 1.50, used by 4 in half of the hours and by 11 in the others."""
    parts = [part("t", 4 if hour < 12 else 11, hour) for hour in range(24)]
    found = priced(parts, [commitment("c", "12", "8")], tariff("t", "c"), pooled=pooled)
    assert costs(found) == {"c": 216 * USD, "c commitment_unused": 72 * USD, "meter": 108 * USD}
    assert sum(found.cents.values()) == 39_600


@BOTH
def test_money_goes_where_it_saves_the_most(pooled: bool) -> None:
    """E15: ten dollars an hour; x at 6.00 for 12.00, y at 7.00 for 10.00, and then x alone."""
    x, y = (
        Meter(name, name, Fraction(rate * USD, 3600), str(rate), "USD")
        for name, rate in (("x", 12), ("y", 10))
    )
    covers = (Coverable({}, rate=Fraction(6)), Coverable({}, rate=Fraction(7)))
    plan = commitment("plan", "10", "10", covers=covers)
    tariffs = (Tariff("x", x, commitments=(("plan", 0),)), Tariff("y", y, commitments=(("plan", 1),)))
    parts = [part("x", 1, 0, model="X"), part("y", 1, 0, model="Y"), part("x", 1, 1, model="X")]
    found = priced(parts, [plan], *tariffs, pooled=pooled, hours=2)
    assert costs(found) == {"plan": 16 * USD, "plan commitment_unused": 4 * USD, "y": 30 * USD // 7}


@BOTH
def test_rate_above_the_metered_one_is_never_paid(pooled: bool) -> None:
    plan = commitment("plan", "10", "10", covers=(Coverable({}, rate=Fraction(4)),))
    found = priced([part("t", 2, 0)], [plan], tariff("t", "plan"), pooled=pooled, hours=1)
    assert costs(found) == {"plan": 6 * USD, "plan commitment_unused": 4 * USD}


@BOTH
def test_commitment_that_nothing_may_use_is_lost_whole(pooled: bool) -> None:
    found = priced([part("t", 2, 0)], [commitment("c", "1", "1")], tariff("t"), pooled=pooled)
    assert costs(found)["c commitment_unused"] == 24 * USD


@BOTH
def test_what_adds_to_the_price_leaves_it_in_force(pooled: bool) -> None:
    hold = commitment("hold", "4", "4", adds=True)
    found = priced([part("t", 1, 0)], [hold], tariff("t", "hold"), pooled=pooled, hours=1)
    assert costs(found) == {"hold": USD, "hold commitment_unused": 3 * USD, "meter": 3 * USD}


@BOTH
def test_the_window_that_is_not_over_yet_counts_up_to_where_all_is_known(pooled: bool) -> None:
    found = priced([part("t", 1, 0)], [commitment("c", "2", "2")], tariff("t", "c"), pooled=pooled, hours=1)
    assert costs(found) == {"c": USD, "c commitment_unused": USD}


def test_nodes_count_whole_whatever_their_slots() -> None:
    c = commitment("c", "16", "1", measure="node")
    parts = [part("t", 8, 0, node_slots=8), part("t", 8, 1, node_slots=8), part("t", 8, 1, node_slots=4)]
    found = priced(parts, [c], tariff("t", "c"), pooled=False, hours=2)
    assert costs(found) == {"c": 32 * USD, "meter": 2 * 16 * 3 * USD // 3}
