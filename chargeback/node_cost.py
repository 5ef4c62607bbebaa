"""What a node has besides GPUs, and by which weights its price is for each of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from gpuledger.intervals import holds_at

__all__ = [
    "GPU",
    "NO_RESOURCES",
    "WEIGHTS",
    "NodeQuantity",
    "NodeResources",
    "Resources",
    "weights_of",
]

GPU = "gpu"

WEIGHTS: Mapping[str, Mapping[str, Fraction]] = {
    "aws_split/1": {
        GPU: Fraction(9),
        "cpu": Fraction(9, 10),
        "memory": Fraction(1, 10),
        "licence": Fraction(0),
    },
    "gpu_only/1": {GPU: Fraction(1)},
}
"""What a GPU, a CPU, a GiB and a licence weigh, by the policy `resource_weights`.

`aws_split/1` has the weights of AWS split cost allocation for accelerated instances.
"""

_UNITS = {GPU: 1, "cpu": 1000, "memory": 2**30, "licence": 1}
"""How much of each is one: thousandths of a CPU, bytes."""


@dataclass(frozen=True)
class NodeQuantity:
    """What a node has of one resource over [start, end), UTC seconds, None is still so.

    `quantity` is in thousandths of a CPU, in bytes, or in licences.
    """

    node: str
    start_s: int
    end_s: int | None
    kind: str
    quantity: int


@dataclass(frozen=True, order=True)
class Resources:
    """What a node has besides GPUs at a time: thousandths of a CPU, bytes, licences; 0 is none or unknown."""

    cpu: int = 0
    memory: int = 0
    licence: int = 0

    def __str__(self) -> str:
        """As it stands behind the name of a price: ` over 64 cpu, 488 GiB`."""
        parts = [
            f"{_decimal(self.cpu, 1000)} cpu" if self.cpu else "",
            f"{_decimal(self.memory, 2**30)} GiB" if self.memory else "",
            f"{self.licence} licence" if self.licence else "",
        ]
        said = ", ".join(part for part in parts if part)
        return f" over {said}" if said else ""

    def quantities(self) -> dict[str, int]:
        """What there is of each kind, where there is any."""
        found = {"cpu": self.cpu, "memory": self.memory, "licence": self.licence}
        return {kind: quantity for kind, quantity in found.items() if quantity}


NO_RESOURCES = Resources()
"""Nothing besides GPUs, or nothing known."""


class NodeResources:
    """What nodes have over time."""

    def __init__(self, quantities: Iterable[NodeQuantity]) -> None:
        self._of: dict[str, list[NodeQuantity]] = defaultdict(list)
        for one in sorted(quantities, key=lambda one: (one.node, one.kind, one.start_s)):
            if one.kind != GPU:
                self._of[one.node].append(one)

    def edges(self, node: str) -> set[int]:
        """The instants at which what a node has may change, UTC seconds."""
        mine = self._of.get(node, ())
        return {at_s for one in mine for at_s in (one.start_s, one.end_s) if at_s is not None}

    def at(self, node: str, at_s: int) -> Resources:
        """What a node has at an instant; of two facts of one kind the later begun counts."""
        return Resources(**{one.kind: one.quantity for one in self._of.get(node, ()) if holds_at(one, at_s)})


def weights_of(policy: str, gpus: int, resources: Resources) -> dict[str, int]:
    """By what a node's price is split over kinds: whole numbers in the ratio of weight times quantity.

    Kinds that weigh nothing are left out: a node without GPUs pays for none.
    """
    each = WEIGHTS[policy]
    found = {
        kind: each.get(kind, Fraction(0)) * Fraction(quantity, _UNITS[kind])
        for kind, quantity in {GPU: gpus, **resources.quantities()}.items()
    }
    scale = lcm(*(weight.denominator for weight in found.values()))
    return {kind: int(weight * scale) for kind, weight in found.items() if weight}


def _decimal(quantity: int, unit: int) -> str:
    """A quantity in units: `64`, or `64 1/2`."""
    whole, rest = divmod(quantity, unit)
    return f"{whole} {Fraction(rest, unit)}" if rest else str(whole)
