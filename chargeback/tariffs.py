"""What pays for each slot at each instant: the most specific price, and the lots whose target it is.

A tariff is a combination of these. Slots that are paid for alike at every instant are one class, so that the
models join by a number, and time is cut only where what pays for it changes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

from chargeback.commitments.commitment import Commitment
from chargeback.lots.lot import Lot
from chargeback.meters import Meter, Window, fits, meter_of, specificity
from chargeback.node_cost import NO_RESOURCES, NodeQuantity, NodeResources, Resources
from chargeback.places import NodeLife, Place, Trait, is_target, trait_of
from chargeback.price_lists.run_rules import RunRules, charged_spans, read_rules
from gpuledger.intervals import holds_at
from gpuledger.versions import PriceFact

__all__ = ["PriceSpan", "Tariff", "Tariffs", "tariffs_of"]


_PRICED_BY = ("sku", "model", "region", "zone", "purchase_option", "provider", "instance", "reservation")


@dataclass(frozen=True)
class Tariff:
    """What pays for time: a meter or none, and lots by name, which take its place where it is superseded.

    `commitments` may cover it, each by name with the place of what fits among what it covers. `resources` is
    what the node has besides GPUs, where the meter pays for that too.
    """

    record: str
    meter: Meter | None
    lots: tuple[str, ...] = ()
    is_superseded: bool = False
    is_priced: bool = True
    resources: Resources = NO_RESOURCES
    commitments: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, order=True)
class PriceSpan:
    """A stretch [from, to) in UTC seconds over which one tariff is in force for a class of slots."""

    class_no: int
    price_record: str
    from_s: int
    to_s: int


@dataclass(frozen=True)
class Tariffs:
    """The tariffs of a period by record, the class of each place, and when each tariff is in force for it.

    `clusters` has, by lot, the clusters of the slots that it pays for; `unweighed` the nodes with a price per
    node of which it should be known, and is not, what they have besides GPUs.
    """

    records: dict[str, Tariff] = field(default_factory=dict)
    classes: dict[Place, int] = field(default_factory=dict)
    spans: tuple[PriceSpan, ...] = ()
    clusters: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unweighed: tuple[str, ...] = ()


_Stretch = tuple[int, int, str]


def tariffs_of(
    places: Iterable[Place],
    lives: Iterable[NodeLife],
    prices: Sequence[PriceFact],
    lots: Sequence[Lot],
    window: Window,
    quantities: Iterable[NodeQuantity] | None = None,
    commitments: Sequence[Commitment] = (),
) -> Tariffs:
    """What pays for each place over the window.

    Of prices the most specific counts: a contract goes before a sku, a sku before a model, a named model
    before `*`, then whatever else it names. A lot that covers a slot goes before any price of it; one that
    supersedes leaves the price in force, to be split by. A commitment may cover slots that no such lot pays
    for; the first that fits of what it covers counts. Touching stretches of one tariff are one, so that
    cutting a record changes nothing. Where `quantities` is given, a price per node pays for these too.
    """
    builder = _Builder(lives, prices, lots, window, quantities, commitments)
    classes: dict[Place, int] = {}
    numbers: dict[tuple[_Stretch, ...], int] = {}
    clusters: dict[str, set[str]] = defaultdict(set)
    for place in sorted(set(places)):
        stretches = tuple(builder.stretches(place))
        classes[place] = numbers.setdefault(stretches, len(numbers) + 1)
        for _, _, record in stretches:
            tariff = builder.records[record]
            for name in (*tariff.lots, *(name for name, _ in tariff.commitments)):
                clusters[name].add(place.cluster)
    spans = [
        PriceSpan(no, record, low, high)
        for stretches, no in numbers.items()
        for low, high, record in stretches
    ]
    used = {span.price_record for span in spans}
    return Tariffs(
        records={record: builder.records[record] for record in sorted(used)},
        classes=classes,
        spans=tuple(sorted(spans)),
        clusters={lot: tuple(sorted(names)) for lot, names in sorted(clusters.items())},
        unweighed=tuple(sorted(builder.unweighed)),
    )


class _Builder:
    """Finds what pays for places; what places have in common is found once."""

    def __init__(
        self,
        lives: Iterable[NodeLife],
        prices: Sequence[PriceFact],
        lots: Sequence[Lot],
        window: Window,
        quantities: Iterable[NodeQuantity] | None,
        commitments: Sequence[Commitment],
    ) -> None:
        self.window = window
        self.unweighed: set[str] = set()
        self._resources = None if quantities is None else NodeResources(quantities)
        self.records: dict[str, Tariff] = {}
        self._lives: dict[str, list[NodeLife]] = defaultdict(list)
        for life in sorted(lives, key=lambda life: (life.node, life.start_s)):
            self._lives[life.node].append(life)
        self._prices = [fact for fact in prices if _meets(fact, window)]
        self._by_contract = any(fact.selector_kind == "contract" for fact in self._prices)
        self._rules = {text: read_rules(text) for text in {fact.rules for fact in self._prices} if text}
        self._lots = [lot for lot in lots if lot.target.slots is not None and _within(lot, window)]
        self._commitments = [one for one in commitments if _within(one.lot, window)]
        asked = [lot.target.slots or {} for lot in self._lots]
        asked += [cover.slots for one in self._commitments for cover in one.covers]
        self._lot_attributes = sorted({name for patterns in asked for name in patterns})
        self._fitting: dict[tuple[str, ...], list[tuple[int, int, PriceFact]]] = {}
        self._lots_of: dict[tuple[str, ...], list[Lot]] = {}
        self._commitments_of: dict[tuple[str, ...], list[tuple[Commitment, int]]] = {}
        self._merged: dict[object, list[_Stretch]] = {}

    def stretches(self, place: Place) -> Iterator[_Stretch]:
        """The stretches over which something pays for a place, in order, each with its tariff's record."""
        found: list[_Stretch] = []
        for low, high, trait, life in self._parts(place):
            resources = NO_RESOURCES if self._resources is None else self._resources.at(place.node, low)
            for stretch in self._paid(trait, life, resources, low, high):
                if self._resources is not None and resources == NO_RESOURCES:
                    self._note_unweighed(place, life, stretch[2])
                last = found[-1] if found else None
                if last and last[1:] == (stretch[0], stretch[2]):
                    found[-1] = (last[0], stretch[1], stretch[2])
                else:
                    found.append(stretch)
        yield from found

    def _parts(self, place: Place) -> Iterator[tuple[int, int, Trait, NodeLife | None]]:
        """The window cut where the run of the node changes, with what slot and node say then."""
        window = self.window
        lives = (
            [life for life in self._lives.get(place.node, ()) if _meets(life, window)] if place.node else []
        )
        edges = {at_s for life in lives for at_s in (life.start_s, life.end_s) if at_s is not None}
        edges |= set() if self._resources is None else self._resources.edges(place.node)
        inner = (at_s for at_s in edges if window.start_s < at_s < window.end_s)
        for low, high in pairwise(sorted({window.start_s, window.end_s, *inner})):
            running = [life for life in lives if holds_at(life, low)]
            life = running[-1] if running else None
            yield low, high, trait_of(place, life), life

    def _note_unweighed(self, place: Place, life: NodeLife | None, record: str) -> None:
        """Note a node that runs and of which nothing says what it has; without known runs, nothing ever."""
        meter = self.records[record].meter
        known = self._resources is not None and bool(self._resources.edges(place.node))
        is_there = life is not None or (place.node not in self._lives and not known)
        if place.node and is_there and meter is not None and meter.is_per_node:
            self.unweighed.add(place.node)

    def _paid(
        self, trait: Trait, life: NodeLife | None, resources: Resources, low: int, high: int
    ) -> list[_Stretch]:
        priced, lots = self._price_key(trait), self._lot_key(trait)
        ruled = life if self._rules else None
        run = (ruled.start_s, ruled.end_s, ruled.ended_by) if ruled else None
        key = (priced, lots, run, resources, low, high)
        if key not in self._merged:
            self._merged[key] = list(self._overlaid(priced, lots, life, resources, low, high))
        return self._merged[key]

    def _overlaid(
        self,
        priced: tuple[str, ...],
        lots: tuple[str, ...],
        life: NodeLife | None,
        resources: Resources,
        low: int,
        high: int,
    ) -> Iterator[_Stretch]:
        meters = list(self._meters(priced, life, low, high))
        stretches = [
            (max(begin, low), min(end, high), lot)
            for lot in self._lots_of[lots]
            for begin, end in _alive(lot)
            if begin < high and end > low
        ]
        covers = [
            (max(begin, low), min(end, high), (one.name, number, one.places))
            for one, number in self._commitments_of[lots]
            for begin, end in _alive(one.lot)
            if begin < high and end > low
        ]
        edges = {at_s for begin, end, _ in (*meters, *stretches, *covers) for at_s in (begin, end)}
        for begin, end in pairwise(sorted({low, high, *edges})):
            meter = next((one for first, last, one in meters if first <= begin and end <= last), None)
            here = [lot for first, last, lot in stretches if first <= begin and end <= last]
            covering = [one for first, last, one in covers if first <= begin and end <= last]
            if any(places for _, _, places in covering):
                meter = None
            if meter is not None or here or covering:
                named = tuple((name, number) for name, number, _ in covering)
                yield begin, end, self._record(meter, here, resources, named)

    def _record(
        self,
        meter: Meter | None,
        lots: Sequence[Lot],
        resources: Resources,
        commitments: tuple[tuple[str, int], ...],
    ) -> str:
        """The record of a tariff, kept under its name."""
        superseded = any(lot.supersedes for lot in lots)
        if any(lot.covers and not lot.supersedes for lot in lots):
            meter = None
        if superseded or any(lot.covers for lot in lots):
            commitments = ()
        names = tuple(sorted(lot.name for lot in lots))
        weighed = meter is not None and meter.is_per_node and not superseded and not commitments
        has = resources if weighed else NO_RESOURCES
        said = [] if meter is None else [f"[{meter.record}]" if superseded else f"{meter.record}{has}"]
        covered = (f"{name}/{number}" if number else name for name, number in commitments)
        record = " + ".join([*said, *names, *covered])
        priced = bool(meter or superseded or commitments) or any(lot.covers for lot in lots)
        tariff = Tariff(record, meter, names, superseded, priced, has, commitments)
        self.records.setdefault(record, tariff)
        return record

    def _meters(
        self, priced: tuple[str, ...], life: NodeLife | None, low: int, high: int
    ) -> Iterator[tuple[int, int, Meter]]:
        """The meters over [low, high), in order, as the rules of counting make them for this run."""
        for begin, end, fact in self._fitting[priced]:
            first, last = max(begin, low), min(end, high)
            if first >= last:
                continue
            rules = self._rules.get(fact.rules)
            for start, stop, multiple in _counted(rules, life, first, last):
                yield start, stop, meter_of(fact, self.window, multiple)

    def _price_key(self, trait: Trait) -> tuple[str, ...]:
        names = _PRICED_BY if self._by_contract else _PRICED_BY[:-2]
        key = tuple(getattr(trait, name) for name in names)
        if key not in self._fitting:
            self._fitting[key] = list(_in_force(self._prices, trait, self.window))
        return key

    def _lot_key(self, trait: Trait) -> tuple[str, ...]:
        key = tuple(getattr(trait, name) for name in self._lot_attributes)
        if key not in self._lots_of:
            self._lots_of[key] = [lot for lot in self._lots if is_target(lot.target.slots or {}, trait)]
            fitting = (
                (
                    one,
                    next((no for no, cover in enumerate(one.covers) if is_target(cover.slots, trait)), None),
                )
                for one in self._commitments
            )
            self._commitments_of[key] = [(one, number) for one, number in fitting if number is not None]
        return key


def _in_force(
    prices: Sequence[PriceFact], trait: Trait, window: Window
) -> Iterator[tuple[int, int, PriceFact]]:
    """The most specific price at each instant of the window; no stretch where none fits."""
    fitting = [fact for fact in prices if fits(fact, trait)]
    edges = {at_s for fact in fitting for at_s in (fact.start_s, fact.end_s) if at_s is not None}
    inner = (at_s for at_s in edges if window.start_s < at_s < window.end_s)
    for low, high in pairwise(sorted({window.start_s, window.end_s, *inner})):
        holding = [fact for fact in fitting if holds_at(fact, low)]
        if holding:
            yield low, high, max(holding, key=specificity)


def _counted(
    rules: RunRules | None, life: NodeLife | None, low: int, high: int
) -> Iterator[tuple[int, int, Fraction]]:
    """[low, high) of a node's run with the multiples of the rate that are charged; 1 without a rule."""
    if rules is None or life is None:
        yield low, high, Fraction(1)
        return
    for begin, end, multiple in charged_spans(rules, life.start_s, life.end_s, life.ended_by):
        first, last = max(begin, low), min(end, high)
        if first < last:
            yield first, last, multiple


def _meets(one: PriceFact | NodeLife, window: Window) -> bool:
    return one.start_s < window.end_s and (one.end_s is None or one.end_s > window.start_s)


def _within(lot: Lot, window: Window) -> bool:
    return bool(lot.segments) and lot.from_s < window.end_s and lot.to_s > window.start_s


def _alive(lot: Lot) -> Iterator[tuple[int, int]]:
    """The stretches over which a lot is recognised, those that touch in one."""
    begun, ended = lot.from_s, lot.from_s
    for one in lot.segments:
        if one.from_s > ended:
            yield begun, ended
            begun = one.from_s
        ended = one.to_s
    yield begun, ended
