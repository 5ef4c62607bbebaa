"""By which weights the teams of a pool pay for what nobody holds in a piece, by each policy's choice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from chargeback.distribution import Distribution
from chargeback.money_parts import TICKS
from gpuledger.versions import EntitlementFact

__all__ = ["Base", "Key", "Window", "weights_of"]

Key = tuple[str, str]
"""An owner key and its cost centre."""


@dataclass(frozen=True)
class Window:
    """A pool, the devices of a model in a region, over what it has of a piece: [start, end), UTC seconds.

    `is_any` is of what belongs to no pool, and so to all of them.
    """

    model: str
    region: str
    start_s: int
    end_s: int
    is_any: bool = False


@dataclass
class Base:
    """What teams were charged (quanta) and held (ticks) in a window, by owner key and cost centre."""

    charged: dict[str, dict[Key, int]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(int)))
    held: dict[str, dict[Key, int]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(int)))

    def keys_of(self, team: str) -> Mapping[Key, int]:
        """By what a team's part goes to its owner keys: what they were charged, else what they held.

        A key that was credited more than it was charged weighs nothing.
        """
        for weights in (self.charged.get(team, {}), self.held.get(team, {})):
            if above := {key: weight for key, weight in weights.items() if weight > 0}:
                return above
        return {}


def weights_of(choice: str, window: Window, base: Base, agreed: Distribution) -> dict[str, int]:
    """The weight of each team in a window by a policy's choice; none that is 0, none at all for `none/1`.

    A team that was credited more than it was charged weighs nothing by what was charged.
    """
    weights: dict[str, int] = {}
    if choice == "proportional/1":
        weights = {team: max(0, sum(keys.values())) for team, keys in base.charged.items()}
    elif choice == "even/1":
        weights = {team: int(sum(keys.values()) > 0) for team, keys in base.held.items()}
    elif choice == "unused_entitlement/1":
        weights = _unused(window, base, agreed.entitlements)
    elif choice == "pool_owner/1":
        weights = _owned(window, agreed.entitlements)
    return {team: weight for team, weight in weights.items() if weight}


def _unused(window: Window, base: Base, entitlements: Iterable[EntitlementFact]) -> dict[str, int]:
    """By team what it may use less what it lends and what it holds, in ticks; nothing where that is less."""
    left: dict[str, int] = defaultdict(int)
    for fact in entitlements:
        if fact.kind != "pool" and _is_of(fact, window):
            sign = 1 if fact.kind == "entitled" else -1
            left[fact.team] += sign * fact.units * _seconds(fact, window) * TICKS
    return {team: max(0, units - sum(base.held.get(team, {}).values())) for team, units in left.items()}


def _owned(window: Window, entitlements: Iterable[EntitlementFact]) -> dict[str, int]:
    """By team the seconds over which the pool is its own."""
    owned: dict[str, int] = defaultdict(int)
    for fact in entitlements:
        if fact.kind == "pool" and _is_of(fact, window):
            owned[fact.team] += _seconds(fact, window)
    return owned


def _is_of(fact: EntitlementFact, window: Window) -> bool:
    return window.is_any or (fact.model, fact.region) == (window.model, window.region)


def _seconds(fact: EntitlementFact, window: Window) -> int:
    end_s = window.end_s if fact.end_s is None else min(fact.end_s, window.end_s)
    return max(0, end_s - max(fact.start_s, window.start_s))
