"""The facts that imports deliver: each a row of one interval table of the lake, without its `seq`.

The fields are the table's columns, in order; a test holds them equal. `end_s` None is open.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

__all__ = [
    "DeviceFact",
    "Fact",
    "HoldingFact",
    "LakeFact",
    "NodeFact",
    "NodeResourceFact",
    "PartitionFact",
    "PhaseFact",
    "SlotFact",
    "StateFact",
]


class NodeFact(NamedTuple):
    """A machine is there over `[start_s, end_s)`."""

    identity: str
    source: str
    withdrawn: bool
    start_s: int
    end_s: int | None
    cluster: str
    node: str
    provider: str | None
    billing_account: str | None
    region: str | None
    zone: str | None
    sku: str | None
    purchase_option: str | None
    instance_id: str | None
    reservation_id: str | None
    ended_by: str | None


class NodeResourceFact(NamedTuple):
    """A node has so much of a resource over `[start_s, end_s)`: `unit` is 1, milli or bytes."""

    identity: str
    source: str
    withdrawn: bool
    start_s: int
    end_s: int | None
    cluster: str
    node: str
    resource: str
    quantity: int
    unit: str


class SlotFact(NamedTuple):
    """A place for a GPU is there over `[start_s, end_s)`; "" is an attribute that is not known."""

    identity: str
    source: str
    withdrawn: bool
    start_s: int
    end_s: int | None
    cluster: str
    node: str
    slot: str
    slot_no: int
    bus_id: str | None
    model: str
    region: str
    sku: str
    purchase_option: str
    compute_slices: int
    memory_slices: int


class DeviceFact(NamedTuple):
    """An accelerator is in a slot over `[start_s, end_s)`."""

    identity: str
    source: str
    withdrawn: bool
    start_s: int
    end_s: int | None
    cluster: str
    node: str
    slot: str
    uuid: str
    model: str
    memory_bytes: int | None


class HoldingFact(NamedTuple):
    """A workload has units, or a share of each, over `[start_s, end_s)`: a row of the lake's table `holding`.

    `end_s` None is open, `units` 0 holds no GPU, `weight / weight_cap` is the share of each unit: not known
    where `weight` is 0.
    """

    identity: str
    source: str
    withdrawn: bool
    start_s: int
    end_s: int | None
    cluster: str
    run: str
    run_no: int
    workload_kind: str | None
    owner_key: str
    namespace: str | None
    account: str | None
    labels: str | None
    node: str | None
    slot: str | None
    lane: str | None
    device: str | None
    node_group: str
    units: int
    share_mode: str | None
    weight: int
    weight_cap: int
    assumed: bool
    model: str
    region: str
    cpus_milli: int | None
    memory_bytes: int | None
    licences: int | None
    outcome: str | None = None
    suspended_s: int | None = None
    owner_from: str | None = None


class StateFact(NamedTuple):
    """A slot, or with None each slot of its node, is in a state over `[start_s, end_s)`."""

    identity: str
    source: str
    withdrawn: bool
    start_s: int
    end_s: int | None
    cluster: str
    node: str
    slot: str | None
    state: str
    reason: str | None


class PartitionFact(NamedTuple):
    """A device is cut so that a slice of it, `lane`, is there over `[start_s, end_s)`."""

    identity: str
    source: str
    withdrawn: bool
    start_s: int
    end_s: int | None
    cluster: str
    node: str
    slot: str
    lane: str
    uuid: str | None
    profile: str
    compute_slices: int
    memory_slices: int


class PhaseFact(NamedTuple):
    """A workload's run, on one node or with None on all of its own, is at a phase over `[start_s, end_s)`."""

    identity: str
    source: str
    withdrawn: bool
    start_s: int
    end_s: int | None
    cluster: str
    node: str | None
    run: str
    phase: str


LakeFact = (
    NodeFact | NodeResourceFact | SlotFact | DeviceFact | HoldingFact | StateFact | PartitionFact | PhaseFact
)
Fact = TypeVar(
    "Fact",
    NodeFact,
    NodeResourceFact,
    SlotFact,
    DeviceFact,
    HoldingFact,
    StateFact,
    PartitionFact,
    PhaseFact,
)
