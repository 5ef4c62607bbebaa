"""Bringing a price list in: what is read of a file, and what it makes of the prices in force."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from chargeback.price_lists.price_list import PriceList, Reason
from chargeback.price_lists.shapes import OWN
from chargeback.price_lists.succession import succeed
from chargeback.terms.validity import Term, terms_by_identity
from gpuledger.session import Session
from gpuledger.versions import PriceFact, prices_in_force, put_prices

__all__ = ["Brought", "as_list", "bring_in_list"]

_KEPT = "a price of terms/ holds then"


@dataclass(frozen=True)
class Brought:
    """What came of a list: what was read, and how many prices are new, changed, unchanged, or end now."""

    found: PriceList
    seq: int
    new: int
    changed: int
    unchanged: int
    ended: int


def as_list(terms: Sequence[Term[PriceFact]]) -> PriceList:
    """The prices of a file of our own shape, all rows of which were read, as a list."""
    return PriceList(OWN, tuple(terms), len(terms), len(terms), (), ())


def bring_in_list(session: Session, found: PriceList, file: str) -> Brought:
    """Make versions of what a list says that is new, in one commit; nothing new makes none."""
    by_identity = terms_by_identity(found.terms)
    seq = session.database.latest_seq()
    with session.database.read() as connection:
        done = succeed(by_identity, prices_in_force(connection, seq))
    if done.facts:
        with session.database.commit("import prices", at_s=session.now(), note=f"prices: {file}") as commit:
            put_prices(commit, done.facts)
            seq = commit.seq
    return Brought(_without(found, done.kept), seq, done.new, done.changed, done.unchanged, done.ended)


def _without(found: PriceList, kept: Sequence[Term[PriceFact]]) -> PriceList:
    """The list without the prices in whose place one of `terms/` holds, which are left out."""
    if not kept:
        return found
    gone = {term.fact.identity for term in kept}
    reason = Reason(_KEPT, len(kept), kept[0].place.row or 0, kept[0].fact.identity)
    terms = tuple(term for term in found.terms if term.fact.identity not in gone)
    return replace(found, terms=terms, left_out=(*found.left_out, reason))
