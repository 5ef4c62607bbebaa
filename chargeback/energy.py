"""Energy: what a month's devices used, by line of a view, and for how much of their time it is known."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from chargeback.desk import Desk
from chargeback.explain_pick import key_sql, open_books
from chargeback.ledger import Result
from chargeback.partitions import run_folders
from chargeback.statement import By
from chargeback.workbench import Workbench
from gpuledger.money import half_up

__all__ = ["Energy", "energy_by", "kwh", "unplaced"]

_JOULES_PER_KWH = 3_600_000


@dataclass(frozen=True)
class Energy:
    """Energy in joules, None where none is known, and the time in ticks for which it is known."""

    joules: int | None = None
    known: int = 0

    @property
    def kwh(self) -> Decimal | None:
        """It in kWh, six places; None where none is known."""
        return None if self.joules is None else kwh(self.joules)

    def __add__(self, other: Energy) -> Energy:
        """The sum of what is known of both."""
        joules = [one.joules for one in (self, other) if one.joules is not None]
        return Energy(sum(joules) if joules else None, self.known + other.known)


def kwh(joules: int) -> Decimal:
    """Joules as kWh, six places, half up.

    >>> kwh(5_400_000)
    Decimal('1.500000')
    """
    return Decimal(half_up(Fraction(joules * 10**6, _JOULES_PER_KWH))).scaleb(-6)


_BY_KEY = """
select {key} as line, cast(sum(joules) as bigint) as joules, cast(sum(energy_ticks) as bigint) as known
from kept_time
where joules is not null
group by {key}
"""


def energy_by(desk: Desk, result: Result, by: By) -> dict[str, Energy]:
    """The energy of each line of a view that has any, from the time rows of a run's files.

    Books that were made before energy was kept have none. Raises StorageError where a file cannot be read.
    """
    with Workbench(desk.limits) as bench:
        open_books(bench, run_folders(desk, result))
        return {key: Energy(*found) for key, *found in bench.rows(_BY_KEY.format(key=key_sql(by)))}


def unplaced(result: Result) -> int:
    """The joules of devices while no slot is known in which they sat; they are on no line."""
    joules: dict[str, int] = result.summary.get("unplaced_joules", {})
    return sum(joules.values())
