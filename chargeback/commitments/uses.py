"""What each commitment was used for in a month: hour by hour, by whom, and what of its money was lost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from chargeback.cents import UNOWNED
from chargeback.commitments.commitment import Commitment
from chargeback.commitments.taking import CoverWindow, windows_of
from chargeback.desk import Desk
from chargeback.kept_time import Cell, Stretch, counted, held, lay_own_tariffs, pool_parts
from chargeback.ledger import Result
from chargeback.money_parts import TICKS
from chargeback.partitions import run_folders
from chargeback.post import has_file
from chargeback.pricing import metered_by
from chargeback.runs import pricing_terms
from chargeback.units import Terms
from chargeback.workbench import Workbench

__all__ = ["CommitmentUse", "HourUse", "commitment_uses"]


@dataclass(frozen=True)
class HourUse:
    """A window [from, to), UTC seconds: what is committed and what of it is used, in units times hours.

    Of committed money both are major units of the book's currency. `recognised` and `lost` are quanta.
    """

    from_s: int
    to_s: int
    committed: Fraction
    used: Fraction
    recognised: Fraction
    lost: Fraction


@dataclass
class CommitmentUse:
    """A commitment in a month: its windows, GPU-hours that it may cover and covers, these also by team.

    What nobody holds stands under its account, such as `__idle_free__`.
    """

    commitment: Commitment
    hours: list[HourUse] = field(default_factory=list)
    eligible: Fraction = Fraction(0)
    covered: Fraction = Fraction(0)
    teams: dict[str, Fraction] = field(default_factory=lambda: defaultdict(Fraction))

    def sum(self, name: str) -> Fraction:
        """The sum of a figure over its windows."""
        return sum((getattr(hour, name) for hour in self.hours), Fraction(0))


def commitment_uses(desk: Desk, result: Result, terms: Terms) -> list[CommitmentUse]:
    """The commitments of a run, by name, by the terms that it was made of."""
    uses = {one.name: CommitmentUse(one) for one in terms.commitments}
    folders = run_folders(desk, result)
    files = [folder / "time_row.parquet" for folder in folders if has_file(folder, "time_row")]
    if not uses or not files:
        return []
    pricing = pricing_terms(terms)
    with Workbench(desk.limits) as bench:
        lay_own_tariffs(bench, files, terms)
        stretches = counted(bench)
        shares = _Shares(stretches, terms.tariff_numbers)
        for window in windows_of(pricing, metered_by(pool_parts(terms, stretches), pricing)):
            for commitment in window.alive.values():
                uses[commitment.name].hours.append(_hour(window, commitment, pricing.currency.quantum))
            shares.add(window)
        for row in held(bench, shares.numbers):
            team = f"__{row.account}__" if row.owner == UNOWNED else row.team
            for name, share in shares.of_bucket[row.bucket]:
                use, hours = uses[name], Fraction(row.ticks, TICKS * 3600)
                use.eligible += hours
                use.covered += hours * share
                use.teams[team] += hours * share
    return [use for _, use in sorted(uses.items())]


def _hour(window: CoverWindow, commitment: Commitment, quantum: int) -> HourUse:
    outcome, name = window.outcome, commitment.name
    capacity, used = outcome.capacity[name], sum(outcome.used[name].values(), Fraction(0))
    _, recognised = window.recognised(commitment)
    scale = quantum if commitment.measure == "spend" else 3600
    lost = recognised * (1 - used / capacity) if capacity else recognised
    until_s = min(window.piece.end_s, commitment.lot.to_s)
    begin_s = max(window.piece.start_s, commitment.lot.from_s)
    return HourUse(begin_s, until_s, capacity / scale, used / scale, recognised, lost)


_Signature = tuple[tuple[str, Fraction], ...]


class _Shares:
    """What part of each cell's time each commitment covers; cells that are covered alike are one bucket."""

    def __init__(self, stretches: Iterable[Stretch], records: Mapping[str, int]) -> None:
        self.numbers: dict[Cell, int] = {}
        self.of_bucket: dict[int, _Signature] = {}
        self._records = records
        self._known: dict[_Signature, int] = {}
        self._seconds: dict[Cell, int] = defaultdict(int)
        for cell, from_s, to_s, slot_count in stretches:
            self._seconds[cell] += (to_s - from_s) * slot_count

    def add(self, window: CoverWindow) -> None:
        """Take over what is covered in a window."""
        covered: dict[Cell, dict[str, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
        for place, one in enumerate(window.metered):
            part = one.part
            number = self._records[part.price_record]
            cell = Cell(part.model, part.region, number, part.slot_ticks, part.node_slots, part.piece_s)
            for name, _ in one.tariff.commitments:
                if name in window.alive:
                    covered[cell][name] += window.outcome.covered[name].get(place, 0)
        for cell, seconds in covered.items():
            share = tuple((name, value / self._seconds[cell]) for name, value in sorted(seconds.items()))
            number = self._known.setdefault(share, len(self._known) + 1)
            self.numbers[cell], self.of_bucket[number] = number, share
