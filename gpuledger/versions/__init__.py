"""The database: what was known when, who owns what, what it costs, and which files the lake has.

Every change is a commit with a `seq`, given under a lock and strictly rising in the order of commits; a fact
is never edited, it gets a new version. This package never decides what a fact means for money, and never
opens a file of the lake.
"""

from gpuledger.versions.audit import AuditChain, append_audit, audit_chain
from gpuledger.versions.bill_rules import (
    BillRuleFact,
    bill_rules_in_force,
    put_bill_rules,
    withdraw_bill_rules,
)
from gpuledger.versions.bills import BillFact, bills_in_force, put_bills, withdraw_bills
from gpuledger.versions.book import Book, open_book
from gpuledger.versions.commitments import (
    CommitmentFact,
    commitments_in_force,
    put_commitments,
    withdraw_commitments,
)
from gpuledger.versions.database import HEAD, Commit, Database, latest_fact_seq
from gpuledger.versions.entitlements import (
    EntitlementFact,
    entitlements_in_force,
    put_entitlements,
    withdraw_entitlements,
)
from gpuledger.versions.facts import PutCount
from gpuledger.versions.fx import FxFact, fx_in_force, put_fx, withdraw_fx
from gpuledger.versions.lots import LotFact, lots_in_force, put_lots, withdraw_lots
from gpuledger.versions.owners import OwnerFact, owners_in_force, put_owners, withdraw_owners
from gpuledger.versions.policies import PolicyFact, policies_in_force, put_policies, withdraw_policies
from gpuledger.versions.prices import PriceFact, prices_in_force, put_prices, withdraw_prices
from gpuledger.versions.rules import RuleFact, put_rules, rules_in_force, withdraw_rules
from gpuledger.versions.through import set_through, throughs

__all__ = [
    "HEAD",
    "AuditChain",
    "BillFact",
    "BillRuleFact",
    "Book",
    "Commit",
    "CommitmentFact",
    "Database",
    "EntitlementFact",
    "FxFact",
    "LotFact",
    "OwnerFact",
    "PolicyFact",
    "PriceFact",
    "PutCount",
    "RuleFact",
    "append_audit",
    "audit_chain",
    "bill_rules_in_force",
    "bills_in_force",
    "commitments_in_force",
    "entitlements_in_force",
    "fx_in_force",
    "latest_fact_seq",
    "lots_in_force",
    "open_book",
    "owners_in_force",
    "policies_in_force",
    "prices_in_force",
    "put_bill_rules",
    "put_bills",
    "put_commitments",
    "put_entitlements",
    "put_fx",
    "put_lots",
    "put_owners",
    "put_policies",
    "put_prices",
    "put_rules",
    "rules_in_force",
    "set_through",
    "throughs",
    "withdraw_bill_rules",
    "withdraw_bills",
    "withdraw_commitments",
    "withdraw_entitlements",
    "withdraw_fx",
    "withdraw_lots",
    "withdraw_owners",
    "withdraw_policies",
    "withdraw_prices",
    "withdraw_rules",
]
