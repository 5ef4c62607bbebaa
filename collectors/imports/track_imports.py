"""Imports of states, partitions, phases and checkpoints from end to end: facts of a place or run in turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from collectors.imports.changes import Changes
from collectors.imports.checkpoints import CheckpointReader
from collectors.imports.facts import Fact, PartitionFact, PhaseFact, StateFact
from collectors.imports.gather import Gathered
from collectors.imports.imports import Ledger, write
from collectors.imports.intake import Intake, Watch
from collectors.imports.partitions import PartitionReader
from collectors.imports.phases import PhaseReader
from collectors.imports.rows import Cells
from collectors.imports.slices import VERSION
from collectors.imports.states import StateReader
from collectors.imports.stored import facts_of_nodes, facts_of_runs, facts_said, keys_known
from collectors.imports.summary import Figure, Summary, summarise
from collectors.imports.track_maps import STATES, CheckpointMap, PartitionMap, PhaseMap, StateMap
from collectors.imports.tracks import refuse_overlaps, refuse_shared, settle_tracks

__all__ = ["import_checkpoints", "import_partitions", "import_phases", "import_states"]

_MEND = "keep one of the rows"


def import_states(intake: Intake, column_map: StateMap, ledger: Ledger, watch: Watch) -> Summary:
    """Bring in what nodes, or slots, were good for."""
    reader = StateReader(column_map, intake.times, intake.source, intake.cluster)
    gathered = _gathered(intake, reader.read, watch)
    refuse_overlaps(gathered, "two rows say the state of one place at the same time")
    nodes = {fact.node for fact in gathered.items.values()}

    def known(seq: int) -> list[StateFact]:
        return facts_of_nodes(ledger.lake, "state", StateFact, seq, nodes)

    def figures(facts: Iterable[StateFact], seq: int) -> dict[str, Figure]:
        there = keys_known(ledger.lake, "slot", "node", seq, nodes)
        named = {(fact.cluster, fact.node) for fact in facts}
        counts = Counter(fact.state for fact in facts)
        return {
            "nodes": len(named),
            "nodes_with_slots": len(named & there),
            **{state: counts[state] for state in STATES if counts[state]},
        }

    return _bring_in(intake, ledger, "state", gathered, known, figures)


def import_partitions(intake: Intake, column_map: PartitionMap, ledger: Ledger, watch: Watch) -> Summary:
    """Bring in how devices were cut."""
    reader = PartitionReader(column_map, intake.times, intake.source, intake.cluster)
    gathered = _gathered(intake, reader.read, watch)
    refuse_overlaps(gathered, "two rows say the profile of one instance at the same time")
    refuse_shared(gathered, lambda fact: fact.uuid, "one UUID is on two instances at the same time")
    nodes = {fact.node for fact in gathered.items.values()}

    def known(seq: int) -> list[PartitionFact]:
        return facts_of_nodes(ledger.lake, "partition", PartitionFact, seq, nodes)

    def figures(facts: Iterable[PartitionFact], seq: int) -> dict[str, Figure]:
        slots = {(fact.cluster, fact.slot) for fact in facts}
        there = keys_known(ledger.lake, "slot", "slot", seq, {slot for _, slot in slots})
        return {
            "slots": len(slots),
            "slots_known": len(slots & there),
            "instances": len({(fact.cluster, fact.lane) for fact in facts}),
            "slices_from_the_table": reader.from_the_table,
            "table_of_slices": f"version {VERSION}",
        }

    return _bring_in(intake, ledger, "partition", gathered, known, figures)


def import_phases(intake: Intake, column_map: PhaseMap, ledger: Ledger, watch: Watch) -> Summary:
    """Bring in what runs were at."""
    reader = PhaseReader(column_map, intake.times, intake.source, intake.cluster)
    gathered = _gathered(intake, reader.read, watch)
    refuse_overlaps(gathered, "two rows say the phase of one run at the same time")
    runs = {fact.run for fact in gathered.items.values()}

    def known(seq: int) -> list[PhaseFact]:
        return facts_of_runs(ledger.lake, "phase", PhaseFact, seq, runs)

    def figures(facts: Iterable[PhaseFact], seq: int) -> dict[str, Figure]:
        return _of_runs(ledger, facts, seq) | {"phases": len({fact.phase for fact in facts})}

    return _bring_in(intake, ledger, "phase", gathered, known, figures)


def import_checkpoints(intake: Intake, column_map: CheckpointMap, ledger: Ledger, watch: Watch) -> Summary:
    """Bring in when the work of runs was kept."""
    reader = CheckpointReader(column_map, intake.times, intake.source, intake.cluster)
    gathered = _gathered(intake, reader.read, watch)
    identities = gathered.items.keys()

    def known(seq: int) -> list[PhaseFact]:
        return facts_said(ledger.lake, "phase", PhaseFact, seq, identities)

    def figures(facts: Iterable[PhaseFact], seq: int) -> dict[str, Figure]:
        return _of_runs(ledger, facts, seq) | {"checkpoints": len(identities)}

    return _bring_in(intake, ledger, "phase", gathered, known, figures)


def _of_runs(ledger: Ledger, facts: Iterable[PhaseFact], seq: int) -> dict[str, Figure]:
    """How many runs the facts are of, and of how many of them a holding is known."""
    named = {(fact.cluster, fact.run) for fact in facts}
    held = keys_known(ledger.lake, "holding", "run", seq, {run for _, run in named})
    return {"runs": len(named), "runs_with_holdings": len(named & held)}


def _gathered(intake: Intake, read: Callable[[Cells], Fact], watch: Watch) -> Gathered[str, Fact]:
    return intake.gather(read, lambda fact: fact.identity, _MEND, watch)


def _bring_in(
    intake: Intake,
    ledger: Ledger,
    table: str,
    gathered: Gathered[str, Fact],
    known: Callable[[int], list[Fact]],
    figures: Callable[[Iterable[Fact], int], dict[str, Figure]],
) -> Summary:
    """Settle the facts with what is known of their tracks, write them, and sum up.

    Without `data_through` they are a declaration that holds on: they do not say how far their source reaches.
    """
    bad, facts = intake.quarantined(gathered), gathered.items
    reach = intake.reach(fact.cluster for fact in facts.values())
    latest_s = _latest(facts.values()) | reach.through_s

    def settle(seq: int) -> Mapping[str, Changes]:
        return {table: settle_tracks(facts, known(seq), latest_s)}

    outcome = write(intake, ledger, settle, reach, bad)
    return summarise(intake, gathered, outcome, reach, figures(list(facts.values()), outcome.seq))


def _latest(facts: Iterable[Fact]) -> dict[str, int]:
    """The last instant that the facts name, by cluster."""
    latest: dict[str, int] = {}
    for fact in facts:
        at_s = fact.start_s if fact.end_s is None else fact.end_s
        latest[fact.cluster] = max(at_s, latest.get(fact.cluster, at_s))
    return latest
