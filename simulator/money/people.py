"""Who held how many seconds of a node, and how many of them there were."""

from __future__ import annotations

from collections import defaultdict
from typing import Protocol

from simulator.money.world import SLOTS, Hold, MoneyWorld, Run

__all__ = ["People"]


class People:
    """Who held how many seconds of a node; asked stretch by stretch, in order or not."""

    def __init__(self, world: MoneyWorld) -> None:
        self._runs: dict[str, list[Run]] = defaultdict(list)
        for run in world.runs:
            self._runs[run.node].append(run)
        self._holds: dict[str, list[Hold]] = defaultdict(list)
        for hold in sorted(world.holds, key=lambda one: one.start_s):
            self._holds[hold.node].append(hold)
        self._grants = world.grants
        self._kept: dict[tuple[str, int, int], dict[str, int]] = {}

    def present(self, node: str, begin: int, end: int) -> int:
        """Slot-seconds of a node that are there."""
        return SLOTS * sum(_overlap(run, begin, end) for run in self._runs[node])

    def shares(self, node: str, begin: int, end: int) -> dict[str, int]:
        """Slot-seconds by team; what nobody held is `__idle_free__`."""
        key = (node, begin, end)
        if key not in self._kept:
            self._kept[key] = self._shares(node, begin, end)
        return self._kept[key]

    def _shares(self, node: str, begin: int, end: int) -> dict[str, int]:
        found: dict[str, int] = defaultdict(int)
        for hold in self._holds[node]:
            if hold.start_s >= end:
                break
            if not _overlap(hold, begin, end):
                continue
            low, high = max(begin, hold.start_s), end if hold.end_s is None else min(end, hold.end_s)
            for grant in self._grants:
                if grant.owner_key == hold.owner_key and (seconds := _overlap(grant, low, high)):
                    found[grant.team] += seconds
        free = self.present(node, begin, end) - sum(found.values())
        return {**found, "__idle_free__": free} if free else found


class _Timed(Protocol):
    """What holds over an interval."""

    @property
    def start_s(self) -> int: ...

    @property
    def end_s(self) -> int | None: ...


def _overlap(one: _Timed, begin: int, end: int) -> int:
    return max(0, min(end, end if one.end_s is None else one.end_s) - max(begin, one.start_s))
