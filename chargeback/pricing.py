"""The price pass: what each pool's pieces cost, from meters as exact rationals, over small tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from chargeback.spans import Meter
from chargeback.units import PoolPart, PoolShare
from gpuledger.money import meter_amount, running_split, split_phase

__all__ = ["TICKS", "MeterAmount", "Priced", "RecognisedPart", "pool_name", "price"]

TICKS = 720_720
"""Ticks in a second of one whole device."""


@dataclass(frozen=True, order=True)
class MeterAmount:
    """A meter's own amount for one slot of one size over one stretch, in quanta."""

    price_no: int
    slot_ticks: int
    from_s: int
    to_s: int
    amount: int


@dataclass(frozen=True)
class RecognisedPart:
    """What a lot recognises in a pool and piece within one shard, in quanta."""

    shard: int
    lot: str
    pool: str
    model: str
    region: str
    utc_day: str
    day: str
    piece_s: int
    amount: int


@dataclass
class Priced:
    """The result: `exact` has, by rounding pool, the unrounded amount of the period in quanta."""

    shares: list[PoolShare] = field(default_factory=list)
    recognised: list[RecognisedPart] = field(default_factory=list)
    amounts: list[MeterAmount] = field(default_factory=list)
    exact: dict[str, Fraction] = field(default_factory=dict)


def pool_name(model: str, region: str) -> str:
    """The pool of a device class in a region, as entries and screens write it."""
    return f"{model}/{region}"


def price(
    parts: Iterable[PoolPart], meters: Mapping[str, Meter], numbers: Mapping[str, int], charged: str
) -> Priced:
    """Price a period's parts.

    Charged `pooled`: a pool's meters are summed by piece, and the sum goes to shards and slot sizes by
    slot-seconds; the rounding pool is the device class. Charged `recognised`: each meter's amounts stand for
    themselves, and the rounding pool is the meter's lot.
    """
    priced = Priced()
    kept = list(parts)
    for part in kept:
        meter = meters[part.price_record]
        pool = part.model if charged == "pooled" else meter.lot
        cost = _rate(meter, part) * (part.to_s - part.from_s) * part.slot_count
        priced.exact[pool] = priced.exact.get(pool, Fraction(0)) + cost
    if charged == "pooled":
        priced.recognised = _recognised(kept, meters)
        priced.shares = _shares(kept, priced.recognised)
    else:
        priced.amounts = sorted({_slot_amount(part, meters, numbers) for part in kept})
    return priced


def _rate(meter: Meter, part: PoolPart) -> Fraction:
    return meter.rate * part.slot_ticks / TICKS


def _slot_amount(part: PoolPart, meters: Mapping[str, Meter], numbers: Mapping[str, int]) -> MeterAmount:
    amount = meter_amount(_rate(meters[part.price_record], part), part.from_s, part.to_s)
    return MeterAmount(numbers[part.price_record], part.slot_ticks, part.from_s, part.to_s, amount)


def _recognised(parts: Iterable[PoolPart], meters: Mapping[str, Meter]) -> list[RecognisedPart]:
    sums: dict[tuple[int, str, str, str, str, str, str, int], int] = defaultdict(int)
    for part in parts:
        meter = meters[part.price_record]
        pool = pool_name(part.model, part.region)
        key = (part.shard, meter.lot, pool, part.model, part.region, part.utc_day, part.day, part.piece_s)
        sums[key] += meter_amount(_rate(meter, part), part.from_s, part.to_s) * part.slot_count
    return [RecognisedPart(*key, amount) for key, amount in sorted(sums.items())]


def _shares(parts: Iterable[PoolPart], recognised: Iterable[RecognisedPart]) -> list[PoolShare]:
    """Each (pool, piece)'s amount by the slot-time of every (shard, slot size) in it."""
    totals: dict[tuple[str, int], int] = defaultdict(int)
    for row in recognised:
        totals[row.pool, row.piece_s] += row.amount
    seconds: dict[tuple[str, str, int], dict[tuple[int, int], int]] = defaultdict(lambda: defaultdict(int))
    for part in parts:
        seconds[part.model, part.region, part.piece_s][part.shard, part.slot_ticks] += (
            part.to_s - part.from_s
        ) * part.slot_count
    shares: list[PoolShare] = []
    for (model, region, piece_s), by_size in sorted(seconds.items()):
        pool = pool_name(model, region)
        weights = {key: count * key[1] for key, count in by_size.items()}
        phase = split_phase(piece_s // 3600, 0, sum(weights.values()))
        split = running_split(totals[pool, piece_s], weights, phase)
        shares += [
            PoolShare(number, shard, pool, model, region, piece_s, ticks, by_size[shard, ticks], amount)
            for number, ((shard, ticks), amount) in enumerate(sorted(split.items()), len(shares))
        ]
    return shares
