"""Policies: named, versioned rules that every entry and statement names, and what terms may choose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from gpuledger.intervals import holds_at
from gpuledger.versions import PolicyFact

__all__ = [
    "BILL_TOLERANCE",
    "BY_RESOURCE",
    "CHOICES",
    "DISTRIBUTABLE",
    "ENOUGH_PERMILLE",
    "FALLBACK",
    "IDLE_BAND",
    "MONEY_POLICIES",
    "NODE_COST",
    "NONE",
    "RESOURCE_WEIGHTS",
    "bill_tolerance",
    "distributing",
    "policies_at",
    "policy_text",
]

DISTRIBUTABLE = (
    "commitment_unused",
    "fx",
    "idle_free",
    "overhead",
    "reconciliation",
    "shared",
    "stranded",
    "unusable",
)
"""The accounts of what nobody holds, whose money may be distributed."""

FALLBACK = "distribution_fallback"
"""The policy that counts where one of distribution finds nothing to go by."""

NONE = "none/1"


def distributing(account: str) -> str:
    """The policy by which an account's money is distributed."""
    return f"distribute_{account}"


BILL_TOLERANCE = "bill_tolerance"
"""The policy of how far a bill may be from the estimate that it takes the place of."""

_TOLERANCES = {"5_percent/1": 50, "1_percent/1": 10, "10_percent/1": 100, "exact/1": 0}


def bill_tolerance(policies: Mapping[str, str]) -> Fraction | None:
    """The part of an estimate by which a bill may differ from it; None for any."""
    permille = _TOLERANCES.get(policies[BILL_TOLERANCE])
    return None if permille is None else Fraction(permille, 1000)


NODE_COST, BY_RESOURCE = "node_cost", "by_resource/1"
"""The policy of what a node's price is for, and its choice that parts it by what the node has."""

RESOURCE_WEIGHTS = "resource_weights"
"""The policy of what a unit of each resource weighs."""

MONEY_POLICIES = (*(distributing(account) for account in DISTRIBUTABLE), FALLBACK, BILL_TOLERANCE)
"""The policies that say nothing of whose time it is."""

_WAYS = (NONE, "proportional/1", "even/1", "unused_entitlement/1", "pool_owner/1")

CHOICES = {
    **{distributing(account): _WAYS for account in DISTRIBUTABLE},
    FALLBACK: _WAYS,
    BILL_TOLERANCE: ("5_percent/1", "1_percent/1", "10_percent/1", "exact/1", "any/1"),
    NODE_COST: ("gpu/1", BY_RESOURCE),
    RESOURCE_WEIGHTS: ("aws_split/1", "gpu_only/1"),
    "mig_share": ("dominant/1", "compute/1", "memory/1"),
    "stranded": ("apart/1", "absorbed/1"),
    "time_slicing": ("equal/1", "per_replica/1", "by_use_apart/1", "by_use_spread/1"),
    "unmatched_owner": ("own_team/1", "unknown/1"),
}
"""What terms may choose from, by policy; the first counts where nothing is said."""


IDLE_BAND = 50
"""From which part of its capacity on, in per mille, a device is busy."""

ENOUGH_PERMILLE = 900
"""How much of held time must be known, in per mille, for it to be told used from idle."""


def policies_at(facts: Iterable[PolicyFact], charged: str, start_s: int) -> dict[str, str]:
    """The policies of a month that begins at `start_s`, by name; weights of what is not weighed are none."""
    chosen = {fact.policy: fact.choice for fact in facts if holds_at(fact, start_s)}
    default = {name: choices[0] for name, choices in CHOICES.items()}
    found = {"charged": charged} | default | chosen
    if found[NODE_COST] != BY_RESOURCE:
        del found[RESOURCE_WEIGHTS]
    return dict(sorted(found.items()))


def policy_text(policies: dict[str, str]) -> str:
    """The policies as one text for an entry, such as `charged=pooled distribute_idle_free=none/1 …`."""
    return " ".join(f"{name}={value}" for name, value in sorted(policies.items()))
