"""How the facts of a fleet reach a home: at once, in parts, cut in other places, and corrected later."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, TypeVar

from fleets import RATES, STATES, Device, Fleet, Holding, Slot, SlotState
from house import House

from gpuledger.versions import OwnerFact, PriceFact

__all__ = ["Correction", "corrected", "dealt", "deliver", "recut"]

F = TypeVar("F", Slot, Device, SlotState, Holding, OwnerFact, PriceFact)


def deliver(house: House, fleet: Fleet, *, withdrawn: bool = False) -> int:
    """Commit all facts of a fleet, or take them back (those of the lake), and give the seq."""
    for slot in fleet.slots:
        given: dict[str, Any] = {"model": slot.model, "region": slot.region, "sku": slot.sku}
        given |= {"identity": slot.identity, "cluster": slot.cluster, "withdrawn": withdrawn}
        given |= {"purchase_option": slot.purchase_option}
        house.slot(slot.node, slot.index, slot.start_s, slot.end_s, **given)
    for device in fleet.devices:
        row = {"node": device.node, "slot": device.slot, "uuid": device.uuid, "model": ""}
        _put(house, "device", device, withdrawn, row)
    for state in fleet.states:
        _put(house, "state", state, withdrawn, {"node": state.node, "slot": state.slot, "state": state.state})
    for holding in fleet.holdings:
        _put(house, "holding", holding, withdrawn, _holding_row(holding))
    house.owners += fleet.owners
    house.prices += fleet.prices
    for cluster, through_s in fleet.throughs:
        house.through(through_s, cluster=cluster)
    return house.keep()


def _put(
    house: House, table: str, fact: Device | SlotState | Holding, withdrawn: bool, row: dict[str, Any]
) -> None:
    common = {"cluster": fact.cluster, "withdrawn": withdrawn}
    house.fact(table, fact.identity, fact.start_s, fact.end_s, **common, **row)


def _holding_row(holding: Holding) -> dict[str, Any]:
    weight, cap = holding.fraction or (1, 1)
    return {
        "run": holding.run,
        "run_no": zlib.crc32(holding.run.encode()) % 65536,
        "owner_key": holding.owner_key,
        "node": holding.node,
        "slot": holding.slot,
        "device": holding.device,
        "node_group": holding.node_group,
        "units": holding.units,
        "share_mode": "fraction" if holding.fraction else None,
        "weight": weight,
        "weight_cap": cap,
        "assumed": holding.node is None,
        "model": holding.model,
        "region": holding.region,
    }


def recut(fleet: Fleet, random: Random) -> Fleet:
    """The same fleet in another order, with some facts cut in two that touch."""
    return replace(
        fleet,
        slots=_recut(fleet.slots, fleet, random),
        devices=_recut(fleet.devices, fleet, random),
        states=_recut(fleet.states, fleet, random),
        holdings=_recut(fleet.holdings, fleet, random),
        owners=_recut(fleet.owners, fleet, random),
        prices=_recut(fleet.prices, fleet, random),
    )


def _recut(facts: Sequence[F], fleet: Fleet, random: Random) -> tuple[F, ...]:
    found: list[F] = []
    for fact in facts:
        low = max(fact.start_s, fleet.start_s)
        high = min(fleet.end_s, fleet.end_s if fact.end_s is None else fact.end_s)
        if high - low > 1 and random.random() < 0.6:
            cut_s = random.randint(low + 1, high - 1)
            found.append(replace(fact, end_s=cut_s))
            found.append(replace(fact, start_s=cut_s, identity=f"{fact.identity}~"))
        else:
            found.append(fact)
    random.shuffle(found)
    return tuple(found)


def dealt(fleet: Fleet, hands: int, random: Random) -> list[Fleet]:
    """The facts of a fleet dealt into so many deliveries."""

    def deal(facts: Sequence[F]) -> list[tuple[F, ...]]:
        hand = [random.randrange(hands) for _ in facts]
        return [tuple(fact for fact, to in zip(facts, hand, strict=True) if to == n) for n in range(hands)]

    slots, devices, states = deal(fleet.slots), deal(fleet.devices), deal(fleet.states)
    holdings, owners, prices = deal(fleet.holdings), deal(fleet.owners), deal(fleet.prices)
    return [
        replace(
            fleet,
            slots=slots[n],
            devices=devices[n],
            states=states[n],
            holdings=holdings[n],
            owners=owners[n],
            prices=prices[n],
        )
        for n in range(hands)
    ]


@dataclass(frozen=True)
class Correction:
    """What is learnt of a fleet later: versions of its facts, facts that never were, and the fleet then."""

    versions: Fleet
    withdrawn: Fleet
    known: Fleet


def corrected(fleet: Fleet, random: Random) -> Correction:
    """Correct some facts of a fleet and take others back."""

    def some(facts: Sequence[F], part: float) -> list[F]:
        return [fact for fact in facts if random.random() < part]

    def shorter(fact: F) -> F:
        last_s = fleet.end_s if fact.end_s is None else fact.end_s
        return replace(fact, end_s=random.randint(fact.start_s, max(fact.start_s, last_s)))

    versions = Fleet(
        fleet.month_end,
        slots=tuple(shorter(slot) for slot in some(fleet.slots, 0.2)),
        states=tuple(replace(state, state=random.choice(STATES)) for state in some(fleet.states, 0.3)),
        holdings=tuple(_placed(shorter(holding)) for holding in some(fleet.holdings, 0.4)),
        owners=tuple(replace(owner, team="t3") for owner in some(fleet.owners, 0.3)),
        prices=tuple(replace(price, rate=random.choice(RATES)) for price in some(fleet.prices, 0.3)),
        throughs=tuple((name, random.randint(at_s, fleet.end_s + 900)) for name, at_s in fleet.throughs),
    )
    withdrawn = Fleet(
        fleet.month_end,
        slots=tuple(some(fleet.slots, 0.1)),
        devices=tuple(some(fleet.devices, 0.2)),
        states=tuple(some(fleet.states, 0.2)),
        holdings=tuple(some(fleet.holdings, 0.2)),
    )
    known = Fleet(
        fleet.month_end,
        slots=_known(fleet.slots, versions.slots, withdrawn.slots),
        devices=_known(fleet.devices, versions.devices, withdrawn.devices),
        states=_known(fleet.states, versions.states, withdrawn.states),
        holdings=_known(fleet.holdings, versions.holdings, withdrawn.holdings),
        owners=_known(fleet.owners, versions.owners, ()),
        prices=_known(fleet.prices, versions.prices, ()),
        throughs=versions.throughs,
    )
    return Correction(versions, withdrawn, known)


def _placed(holding: Holding) -> Holding:
    """The holding with its slot, where it only named a node."""
    if holding.node and holding.units == 1 and not holding.device:
        return replace(holding, slot=f"{holding.node}/0")
    return holding


def _known(facts: Iterable[F], versions: Iterable[F], withdrawn: Iterable[F]) -> tuple[F, ...]:
    known: dict[str, F] = {}
    for fact in facts:
        known[fact.identity] = fact
    for fact in versions:
        known[fact.identity] = fact
    for fact in withdrawn:
        del known[fact.identity]
    return tuple(known.values())
