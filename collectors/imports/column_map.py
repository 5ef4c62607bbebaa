"""The column map: which column of a file becomes which field of a fact; checked before any row is read.

`map_file` reads it from YAML, `docs/import.md` is its reference.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, PrivateAttr, ValidationInfo, field_validator, model_validator

from collectors.imports.cells import Held, Part, Quantity, Share, SharingCells, Text, TextCell
from collectors.imports.outcomes import Outcome
from gpuledger.calendars import time_zone
from gpuledger.errors import InputError
from gpuledger.instants import Unit

__all__ = [
    "OPEN",
    "WINDOW_END",
    "WINDOW_START",
    "CapacityMap",
    "ColumnMap",
    "Columns",
    "HoldingMap",
    "InventoryMap",
    "Names",
    "RowChoice",
    "Window",
]

OPEN, WINDOW_START, WINDOW_END = "open", "window_start", "window_end"


def _listed(names: object) -> object:
    return (names,) if isinstance(names, str) else names


Names = Annotated[tuple[str, ...], BeforeValidator(_listed)]
"""Names of columns; one alone may stand without a list."""


class Columns(Part):
    """The fields that a row may have whatever it is."""

    cluster: Text | None = None

    def cells(self) -> Iterator[tuple[str, TextCell]]:
        """Each field that the map gives, with its cell."""
        for name in type(self).model_fields:
            if isinstance(cell := getattr(self, name), TextCell):
                yield name, cell


class HoldingColumns(Columns):
    """The fields of a holding."""

    start: Text
    end: Text
    owner_key: Text | None = None
    units: Quantity | None = None
    fraction: Share | None = None
    share: SharingCells | None = None
    node: Text | None = None
    nodes: Text | None = None
    slot: Text | None = None
    lane: Text | None = None
    device: Text | None = None
    namespace: Text | None = None
    account: Text | None = None
    workload_kind: Text | None = None
    cpus: Quantity | None = None
    memory_bytes: Quantity | None = None
    licences: Quantity | None = None
    controller: Text | None = None
    outcome: Text | None = None
    suspended: Text | None = None
    elapsed: Text | None = None
    group: Text | None = None
    model: Text | None = None
    region: Text | None = None
    labels: dict[str, Text] = Field(default_factory=dict)

    @field_validator("labels")
    @classmethod
    def _named_labels(cls, labels: dict[str, TextCell]) -> dict[str, TextCell]:
        for name in labels:
            if not name.strip() or name != name.strip() or not name.isprintable():
                raise ValueError(f"a label has a printable name without blanks around it, not {name!r}")
        return labels

    @field_validator("share")
    @classmethod
    def _one_way_to_share(cls, share: SharingCells | None, info: ValidationInfo) -> SharingCells | None:
        if share is not None and info.data.get("fraction") is not None:
            raise ValueError(f"a row shares by fraction or by {share.mode}, not by both: keep one of the two")
        return share

    @field_validator("elapsed")
    @classmethod
    def _suspended_once(cls, elapsed: TextCell | None, info: ValidationInfo) -> TextCell | None:
        if elapsed is not None and info.data.get("suspended") is not None:
            raise ValueError("elapsed and suspended say the same: map one of the two")
        return elapsed

    def cells(self) -> Iterator[tuple[str, TextCell]]:
        yield from super().cells()
        yield from () if self.share is None else self.share.cells()
        yield from ((f"labels.{name}", cell) for name, cell in self.labels.items())


class InventoryColumns(Columns):
    """The fields of a slot, its device and its node."""

    node: Text
    start: Text
    end: Text | None = None
    slot: Text | None = None
    units: Quantity | None = None
    device: Text | None = None
    model: Text | None = None
    region: Text | None = None
    sku: Text | None = None
    compute_slices: Quantity | None = None
    memory_slices: Quantity | None = None
    memory_bytes: Quantity | None = None
    cpus: Quantity | None = None
    node_memory_bytes: Quantity | None = None
    licences: Quantity | None = None
    provider: Text | None = None
    billing_account: Text | None = None
    zone: Text | None = None
    purchase_option: Text | None = None
    instance_id: Text | None = None
    reservation_id: Text | None = None
    ended_by: Text | None = None


class CapacityColumns(Columns):
    """The fields of a count over time."""

    group: Text
    at: Text
    total: Quantity
    held: Held | None = None
    owner_key: Text | None = None
    model: Text | None = None
    region: Text | None = None
    sku: Text | None = None
    provider: Text | None = None
    purchase_option: Text | None = None


class Window(Part):
    """The stretch of time that a file covers, in the file's own times."""

    start: str
    end: str


class RowChoice(Part):
    """Which rows are wanted: per column the cells to keep (`only`) or to leave out (`without`)."""

    only: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    without: dict[str, tuple[str, ...]] = Field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are looked at."""
        return (*self.only, *self.without)


class ColumnMap(Part):
    """What every map says, whatever its rows are."""

    source: Annotated[str, Field(min_length=1)] | None = None
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    nulls: tuple[str, ...] = ()
    epoch: str | None = None
    zone: str | None = None
    time_unit: Unit = "s"
    window: Window | None = None
    data_through: str | None = None
    rows: RowChoice = RowChoice()
    _read_from: str = PrivateAttr("")

    @property
    def read_from(self) -> str:
        """The file that says it, as errors name it; '' where it was made otherwise."""
        return self._read_from

    @field_validator("delimiter")
    @classmethod
    def _parts_cells(cls, delimiter: str | None) -> str | None:
        if delimiter is not None and (delimiter == '"' or not (delimiter == "\t" or delimiter.isprintable())):
            raise ValueError(f"{delimiter!r} cannot part cells")
        return delimiter

    @field_validator("zone")
    @classmethod
    def _known_zone(cls, zone: str | None) -> str | None:
        try:
            return zone if zone is None else time_zone(zone).key
        except InputError as error:
            raise ValueError(error.message) from error

    @model_validator(mode="after")
    def _only_an_end_is_open(self) -> ColumnMap:
        for name, cell in self.fields.cells():
            if name in ("start", "at") and cell.missing == OPEN:
                raise ValueError(f"{name} cannot be open: say window_start or an instant")
        return self

    @model_validator(mode="after")
    def _window_is_given(self) -> ColumnMap:
        words = {self.data_through, *(cell.missing for _, cell in self.fields.cells())}
        if self.window is None and words & {WINDOW_START, WINDOW_END}:
            raise ValueError("window_start or window_end is used, and no window says what they are")
        return self

    @property
    def fields(self) -> Columns:
        """The columns of this kind of map."""
        columns: Columns = self.columns  # type: ignore[attr-defined]
        return columns

    def columns_read(self) -> tuple[str, ...]:
        """Every column that the map names, once, in the order in which it names them."""
        named = [column for _, cell in self.fields.cells() for column in cell.columns_read]
        return tuple(dict.fromkeys([*named, *self.rows.columns]))


class HoldingMap(ColumnMap):
    """A map of holdings: who held what, and when."""

    kind: Literal["holdings"]
    identity: Names
    run: Names = ()
    capacity: Literal["assumed"] | None = None
    outcomes: dict[str, Outcome] = Field(default_factory=dict)
    columns: HoldingColumns

    @field_validator("identity")
    @classmethod
    def _some_column(cls, identity: tuple[str, ...]) -> tuple[str, ...]:
        if not identity:
            raise ValueError("name at least one column")
        return identity

    @model_validator(mode="after")
    def _placed_or_assumed(self) -> HoldingMap:
        columns = self.columns
        named = columns.node is not None or columns.nodes is not None
        if columns.node is not None and columns.nodes is not None:
            raise ValueError("a row names a node, or a list of nodes: map node or nodes")
        if columns.nodes is not None and (columns.units is None or columns.slot or columns.device):
            raise ValueError(
                "nodes parts the units of a row among them: map units, and neither slot nor device beside it"
            )
        if named and self.capacity:
            raise ValueError("capacity: assumed is for holdings that name no node, and columns name one")
        if not named and (columns.slot or columns.device):
            raise ValueError("a slot or a device needs its node: map node too")
        if columns.lane is not None and columns.slot is None:
            raise ValueError("a lane needs its slot: map slot too, or the partition's UUID as device")
        if columns.share is not None and self.capacity:
            raise ValueError(
                f"capacity: assumed knows no device that others share: {columns.share.mode} needs a node"
            )
        if not named and not self.capacity:
            raise ValueError("no node is mapped: map node, or say capacity: assumed if the file knows none")
        if named and (columns.model or columns.region or columns.group):
            raise ValueError(
                "model, region and group are of assumed capacity: a node's come from the inventory"
            )
        return self

    @model_validator(mode="after")
    def _identity_without_end(self) -> HoldingMap:
        ends = set(self.columns.end.columns) - set(self.columns.start.columns)
        if both := ends & {*self.identity, *self.run}:
            raise ValueError(
                f"identity and run cannot name {', '.join(sorted(both))}: a later export moves the end of a "
                "holding, and would not find it again"
            )
        return self

    @model_validator(mode="after")
    def _outcomes_of_something(self) -> HoldingMap:
        if self.outcomes and self.columns.outcome is None:
            raise ValueError("outcomes gives words a meaning, and no column has them: map outcome")
        return self

    def columns_read(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*self.identity, *self.run, *super().columns_read()]))


class InventoryMap(ColumnMap):
    """A map of inventory: which slots, devices and nodes there are, and when."""

    kind: Literal["inventory"]
    columns: InventoryColumns

    @model_validator(mode="after")
    def _slot_or_units(self) -> InventoryMap:
        if (self.columns.slot is None) == (self.columns.units is None):
            raise ValueError("map either slot (a row per slot) or units (a row per node with a count)")
        if self.columns.units is not None and self.columns.device is not None:
            raise ValueError("a count of units cannot name a device: map slot instead of units")
        return self


class CapacityMap(ColumnMap):
    """A map of counts over time: how many units there are, and how many are held."""

    kind: Literal["capacity"]
    step: Annotated[int, Field(ge=1)] | None = None
    columns: CapacityColumns

    @model_validator(mode="after")
    def _owner_of_what_is_held(self) -> CapacityMap:
        if self.columns.owner_key is not None and self.columns.held is None:
            raise ValueError("owner_key is mapped, and nothing is held: map held too")
        return self
