"""Write what a fleet's sources would have written: inventory, Slurm, Kubernetes, price list and owners.

Each file is the source's own text, not gpuledger's: `sacct --parsable2` in UTC without offsets, pods as a
controller logs them, an asset list. Beside each stands the map of columns that reads it. An export taken
earlier shows what was known then: work that had not ended is still open in it.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

from simulator.facts import Fleet, Workload

__all__ = ["MAPS", "utc", "write"]

MAPS = ("inventory", "slurm", "pods")

_INVENTORY = ("cluster", "node", "pci_bus_id", "uuid", "model", "region", "sku", "from", "to")
_SACCT = ("Cluster", "JobID", "Account", "State", "Start", "End", "NodeList", "GPUs")
_PODS = ("namespace", "pod", "uid", "node", "gpu_uuid", "scheduled_at", "deleted_at")
_PRICES = ("model", "region", "rate", "currency", "from", "to")
_OWNERS = ("owner_key", "team", "cost_centre", "from", "to")

Row = tuple[str, ...]


def write(fleet: Fleet, folder: Path, *, at_s: int | None = None) -> dict[str, Path]:
    """Write all exports, with their maps, into a folder as of an instant (default: the fleet's own).

    Returns the path of `inventory.csv`, `slurm.csv`, `pods.csv`, `prices.csv`, `owners.csv` and of each
    `<name>.map.yaml`, by file name.
    """
    at = fleet.exported_s if at_s is None else at_s
    folder.mkdir(parents=True, exist_ok=True)
    tables: dict[str, tuple[str, Row, Iterable[Row]]] = {
        "inventory.csv": (",", _INVENTORY, _inventory_rows(fleet)),
        "slurm.csv": ("|", _SACCT, _slurm_rows(fleet, at)),
        "pods.csv": (",", _PODS, _pod_rows(fleet, at)),
        "prices.csv": (",", _PRICES, _price_rows(fleet)),
        "owners.csv": (",", _OWNERS, _owner_rows(fleet)),
    }
    for name, (delimiter, header, rows) in tables.items():
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows([header, *rows])
    maps = [f"{name}.map.yaml" for name in MAPS]
    for name in maps:
        (folder / name).write_bytes((files("simulator") / "maps" / name).read_bytes())
    return {name: folder / name for name in [*tables, *maps]}


def utc(second: int) -> str:
    """An instant as ISO 8601 text in UTC, `2026-10-15T10:20:00Z`."""
    return f"{_plain(second)}Z"


def _plain(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _inventory_rows(fleet: Fleet) -> Iterator[Row]:
    for node in fleet.nodes:
        for gpu in node.gpus:
            place = (node.cluster, node.name, gpu.bus_id, gpu.uuid)
            yield (*place, node.model, node.region, node.sku, utc(node.start_s), "")


def _begun(fleet: Fleet, scheduler: str, at_s: int) -> Iterator[Workload]:
    for workload in fleet.workloads:
        if workload.scheduler == scheduler and workload.start_s <= at_s:
            yield workload


def _slurm_rows(fleet: Fleet, at_s: int) -> Iterator[Row]:
    """A row per job run and node: Slurm says how many of a node's GPUs a job has, not which."""
    cluster = {node.name: node.cluster for node in fleet.nodes}
    for job in _begun(fleet, "slurm", at_s):
        ended = job.end_s <= at_s
        state, end = ("COMPLETED", _plain(job.end_s)) if ended else ("RUNNING", "Unknown")
        for node, gpus in sorted(Counter(gpu.node for gpu in job.gpus).items()):
            times = (_plain(job.start_s), end)
            yield (cluster[node], job.name, job.owner_key, state, *times, node, str(gpus))


def _pod_rows(fleet: Fleet, at_s: int) -> Iterator[Row]:
    """A row per pod and GPU: the kubelet says which GPUs it gave."""
    for pod in _begun(fleet, "kubernetes", at_s):
        deleted = utc(pod.end_s) if pod.end_s <= at_s else ""
        for gpu in pod.gpus:
            yield (pod.owner_key, pod.name, pod.uid, gpu.node, gpu.uuid, utc(pod.start_s), deleted)


def _price_rows(fleet: Fleet) -> Iterator[Row]:
    for price in fleet.prices:
        end = "" if price.end_s is None else utc(price.end_s)
        yield (price.model, price.region, price.rate, price.currency, utc(price.start_s), end)


def _owner_rows(fleet: Fleet) -> Iterator[Row]:
    for owner in fleet.owners:
        yield (owner.owner_key, owner.team, owner.cost_centre, utc(owner.start_s), "")
