"""What stands in the lake: its tables, their columns, units and meanings.

Four kinds of table. **interval** facts hold over `[start_s, end_s)` and are versioned: the greatest `seq` of
an identity counts. **observation** rows were seen at one instant. **derived** rows are made from observations
and can be made again. **quarantine** rows could not be right. A change to any column raises `SCHEMA_VERSION`;
a nullable column may be added, and is null in every file that was written before it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from gpuledger.catalogue import metrics_of
from gpuledger.lake.arrow import pa

__all__ = ["SCHEMA_VERSION", "TABLES", "Column", "ColumnType", "TableKind", "TableSchema", "table_schema"]

SCHEMA_VERSION = 5

ColumnType = Literal["string", "int64", "bool"]
TableKind = Literal["interval", "observation", "derived", "quarantine"]

_ARROW = {"string": pa.string(), "int64": pa.int64(), "bool": pa.bool_()}
_CLOCK = {"interval": "start_s", "observation": "instant_us", "derived": "start_s", "quarantine": "at_s"}


@dataclass(frozen=True)
class Column:
    """One column: its name, its type, whether it may be null (not known), its unit and what it means."""

    name: str
    type: ColumnType
    nullable: bool
    unit: str
    meaning: str


@dataclass(frozen=True)
class TableSchema:
    """One table of the lake.

    A row's shard is `crc32(key) % shards`, where the key is `shard_by` if it is not null, else the columns of
    `shard_else` joined by "/". `sort_by` is the order of rows in a file.
    """

    name: str
    kind: TableKind
    meaning: str
    columns: tuple[Column, ...]
    sort_by: tuple[str, ...]
    shard_by: str
    shard_else: tuple[str, ...] = ()

    @cached_property
    def arrow(self) -> pa.Schema:
        """The Arrow schema: strings, int64 and bool only."""
        return pa.schema([pa.field(c.name, _ARROW[c.type], nullable=c.nullable) for c in self.columns])

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns' names, in order."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def hashed(self) -> tuple[str, ...]:
        """The columns that a row's hash covers: all but `seq`, which is bound to it apart."""
        return tuple(name for name in self.names if name != "seq")

    @property
    def clock(self) -> str:
        """The column that says when a row begins to hold, or was seen."""
        return _CLOCK[self.kind]

    @property
    def by_day(self) -> bool:
        """Whether its files are split by UTC day as well as by shard."""
        return self.kind != "interval"


def table_schema(name: str) -> TableSchema:
    """Give the table of this name; a KeyError that lists the tables there are, otherwise."""
    try:
        return TABLES[name]
    except KeyError:
        raise KeyError(f"no table {name!r} in the lake; there are {', '.join(TABLES)}") from None


def _text(name: str, meaning: str, *, unit: str = "text") -> Column:
    return Column(name, "string", False, unit, meaning)


def _text_or_null(name: str, meaning: str, *, unit: str = "text") -> Column:
    return Column(name, "string", True, unit, meaning)


def _int(name: str, unit: str, meaning: str) -> Column:
    return Column(name, "int64", False, unit, meaning)


def _int_or_null(name: str, unit: str, meaning: str) -> Column:
    return Column(name, "int64", True, unit, meaning)


def _flag(name: str, meaning: str) -> Column:
    return Column(name, "bool", False, "true or false", meaning)


_CLUSTER = _text("cluster", "the cluster the node belongs to")
_NODE = _text("node", "the machine, by its name in the cluster")
_NODE_OR_NULL = _text_or_null("node", "the machine, by its name in the cluster; null: not known")
_SLOT = _text("slot", "the place for a GPU: <node>/<PCI bus id or index>")
_SEQ = _int_or_null("seq", "sequence number", "when it became known; null: the seq that added the file")

_VERSIONED = (
    _text("identity", "what makes two versions the same fact"),
    _text("source", "who said so: one exporter, export or file, by a name that stays the same"),
    _SEQ,
    _flag("withdrawn", "the fact never held; this version takes it back"),
    _int("start_s", "s", "since when it holds, Unix seconds, inclusive"),
    _int_or_null("end_s", "s", "until when it holds, Unix seconds, exclusive; null: still open"),
)

_OBSERVED = (
    _CLUSTER,
    _NODE_OR_NULL,
    _text("subject", "what was observed: a device, partition, process, replica or queue"),
    _text("source", "who observed it"),
    _SEQ,
    _int("instant_us", "us", "the scheduled instant of the observation, Unix microseconds"),
)


_WITHOUT_NODE = {"holding": ("cluster", "node_group", "run"), "phase": ("cluster", "run")}
"""What the rows of a table that may name no node are sharded by then."""


def _interval(name: str, meaning: str, columns: Iterable[Column], sort_by: tuple[str, ...]) -> TableSchema:
    return TableSchema(
        name=name,
        kind="interval",
        meaning=meaning,
        columns=(*_VERSIONED, *columns),
        sort_by=(*sort_by, "start_s", "identity"),
        shard_by="node",
        shard_else=_WITHOUT_NODE.get(name, ()),
    )


def _observation(name: str, meaning: str, columns: Iterable[Column]) -> TableSchema:
    return TableSchema(
        name=name,
        kind="observation",
        meaning=meaning,
        columns=(*_OBSERVED, *columns),
        sort_by=("subject", "source", "instant_us"),
        shard_by="node",
        shard_else=("cluster", "subject"),
    )


def _measured(table: str) -> tuple[Column, ...]:
    """A column per metric that the catalogue puts into this table, null where nothing was reported."""
    return tuple(
        _int_or_null(m.column, m.unit if m.quantum == 1 else f"{m.quantum} {m.unit}", m.help)
        for m in metrics_of(table)
    )


_NODE_TABLE = _interval(
    "node",
    "a machine for an interval",
    (
        _CLUSTER,
        _NODE,
        _text_or_null("provider", "who rents it out, or owns it"),
        _text_or_null("billing_account", "the provider's account that it is billed to"),
        _text_or_null("region", "the provider's region"),
        _text_or_null("zone", "the provider's zone inside the region"),
        _text_or_null("sku", "the provider's name for the kind of machine"),
        _text_or_null("purchase_option", "how it is bought: on_demand, spot, reserved, block, owned"),
        _text_or_null("instance_id", "the provider's id of this machine"),
        _text_or_null("reservation_id", "the reservation or capacity block it was placed in"),
        _text_or_null("ended_by", "who ended it: provider, user, schedule or failure"),
    ),
    ("node",),
)

_NODE_RESOURCE = _interval(
    "node_resource",
    "a quantity of one resource of a node, for an interval",
    (
        _CLUSTER,
        _NODE,
        _text("resource", "gpu, cpu, memory or licence"),
        _int("quantity", "as `unit` says", "how much of it the node has"),
        _text("unit", "the unit of quantity: 1, milli or bytes"),
    ),
    ("node", "resource"),
)

_SLOT_TABLE = _interval(
    "slot",
    "a place for a GPU on a node, for an interval",
    (
        _CLUSTER,
        _NODE,
        _SLOT,
        _int("slot_no", "1", "crc32(slot) % 65536: where the slot begins its running splits"),
        _text_or_null("bus_id", "the PCI bus id, where known"),
        _text("model", "the accelerator's model; '': not known"),
        _text("region", "the region of its pool; '': not known"),
        _text("sku", "what its price is looked up by; '': not known"),
        _text("purchase_option", "how it is bought; '': not known"),
        _int("compute_slices", "slices", "compute slices of the whole device, 1 where it is never cut"),
        _int("memory_slices", "slices", "memory slices of the whole device, 1 where it is never cut"),
    ),
    ("node", "slot"),
)

_DEVICE = _interval(
    "device",
    "a physical accelerator in a slot, for an interval",
    (
        _CLUSTER,
        _NODE,
        _SLOT,
        _text("uuid", "the device's own UUID"),
        _text("model", "the accelerator's model; '': not known"),
        _int_or_null("memory_bytes", "bytes", "the device's memory"),
    ),
    ("node", "slot", "uuid"),
)

_PARTITION = _interval(
    "partition",
    "a hardware slice of a device, for an interval",
    (
        _CLUSTER,
        _NODE,
        _SLOT,
        _text("lane", "the slice as something that can be held: <slot>/<its number on the device>"),
        _text_or_null("uuid", "the slice's own UUID, where it has one"),
        _text("profile", "the vendor's name for its shape"),
        _int("compute_slices", "slices", "compute slices that it takes"),
        _int("memory_slices", "slices", "memory slices that it takes"),
    ),
    ("node", "slot", "lane"),
)

_STATE = _interval(
    "state",
    "what a slot, or each slot of a node, was good for, for an interval",
    (
        _CLUSTER,
        _NODE,
        _text_or_null("slot", "the slot: <node>/<PCI bus id or index>; null: every slot of the node"),
        _text("state", "available, provisioning, system, maintenance, drained, failed or absent"),
        _text_or_null("reason", "why, in the words of who set it"),
    ),
    ("node", "slot"),
)

_HOLDING = _interval(
    "holding",
    "a workload has a lane, a share of it or a number of units, for an interval",
    (
        _CLUSTER,
        _text("run", "the workload's run: the key of the holding"),
        _int("run_no", "1", "crc32(run) % 65536: where an assumed slot begins its running splits"),
        _text_or_null("workload_kind", "pod, job run, vm, or as the source says"),
        _text("owner_key", "what the owner is looked up by; '': none was given"),
        _text_or_null("namespace", "the workload's namespace"),
        _text_or_null("account", "the account that the scheduler keeps it under"),
        _text_or_null(
            "labels",
            'the workload\'s labels as canonical JSON, {"name":"value"} with sorted names; null: none',
        ),
        _text_or_null("node", "the node it was placed on; null: not known"),
        _text_or_null("slot", "the slot it was placed on: <node>/<bus id or index>"),
        _text_or_null("lane", "the partition it was placed on: <slot>/<its number on the device>"),
        _text_or_null("device", "the UUID of the device, or of the partition, that it was given"),
        _text("node_group", "the group of assumed or counted capacity it belongs to; '': the default one"),
        _int("units", "devices", "how many devices, or shares of one; 0: holds no GPU"),
        _text_or_null(
            "share_mode", "how it shares: fraction, time_slicing or mps; null: it holds the whole lane"
        ),
        _int("weight", "1", "its share of each unit, as weight / weight_cap"),
        _int("weight_cap", "1", "what weight is counted against; 1/1 is whole"),
        _flag("assumed", "its capacity is assumed: one slot per unit held"),
        _text("model", "the model of its assumed slots; '' unless assumed"),
        _text("region", "the region of its assumed slots; '' unless assumed"),
        _int_or_null("cpus_milli", "thousandths of a CPU", "the CPUs it asked for"),
        _int_or_null("memory_bytes", "bytes", "the memory it asked for"),
        _int_or_null("licences", "licences", "the licences it took"),
        _text_or_null(
            "outcome",
            "how its run ended: completed, failed, preempted, timeout or cancelled; null: not over, or not "
            "known",
        ),
        _int_or_null(
            "suspended_s", "s", "how long of it the run was suspended in all, not known when; null: not known"
        ),
        _text_or_null(
            "owner_from",
            "where owner_key was found: the column of the export, with ` of controller <its name>` where "
            "another pod of it gave it; null: the export has one place for it, or none gave it",
        ),
    ),
    ("node", "slot", "run"),
)

_PHASE = _interval(
    "phase",
    "what a workload's run was at, for an interval of the time that it holds something",
    (
        _CLUSTER,
        _NODE_OR_NULL,
        _text("run", "the workload's run: the key of its holdings"),
        _text(
            "phase",
            "waiting, warm_up, running, draining, suspended, lost_work, or as the source says; checkpoint "
            "has no length: what the run had done by then is kept",
        ),
    ),
    ("run",),
)

_BILL_LINE = TableSchema(
    name="bill_line",
    kind="interval",
    meaning="a line of a bill over its charge period, with the provider's own digits",
    columns=(
        *_VERSIONED,
        _text("bill", "the bill that it stands in: the identity of its row of bill_version"),
        _int("line", "1", "its row in the file, 1 for the first row of data"),
        _text("provider", "who bills"),
        _text("billing_account", "the account that is billed"),
        _text_or_null("sub_account", "the account, project or subscription inside it"),
        _text("category", "Usage, Purchase, Tax, Credit or Adjustment"),
        _text_or_null("charge_class", "Correction where it corrects an earlier invoice; null: it does not"),
        _text_or_null("frequency", "One-Time, Recurring or Usage-Based"),
        _text_or_null("description", "what the provider says it is for"),
        _text("currency", "the currency of its amounts, ISO 4217"),
        _text("billed", "what is billed, as decimal text with the provider's digits"),
        _text_or_null("effective", "what is amortised to the period, as decimal text"),
        _text_or_null("list", "what it costs by list price, as decimal text"),
        _text_or_null("contracted", "what it costs by contract, as decimal text"),
        _text_or_null("resource", "the provider's id of what it is for"),
        _text_or_null("resource_name", "its name"),
        _text_or_null("service", "the provider's name of the service"),
        _text_or_null("service_category", "Compute, Storage, Networking and the like"),
        _text_or_null("sku", "the provider's id of what is sold"),
        _text_or_null("sku_price", "the provider's id of its price"),
        _text_or_null("region", "the provider's region"),
        _text_or_null("zone", "the provider's zone inside the region"),
        _text_or_null("quantity", "how much was priced, as decimal text"),
        _text_or_null("unit", "the unit of quantity"),
        _text_or_null("pricing_category", "Standard, Dynamic, Committed or Other"),
        _text_or_null("commitment", "the commitment discount that it belongs to"),
        _text_or_null("commitment_status", "Used or Unused"),
        _text_or_null("reservation", "the capacity reservation that it belongs to"),
        _text_or_null("reservation_status", "Used or Unused"),
        _text_or_null("tags", "its tags as canonical JSON with sorted names"),
    ),
    sort_by=("bill", "line", "start_s", "identity"),
    shard_by="resource",
    shard_else=("bill",),
)

_SAMPLE = _observation(
    "sample",
    "what a device, a partition or a holder on one reported at an instant",
    (
        _text_or_null("device", "the UUID of the device that the subject is, or is on; null: not known"),
        _int_or_null("step_s", "s", "the step of its source, a divisor of 900; null: it makes no cells"),
        *_measured("sample"),
    ),
)
_SERVING_SAMPLE = _observation(
    "serving_sample", "what a serving replica reported at an instant", _measured("serving_sample")
)
_QUEUE_SAMPLE = _observation(
    "queue_sample", "what a scheduler's queue reported at an instant", _measured("queue_sample")
)
_EVENT = _observation(
    "event",
    "something that happened to a subject at an instant",
    (
        _text("kind", "what happened: xid, ecc, retired_page, reset, gang_wait and the like"),
        _int_or_null("code", "as kind says", "the number that came with it"),
        _text_or_null("detail", "the words that came with it"),
    ),
)

_ACTIVITY = TableSchema(
    name="activity",
    kind="derived",
    meaning="a stretch of one band of use per subject and hour, made from samples",
    columns=(
        _CLUSTER,
        _NODE_OR_NULL,
        _text("subject", "the device, partition, or holder on a device"),
        _text("source", "the source that was chosen for this hour"),
        _int("hour_s", "s", "the UTC hour, Unix seconds"),
        _int("start_s", "s", "begin of the stretch, Unix seconds, inclusive"),
        _int("end_s", "s", "end of the stretch, Unix seconds, exclusive"),
        _int("band", "per mille", "the lower edge of the band of use"),
        _int("carried_s", "s", "how much of it was carried over from the cell before"),
        _text_or_null("measure", "what was read: sm_active, graphics_engine_active or utilisation"),
    ),
    sort_by=("subject", "start_s"),
    shard_by="node",
    shard_else=("cluster", "subject"),
)

_ENERGY = TableSchema(
    name="energy",
    kind="derived",
    meaning="the energy that a device used in an hour, made from samples, once per device",
    columns=(
        _CLUSTER,
        _NODE_OR_NULL,
        _text("subject", "the UUID of the device"),
        _text("source", "the source that was chosen for this hour"),
        _int("hour_s", "s", "the UTC hour, Unix seconds"),
        _int("start_s", "s", "the first instant that it speaks of, Unix seconds"),
        _int("end_s", "s", "the last instant that it speaks of, Unix seconds"),
        _int("joules", "J", "the energy used in the part of the hour that is known"),
        _int("known_s", "s", "the seconds of the hour that it covers; the rest is not known, and not 0"),
        _text("method", "counter: differences of the device's own total; power: power over the cells"),
    ),
    sort_by=("subject", "start_s"),
    shard_by="node",
    shard_else=("cluster", "subject"),
)

_QUARANTINE = TableSchema(
    name="quarantine",
    kind="quarantine",
    meaning="a row that cannot be right, as it came, and why",
    columns=(
        _text("source", "who delivered it"),
        _SEQ,
        _text("file", "the file it stood in"),
        _int_or_null("row", "1", "its row there, 1 for the first row of data"),
        _text("reason", "why it cannot be right"),
        _text("raw", "the row as it came"),
        _int("at_s", "s", "when it was put here, Unix seconds"),
    ),
    sort_by=("source", "file", "row", "reason"),
    shard_by="source",
)

TABLES: dict[str, TableSchema] = {
    table.name: table
    for table in (
        _NODE_TABLE,
        _NODE_RESOURCE,
        _SLOT_TABLE,
        _DEVICE,
        _PARTITION,
        _STATE,
        _HOLDING,
        _PHASE,
        _BILL_LINE,
        _SAMPLE,
        _SERVING_SAMPLE,
        _QUEUE_SAMPLE,
        _EVENT,
        _ACTIVITY,
        _ENERGY,
        _QUARANTINE,
    )
}
