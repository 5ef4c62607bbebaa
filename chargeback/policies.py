"""The policies in force: named, versioned rules that every entry and statement names."""

from __future__ import annotations

__all__ = ["POLICIES", "policy_text"]

POLICIES = {
    "charged": "pooled",
    "distribution": "none/1",
    "node_cost": "gpu/1",
    "sharing": "by_share/1",
}


def policy_text(charged: str) -> str:
    """The policies as one text for an entry, such as `charged=pooled distribution=none/1 …`."""
    return " ".join(f"{name}={value}" for name, value in sorted((POLICIES | {"charged": charged}).items()))
