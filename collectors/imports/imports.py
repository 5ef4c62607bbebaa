"""Imports of holdings, inventory and capacity from end to end.

Each gathers its rows, settles them with what is known, writes, and sums up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from fractions import Fraction
from typing import Protocol, TypeVar

from collectors.imports.capacity import GroupFacts, GroupKey, group_facts, settle_capacity
from collectors.imports.changes import Changes, settle_holdings
from collectors.imports.column_map import CapacityMap, HoldingMap, InventoryMap
from collectors.imports.counts import CapacityReader, Series, series_of
from collectors.imports.deliver import Delivery, Outcome, deliver
from collectors.imports.facts import DeviceFact, HoldingFact, NodeFact, NodeResourceFact, SlotFact
from collectors.imports.holdings import HoldingReader, held_gpu_seconds, suspended_gpu_seconds
from collectors.imports.intake import Intake, Reach, Watch
from collectors.imports.inventory import InventoryReader, PlaceRow, refuse_contradictions
from collectors.imports.keys import join_key
from collectors.imports.outcomes import OUTCOMES
from collectors.imports.places import Places, settle_inventory
from collectors.imports.quarantine import BadRecord
from collectors.imports.stored import facts_of_nodes, facts_said
from collectors.imports.summary import Figure, Summary, six_places, summarise
from gpuledger.lake import Lake
from gpuledger.versions import Database, throughs

__all__ = ["Ledger", "import_capacity", "import_holdings", "import_inventory", "write"]

_WORDS_NAMED = 3

OfNode = TypeVar("OfNode", NodeFact, SlotFact, DeviceFact, NodeResourceFact)


class Ledger(Protocol):
    """What an import writes to: a session, or whatever else has a database, a lake and a clock."""

    @property
    def database(self) -> Database: ...
    @property
    def lake(self) -> Lake: ...
    def now(self) -> int: ...


def import_holdings(intake: Intake, column_map: HoldingMap, ledger: Ledger, watch: Watch) -> Summary:
    """Bring in who held what, and when."""
    reader = HoldingReader(column_map, intake.times, intake.source, intake.cluster)
    mend = "add a column to identity, or deliver them in two imports"
    gathered = intake.gather_each(reader.read_each, lambda fact: fact.identity, mend, watch)
    bad = intake.quarantined(gathered)
    facts = gathered.items
    reader.owners.hand_on(facts)
    reach = _reach_of_holdings(intake, facts)

    def settle(seq: int) -> Mapping[str, Changes]:
        known = facts_said(ledger.lake, "holding", HoldingFact, seq, facts.keys())
        with ledger.database.read() as connection:
            reached = throughs(connection, seq)
        before = {fact.identity: fact for fact in known}
        owned = reader.owners.kept(facts, before)
        return {"holding": settle_holdings(owned, before, reach.through_s, reached)}

    outcome = write(intake, ledger, settle, reach, bad)
    figures: dict[str, Figure] = {
        "owners": len({fact.owner_key for fact in facts.values()} - {""}),
        "with_gpu": sum(fact.units > 0 for fact in facts.values()),
        "gpu_hours_held": six_places(held_gpu_seconds(facts.values(), reach.through_s) / 3600),
        **_figures_of_life(column_map, facts.values()),
        **reader.owners.figures(facts.values()),
    }
    return summarise(intake, gathered, outcome, reach, figures, _notes(reader))


def _figures_of_life(column_map: HoldingMap, facts: Collection[HoldingFact]) -> dict[str, Figure]:
    """The figures of suspended time and of outcomes, where the map has them."""
    columns, figures = column_map.columns, dict[str, Figure]()
    if columns.suspended is not None or columns.elapsed is not None:
        figures["gpu_hours_suspended"] = six_places(suspended_gpu_seconds(facts) / 3600)
    if columns.outcome is not None:
        counts = Counter(fact.outcome for fact in facts)
        figures |= {word: counts[word] for word in OUTCOMES if counts[word]}
    return figures


def _notes(reader: HoldingReader) -> list[str]:
    """What a reader should know of words that are not known, and of owners that contradict each other."""
    notes = []
    if words := reader.outcomes.not_known:
        named = ", ".join(f"{word!r} ({count})" for word, count in words.most_common(_WORDS_NAMED))
        notes.append(f"outcome is not known of {named}: give each a meaning under outcomes in the map")
    if (several := reader.owners.contested) > 0:
        notes.append(
            f"{several} controllers have pods with different owners: their other pods keep what they say "
            "themselves"
        )
    return notes


def _reach_of_holdings(intake: Intake, facts: Mapping[str, HoldingFact]) -> Reach:
    clusters = {fact.cluster for fact in facts.values()}
    last = max((fact.end_s or fact.start_s for fact in facts.values()), default=0)
    return intake.reach(clusters, (dict.fromkeys(clusters, last), "the latest instant in the file"))


def import_inventory(intake: Intake, column_map: InventoryMap, ledger: Ledger, watch: Watch) -> Summary:
    """Bring in nodes, slots and devices; without `data_through` they are a declaration that holds on."""
    reader = InventoryReader(column_map, intake.times, intake.cluster)
    mend = "end one where the other begins"
    gathered = intake.gather(reader.read, lambda row: row.key, mend, watch)
    refuse_contradictions(gathered)
    bad = intake.quarantined(gathered)
    rows = list(gathered.items.values())
    reach = intake.reach(row.cluster for row in rows)

    def settle(seq: int) -> Mapping[str, Changes]:
        return settle_inventory(rows, intake.source, _known_places(ledger.lake, seq, rows))

    outcome = write(intake, ledger, settle, reach, bad)
    figures: dict[str, Figure] = {
        "nodes": len({(row.cluster, row.node) for row in rows}),
        "slots": len({(row.cluster, slot) for row in rows for slot in row.slots}),
        "devices": len({row.device for row in rows} - {""}),
    }
    return summarise(intake, gathered, outcome, reach, figures)


def _known_places(lake: Lake, seq: int, rows: list[PlaceRow]) -> Places:
    """What is known of the nodes that the rows name."""
    nodes = {(row.cluster, row.node) for row in rows}
    names = {node for _, node in nodes}

    def known(table: str, kind: type[OfNode]) -> list[OfNode]:
        found = facts_of_nodes(lake, table, kind, seq, names)
        return [fact for fact in found if (fact.cluster, fact.node) in nodes]

    return Places(
        known("node", NodeFact),
        known("slot", SlotFact),
        known("device", DeviceFact),
        known("node_resource", NodeResourceFact),
    )


def import_capacity(intake: Intake, column_map: CapacityMap, ledger: Ledger, watch: Watch) -> Summary:
    """Bring in counts over time; they replace what their source said of the same groups and time."""
    reader = CapacityReader(column_map, intake.times, intake.cluster)
    mend = "a group has one count at an instant: keep one of the rows"
    gathered = intake.gather(reader.read, lambda row: row.key, mend, watch)
    bad = intake.quarantined(gathered)
    series = series_of(gathered.items.values(), column_map.step, intake.file)
    fresh = {(one.cluster, one.group): group_facts(one, intake.source) for one in series}
    reach = intake.reach((one.cluster for one in series), (_last_of(series), "the end of the last step"))

    def settle(seq: int) -> Mapping[str, Changes]:
        return settle_capacity(series, fresh, _known_groups(ledger.lake, seq, intake.source, fresh.keys()))

    outcome = write(intake, ledger, settle, reach, bad)
    figures: dict[str, Figure] = {
        "groups": len(series),
        "unit_hours": six_places(Fraction(_unit_seconds(fresh.values()), 3600)),
        "gpu_hours_held": six_places(_held_seconds(fresh.values()) / 3600),
        "rows_held_above_total": sum((row.held or 0) > row.total for row in gathered.items.values()),
        "gaps_longer_than_a_step": sum(one.gaps for one in series),
    }
    return summarise(intake, gathered, outcome, reach, figures)


def _last_of(series: Iterable[Series]) -> dict[str, int]:
    last: dict[str, int] = {}
    for one in series:
        last[one.cluster] = max(one.end_s, last.get(one.cluster, one.end_s))
    return last


def _unit_seconds(facts: Iterable[GroupFacts]) -> int:
    return sum((slot.end_s or 0) - slot.start_s for one in facts for slot in one.slots)


def _held_seconds(facts: Iterable[GroupFacts]) -> Fraction:
    return held_gpu_seconds((holding for one in facts for holding in one.holdings), {})


def _known_groups(
    lake: Lake, seq: int, source: str, groups: Iterable[GroupKey]
) -> dict[GroupKey, GroupFacts]:
    """What the source said before of each group."""
    known = {key: GroupFacts([], [], []) for key in groups}
    begin = {join_key([cluster, source, group]): facts for (cluster, group), facts in known.items()}
    names = {group for _, group in known}
    for node in facts_of_nodes(lake, "node", NodeFact, seq, names, source):
        if (facts := begin.get(_beginning(node.identity))) is not None:
            facts.nodes.append(node)
    for slot in facts_of_nodes(lake, "slot", SlotFact, seq, names, source):
        if (facts := begin.get(_beginning(slot.identity))) is not None:
            facts.slots.append(slot)
    for holding in facts_of_nodes(lake, "holding", HoldingFact, seq, names, source):
        if (facts := begin.get(_beginning(holding.identity))) is not None:
            facts.holdings.append(holding)
    return known


def _beginning(identity: str) -> str:
    """Cluster, source and group of an identity, without its track and start."""
    return identity.rsplit("/", 2)[0]


def write(
    intake: Intake,
    ledger: Ledger,
    settle: Callable[[int], Mapping[str, Changes]],
    reach: Reach,
    bad: list[BadRecord],
) -> Outcome:
    """Write what settling gives, the bad rows and the reach: in one commit, or not at all."""
    kind = f"import {intake.kind}"
    delivery = Delivery(kind, intake.source, intake.file, settle, reach.through_s, bad)
    return deliver(ledger.database, ledger.lake, delivery, at_s=ledger.now())
