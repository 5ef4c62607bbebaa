"""The terms in force: what is agreed as known at a seq, or at a seq of its own for each cause of a change."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlalchemy import Connection

from gpuledger.versions import (
    BillFact,
    BillRuleFact,
    CommitmentFact,
    EntitlementFact,
    FxFact,
    LotFact,
    OwnerFact,
    PolicyFact,
    PriceFact,
    RuleFact,
    bill_rules_in_force,
    bills_in_force,
    commitments_in_force,
    entitlements_in_force,
    fx_in_force,
    lots_in_force,
    owners_in_force,
    policies_in_force,
    prices_in_force,
    rules_in_force,
)

__all__ = ["Seqs", "TermsInForce", "terms_in_force"]


@dataclass(frozen=True)
class Seqs:
    """What is known of each kind of fact: `usage` is the lake and how far its sources are complete.

    `samples` is what was reported of devices, partitions and processes; rules of bills go with `bill`,
    entitlements with `policy`, whose choices alone make use of them.
    """

    usage: int
    samples: int
    owner: int
    commitment: int
    price: int
    bill: int
    lot: int
    fx: int
    policy: int

    @property
    def latest(self) -> int:
        """The greatest of them."""
        return max(int(getattr(self, name)) for name in self.__dataclass_fields__)

    @classmethod
    def at(cls, seq: int) -> Seqs:
        """Everything as known at one seq."""
        return cls(**dict.fromkeys(cls.__dataclass_fields__, seq))


@dataclass(frozen=True)
class TermsInForce:
    """Owners, rules of owners, commitments, prices, bills, lots, exchange rates, policies and entitlements.

    The lines of its bills are those in the lake at `bill_seq`. `fx_later` are the rates at the latest seq
    of any kind, where that is another than that of `fx`: they count where no rate is known.
    """

    owners: tuple[OwnerFact, ...] = ()
    rules: tuple[RuleFact, ...] = ()
    commitments: tuple[CommitmentFact, ...] = ()
    prices: tuple[PriceFact, ...] = ()
    bills: tuple[BillFact, ...] = ()
    bill_rules: tuple[BillRuleFact, ...] = ()
    lots: tuple[LotFact, ...] = ()
    fx: tuple[FxFact, ...] = ()
    policies: tuple[PolicyFact, ...] = ()
    entitlements: tuple[EntitlementFact, ...] = ()
    bill_seq: int = field(default=0, compare=False)
    fx_later: tuple[FxFact, ...] = field(default=(), compare=False)


def terms_in_force(connection: Connection, seqs: Seqs) -> TermsInForce:
    """What was agreed, each kind as known at its seq."""
    return TermsInForce(
        owners=tuple(owners_in_force(connection, seqs.owner)),
        rules=tuple(rules_in_force(connection, seqs.owner)),
        commitments=tuple(commitments_in_force(connection, seqs.commitment)),
        prices=tuple(prices_in_force(connection, seqs.price)),
        bills=tuple(bills_in_force(connection, seqs.bill)),
        bill_rules=tuple(bill_rules_in_force(connection, seqs.bill)),
        lots=tuple(lots_in_force(connection, seqs.lot)),
        fx=tuple(fx_in_force(connection, seqs.fx)),
        policies=tuple(policies_in_force(connection, seqs.policy)),
        entitlements=tuple(entitlements_in_force(connection, seqs.policy)),
        bill_seq=seqs.bill,
        fx_later=() if seqs.latest == seqs.fx else tuple(fx_in_force(connection, seqs.latest)),
    )
