"""Usage: a month's GPU time by account, how much of it is known, and who holds devices that stand idle."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from chargeback.desk import Desk
from chargeback.energy import Energy
from chargeback.explain_pick import open_books
from chargeback.ledger import Result
from chargeback.partitions import run_folders
from chargeback.statement import HELD, By, key_of, part_of
from chargeback.usage_phases import Life
from chargeback.workbench import Workbench

__all__ = ["ACCOUNTS", "IdleHolder", "Usage", "UsageLine", "idle_holders", "usage_of"]

ACCOUNTS = (*HELD, "idle_free", "stranded", "overhead")
"""The accounts that GPU time is in, as columns."""


@dataclass(frozen=True)
class UsageLine:
    """A line: GPU time in ticks by account, the part of the held time with known activity, and energy."""

    key: str
    ticks: dict[str, int]
    observed: int
    life: Life = field(default=Life())
    energy: Energy = field(default=Energy())

    @property
    def held(self) -> int:
        """The held time in ticks."""
        return sum(self.ticks.get(account, 0) for account in HELD)

    @property
    def total(self) -> int:
        """All of its time in ticks."""
        return sum(self.ticks.values())

    @property
    def coverage(self) -> Decimal | None:
        """The known part of the held time, to four places; None where nothing is held."""
        return part_of(self.observed, self.held)

    @property
    def idle(self) -> Decimal | None:
        """The idle part of the held time that is known, to four places; None where none of it is known."""
        known = self.ticks.get("used", 0) + self.ticks.get("idle_held", 0)
        return part_of(self.ticks.get("idle_held", 0), known)

    @property
    def energy_coverage(self) -> Decimal | None:
        """The part of all of its time for which energy is known, to four places; None without any time."""
        return part_of(self.energy.known, self.total)


@dataclass(frozen=True)
class IdleHolder:
    """A run of a workload with its owner and team: held, idle and known time in ticks, and its energy."""

    run: str
    owner: str
    team: str
    held: int
    idle: int
    observed: int
    energy: Energy = field(default=Energy())

    @property
    def coverage(self) -> Decimal | None:
        """The known part of its held time, to four places."""
        return part_of(self.observed, self.held)


@dataclass(frozen=True)
class Usage:
    """A month's usage in one view; `capacity_known` is False where it is only assumed from what is held.

    `unplaced` is the energy in joules of devices that sat in no slot: it is on no line.
    """

    period: str
    by: By
    seq: int
    capacity_known: bool
    lines: tuple[UsageLine, ...]
    holders: tuple[IdleHolder, ...] = field(default=())
    unplaced: int = 0

    @property
    def total(self) -> UsageLine:
        """The sums of all lines."""
        ticks: Counter[str] = Counter()
        for line in self.lines:
            ticks.update(line.ticks)
        observed = sum(line.observed for line in self.lines)
        life = Life.summed(line.life for line in self.lines)
        energy = sum((line.energy for line in self.lines), Energy())
        return UsageLine("total", dict(ticks), observed, life, energy)

    def powered(self, energies: Mapping[str, Energy], unplaced: int) -> Usage:
        """The same with the energy of its lines, and that of devices in no slot, in joules."""
        lines = (replace(line, energy=energies.get(line.key, Energy())) for line in self.lines)
        return replace(self, lines=tuple(lines), unplaced=unplaced)

    def living(self, lives: Mapping[str, Life]) -> Usage:
        """The same with what is known of each line's phases."""
        lines = (replace(line, life=lives.get(line.key, line.life)) for line in self.lines)
        return replace(self, lines=tuple(lines))


def usage_of(result: Result, by: By) -> Usage:
    """The usage of a run of the books, its lines keyed as a statement's, in code-point order."""
    key: Callable[[Any], str] = key_of(by)
    ticks: dict[str, Counter[str]] = defaultdict(Counter)
    observed: Counter[str] = Counter()
    for row in result.times:
        ticks[key(row)][row.account] += row.ticks
        observed[key(row)] += row.observed_ticks
    assumed = any(row.is_assumed for row in result.times)
    counted = any(not row.is_assumed for row in result.times)
    lines = tuple(UsageLine(name, dict(ticks[name]), observed[name]) for name in sorted(ticks))
    return Usage(result.period, by, result.seq, counted or not assumed, lines)


_IDLE = """
select
    run, owner, team, cast(sum(ticks) as bigint) as held,
    cast(sum(case when account = 'idle_held' then ticks else 0 end) as bigint) as idle,
    cast(sum(observed_ticks) as bigint) as observed,
    cast(sum(joules) as bigint) as joules, cast(coalesce(sum(energy_ticks), 0) as bigint) as known
from kept_time
where run <> ''
group by run, owner, team
having sum(case when account = 'idle_held' then ticks else 0 end) > 0
order by idle desc, run, owner, team
limit $most
"""


def idle_holders(desk: Desk, result: Result, most: int) -> tuple[IdleHolder, ...]:
    """The runs with the most idle held time, from the files of a run of the books."""
    with Workbench(desk.limits) as bench:
        open_books(bench, run_folders(desk, result))
        rows = bench.rows(_IDLE, {"most": most})
    return tuple(replace(IdleHolder(*row[:-2]), energy=Energy(*row[-2:])) for row in rows)
