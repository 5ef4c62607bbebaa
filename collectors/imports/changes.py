"""What a delivery changes of what is in force: new versions, withdrawals, and what is known already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from collectors.imports.facts import Fact, HoldingFact, LakeFact

__all__ = ["Changes", "settle", "settle_holdings"]


@dataclass
class Changes:
    """What a delivery changes of one table.

    `versions` are to be written; the counts say how many facts were new, changed, unchanged and withdrawn;
    `also` counts those that another source had delivered, by that source.
    """

    versions: list[LakeFact] = field(default_factory=list)
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    withdrawn: int = 0
    also: Counter[str] = field(default_factory=Counter)

    def add(self, fact: Fact, before: Fact | None) -> None:
        """Count a fact beside the one known of its identity, and write it if it says anything else."""
        if before is None:
            self.new += 1
        elif fact == before:
            self.unchanged += 1
            return
        else:
            self.changed += 1
        self.versions.append(fact)

    def withdraw(self, before: LakeFact) -> None:
        """Take a known fact back."""
        self.withdrawn += 1
        self.versions.append(before._replace(withdrawn=True))


def settle(facts: Mapping[str, Fact], known: Mapping[str, Fact]) -> Changes:
    """The changes that make `facts` all that holds in place of `known`: the rest of it is withdrawn.

    A fact that another source said in the same words is unchanged: who said it first stays its source.
    """
    changes = Changes()
    for identity, fact in facts.items():
        before = known.get(identity)
        if before is not None and before.source != fact.source:
            changes.also[before.source] += 1
            if fact._replace(source=before.source) == before:
                fact = before
        changes.add(fact, before)
    for identity, before in known.items():
        if identity not in facts:
            changes.withdraw(before)
    return changes


def settle_holdings(
    facts: Mapping[str, HoldingFact],
    known: Mapping[str, HoldingFact],
    through_s: Mapping[str, int],
    known_through_s: Mapping[tuple[str, str], int],
) -> Changes:
    """The changes that holdings make; what a file does not name stays as it is.

    `through_s` is up to where the file is complete, by cluster; `known_through_s` the same of what was known,
    by source and cluster. A file can say of an open holding only that it was still held then: an end that is
    known and lies later stands, so an export that is imported late takes nothing back.
    """
    changes = Changes()
    for identity, fact in facts.items():
        before = known.get(identity)
        if before is not None:
            through = through_s[fact.cluster]
            if fact.end_s is None and before.end_s is not None and before.end_s >= through:
                fact = fact._replace(end_s=before.end_s)
            if before.source != fact.source:
                changes.also[before.source] += 1
                reaches = known_through_s.get((before.source, before.cluster))
                if fact.end_s is not None or (reaches is not None and reaches >= through):
                    fact = fact._replace(source=before.source)
        changes.add(fact, before)
    return changes
