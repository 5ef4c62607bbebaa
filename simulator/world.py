"""What is true of a simulated fleet with every kind of holder, and what its sources are able to say of it.

Instants are whole UTC seconds; intervals are half-open, and an end of None is open. A scenario changes it;
`simulator.sources` writes what it says, `simulator.truths` works out what the books must come to.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

__all__ = [
    "CLUSTER",
    "REGION",
    "Board",
    "Changes",
    "Condition",
    "Delivery",
    "Facts",
    "Holding",
    "Instance",
    "Kind",
    "Machine",
    "Measure",
    "Phase",
    "Rate",
    "Sampling",
    "Storm",
    "Team",
    "World",
    "known_at",
]

CLUSTER = "sim"
REGION = "eu-west"

Kind = Literal["pods", "slurm", "mig", "shared"]
Measure = Literal["sm", "engine", "utilisation"]
Changes = tuple[tuple[int, int], ...]
"""A piecewise constant level: (since when, per mille of what it could do); 0 before the first."""


@dataclass(frozen=True, order=True)
class Machine:
    """A node. Its GPUs are held as `kind` says: whole by pods, by Slurm in units, as instances, or shared."""

    name: str
    kind: Kind
    model: str
    compute: int = 7
    memory: int = 8


@dataclass(frozen=True, order=True)
class Board:
    """A device in a slot over an interval; it reports no SM activity where `measure` is another one."""

    machine: Machine
    bus: str
    uuid: str
    start_s: int
    end_s: int | None = None
    measure: Measure = "sm"

    @property
    def slot(self) -> str:
        """The slot as the books name it in their cluster."""
        return f"{self.machine.name}/0000:{self.bus.lower()}:00.0"


@dataclass(frozen=True, order=True)
class Instance:
    """A MIG instance of a device over an interval."""

    node: str
    bus: str
    number: int
    uuid: str
    device: str
    profile: str
    compute: int
    memory: int
    start_s: int
    end_s: int | None = None


@dataclass(frozen=True, order=True)
class Condition:
    """What a node was good for: the scheduler's `word`, and the `state` that it means."""

    node: str
    word: str
    state: str
    start_s: int
    end_s: int | None
    reason: str = ""


@dataclass(frozen=True)
class Holding:
    """A run that has a device or instance (`device`), or `units` of a node's free GPUs, as told.

    `mode` '' is alone; `number` is replicas or the MPS percentage. `on` names the devices it truly ran on,
    `work` how busy it truly kept each of them, in true time.
    """

    run: tuple[str, ...]
    owner_key: str
    node: str
    device: str
    start_s: int
    end_s: int | None
    units: int = 1
    mode: Literal["", "time_slicing", "mps"] = ""
    number: int = 0
    on: tuple[str, ...] = ()
    work: Changes = ()

    @property
    def run_name(self) -> str:
        """The run as maps of columns join it."""
        return "/".join(self.run)


@dataclass(frozen=True, order=True)
class Phase:
    """What a run was at."""

    run: tuple[str, ...]
    phase: str
    start_s: int
    end_s: int | None


@dataclass(frozen=True, order=True)
class Rate:
    """What a GPU-hour of a model costs, as decimal text."""

    model: str
    rate: str
    start_s: int
    end_s: int | None


@dataclass(frozen=True, order=True)
class Team:
    """Whose an owner key is."""

    owner_key: str
    team: str
    cost_centre: str
    start_s: int
    end_s: int | None = None


@dataclass(frozen=True)
class Facts:
    """Everything that holds over an interval, as the sources say it in the end."""

    boards: tuple[Board, ...] = ()
    instances: tuple[Instance, ...] = ()
    conditions: tuple[Condition, ...] = ()
    holdings: tuple[Holding, ...] = ()
    phases: tuple[Phase, ...] = ()
    rates: tuple[Rate, ...] = ()
    teams: tuple[Team, ...] = ()


@dataclass(frozen=True)
class Storm:
    """A time in which exporters are scraped `times` as often, and answer up to `late_s` too late."""

    start_s: int
    end_s: int
    times: int
    late_s: int


@dataclass(frozen=True)
class Sampling:
    """How exporters see the fleet, and what goes wrong with them.

    Dark stretches are (node or '' for all, start, end); resets are (node, when its counters begin at 0); late
    stretches are delivered with the last delivery alone; skews are seconds that a node's clock is ahead.
    """

    step_s: int = 30
    lost_permille: int = 5
    dark: tuple[tuple[str, int, int], ...] = ()
    resets: tuple[tuple[str, int], ...] = ()
    storms: tuple[Storm, ...] = ()
    late: tuple[tuple[int, int], ...] = ()
    skews: dict[str, int] = field(default_factory=dict)
    second_step_s: int = 0


@dataclass(frozen=True)
class Delivery:
    """What the sources say at one time, complete up to `through_s`; the last one says all of it.

    `said_by` names the exporters whose pods are in it, each with the holdings that it tells.
    """

    facts: Facts
    through_s: int
    said_by: tuple[tuple[str, tuple[Holding, ...]], ...] = ()


@dataclass(frozen=True)
class World:
    """A fleet over [start, end) and how it becomes known; `facts` is what the books can know in the end."""

    scenario: str
    seed: int
    zone: str
    months: tuple[str, ...]
    start_s: int
    end_s: int
    facts: Facts
    sampling: Sampling = Sampling()
    deliveries: tuple[Delivery, ...] = ()
    local_times: bool = False

    @property
    def machines(self) -> tuple[Machine, ...]:
        """The nodes, by name."""
        return tuple(sorted({board.machine for board in self.facts.boards}))


def known_at(facts: Facts, at_s: int) -> Facts:
    """What an export taken at an instant says: what had begun, and ends only where they had come."""

    def ended(end_s: int | None) -> int | None:
        return end_s if end_s is not None and end_s <= at_s else None

    return replace(
        facts,
        boards=tuple(replace(one, end_s=ended(one.end_s)) for one in facts.boards if one.start_s < at_s),
        instances=tuple(
            replace(one, end_s=ended(one.end_s)) for one in facts.instances if one.start_s < at_s
        ),
        conditions=tuple(
            replace(one, end_s=ended(one.end_s)) for one in facts.conditions if one.start_s < at_s
        ),
        holdings=tuple(replace(one, end_s=ended(one.end_s)) for one in facts.holdings if one.start_s < at_s),
        phases=tuple(replace(one, end_s=ended(one.end_s)) for one in facts.phases if one.start_s < at_s),
    )
