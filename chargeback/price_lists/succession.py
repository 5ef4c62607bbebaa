"""Lists that follow one another: each price holds until the next one of the same thing begins."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from chargeback.terms.validity import Term
from gpuledger.versions import PriceFact

__all__ = ["Succession", "succeed"]


@dataclass
class Succession:
    """What a list makes of the prices in force: `facts` are to become versions, all others stay as they are.

    `ended` counts prices in force that now end where one of the list begins, `kept` has the rows of the list
    that say nothing because a price of `terms/` holds then.
    """

    facts: list[PriceFact] = field(default_factory=list)
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    ended: int = 0
    kept: list[Term[PriceFact]] = field(default_factory=list)


def succeed(terms: Mapping[str, Term[PriceFact]], known: Iterable[PriceFact]) -> Succession:
    """What becomes of the prices in force by the terms of a list, whose own ends do not count.

    A price holds from its start to the next start of the same thing, in the list or in force, the last one
    open; one that is in force is ended there, never withdrawn. So an older list fills the time before a newer
    one, and a list that comes twice changes nothing.
    """
    found = Succession()
    before: dict[tuple[str, ...], list[PriceFact]] = {}
    for fact in known:
        before.setdefault(fact.claim, []).append(fact)
    listed: dict[tuple[str, ...], list[PriceFact]] = {}
    for term in terms.values():
        if any(_is_agreed(fact, term.fact.start_s) for fact in before.get(term.fact.claim, ())):
            found.kept.append(term)
        else:
            listed.setdefault(term.fact.claim, []).append(term.fact)
    for claim, facts in listed.items():
        _succeed_one(found, facts, before.get(claim, []))
    return found


def _is_agreed(fact: PriceFact, at_s: int) -> bool:
    return fact.origin == "terms" and fact.start_s <= at_s and (fact.end_s is None or at_s < fact.end_s)


def _succeed_one(found: Succession, listed: list[PriceFact], before: list[PriceFact]) -> None:
    """The prices of one thing."""
    there = {fact.identity: fact for fact in before}
    starts = sorted({fact.start_s for fact in (*listed, *before)})
    for fact in listed:
        known = there.pop(fact.identity, None)
        ends = [
            end for end in (_next(starts, fact.start_s), known.end_s if known else None) if end is not None
        ]
        fact = replace(fact, end_s=min(ends, default=None))
        if known is None:
            found.new += 1
        elif replace(fact, source=known.source, origin=known.origin) == known:
            found.unchanged += 1
            continue
        else:
            found.changed += 1
        found.facts.append(fact)
    ended = list(_ended(there.values(), sorted(fact.start_s for fact in listed)))
    found.ended += len(ended)
    found.facts += ended


def _ended(known: Iterable[PriceFact], starts: list[int]) -> Iterator[PriceFact]:
    """The prices in force in whose time one of the list begins, ended there."""
    for fact in known:
        next_s = _next(starts, fact.start_s)
        if next_s is not None and (fact.end_s is None or next_s < fact.end_s):
            yield replace(fact, end_s=next_s)


def _next(starts: list[int], at_s: int) -> int | None:
    place = bisect_right(starts, at_s)
    return starts[place] if place < len(starts) else None
