"""Policies: named, versioned rules that every entry and statement names, and what terms may choose."""

from __future__ import annotations

from collections.abc import Iterable

from gpuledger.intervals import holds_at
from gpuledger.versions import PolicyFact

__all__ = [
    "CHOICES",
    "DISTRIBUTABLE",
    "ENOUGH_PERMILLE",
    "FALLBACK",
    "IDLE_BAND",
    "NONE",
    "distributing",
    "policies_at",
    "policy_text",
]

_FIXED = {"node_cost": "gpu/1"}

DISTRIBUTABLE = ("idle_free", "overhead", "stranded")
"""The accounts of time that nobody holds, whose money may be distributed."""

FALLBACK = "distribution_fallback"
"""The policy that counts where one of distribution finds nothing to go by."""

NONE = "none/1"


def distributing(account: str) -> str:
    """The policy by which an account's money is distributed."""
    return f"distribute_{account}"


_WAYS = (NONE, "proportional/1", "even/1", "unused_entitlement/1", "pool_owner/1")

CHOICES = {
    **{distributing(account): _WAYS for account in DISTRIBUTABLE},
    FALLBACK: _WAYS,
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
    """The policies of a month that begins at `start_s`, by name."""
    chosen = {fact.policy: fact.choice for fact in facts if holds_at(fact, start_s)}
    default = {name: choices[0] for name, choices in CHOICES.items()}
    return dict(sorted((_FIXED | {"charged": charged} | default | chosen).items()))


def policy_text(policies: dict[str, str]) -> str:
    """The policies as one text for an entry, such as `charged=pooled distribute_idle_free=none/1 …`."""
    return " ".join(f"{name}={value}" for name, value in sorted(policies.items()))
