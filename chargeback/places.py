"""What can be paid for: slots and the runs of their nodes, with what inventory says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

__all__ = ["MATCHED_BY", "NodeLife", "Place", "Trait", "is_target", "trait_of"]


@dataclass(frozen=True, order=True)
class Place:
    """A slot as inventory has it, '' is not said; an assumed slot has no cluster, node or name here."""

    slot: str
    sku: str
    model: str
    region: str
    purchase_option: str
    cluster: str = ""
    node: str = ""


@dataclass(frozen=True)
class NodeLife:
    """A run of a node over `[start_s, end_s)`, UTC seconds, None is still running; '' is not known."""

    node: str
    start_s: int
    end_s: int | None
    provider: str
    billing_account: str
    region: str
    zone: str
    sku: str
    purchase_option: str
    instance: str
    reservation: str
    ended_by: str


@dataclass(frozen=True)
class Trait:
    """What a slot and its node say of themselves at a time; what a price or a lot may match them by."""

    cluster: str
    node: str
    slot: str
    sku: str
    model: str
    region: str
    zone: str
    purchase_option: str
    provider: str
    billing_account: str
    instance: str
    reservation: str


MATCHED_BY = tuple(Trait.__dataclass_fields__)
"""What the target of a lot may match a slot by."""


def trait_of(place: Place, life: NodeLife | None) -> Trait:
    """What a slot says, and where it says nothing what its node does."""
    return Trait(
        cluster=place.cluster,
        node=place.node,
        slot=place.slot,
        sku=place.sku or (life.sku if life else ""),
        model=place.model,
        region=place.region or (life.region if life else ""),
        zone=life.zone if life else "",
        purchase_option=place.purchase_option or (life.purchase_option if life else ""),
        provider=life.provider if life else "",
        billing_account=life.billing_account if life else "",
        instance=life.instance if life else "",
        reservation=life.reservation if life else "",
    )


def is_target(slots: Mapping[str, Sequence[str]], trait: Trait) -> bool:
    """Whether a slot fits all that a target asks for, by attribute; names may leave their cluster out."""
    for name, patterns in slots.items():
        text = getattr(trait, name)
        texts = {text, text.removeprefix(f"{trait.cluster}/")} if name in ("node", "slot") else {text}
        if not text or not any(fnmatchcase(one, pattern) for one in texts for pattern in patterns):
            return False
    return True
