"""Whose each slot's time is in each second: the rules of sharing, applied to one instant after another.

Nothing here is shared with the books. Between two changes on a node nothing changes, so an instant stands for
all seconds up to the next change.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple, Protocol

from simulator.world import Board, Facts, Holding, Instance, Phase, Team

__all__ = ["CONFLICT", "TICKS", "Node", "Part", "Policies", "Taker", "Ticks", "by_machine"]

TICKS = 720_720
"""Ticks in a second of a whole device."""
CONFLICT = "__conflict__"

Ticks = int | Fraction
_GRAVEST = ("absent", "failed", "drained", "maintenance", "system", "provisioning", "available")


@dataclass(frozen=True)
class Policies:
    """How devices are shared: MIG by `dominant`, `compute` or `memory`, turns `equal` or `per_replica`.

    What no slice fits into stands `apart`, or is `absorbed` by the instances.
    """

    mig_share: str = "dominant"
    stranded: str = "apart"
    time_slicing: str = "equal"


class Taker(NamedTuple):
    """Whose a part of a lane's time is: a run of an owner, or an account when nobody held it."""

    run: str
    owner: str
    team: str
    phase: str
    account: str
    state: str


class Part(NamedTuple):
    """A part of a lane over [start, end): its ticks a second, and the subject that tells of it ('' none)."""

    slot: str
    lane: str
    start_s: int
    end_s: int
    taker: Taker
    ticks: Ticks
    subject: str


class _Lane(NamedTuple):
    name: str
    subject: str
    ticks: Ticks
    free_account: str
    instance: str


@dataclass(frozen=True)
class _Weighed:
    """One holder of a lane: what it is weighed by, and what that is divided by at least."""

    holding: Holding
    weight: Ticks
    cap: int


@dataclass
class Node:
    """One node's facts, cut at the instant up to which its sources are complete."""

    name: str
    facts: Facts
    through_s: int
    policies: Policies = field(default_factory=Policies)

    def __post_init__(self) -> None:
        name = self.name
        self.boards = [one for one in self.facts.boards if one.machine.name == name]
        self.instances = [one for one in self.facts.instances if one.node == name]
        self.conditions = [one for one in self.facts.conditions if one.node == name]
        self.holdings = sorted(
            (one for one in self.facts.holdings if one.node == name), key=lambda one: one.start_s
        )
        runs = {one.run for one in self.holdings}
        self.phases: dict[tuple[str, ...], list[Phase]] = defaultdict(list)
        for phase in self.facts.phases:
            if phase.run in runs:
                self.phases[phase.run].append(phase)
        self.teams: dict[str, list[Team]] = defaultdict(list)
        for team in self.facts.teams:
            self.teams[team.owner_key].append(team)
        self.rates = [one for one in self.facts.rates if one.model in {b.machine.model for b in self.boards}]

    def parts(self, start_s: int, end_s: int) -> Iterator[Part]:
        """Every second of every slot that is there over [start, end), by whose it is."""
        end_s = min(end_s, self.through_s)
        edges = sorted({start_s, end_s, *(at for at in self._edges() if start_s < at < end_s)})
        there, coming = list[Holding](), deque(self.holdings)
        for begin, end in pairwise(edges):
            while coming and coming[0].start_s <= begin:
                there.append(coming.popleft())
            there = [one for one in there if _holds(one, begin)]
            for slot, lane, taker, ticks, subject in self._at(begin, there):
                yield Part(slot, lane, begin, end, taker, ticks, subject)

    def money_edges(self) -> set[int]:
        """Where a slot comes or goes, is cut anew, or a price changes: no money crosses these.

        A board that comes in the second in which another goes leaves the slot as it was.
        """
        comes = {(board.slot, board.start_s) for board in self.boards}
        goes = {(board.slot, board.end_s) for board in self.boards}
        absent = [one for one in self.conditions if one.state == "absent"]
        slots = {at_s for _, at_s in comes ^ goes if at_s is not None}
        return slots | _ends([*self.instances, *self.rates, *absent])

    def slots_at(self, at_s: int) -> list[Board]:
        """The boards that are there."""
        if self._state(at_s) == "absent" or at_s >= self.through_s:
            return []
        return [board for board in self.boards if _holds(board, at_s)]

    def _edges(self) -> set[int]:
        keys = {one.owner_key for one in self.holdings}
        teams = [team for key in keys for team in self.teams[key]]
        phases = [phase for run in self.phases.values() for phase in run]
        changing: list[_Timed] = [*self.boards, *self.conditions, *self.holdings, *teams, *phases]
        return self.money_edges() | _ends(changing)

    def _state(self, at_s: int) -> str:
        said = [one.state for one in self.conditions if _holds(one, at_s)]
        return min(said, key=_GRAVEST.index, default="available")

    def _at(self, at_s: int, holdings: Sequence[Holding]) -> Iterator[tuple[str, str, Taker, Ticks, str]]:
        state = self._state(at_s)
        free: list[tuple[Board, _Lane]] = []
        for board in self.slots_at(at_s):
            for lane in self._lanes(board, at_s):
                holders = [
                    self._weighed(one)
                    for one in holdings
                    if one.device and one.device in (lane.instance, board.uuid)
                ]
                if not holders and state == "available" and not lane.instance and lane.subject == board.uuid:
                    free.append((board, lane))
                elif holders:
                    yield from self._shared(board.slot, lane, holders, state, at_s)
                else:
                    yield board.slot, lane.name, _nobody(lane, state), lane.ticks, ""
        yield from self._unplaced(free, [one for one in holdings if not one.device], at_s)

    def _lanes(self, board: Board, at_s: int) -> Iterator[_Lane]:
        """The instances of a board and what they leave over, or the whole board."""
        cut = [one for one in self.instances if one.bus == board.bus and _holds(one, at_s)]
        if not cut:
            yield _Lane(board.slot, board.uuid, TICKS, "idle_free", "")
            return
        machine = board.machine
        full = machine.compute * machine.memory
        weights = [self._slices(one, machine.compute, machine.memory) for one in cut]
        fits = (
            sum(one.compute for one in cut) < machine.compute
            and sum(one.memory for one in cut) < machine.memory
        )
        absorbed = self.policies.stranded == "absorbed" and not fits
        whole = sum(weights) if absorbed else max(full, sum(weights))
        for one, weight in zip(cut, weights, strict=True):
            yield _Lane(
                f"{board.slot}/{one.number}", one.uuid, _ticks(TICKS, weight, whole), "idle_free", one.uuid
            )
        if left := _ticks(TICKS, whole - sum(weights), whole):
            yield _Lane(f"{board.slot}/rest", "", left, "idle_free" if fits else "stranded", "")

    def _slices(self, one: Instance, compute: int, memory: int) -> int:
        by_compute, by_memory = one.compute * memory, one.memory * compute
        return {"compute": by_compute, "memory": by_memory}.get(
            self.policies.mig_share, max(by_compute, by_memory)
        )

    def _weighed(self, holding: Holding) -> _Weighed:
        if holding.mode == "mps" and holding.number:
            return _Weighed(holding, TICKS * holding.number // 100, TICKS)
        if holding.mode == "time_slicing" and self.policies.time_slicing == "per_replica":
            return _Weighed(holding, TICKS // holding.number, TICKS)
        return _Weighed(holding, TICKS, 0)

    def _shared(
        self, slot: str, lane: _Lane, holders: Sequence[_Weighed], state: str, at_s: int
    ) -> Iterator[tuple[str, str, Taker, Ticks, str]]:
        contested = len(holders) > 1 and any(not one.holding.mode for one in holders)
        alone = len(holders) == 1 and not holders[0].holding.mode
        whole = max(sum(one.weight for one in holders), *(one.cap for one in holders), 0)
        left = lane.ticks
        for one in holders:
            share = _ticks(lane.ticks, one.weight, whole)
            left -= share
            subject = lane.subject if alone else f"{lane.subject}/{one.holding.run_name}"
            yield slot, lane.name, self._taker(one.holding, at_s, contested=contested), share, subject
        if left:
            yield slot, lane.name, _nobody(lane, state), left, ""

    def _unplaced(
        self, free: Sequence[tuple[Board, _Lane]], claims: Sequence[Holding], at_s: int
    ) -> Iterator[tuple[str, str, Taker, Ticks, str]]:
        """Units of the node's free slots: the same part of each; more than there are is a conflict.

        Who alone has all of them is told by what the devices report.
        """
        wanted = sum(one.units for one in claims)
        contested = wanted > len(free)
        alone = len(claims) == 1 and wanted == len(free)
        for board, lane in free:
            for one in claims:
                share = _ticks(lane.ticks, one.units, wanted if contested else len(free))
                taker = self._taker(one, at_s, contested=contested)
                yield (
                    board.slot,
                    lane.name,
                    taker,
                    share,
                    board.uuid if alone else f"{board.uuid}/{one.run_name}",
                )
            if left := _ticks(lane.ticks, max(0, len(free) - wanted), len(free)):
                yield board.slot, lane.name, _nobody(lane, "available"), left, ""

    def _taker(self, holding: Holding, at_s: int, *, contested: bool) -> Taker:
        spoken = [one for one in self.phases.get(holding.run, ()) if _holds(one, at_s)]
        phase = max(spoken, key=lambda one: one.start_s).phase if spoken else ""
        if contested:
            return Taker(holding.run_name, CONFLICT, CONFLICT, phase, "held", "")
        team = next(
            (one.team for one in self.teams[holding.owner_key] if _holds(one, at_s)), holding.owner_key
        )
        return Taker(holding.run_name, holding.owner_key, team, phase, "held", "")


def by_machine(facts: Facts) -> dict[str, Facts]:
    """The facts of each node; terms are everybody's, and so are the phases of runs that are on many nodes."""
    nodes = sorted({one.machine.name for one in facts.boards})
    node_of = defaultdict[tuple[str, ...], set[str]](set)
    for holding in facts.holdings:
        node_of[holding.run].add(holding.node)
    holdings, phases = defaultdict[str, list[Holding]](list), defaultdict[str, list[Phase]](list)
    for holding in facts.holdings:
        holdings[holding.node].append(holding)
    for phase in facts.phases:
        for node in node_of[phase.run]:
            phases[node].append(phase)
    return {
        node: replace(facts, holdings=tuple(holdings[node]), phases=tuple(phases[node])) for node in nodes
    }


def _nobody(lane: _Lane, state: str) -> Taker:
    if state == "available":
        return Taker("", "__account__", "__account__", "", lane.free_account, "")
    return Taker("", "__account__", "__account__", "", "overhead", state)


def _ticks(ticks: Ticks, weight: Ticks, whole: Ticks) -> Ticks:
    part = Fraction(ticks * weight) / whole
    return part.numerator if part.denominator == 1 else part


class _Timed(Protocol):
    """What holds over an interval."""

    @property
    def start_s(self) -> int: ...

    @property
    def end_s(self) -> int | None: ...


def _holds(one: _Timed, at_s: int) -> bool:
    return one.start_s <= at_s and (one.end_s is None or at_s < one.end_s)


def _ends(facts: Sequence[_Timed]) -> set[int]:
    found = {one.start_s for one in facts}
    return found | {one.end_s for one in facts if one.end_s is not None}
