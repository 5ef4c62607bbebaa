"""The units that a file may have a metric in, each as an exact part of the catalogue's unit."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

__all__ = ["BOUNDS", "UNITS_OF", "factor"]

_BYTES = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}

UNITS_OF: Final[dict[str, dict[str, Fraction]]] = {
    "ratio": {"ratio": Fraction(1), "percent": Fraction(1, 100), "permille": Fraction(1, 1000)},
    "watts": {"W": Fraction(1), "mW": Fraction(1, 1000)},
    "joules": {
        "J": Fraction(1),
        "mJ": Fraction(1, 10**3),
        "uJ": Fraction(1, 10**6),
        "Wh": Fraction(3600),
        "kWh": Fraction(3_600_000),
    },
    "bytes": {name: Fraction(size) for name, size in _BYTES.items()},
    "bytes_per_second": {f"{name}/s": Fraction(size) for name, size in _BYTES.items()},
    "hertz": {"Hz": Fraction(1), "kHz": Fraction(10**3), "MHz": Fraction(10**6), "GHz": Fraction(10**9)},
    "seconds": {
        "s": Fraction(1),
        "ms": Fraction(1, 10**3),
        "us": Fraction(1, 10**6),
        "ns": Fraction(1, 10**9),
    },
    "celsius": {"C": Fraction(1)},
}
"""By the catalogue's unit: the words a map may say, and how much of the unit each is."""

BOUNDS: Final[dict[str, tuple[int, int]]] = {
    "ratio": (0, 1),
    "flag": (0, 1),
    "celsius": (-100, 500),
    "watts": (0, 10**6),
    "hertz": (0, 10**12),
}
"""What a metric of a unit can be at most, in that unit; all others begin at 0 and end at 2^53."""


def factor(unit: str, said: str | None) -> Fraction | None:
    """How much of the catalogue's unit the said one is; None where it is no unit of that kind.

    >>> factor("ratio", "percent"), factor("watts", "percent"), factor("joules", None)
    (Fraction(1, 100), None, Fraction(1, 1))
    """
    if said is None:
        return Fraction(1)
    return UNITS_OF.get(unit, {}).get(said)
