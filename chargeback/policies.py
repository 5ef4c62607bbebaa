"""Policies: named, versioned rules that every entry and statement names, and what terms may choose."""

from __future__ import annotations

from collections.abc import Iterable

from gpuledger.versions import PolicyFact

__all__ = ["CHOICES", "ENOUGH_PERMILLE", "IDLE_BAND", "policies_at", "policy_text"]

_FIXED = {
    "distribution": "none/1",
    "node_cost": "gpu/1",
}

CHOICES = {
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
    chosen = {
        fact.policy: fact.choice
        for fact in facts
        if fact.start_s <= start_s and (fact.end_s is None or start_s < fact.end_s)
    }
    default = {name: choices[0] for name, choices in CHOICES.items()}
    return dict(sorted((_FIXED | {"charged": charged} | default | chosen).items()))


def policy_text(policies: dict[str, str]) -> str:
    """The policies as one text for an entry, such as `charged=pooled distribution=none/1 …`."""
    return " ".join(f"{name}={value}" for name, value in sorted(policies.items()))
