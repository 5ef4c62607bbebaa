"""Write a delivery: facts, bad rows and how far the source reaches, in one commit or not at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from collectors.imports.changes import Changes
from collectors.imports.quarantine import BadRecord, not_known, quarantine_table
from collectors.imports.stored import facts_table
from gpuledger.lake import Lake, StagedFile
from gpuledger.versions import Database, set_through, throughs

__all__ = ["Delivery", "Outcome", "deliver"]


@dataclass(frozen=True)
class Delivery:
    """What is to be written.

    `settle` gives the changes by table against what is in force at a seq; `through_s` is the instant up to
    which the source is complete, by cluster.
    """

    kind: str
    source: str
    file: str
    settle: Callable[[int], Mapping[str, Changes]]
    through_s: Mapping[str, int]
    bad: list[BadRecord]


@dataclass(frozen=True)
class Outcome:
    """What was written at an instant, and the seq at which it is known; nothing new leaves that as it was."""

    seq: int
    at_s: int
    changes: Mapping[str, Changes]


@dataclass(frozen=True)
class _Prepared:
    changes: Mapping[str, Changes]
    staged: list[StagedFile]
    through_s: dict[str, int]


def deliver(database: Database, lake: Lake, delivery: Delivery, *, at_s: int) -> Outcome:
    """Write the delivery in one commit at this instant; a delivery that says nothing new makes none.

    Files are staged before the lock is taken. When another commit came between, they are made once more.
    """
    seq = database.latest_seq()
    prepared = _prepare(database, lake, delivery, seq, at_s)
    if not prepared.staged and not prepared.through_s:
        return Outcome(seq, at_s, prepared.changes)
    with database.commit(delivery.kind, at_s=at_s, note=f"{delivery.source}: {delivery.file}") as commit:
        if commit.seq != seq + 1:
            lake.discard(prepared.staged)
            prepared = _prepare(database, lake, delivery, commit.seq - 1, at_s)
        lake.publish(commit, prepared.staged)
        for cluster, through_s in prepared.through_s.items():
            set_through(commit, delivery.source, cluster, through_s)
    lake.write_manifest()
    return Outcome(commit.seq, at_s, prepared.changes)


def _prepare(database: Database, lake: Lake, delivery: Delivery, seq: int, at_s: int) -> _Prepared:
    changes = delivery.settle(seq)
    staged = []
    for table, change in changes.items():
        if change.versions:
            staged += lake.stage(table, facts_table(table, change.versions))
    if bad := not_known(delivery.bad, lake, seq):
        staged += lake.stage("quarantine", quarantine_table(bad, at_s))
    with database.read() as connection:
        known = throughs(connection, seq)
    further = {
        cluster: through_s
        for cluster, through_s in delivery.through_s.items()
        if through_s > known.get((delivery.source, cluster), -1)
    }
    return _Prepared(changes, staged, further)
