"""Commitments in the price pass: window by window, what each covers and what of its money nothing uses.

A window is a piece of the calendar. Used money goes to what is covered, by the units that it takes; the rest
of a metered price is for the seconds that nothing covers; unused money goes to the commitment's account.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Protocol

from chargeback.commitments.commitment import Commitment, Coverable
from chargeback.commitments.waterfall import Asked, Option, Usage, waterfall
from chargeback.landing import Landing
from chargeback.layers import ACCRUED
from chargeback.lots.balances import sources_of
from chargeback.lots.lot import truncated
from chargeback.meters import Meter
from chargeback.money_parts import TICKS, Where
from chargeback.tariffs import Tariff
from chargeback.units import PoolPart
from gpuledger.calendars import Piece
from gpuledger.money import running_split, split_phase

__all__ = ["CoverWindow", "Metered", "take_commitments", "windows_of"]


class _Terms(Protocol):
    @property
    def pieces(self) -> Sequence[Piece]: ...
    @property
    def commitments(self) -> Mapping[str, Commitment]: ...
    @property
    def throughs(self) -> Mapping[str, int]: ...
    def quanta(self, code: str, day: str) -> Fraction: ...


@dataclass(frozen=True)
class Metered:
    """Slots that commitments may cover: `rate` is in quanta a second of one of them, None without a meter."""

    part: PoolPart
    tariff: Tariff
    rate: Fraction | None

    @property
    def where(self) -> Where:
        part = self.part
        return Where(part.piece_s, part.shard, part.model, part.region, part.price_record, part.slot_ticks)


def take_commitments(terms: _Terms, metered: Iterable[Metered], landing: Landing) -> None:
    """Let commitments cover what they may, and land what comes of it."""
    for window in windows_of(terms, metered):
        window.land(landing)


def windows_of(terms: _Terms, metered: Iterable[Metered]) -> Iterator[CoverWindow]:
    """The windows of a period in time order in which anything may be covered, or is committed."""
    by_piece: dict[int, list[Metered]] = defaultdict(list)
    for one in sorted(metered, key=lambda one: (one.where, one.part.from_s, one.part.node_slots)):
        by_piece[one.part.piece_s].append(one)
    ordered = sorted(terms.commitments.values(), key=lambda one: (one.turn, one.name))
    for piece in terms.pieces:
        here = by_piece.get(piece.start_s, [])
        alive = {one.name: one for one in ordered if _meets(one, piece, terms.throughs)}
        if here or alive:
            yield CoverWindow(terms, piece, here, alive)


def _meets(one: Commitment, piece: Piece, throughs: Mapping[str, int]) -> bool:
    until_s = min(one.lot.to_s, throughs[one.name])
    return one.lot.from_s < piece.end_s and until_s > piece.start_s


class CoverWindow:
    """One piece: its usage, the commitments that are alive in it in their turn, and what came of them."""

    def __init__(
        self, terms: _Terms, piece: Piece, metered: Sequence[Metered], alive: Mapping[str, Commitment]
    ) -> None:
        self.terms, self.piece, self.metered, self.alive = terms, piece, metered, alive
        usages = [
            Usage(one.part.from_s, one.part.to_s, one.part.slot_count, tuple(self._options(one)))
            for one in metered
        ]
        self.outcome = waterfall(usages, [self._asked(one) for one in alive.values()])

    def land(self, landing: Landing) -> None:
        """Land the money of the commitments, and what meters make of the rest."""
        for commitment in self.alive.values():
            self._land(commitment, landing)
        self._land_rest(landing)

    def recognised(self, commitment: Commitment) -> tuple[int, Fraction]:
        """What a commitment recognises in the window: whole quanta, and exact."""
        lot, begin_s = commitment.lot, self.piece.start_s
        until_s = min(self.piece.end_s, self.terms.throughs[lot.name])
        return lot.recognised(begin_s, until_s), lot.recognised_to(until_s) - lot.recognised_to(begin_s)

    def _options(self, one: Metered) -> Iterator[Option]:
        for name, number in one.tariff.commitments:
            if (commitment := self.alive.get(name)) is not None:
                option = self._option(commitment, commitment.covers[number], one)
                if option is not None:
                    yield option

    def _option(self, commitment: Commitment, cover: Coverable, one: Metered) -> Option | None:
        """What a second of a slot takes of a commitment; None of money where no meter is in force.

        Where its own rate is above the metered one, the lower is used, and is drawn all the same.
        """
        node, gpu = Fraction(1, one.part.node_slots), Fraction(one.part.slot_ticks, TICKS)
        if commitment.measure == "gpu":
            return Option(commitment.name, gpu * cover.factor)
        if commitment.measure == "node":
            return Option(commitment.name, node * cover.factor, (cover.factor,))
        if not one.rate:
            return None
        if cover.discount is not None:
            rate = one.rate * (1 - cover.discount)
        else:
            assert cover.rate is not None
            each = node if cover.rate_unit == "node" else gpu
            quanta = self.terms.quanta(commitment.lot.currency, one.part.day)
            rate = min(cover.rate * quanta * each / 3600, one.rate)
        return Option(commitment.name, rate, (rate / one.rate, rate))

    def _asked(self, one: Commitment) -> Asked:
        until_s = min(self.piece.end_s, self.terms.throughs[one.name])
        quanta = Fraction(1)
        if one.measure == "spend":
            quanta = self.terms.quanta(one.lot.currency, self.piece.day)
        levels = (
            (max(level.from_s, self.piece.start_s), min(level.to_s, until_s), level.amount * quanta)
            for level in one.levels
        )
        kept = tuple(level for level in levels if level[0] < level[1])
        return Asked(one.name, kept, one.window == "instant", one.adds)

    def _land(self, commitment: Commitment, landing: Landing) -> None:
        """A commitment's money of the window: to what used it, and what is left to its account."""
        lot, piece, outcome = commitment.lot, self.piece, self.outcome
        amount, exact = self.recognised(commitment)
        if not amount and not exact:
            return
        used = outcome.used[lot.name]
        unused = outcome.capacity[lot.name] - sum(used.values(), Fraction(0))
        parts = {place: units for place, units in used.items() if units}
        weights = _whole({**parts, _UNUSED: unused} if unused or not parts else parts)
        whole = sum(weights.values()) or 1
        phase = split_phase(piece.start_s // 3600, 0, whole)
        for source, some in sources_of(lot, piece, amount) if amount else [(ACCRUED, 0)]:
            share = Fraction(some, amount) if amount else Fraction(1)
            for place, part in running_split(some, weights, phase).items():
                mine = exact * share * Fraction(weights[place], whole)
                if place == _UNUSED:
                    landing.direct(lot, piece, (commitment.waste, ""), source, part, mine)
                else:
                    landing.slots(lot, piece, self.metered[place].where, source, part, mine)

    def _land_rest(self, landing: Landing) -> None:
        """What meters make of the seconds that nothing covers: whole quanta by meter, then by usage."""
        rest: dict[str, dict[int, Fraction]] = defaultdict(dict)
        meters: dict[str, Meter] = {}
        for place, (one, seconds) in enumerate(zip(self.metered, self.outcome.left, strict=True)):
            meter = one.tariff.meter
            if meter is not None and one.rate is not None:
                meters[meter.record] = meter
                rest[meter.record][place] = one.rate * seconds
            elif not any(self.terms.commitments[name].places for name, _ in one.tariff.commitments):
                landing.uncovered += seconds * one.part.slot_ticks
        for record, exact in sorted(rest.items()):
            amount = truncated(sum(exact.values(), Fraction(0)))
            weights = _whole({place: value for place, value in exact.items() if value})
            for place, part in running_split(amount, weights).items():
                landing.rest(self.metered[place].part, meters[record], part, exact[place])


_UNUSED = -1
"""The place of what nothing uses, among those of usage."""


def _whole(parts: Mapping[int, Fraction]) -> dict[int, int]:
    """Weights as whole numbers; one that stands alone weighs something."""
    scale = lcm(*(value.denominator for value in parts.values()))
    weights = {key: int(value * scale) for key, value in parts.items()}
    return weights if any(weights.values()) else dict.fromkeys(weights, 1)
