"""Who has what of each slot while nothing changes: DESIGN.md sections 1 and 8 on exact fractions.

Where a rule leaves the choice of a tick or a quantum, the choice is not made here: the exact share is given,
with how far a split may be from it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor
from typing import NamedTuple, Protocol, TypeVar

from fleets import Fleet, Holding, Slot

from gpuledger.versions import PriceFact

__all__ = ["TICKS", "Meter", "Moment", "Part", "Stretch", "Taker", "Timed", "until"]

TICKS = 720_720
"""Ticks in a second of a whole device."""
QUANTA = 10**9


class Taker(NamedTuple):
    """Whose time it is: an owner's run, or an account that no team owns."""

    run: str
    owner: str
    team: str
    cost_centre: str
    account: str
    state: str


class Meter(NamedTuple):
    """What a price is for, as its list says it."""

    kind: str
    selector: str
    region: str
    purchase_option: str


@dataclass
class Part:
    """A taker's exact ticks of a slot.

    Whole ticks may be `among_runs` ticks away from them after a split between runs, and `among_slots` after
    one between the free slots of a node; the sum over these slots is not.
    """

    ticks: Fraction = Fraction(0)
    among_runs: int = 0
    among_slots: int = 0

    def add(self, other: Part) -> None:
        self.ticks += other.ticks
        self.among_runs += other.among_runs
        self.among_slots += other.among_slots


@dataclass
class Stretch:
    """A slot while its node's slots and their prices stay as they are, within one calendar piece.

    `size` is in ticks per second, `rate` in quanta per second of the whole slot (None: unpriced). The parts
    are the slot's time.
    """

    cluster: str
    node: str
    slot: str
    model: str
    region: str
    sku: str
    purchase_option: str
    assumed: bool
    size: int
    meter: Meter | None
    rate: Fraction | None
    piece_s: int
    from_s: int
    to_s: int
    parts: dict[Taker, Part] = field(default_factory=dict)

    @property
    def ticks(self) -> int:
        return self.size * (self.to_s - self.from_s)

    @property
    def exact(self) -> Fraction:
        """What it costs, in quanta."""
        return (self.rate or Fraction(0)) * (self.to_s - self.from_s)

    @property
    def amount(self) -> int:
        """What its meter says: floor(r end) - floor(r start), instants in Unix seconds."""
        rate = self.rate or Fraction(0)
        return floor(rate * self.to_s) - floor(rate * self.from_s)

    def goes_on_as(self, other: Stretch) -> bool:
        mine = (self.slot, self.model, self.region, self.sku, self.purchase_option, self.size, self.piece_s)
        theirs = (
            *(other.slot, other.model, other.region, other.sku, other.purchase_option, other.size),
            other.piece_s,
        )
        return (mine, self.meter, self.rate, self.to_s) == (theirs, other.meter, other.rate, other.from_s)


class Timed(Protocol):
    """A fact that holds over [start, end); an end of None is open."""

    @property
    def start_s(self) -> int: ...
    @property
    def end_s(self) -> int | None: ...


class _Placed(Timed, Protocol):
    @property
    def cluster(self) -> str: ...


T = TypeVar("T", bound=Timed)
C = TypeVar("C", bound=_Placed)


@dataclass(frozen=True)
class Moment:
    """A cluster between two instants between which nothing changes."""

    fleet: Fleet
    cluster: str
    piece_s: int
    from_s: int
    to_s: int

    def nodes(self) -> Iterator[list[Stretch]]:
        """The slots that each node has."""
        for node in sorted({slot.node for slot in self.fleet.slots}):
            shares = self._shares(node)
            slots = [self._stretch(slot, shares[slot.slot]) for slot in self._present(node)]
            if slots:
                yield slots

    def assumed(self) -> Iterator[Stretch]:
        """One slot per unit held without a node, the last one smaller where a fraction is left."""
        held: dict[tuple[str, str, str, str], list[Holding]] = defaultdict(list)
        for holding in self._holdings():
            if holding.node is None:
                held[holding.node_group, holding.run, holding.model, holding.region].append(holding)
        for (group, run, model, region), holdings in sorted(held.items()):
            left, number = sum(map(_claim, holdings)), 0
            while left > 0:
                name = f"{group}/{run}/{model}/{region}/{number}"
                slot = Slot("", self.cluster, 0, None, name, 0, model, region, "", "")
                taker = self._holder(holdings[0])
                size = min(left, TICKS)
                yield self._stretch(slot, {taker: Part(Fraction(size))}, size, assumed=True)
                left, number = left - TICKS, number + 1

    def _stretch(
        self, slot: Slot, shares: Mapping[Taker, Part], size: int = TICKS, *, assumed: bool = False
    ) -> Stretch:
        price = _price_of(slot, self._now_of_all(self.fleet.prices))
        seconds = self.to_s - self.from_s
        return Stretch(
            cluster=self.cluster,
            node=slot.node,
            slot=slot.slot,
            model=slot.model,
            region=slot.region,
            sku=slot.sku,
            purchase_option=slot.purchase_option,
            assumed=assumed,
            size=size,
            meter=None if price is None else _meter_of(price),
            rate=None if price is None else Fraction(price.rate) * QUANTA / 3600 * size / TICKS,
            piece_s=self.piece_s,
            from_s=self.from_s,
            to_s=self.to_s,
            parts={
                taker: Part(part.ticks * seconds, part.among_runs * seconds, part.among_slots * seconds)
                for taker, part in shares.items()
                if part.ticks
            },
        )

    def orphaned(self) -> int:
        """The ticks per second that holdings claim where no slot is."""
        found = 0
        for node in {holding.node for holding in self._holdings() if holding.node}:
            placed, unplaced = self._claimed(node)
            present = {slot.slot for slot in self._present(node)}
            found += sum(_claim(one) for name, held in placed.items() if name not in present for one in held)
            found += 0 if self._free(node) else sum(map(_claim, unplaced))
        return found

    def _claimed(self, node: str) -> tuple[dict[str, list[Holding]], list[Holding]]:
        """The holdings of a node by the slot that they name, and those that name none."""
        placed: dict[str, list[Holding]] = defaultdict(list)
        unplaced: list[Holding] = []
        for holding in self._holdings():
            if holding.node == node:
                place = self._place(holding)
                (unplaced if place is None else placed[place]).append(holding)
        return placed, unplaced

    def _free(self, node: str) -> list[str]:
        placed, _ = self._claimed(node)
        return [
            slot.slot
            for slot in self._present(node)
            if slot.slot not in placed and self._state(slot.slot) == "available"
        ]

    def _shares(self, node: str) -> dict[str, dict[Taker, Part]]:
        """Who has what of each slot of a node, in ticks per second."""
        placed, unplaced = self._claimed(node)
        free = self._free(node)
        wanted = self._wanted(unplaced, len(free))
        shares: dict[str, dict[Taker, Part]] = {}
        for slot in self._present(node):
            given = dict(wanted) if slot.slot in free else self._placed(placed.get(slot.slot, []))
            given[self._nobody(slot.slot)] = Part(
                TICKS - sum((part.ticks for part in given.values()), Fraction(0)),
                0,
                max((part.among_slots for part in given.values()), default=0),
            )
            shares[slot.slot] = given
        return shares

    def _present(self, node: str) -> list[Slot]:
        there = [slot for slot in self._now(self.fleet.slots) if slot.node == node]
        return sorted(
            (slot for slot in there if self._state(slot.slot) != "absent"), key=lambda slot: slot.index
        )

    def _placed(self, held: Sequence[Holding]) -> dict[Taker, Part]:
        """The runs on one slot: by weight, and less where they want more than there is of it."""
        claims: dict[Taker, int] = {}
        for holding in held:
            taker = self._holder(holding)
            claims[taker] = max(claims.get(taker, 0), _claim(holding))
        if len(claims) > 1 and any(holding.fraction is None for holding in held):
            return _contested(claims)
        wanted = sum(claims.values())
        exact = {taker: Fraction(claim * TICKS, max(wanted, TICKS)) for taker, claim in claims.items()}
        return {taker: Part(ticks, int(ticks.denominator > 1)) for taker, ticks in exact.items()}

    def _wanted(self, unplaced: Sequence[Holding], free: int) -> dict[Taker, Part]:
        """What those who claim units of a node get of each of its free slots."""
        claims: dict[Taker, int] = defaultdict(int)
        for holding in unplaced:
            claims[self._holder(holding)] += _claim(holding)
        wanted = sum(claims.values())
        if not free or not wanted:
            return {}
        if wanted > free * TICKS:
            return _contested(claims)
        exact = {taker: Fraction(claim, free) for taker, claim in claims.items()}
        uneven = any(ticks.denominator > 1 for ticks in exact.values())
        return {taker: Part(ticks, 0, 2 * uneven) for taker, ticks in exact.items()}

    def _place(self, holding: Holding) -> str | None:
        """The slot that a holding names, by itself or by its device; "" where its device is elsewhere."""
        if holding.device is None:
            return holding.slot
        found = [one for one in self._now(self.fleet.devices) if one.uuid == holding.device]
        return found[0].slot if found and found[0].node == holding.node else ""

    def _holder(self, holding: Holding) -> Taker:
        key = holding.owner_key
        if not key:
            return Taker(holding.run, "__unknown_owner__", "__unknown_owner__", "", "held_unobserved", "")
        known = [fact for fact in self._now_of_all(self.fleet.owners) if fact.owner_key == key]
        team, centre = (known[0].team, known[0].cost_centre or "") if known else (key, "")
        return Taker(holding.run, key, team, centre, "held_unobserved", "")

    def _nobody(self, slot: str) -> Taker:
        state = self._state(slot)
        account, state = ("idle_free", "") if state == "available" else ("overhead", state)
        return Taker("", "__account__", "__account__", "", account, state)

    def _state(self, slot: str) -> str:
        found = [fact.state for fact in self._now(self.fleet.states) if fact.slot == slot]
        return found[0] if found else "available"

    def _holdings(self) -> list[Holding]:
        return [holding for holding in self._now(self.fleet.holdings) if holding.units]

    def _now(self, facts: Iterable[C]) -> list[C]:
        return [fact for fact in self._now_of_all(facts) if fact.cluster == self.cluster]

    def _now_of_all(self, facts: Iterable[T]) -> list[T]:
        return [fact for fact in facts if fact.start_s <= self.from_s < until(fact, self.to_s)]


def until(fact: Timed, horizon_s: int) -> int:
    """The end of a fact, or the horizon where it is open."""
    return horizon_s if fact.end_s is None else fact.end_s


def _claim(holding: Holding) -> int:
    """The ticks per second that a holding claims: a whole device is 720720."""
    weight, cap = holding.fraction or (1, 1)
    return holding.units * (TICKS * weight // cap)


def _contested(claims: Iterable[Taker]) -> dict[Taker, Part]:
    """A slot that belongs to nobody, because more than one says that it is theirs."""
    runs = sorted({taker.run for taker in claims})
    one = Taker("", "__conflict__", "__conflict__", "", "held_unobserved", "")
    return {one._replace(run=run): Part(Fraction(TICKS, len(runs))) for run in runs}


def _price_of(slot: Slot, prices: Iterable[PriceFact]) -> PriceFact | None:
    """The price that says most: a sku before a model, a model before any, a region or option before none."""
    fitting = [
        price
        for price in prices
        if (price.selector == (slot.sku if price.selector_kind == "sku" else slot.model))
        or (price.selector_kind == "model" and price.selector == "*")
    ]
    fitting = [price for price in fitting if price.region in ("", slot.region)]
    fitting = [price for price in fitting if price.purchase_option in ("", slot.purchase_option)]
    return max(fitting, key=_says, default=None)


def _meter_of(price: PriceFact) -> Meter:
    return Meter(price.selector_kind, price.selector, price.region, price.purchase_option)


def _says(price: PriceFact) -> tuple[bool, bool, bool, bool]:
    return (
        price.selector_kind == "sku",
        price.selector != "*",
        price.region != "",
        price.purchase_option != "",
    )
