"""Where an owner was found: the nearest of several places, or another pod of the same controller.

A map lists the places of `owner_key` in order of nearness (`first_of`). Pods of one controller share the
nearest find: where only a leader has the label, its workers take what the label says, and not what a
namespace says.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from collectors.imports.cells import TextCell
from collectors.imports.facts import HoldingFact
from collectors.imports.readings import text_of
from collectors.imports.rows import Cells

__all__ = ["Found", "OwnerChain"]

_OF = " of controller "


class Found(NamedTuple):
    """An owner key ('' is none), the column that gave it (None: there is but one, or none did), its place."""

    key: str
    where: str | None
    place: int


class OwnerChain:
    """Finds owners row by row, then hands finds on among the pods of a controller.

    `taken` counts holdings whose owner another pod of their controller gave, `contested` the controllers of
    which the nearest place names several owners: there each holding keeps its own find.
    """

    def __init__(self, owner: TextCell | None, controller: TextCell | None, nulls: frozenset[str]) -> None:
        self._columns = owner.columns if owner is not None else ()
        self._texts = [(column, text_of(TextCell(column=column), nulls)) for column in self._columns]
        self._else = text_of(owner, nulls)
        self._controller = None if controller is None else text_of(controller, nulls)
        self._tells = len(self._columns) > 1 or controller is not None
        self._of: dict[str, tuple[str, int]] = {}
        self.taken = 0
        self.contested = 0

    @property
    def shares(self) -> bool:
        """Whether the map names controllers, whose pods share finds."""
        return self._controller is not None

    def find(self, cells: Cells) -> Found:
        """What a row says of its owner itself."""
        if not self._tells:
            return Found(self._else(cells), None, 0)
        for place, (column, text_at) in enumerate(self._texts):
            if text := text_at(cells):
                return Found(text, column, place)
        return Found(self._else(cells), None, len(self._columns))

    def remember(self, identity: str, cells: Cells) -> None:
        """Keep which controller a holding is of, and how near its owner was found."""
        if self._controller is not None and (controller := self._controller(cells)):
            self._of[identity] = (controller, self.find(cells).place)

    def hand_on(self, facts: dict[str, HoldingFact]) -> None:
        """Give each holding of a controller the owner that was found nearest among them."""
        groups: dict[tuple[str, str], list[str]] = defaultdict(list)
        for identity, (controller, _) in self._of.items():
            if identity in facts:
                groups[facts[identity].cluster, controller].append(identity)
        for (_, controller), identities in groups.items():
            nearest = min(self._of[identity][1] for identity in identities)
            if nearest == len(self._columns):
                continue
            named = {facts[one].owner_key for one in identities if self._of[one][1] == nearest}
            further = [one for one in identities if self._of[one][1] > nearest]
            if len(named) > 1:
                self.contested += bool(further)
                continue
            where = f"{self._columns[nearest]}{_OF}{controller}"
            for identity in further:
                facts[identity] = facts[identity]._replace(owner_key=min(named), owner_from=where)
                self.taken += 1

    def kept(
        self, facts: Mapping[str, HoldingFact], known: Mapping[str, HoldingFact]
    ) -> dict[str, HoldingFact]:
        """The holdings with the owner that their controller gave before, where this file has no nearer one.

        So an export that no longer lists the leader takes no owner from its workers.
        """
        return {identity: self._still(fact, known.get(identity)) for identity, fact in facts.items()}

    def _still(self, fact: HoldingFact, before: HoldingFact | None) -> HoldingFact:
        controller, place = self._of.get(fact.identity, ("", 0))
        if before is None or not controller or not before.owner_from or _OF in (fact.owner_from or ""):
            return fact
        column, of, given_by = before.owner_from.partition(_OF)
        nearer = column in self._columns and self._columns.index(column) < place
        if not of or given_by != controller or not nearer:
            return fact
        return fact._replace(owner_key=before.owner_key, owner_from=before.owner_from)

    def figures(self, facts: Iterable[HoldingFact]) -> dict[str, int]:
        """How many owners were found in each place; empty where the map has one place only."""
        if not self._tells:
            return {}
        counts: Counter[str] = Counter()
        for fact in facts:
            counts[(fact.owner_from or "nowhere").partition(_OF)[0]] += 1
        places = {f"owner_from_{name}": counts[name] for name in (*self._columns, "nowhere") if counts[name]}
        shared = {"owner_from_the_controller": self.taken, "controllers_with_several_owners": self.contested}
        return places | (shared if self._controller is not None else {})
