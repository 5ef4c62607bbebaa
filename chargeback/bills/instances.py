"""Which node a resource of a bill is, by the ids that inventory has of the nodes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Protocol

__all__ = ["Found", "Instances", "Machine"]

_PARTS = re.compile(r"[/:]")
_AZURE = "/subscriptions/"


class Machine(Protocol):
    """A node over `[start_s, end_s)`, UTC seconds, None is still running; `instance` is its provider's id."""

    @property
    def node(self) -> str: ...
    @property
    def instance(self) -> str: ...
    @property
    def start_s(self) -> int: ...
    @property
    def end_s(self) -> int | None: ...


@dataclass(frozen=True)
class Found:
    """The instance that a resource is, or why none can be told: more than one node has that id at once."""

    instance: str
    ambiguous: tuple[str, ...] = ()


class Instances:
    """The nodes by their instance ids; Azure writes its ids in any case."""

    def __init__(self, nodes: Iterable[Machine]) -> None:
        self._nodes: dict[str, list[Machine]] = defaultdict(list)
        for node in nodes:
            if node.instance:
                self._nodes[node.instance].append(node)
        self._folded = {name.lower(): name for name in sorted(self._nodes, reverse=True)}

    def find(self, resource: str) -> Found | None:
        """The node's instance that a resource is, by its id or the last part of its path; None for none."""
        if not resource:
            return None
        last = _PARTS.split(resource.rstrip("/"))[-1]
        for name in (resource, last):
            if name in self._nodes:
                return self._told(name)
        if resource.lower().startswith(_AZURE):
            for name in (resource.lower(), last.lower()):
                if name in self._folded:
                    return self._told(self._folded[name])
        return None

    def _told(self, instance: str) -> Found:
        nodes = self._nodes[instance]
        at_once = {
            name
            for one, other in combinations(nodes, 2)
            if one.node != other.node and _overlap(one, other)
            for name in (one.node, other.node)
        }
        return Found(instance, tuple(sorted(at_once)))


def _overlap(one: Machine, other: Machine) -> bool:
    starts = other.end_s is None or one.start_s < other.end_s
    return starts and (one.end_s is None or other.start_s < one.end_s)
