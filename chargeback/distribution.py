"""Distribution: what policies and terms say of who pays for devices that nobody holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from chargeback.policies import DISTRIBUTABLE, FALLBACK, NONE, distributing
from chargeback.terms.in_force import TermsInForce
from gpuledger.intervals import holds_at
from gpuledger.versions import EntitlementFact, OwnerFact, RuleFact

__all__ = ["Distribution", "distribution_of"]

_BY_TERMS = ("unused_entitlement/1", "pool_owner/1")
"""The choices that go by what the terms say of a pool."""


@dataclass(frozen=True)
class Centre:
    """A team's cost centre over [start, end) in UTC seconds."""

    team: str
    cost_centre: str
    start_s: int
    end_s: int


@dataclass(frozen=True)
class Distribution:
    """How a period's unowned money is distributed.

    `choices` has, by account, the policy of each account that is distributed at all; `fallback` is taken
    where a policy has no weight. `centres` are the cost centres of the entitlements' teams.
    """

    choices: tuple[tuple[str, str], ...]
    fallback: str
    entitlements: tuple[EntitlementFact, ...]
    centres: tuple[Centre, ...]

    def astray(self, pools: Iterable[tuple[str, str]]) -> list[str]:
        """The pools that entitlements name and that are none of these, (model, region) each, in words."""
        named = {(fact.model, fact.region) for fact in self.entitlements}
        return sorted("/".join(pool) for pool in named - set(pools))

    def cost_centre_of(self, team: str, at_s: int) -> str:
        """The cost centre of a team at an instant, UTC seconds; '' where it has none."""
        return next((one.cost_centre for one in self.centres if one.team == team and holds_at(one, at_s)), "")


def distribution_of(
    policies: Mapping[str, str], agreed: TermsInForce, start_s: int, end_s: int
) -> Distribution | None:
    """What the policies of a period say; None where nothing is distributed."""
    choices = {
        account: policies[distributing(account)]
        for account in DISTRIBUTABLE
        if policies[distributing(account)] != NONE
    }
    if not choices:
        return None
    fallback = policies[FALLBACK]
    needed = any(choice in _BY_TERMS for choice in (*choices.values(), fallback))
    entitlements = [fact for fact in agreed.entitlements if needed and _meets(fact, start_s, end_s)]
    centres = _centres(entitlements, agreed, start_s, end_s)
    return Distribution(tuple(choices.items()), fallback, tuple(entitlements), tuple(centres))


_Naming = EntitlementFact | RuleFact | OwnerFact


def _centres(
    entitlements: Iterable[EntitlementFact], agreed: TermsInForce, start_s: int, end_s: int
) -> Iterator[Centre]:
    """The cost centres of these teams: those of the entitlements, else of the first rule or row with one."""
    rules = sorted(agreed.rules, key=lambda rule: (rule.position, rule.identity))
    naming: list[_Naming] = [*entitlements, *rules, *agreed.owners]
    for team in sorted({fact.team for fact in entitlements}):
        yield from _centres_of(team, [one for one in naming if one.team == team], start_s, end_s)


def _centres_of(team: str, facts: Sequence[_Naming], start_s: int, end_s: int) -> Iterator[Centre]:
    """A team's cost centres; stretches that have the same are one, whichever terms say so."""
    edges = {at_s for fact in facts for at_s in (fact.start_s, fact.end_s) if at_s is not None}
    cuts = sorted({start_s, end_s, *(at_s for at_s in edges if start_s < at_s < end_s)})
    begun_s, before = start_s, ""
    for at_s in cuts:
        found = (fact.cost_centre for fact in facts if fact.cost_centre and holds_at(fact, at_s))
        now = next(found, None) or ""
        if now != before or at_s == end_s:
            if before:
                yield Centre(team, before, begun_s, at_s)
            begun_s, before = at_s, now


def _meets(fact: EntitlementFact, start_s: int, end_s: int) -> bool:
    return fact.start_s < end_s and (fact.end_s is None or fact.end_s > start_s)
