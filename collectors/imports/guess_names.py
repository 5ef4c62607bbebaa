"""The names under which exports keep the fields of a map, plain (`plain_name`), in order of preference."""

from __future__ import annotations

import re

__all__ = [
    "HARDWARE",
    "HOLDINGS",
    "INVENTORY",
    "MEANINGS",
    "NULLS",
    "OWNERS",
    "RUNS",
    "RUN_IDS",
    "SCALES",
    "TRES",
    "plain_name",
]

NULLS = (
    *("Unknown", "None assigned", "None", "none", "<none>", "null", "NULL", "(null)"),
    *("\\N", "N/A", "NaN", "nan", "NaT", "-"),
)
"""Cells that mean "empty" in one export or another; sacct writes the first two."""

_COMMON = {
    "start": "start starttime startedat started startts scheduledat scheduledtime scheduled begin begintime"
    " from since created createdat createtime creationtime creationtimestamp",
    "end": "end endtime endedat ended endts finish finished finishedat finishtime deleted deletedat"
    " deletetime deletiontime deletiontimestamp stop stopped stoppedat stoptime completed completedat"
    " completiontime terminated terminatedat to until",
    "node": "node nodename nodelist host hostname machine machinename server nodeid",
    "slot": "slot pcibusid pcibus busid gpuindex gpuidx deviceindex",
    "units": "gpus gpu numgpus gpunum numgpu ngpus ngpu gpucount allocgpus gpualloc gpurequest gpurequests"
    " gpusrequested reqgpus requestedgpus alloctres reqtres",
    "device": "gpuuuid deviceuuid uuid",
    "cluster": "cluster clustername clusterid",
    "model": "model gpumodel gputype gpuname gpuproduct accelerator acceleratormodel devicemodel gpu",
    "region": "region",
    "memory_bytes": "memorybytes membytes memorymib memmib memorygib memgib",
}

_HOLDINGS = {
    "fraction": "gpumilli gpufraction gpushare fraction share",
    "account": "account",
    "namespace": "namespace",
    "owner_key": "ownerkey owner account team project tenant namespace user username appname app department"
    " costcentre costcenter group vc",
    "workload_kind": "workloadkind jobtype ownerkind kind",
    "cpus": "cpus ncpus alloccpus numcpus cpurequest reqcpus cpu",
    "licences": "licences licenses",
}

_INVENTORY = {
    "zone": "zone availabilityzone az",
    "sku": "sku instancetype machinetype nodetype vmsize flavor flavour",
    "compute_slices": "computeslices",
    "memory_slices": "memoryslices",
    "cpus": "cpus vcpus ncpus numcpus",
    "node_memory_bytes": "nodememorybytes nodememorymib nodememorygib",
    "licences": "licences licenses",
    "provider": "provider cloud cloudprovider",
    "billing_account": "billingaccount billingaccountid accountid subscription subscriptionid",
    "purchase_option": "purchaseoption capacitytype lifecycle",
    "instance_id": "instanceid vmid machineid providerid",
    "reservation_id": "reservationid reservation capacityreservationid",
    "ended_by": "endedby terminatedby",
}


def _lists(*parts: dict[str, str]) -> dict[str, tuple[str, ...]]:
    return {field: tuple(names.split()) for part in parts for field, names in part.items()}


HOLDINGS = _lists(_COMMON, _HOLDINGS)
"""Fields of holdings, in the order in which they take their columns."""

INVENTORY = _lists(_COMMON, _INVENTORY)
"""Fields of an inventory, in the order in which they take their columns."""

RUN_IDS = (
    *(
        "job",
        "jobid",
        "jobidraw",
        "uid",
        "poduid",
        "runid",
        "taskid",
        "workloadid",
        "instancesn",
        "allocationid",
    ),
    "id",
)
"""What tells one run of a workload from another."""

RUNS = frozenset({*RUN_IDS, "jobname", "pod", "podname", "alloctres"} - {"id", "uid"})
"""What only a file of holdings has."""

OWNERS = frozenset(_HOLDINGS["owner_key"].split())
"""What a file of holdings has, and an inventory hardly ever."""

HARDWARE = frozenset(
    name for field in ("slot", "device", "model", "sku", "instance_id") for name in INVENTORY[field]
)
"""What an inventory has, and a file of holdings may."""

SCALES = {
    "gpumilli": ("per", "1000"),
    "memorymib": ("times", str(2**20)),
    "memmib": ("times", str(2**20)),
    "memorygib": ("times", str(2**30)),
    "memgib": ("times", str(2**30)),
    "nodememorymib": ("times", str(2**20)),
    "nodememorygib": ("times", str(2**30)),
}
"""Names that say their unit, with what the number is multiplied or divided by."""

TRES = frozenset({"alloctres", "reqtres"})
"""Columns with Slurm's lists of resources, `cpu=4,gres/gpu=2`."""

MEANINGS = {
    "identity": "the columns that make one holding, never its end",
    "start": "when it begins",
    "end": "when it ends",
    "node": "the machine",
    "slot": "the PCI bus id or index of a row's slot, or units: how many slots a row's node has",
}
"""What to look for where a required field was not found."""


def plain_name(column: str) -> str:
    """The name of a column with its letters and digits only, small: `Alloc_TRES` is `alloctres`."""
    return re.sub(r"[\W_]+", "", column).lower()
