"""Energy: kilowatts over time, or metered kilowatt-hours, times PUE, at a tariff per kWh."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from fractions import Fraction

from chargeback.lots.calendar import cut
from chargeback.lots.conversion import exact
from chargeback.lots.details import Energy, Step
from chargeback.lots.lot import Segment

__all__ = ["energy_segments"]


def energy_segments(energy: Energy, from_s: int, to_s: int) -> Iterator[Segment]:
    """What the energy of [from, to) costs, in major units, cut where load, PUE or tariff change.

    A reading counts evenly over its interval; between readings nothing is known, and nothing is charged.
    """
    edges = {step.from_s for steps in (energy.pue, energy.tariff, energy.it_kw) for step in steps}
    for reading in energy.metered:
        if reading.from_s >= to_s:
            break
        per_second = exact(reading.kwh) / (reading.to_s - reading.from_s)
        for low, high in cut(reading.from_s, min(reading.to_s, to_s), edges):
            yield Segment(low, high, per_second * (high - low) * _price(energy, low))
    if energy.it_kw:
        for low, high in cut(from_s, to_s, edges):
            load = _at(energy.it_kw, low)
            yield Segment(low, high, load * (high - low) / 3600 * _price(energy, low))


def _price(energy: Energy, at_s: int) -> Fraction:
    """What a kWh of IT equipment costs, with the rest of the building that it needs."""
    return _at(energy.pue, at_s) * _at(energy.tariff, at_s)


def _at(steps: Sequence[Step], at_s: int) -> Fraction:
    return exact(steps[bisect_right(steps, at_s, key=lambda step: step.from_s) - 1].value)
