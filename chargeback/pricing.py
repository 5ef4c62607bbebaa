"""The price pass: what meters and lots bring to slots, pools and accounts, exact, over small tables.

A meter's amount is for slots. A lot's goes to the slots of its target by their time, or follows the money of
other lots, or goes to an account where no device is. Under the pooled layer what meters and lots bring to a
pool is summed by piece and goes to all of its slots; else each stands for itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from fractions import Fraction
from functools import cached_property

from chargeback.commitments.commitment import Commitment
from chargeback.commitments.taking import Metered, take_commitments
from chargeback.fx import FxRates
from chargeback.landing import Landing, Priced
from chargeback.lots.lot import Lot
from chargeback.meters import Meter
from chargeback.money_parts import TICKS, Where
from chargeback.node_cost import GPU, NO_RESOURCES, weights_of
from chargeback.taking import Slots, take_lots
from chargeback.tariffs import Tariff
from chargeback.units import PoolPart
from gpuledger.calendars import Piece
from gpuledger.money import Currency, currency, meter_amount, running_split, split_phase

__all__ = ["PricingTerms", "metered_by", "price"]


@dataclass(frozen=True)
class PricingTerms:
    """What a period is priced by.

    `tariffs` by record, with their `numbers`; `lots` with the instant up to which each is recognised in
    `throughs`, UTC seconds; `pieces` of the period in order; `tolerance` is the part of an estimate by which
    a bill may differ from it, None for any. By `weights` a node's price is split over what the node has.
    """

    pooled: bool
    currency: Currency
    pieces: Sequence[Piece]
    tariffs: Mapping[str, Tariff]
    numbers: Mapping[str, int]
    lots: Sequence[Lot]
    throughs: Mapping[str, int]
    fx: FxRates
    tolerance: Fraction | None
    weights: str = ""
    commitments: Mapping[str, Commitment] = field(default_factory=dict)

    def quanta(self, code: str, day: str) -> Fraction:
        """Quanta of the book's currency for a major unit of another on a local day."""
        return self.fx.per_quantum(code, self.currency.code, day) * currency(code).quantum

    @cached_property
    def followed(self) -> frozenset[str]:
        """The lots and meters whose money others follow."""
        names = {lot.name for lot in self.lots}
        names |= {tariff.meter.lot for tariff in self.tariffs.values() if tariff.meter}
        patterns = {pattern for lot in self.lots for pattern in lot.target.lots}
        return frozenset(name for name in names if any(fnmatchcase(name, one) for one in patterns))


def price(parts: Iterable[PoolPart], terms: PricingTerms) -> Priced:
    """Price a period's parts; their order changes nothing.

    Charged by pool the rounding pool of what lands in one is the device class. What lands elsewhere is in
    the rounding pool that its lot names, a meter's in that of its own name.
    """
    landing = Landing(terms.pooled, terms.numbers, terms.followed)
    rates = _Rates(terms)
    seconds: dict[Where, int] = defaultdict(int)
    estimates: dict[Where, Fraction] = {}
    metered: list[Metered] = []
    for part in parts:
        where = Where(part.piece_s, part.shard, part.model, part.region, part.price_record, part.slot_ticks)
        device_seconds = (part.to_s - part.from_s) * part.slot_count
        seconds[where] += device_seconds
        tariff = terms.tariffs[part.price_record]
        rate = None if tariff.meter is None else rates.of(tariff.meter, part)
        if tariff.commitments:
            metered.append(Metered(part, tariff, rate))
        elif rate is None:
            continue
        elif tariff.is_superseded:
            estimates[where] = estimates.get(where, Fraction(0)) + rate * device_seconds
        else:
            _take_meter(terms, part, tariff, rate, landing)
    take_commitments(terms, metered, landing)
    take_lots(terms, Slots(seconds, estimates, terms.tariffs), landing)
    start_s = terms.pieces[0].start_s if terms.pieces else 0
    return landing.priced(seconds, terms.lots, start_s, terms.throughs, terms.currency)


def metered_by(parts: Iterable[PoolPart], terms: PricingTerms) -> Iterator[Metered]:
    """The parts that commitments may cover, each with its rate."""
    rates = _Rates(terms)
    for part in parts:
        tariff = terms.tariffs[part.price_record]
        if tariff.commitments:
            yield Metered(part, tariff, None if tariff.meter is None else rates.of(tariff.meter, part))


def _take_meter(
    terms: PricingTerms, part: PoolPart, tariff: Tariff, rate: Fraction, landing: Landing
) -> None:
    """A meter's amount for each slot of a part: for the slot, and for its part of what else the node has."""
    meter = tariff.meter
    assert meter is not None
    amount = meter_amount(rate, part.from_s, part.to_s)
    exact = rate * (part.to_s - part.from_s) * part.slot_count
    if tariff.resources == NO_RESOURCES:
        landing.meter(part, meter, amount, exact)
        return
    weights = weights_of(terms.weights, part.node_slots, tariff.resources)
    whole = sum(weights.values())
    split = running_split(amount, weights, split_phase(part.piece_s // 3600, 0, whole))
    for kind, money in split.items():
        share = exact * weights[kind] / whole
        if kind == GPU:
            landing.meter(part, meter, money, share)
        else:
            landing.resource(part, meter, kind, money, share)


class _Rates:
    """Rates in quanta of the book's currency per second of a slot."""

    def __init__(self, terms: PricingTerms) -> None:
        self._terms = terms
        self._known: dict[tuple[str, str, int, int], Fraction] = {}

    def of(self, meter: Meter, part: PoolPart) -> Fraction:
        """The rate of a meter for one slot of a part, by the exchange rate of its day."""
        key = (meter.record, part.day, part.slot_ticks, part.node_slots)
        if key not in self._known:
            each = Fraction(1, part.node_slots) if meter.is_per_node else Fraction(part.slot_ticks, TICKS)
            exchange = self._terms.fx.per_quantum(meter.currency, self._terms.currency.code, part.day)
            self._known[key] = meter.rate * each * exchange
        return self._known[key]
