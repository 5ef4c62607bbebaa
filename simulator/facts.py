"""What is true of a simulated fleet: nodes, GPUs, workloads, prices and owners.

Instants are whole UTC seconds since the Unix epoch; intervals are half-open; rates are decimal text per
GPU-hour.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Fleet", "Gpu", "Node", "Owner", "Price", "SchedulerName", "Workload"]

SchedulerName = Literal["slurm", "kubernetes"]


@dataclass(frozen=True, order=True)
class Gpu:
    """One whole GPU, in the slot that its node and PCI bus id name."""

    node: str
    bus_id: str
    uuid: str


@dataclass(frozen=True)
class Node:
    """A machine that is there, with all its GPUs, from `start_s` on."""

    name: str
    cluster: str
    scheduler: SchedulerName
    model: str
    region: str
    sku: str
    start_s: int
    gpus: tuple[Gpu, ...]


@dataclass(frozen=True, order=True)
class Workload:
    """One run of a job or a pod, with the GPUs it truly had over [start_s, end_s).

    `name` is a Slurm job id or a pod's name; both may come again with another start or uid.
    """

    start_s: int
    end_s: int
    scheduler: SchedulerName
    owner_key: str
    name: str
    uid: str
    gpus: tuple[Gpu, ...]


@dataclass(frozen=True)
class Price:
    """What an hour of one GPU of a model costs over [start_s, end_s), open when `end_s` is None."""

    model: str
    region: str
    rate: str
    currency: str
    start_s: int
    end_s: int | None


@dataclass(frozen=True)
class Owner:
    """Which team pays for an owner key: a Slurm account or a Kubernetes namespace."""

    owner_key: str
    team: str
    cost_centre: str
    start_s: int


@dataclass(frozen=True)
class Fleet:
    """A fleet around one month of a billing zone, and the instant at which its sources are exported."""

    zone: str
    month: str
    start_s: int
    end_s: int
    exported_s: int
    nodes: tuple[Node, ...]
    workloads: tuple[Workload, ...]
    prices: tuple[Price, ...]
    owners: tuple[Owner, ...]
