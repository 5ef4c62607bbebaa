"""A commitment as the price pass takes it: its money, what it covers, how much of that, and in which turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from chargeback.lots.lot import Lot

__all__ = ["Commitment", "Coverable", "Level", "Measure", "Window"]

Measure = Literal["gpu", "node", "spend"]
"""What it is counted in: devices, nodes (times what a kind of node counts for), or money at its own rates."""

Window = Literal["hour", "instant"]
"""Over what unused capacity is lost: what is not used in an instant may be used later in the hour, or not."""


@dataclass(frozen=True)
class Level:
    """How much is committed over [from, to), UTC seconds: units, or major units of its currency a second."""

    from_s: int
    to_s: int
    amount: Fraction


@dataclass(frozen=True)
class Coverable:
    """Slots that a commitment covers, by patterns.

    Of nodes `factor` is how many units one counts for. Of spend either `rate` is what an hour of a device or
    node costs at its own rate, in major units of the commitment's currency, or `discount` the part of the
    list price that it saves.
    """

    slots: Mapping[str, Sequence[str]]
    factor: Fraction = Fraction(1)
    rate: Fraction | None = None
    rate_unit: Literal["gpu", "node"] = "gpu"
    discount: Fraction | None = None


@dataclass(frozen=True)
class Commitment:
    """A commitment: `lot` has its money and its whole time, `levels` how much is committed, in order.

    Commitments are asked in the order of `turn`, then by name. Slots that it covers still pay the metered
    price too where it `adds` to that; where it `places` them, so that they are in it or not there, they
    never do. What of its money nothing uses goes to the account `waste`.
    """

    lot: Lot
    measure: Measure
    window: Window
    levels: tuple[Level, ...]
    covers: tuple[Coverable, ...]
    turn: int
    adds: bool = False
    places: bool = False
    waste: str = "commitment_unused"

    @property
    def name(self) -> str:
        return self.lot.name
