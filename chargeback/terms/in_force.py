"""The terms in force: what is agreed as known at a seq, or at a seq of its own for each cause of a change."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from gpuledger.versions import (
    EntitlementFact,
    OwnerFact,
    PolicyFact,
    PriceFact,
    RuleFact,
    entitlements_in_force,
    owners_in_force,
    policies_in_force,
    prices_in_force,
    rules_in_force,
)

__all__ = ["Seqs", "TermsInForce", "terms_in_force"]


@dataclass(frozen=True)
class Seqs:
    """What is known of each kind of fact: `usage` is the lake and how far its sources are complete.

    `samples` is what was reported of devices, partitions and processes; entitlements go with `policy`, whose
    choices alone make use of them.
    """

    usage: int
    samples: int
    owner: int
    price: int
    policy: int

    @classmethod
    def at(cls, seq: int) -> Seqs:
        """Everything as known at one seq."""
        return cls(seq, seq, seq, seq, seq)


@dataclass(frozen=True)
class TermsInForce:
    """Owners, rules of owners, prices, policies and entitlements, as people agreed on them."""

    owners: tuple[OwnerFact, ...] = ()
    rules: tuple[RuleFact, ...] = ()
    prices: tuple[PriceFact, ...] = ()
    policies: tuple[PolicyFact, ...] = ()
    entitlements: tuple[EntitlementFact, ...] = ()


def terms_in_force(connection: Connection, seqs: Seqs) -> TermsInForce:
    """What was agreed, each kind as known at its seq."""
    return TermsInForce(
        owners=tuple(owners_in_force(connection, seqs.owner)),
        rules=tuple(rules_in_force(connection, seqs.owner)),
        prices=tuple(prices_in_force(connection, seqs.price)),
        policies=tuple(policies_in_force(connection, seqs.policy)),
        entitlements=tuple(entitlements_in_force(connection, seqs.policy)),
    )
