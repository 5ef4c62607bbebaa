"""The rows that the price pass hands on: to slots, to pools, to accounts without a device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

__all__ = [
    "NO_DEVICE",
    "TICKS",
    "BilledPart",
    "Charge",
    "DirectPart",
    "LotShare",
    "MeterAmount",
    "RecognisedPart",
    "ResourceAmount",
    "Where",
    "pool_name",
]

TICKS = 720_720
"""Ticks in a second of one whole device."""


NO_DEVICE = "__no_device__"
"""The model of what no device takes, on a node; and its key by model and by cluster."""


def pool_name(model: str, region: str) -> str:
    """The pool of a device class in a region, as entries and screens write it; '' where there is none."""
    return f"{model}/{region}" if (model or region) and model != NO_DEVICE else ""


class Where(NamedTuple):
    """Slots that money lands on: those of one size, one tariff and one pool in a shard, over one piece."""

    piece_s: int
    shard: int
    model: str
    region: str
    price_record: str
    slot_ticks: int


@dataclass(frozen=True, order=True)
class Charge:
    """What an entry names where no pool is charged: a lot or meter, and the account that its money leaves."""

    charge_no: int
    lot: str
    from_account: str


@dataclass(frozen=True, order=True)
class MeterAmount:
    """A meter's own amount for one slot of one size over one stretch, in quanta."""

    price_no: int
    charge_no: int
    slot_ticks: int
    node_slots: int
    from_s: int
    to_s: int
    amount: int


@dataclass(frozen=True, order=True)
class ResourceAmount:
    """What a slot's part of a node's price has for a kind of what the node has besides GPUs, in quanta."""

    price_no: int
    charge_no: int
    node_slots: int
    kind: str
    from_s: int
    to_s: int
    amount: int


@dataclass(frozen=True, order=True)
class LotShare:
    """What slots of one size, tariff and pool in one shard carry of a lot in a piece: `amount` in quanta."""

    share_no: int
    shard: int
    charge_no: int
    price_no: int
    model: str
    region: str
    piece_s: int
    slot_ticks: int
    slot_seconds: int
    amount: int


@dataclass(frozen=True, order=True)
class RecognisedPart:
    """What a lot brings to a pool in a piece and shard, in quanta, and the account that it leaves."""

    shard: int
    lot: str
    pool: str
    model: str
    region: str
    utc_day: str
    day: str
    piece_s: int
    from_account: str
    amount: int


@dataclass(frozen=True, order=True)
class DirectPart:
    """What a lot recognises in a piece where no device takes it: into an account, in quanta."""

    lot: str
    utc_day: str
    day: str
    piece_s: int
    from_account: str
    account: str
    state: str
    amount: int


@dataclass(frozen=True, order=True)
class BilledPart:
    """What is invoiced of a lot on a day: from what is payable into a balance account, in quanta."""

    lot: str
    utc_day: str
    day: str
    piece_s: int
    account: str
    amount: int
