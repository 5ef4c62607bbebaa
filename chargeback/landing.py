"""Where money lands in a period: on slots, in pools or in accounts, with each rounding pool's exact total."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from chargeback.layers import ACCRUED
from chargeback.lots.lot import Lot
from chargeback.meters import Meter
from chargeback.money_parts import (
    BilledPart,
    Charge,
    DirectPart,
    LotShare,
    MeterAmount,
    RecognisedPart,
    ResourceAmount,
    Where,
    pool_name,
)
from chargeback.units import PoolPart, PoolShare
from gpuledger.calendars import Piece, utc_day
from gpuledger.money import Currency, half_up, running_split, split_phase

__all__ = ["Account", "Landing", "Place", "Priced"]

Account = tuple[str, str]
"""An account, and its state where it has states."""

Place = Where | Account
"""Where money lands in a piece."""


@dataclass
class Priced:
    """What a period's pricing found.

    `exact` has by rounding pool the unrounded amount of the period in quanta, `cents` its minor units.
    `pools` names the rounding pool of each lot whose money is not in that of a device class. `charges` are
    numbered from 1; 0 is the pool itself. `rated` has, by each lot of a bill that takes the place of
    estimates, what these come to, in quanta; `uncovered` the ticks that commitments leave and no meter takes.
    """

    shares: list[PoolShare] = field(default_factory=list)
    lot_shares: list[LotShare] = field(default_factory=list)
    recognised: list[RecognisedPart] = field(default_factory=list)
    amounts: list[MeterAmount] = field(default_factory=list)
    resources: list[ResourceAmount] = field(default_factory=list)
    charges: list[Charge] = field(default_factory=list)
    direct: list[DirectPart] = field(default_factory=list)
    billed: list[BilledPart] = field(default_factory=list)
    exact: dict[str, Fraction] = field(default_factory=dict)
    cents: dict[str, int] = field(default_factory=dict)
    pools: dict[str, str] = field(default_factory=dict)
    rated: dict[str, Fraction] = field(default_factory=dict)
    uncovered: int = 0


class Landing:
    """Collects what lands where.

    `followed` names the lots and meters whose money others follow: of these `moves` keeps what landed where.
    """

    def __init__(self, pooled: bool, numbers: Mapping[str, int], followed: Collection[str]) -> None:
        self.moves: dict[str, dict[tuple[int, Place], int]] = defaultdict(lambda: defaultdict(int))
        self.exact: dict[str, Fraction] = defaultdict(Fraction)
        self.rated: dict[str, Fraction] = {}
        self.uncovered = Fraction(0)
        self.billed: list[BilledPart] = []
        self._pooled, self._numbers, self._followed = pooled, numbers, followed
        self._into_pools: dict[tuple[int, str, str, str, str, str, str, int, str], int] = defaultdict(int)
        self._onto_slots: dict[tuple[str, str, Where], int] = defaultdict(int)
        self._direct: dict[tuple[str, str, str, int, str, str, str], int] = defaultdict(int)
        self._meters: dict[tuple[str, str, int, int, int, int], int] = {}
        self._resources: dict[tuple[str, str, int, str, int, int], int] = {}
        self._pools: dict[str, str] = {}
        self._fixed: dict[str, set[str]] = defaultdict(set)
        self._mixed: set[str] = set()

    def meter(self, part: PoolPart, meter: Meter, amount: int, exact: Fraction) -> None:
        """A meter's `amount` for one slot of a part; `exact` for all of them."""
        if meter.lot in self._followed:
            where = Where(
                part.piece_s, part.shard, part.model, part.region, part.price_record, part.slot_ticks
            )
            self.moves[meter.lot][part.piece_s, where] += amount * part.slot_count
        if self._pooled:
            key = (part.shard, meter.lot, pool_name(part.model, part.region), part.model, part.region)
            self._into_pools[*key, part.utc_day, part.day, part.piece_s, ACCRUED] += amount * part.slot_count
            self.exact[part.model] += exact
        else:
            stretch = (part.slot_ticks, part.node_slots, part.from_s, part.to_s)
            self._meters[meter.lot, part.price_record, *stretch] = amount
            self.exact[meter.lot] += exact
            self._mixed.add(meter.lot)

    def resource(self, part: PoolPart, meter: Meter, kind: str, amount: int, exact: Fraction) -> None:
        """What a meter's amount for one slot has for a kind of its node; `exact` for all slots of the part.

        It is in no pool, whatever is charged: its rounding pool is the meter's own.
        """
        key = (meter.lot, part.price_record, part.node_slots, kind, part.from_s, part.to_s)
        self._resources[key] = amount
        self.exact[meter.lot] += exact
        self._mixed.add(meter.lot)
        self._pools[meter.lot] = meter.lot

    def rest(self, part: PoolPart, meter: Meter, amount: int, exact: Fraction) -> None:
        """What a meter makes of those seconds of all slots of a part that no commitment covers."""
        where = Where(part.piece_s, part.shard, part.model, part.region, part.price_record, part.slot_ticks)
        if meter.lot in self._followed:
            self.moves[meter.lot][part.piece_s, where] += amount
        if self._pooled:
            key = (part.shard, meter.lot, pool_name(part.model, part.region), part.model, part.region)
            self._into_pools[*key, part.utc_day, part.day, part.piece_s, ACCRUED] += amount
            self.exact[part.model] += exact
        else:
            self._onto_slots[meter.lot, ACCRUED, where] += amount
            self.exact[meter.lot] += exact
            self._mixed.add(meter.lot)

    def slots(self, lot: Lot, piece: Piece, where: Where, source: str, amount: int, exact: Fraction) -> None:
        """What a lot brings to some slots in a piece."""
        if lot.name in self._followed:
            self.moves[lot.name][piece.start_s, where] += amount
        if self._pooled:
            key = (where.shard, lot.name, pool_name(where.model, where.region), where.model, where.region)
            self._into_pools[*key, utc_day(piece.start_s), piece.day, piece.start_s, source] += amount
            self.exact[where.model] += exact
            self._mixed.add(lot.rounding_pool)
        else:
            self._onto_slots[lot.name, source, where] += amount
            self._own(lot, exact)

    def direct(
        self, lot: Lot, piece: Piece, account: Account, source: str, amount: int, exact: Fraction
    ) -> None:
        """What a lot brings to an account in a piece, without a device."""
        if lot.name in self._followed:
            self.moves[lot.name][piece.start_s, account] += amount
        self._direct[lot.name, utc_day(piece.start_s), piece.day, piece.start_s, source, *account] += amount
        self._own(lot, exact)

    def _own(self, lot: Lot, exact: Fraction) -> None:
        self.exact[lot.rounding_pool] += exact
        self._pools[lot.name] = lot.rounding_pool
        self._fixed[lot.rounding_pool].add(lot.name)

    def not_fixed(self, rounding_pool: str) -> None:
        """Say that a rounding pool has money that is not a lot's own recognition."""
        self._mixed.add(rounding_pool)

    def priced(
        self,
        slots: Mapping[Where, int],
        lots: Sequence[Lot],
        start_s: int,
        throughs: Mapping[str, int],
        money: Currency,
    ) -> Priced:
        """What was found; `slots` has the slot-seconds of each place."""
        charges = self._charges()
        numbers = {(charge.lot, charge.from_account): charge.charge_no for charge in charges}
        recognised = [RecognisedPart(*key, amount) for key, amount in sorted(self._into_pools.items())]
        return Priced(
            shares=list(_shares(slots, recognised)) if self._pooled else [],
            lot_shares=list(self._lot_shares(slots, numbers)),
            recognised=recognised,
            amounts=sorted(
                MeterAmount(
                    self._numbers[record], numbers[lot, ACCRUED], ticks, slots_there, from_s, to_s, amount
                )
                for (lot, record, ticks, slots_there, from_s, to_s), amount in self._meters.items()
            ),
            resources=sorted(
                ResourceAmount(
                    self._numbers[record], numbers[lot, ACCRUED], node_slots, kind, from_s, to_s, amount
                )
                for (lot, record, node_slots, kind, from_s, to_s), amount in self._resources.items()
            ),
            charges=charges,
            direct=[DirectPart(*key, amount) for key, amount in sorted(self._direct.items()) if amount],
            billed=sorted(self.billed),
            exact=dict(sorted(self.exact.items())),
            cents=self._cents(lots, start_s, throughs, money),
            pools=dict(sorted(self._pools.items())),
            rated=self.rated,
            uncovered=half_up(self.uncovered),
        )

    def _charges(self) -> list[Charge]:
        used = {(lot, ACCRUED) for lot, *_ in self._meters}
        used |= {(lot, source) for lot, source, _ in self._onto_slots}
        used |= {(lot, ACCRUED) for lot, *_ in self._resources}
        return [Charge(number, lot, source) for number, (lot, source) in enumerate(sorted(used), 1)]

    def _lot_shares(
        self, slots: Mapping[Where, int], numbers: Mapping[tuple[str, str], int]
    ) -> Iterator[LotShare]:
        landed = ((key, amount) for key, amount in sorted(self._onto_slots.items()) if amount)
        for number, ((lot, source, where), amount) in enumerate(landed, 1):
            yield LotShare(
                share_no=number,
                shard=where.shard,
                charge_no=numbers[lot, source],
                price_no=self._numbers[where.price_record],
                model=where.model,
                region=where.region,
                piece_s=where.piece_s,
                slot_ticks=where.slot_ticks,
                slot_seconds=slots[where],
                amount=amount,
            )

    def _cents(
        self, lots: Sequence[Lot], start_s: int, throughs: Mapping[str, int], money: Currency
    ) -> dict[str, int]:
        """The minor units of each rounding pool: of one that has fixed lots alone what they reach by the end
        less what they had reached at the start, each rounded; else its amount of the period, rounded."""
        named = {lot.name: lot for lot in lots}
        found: dict[str, int] = {}
        for pool, exact in sorted(self.exact.items()):
            if pool in self._fixed and pool not in self._mixed:
                mine = [named[name] for name in self._fixed[pool]]
                ends = (
                    sum((lot.recognised_to(throughs[lot.name]) for lot in mine), Fraction(0)),
                    sum((lot.recognised_to(start_s) for lot in mine), Fraction(0)),
                )
                end, begin = (half_up(amount / money.quanta_per_minor) for amount in ends)
                found[pool] = end - begin
            else:
                found[pool] = half_up(exact / money.quanta_per_minor)
        return found


def _shares(slots: Mapping[Where, int], recognised: Sequence[RecognisedPart]) -> Iterator[PoolShare]:
    """Each (pool, piece)'s amount by the slot-time of every (shard, slot size) in it."""
    totals: dict[tuple[str, str, int], int] = defaultdict(int)
    for row in recognised:
        totals[row.model, row.region, row.piece_s] += row.amount
    seconds: dict[tuple[str, str, int], dict[tuple[int, int], int]] = defaultdict(lambda: defaultdict(int))
    for where, count in slots.items():
        seconds[where.model, where.region, where.piece_s][where.shard, where.slot_ticks] += count
    number = 0
    for (model, region, piece_s), by_size in sorted(seconds.items()):
        weights = {key: count * key[1] for key, count in by_size.items()}
        phase = split_phase(piece_s // 3600, 0, sum(weights.values()))
        split = running_split(totals[model, region, piece_s], weights, phase)
        for (shard, ticks), amount in sorted(split.items()):
            pool = pool_name(model, region)
            yield PoolShare(number, shard, pool, model, region, piece_s, ticks, by_size[shard, ticks], amount)
            number += 1
