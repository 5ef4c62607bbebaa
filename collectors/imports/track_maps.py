"""The maps of what goes on with a thing in time: of nodes, partitions of devices, and workloads' runs."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationInfo, field_validator, model_validator

from collectors.imports.cells import Quantity, Text
from collectors.imports.column_map import ColumnMap, Columns, Names

__all__ = ["STATES", "CheckpointMap", "PartitionMap", "PhaseMap", "State", "StateMap"]

State = Literal["available", "provisioning", "system", "maintenance", "drained", "failed", "absent"]
STATES: tuple[str, ...] = (
    "available",
    "provisioning",
    "system",
    "maintenance",
    "drained",
    "failed",
    "absent",
)
"""What a slot may be good for."""


def _phase(name: str) -> str:
    if not name.strip() or name != name.strip() or not name.isprintable():
        raise ValueError(f"a phase has a printable name without blanks around it, not {name!r}")
    return name


class StateColumns(Columns):
    """The fields of a state."""

    node: Text
    state: Text
    start: Text
    end: Text | None = None
    slot: Text | None = None
    reason: Text | None = None


class PartitionColumns(Columns):
    """The fields of a partition."""

    node: Text
    slot: Text
    instance: Text
    profile: Text
    start: Text
    end: Text | None = None
    uuid: Text | None = None
    model: Text | None = None
    compute_slices: Quantity | None = None
    memory_slices: Quantity | None = None


class PhaseColumns(Columns):
    """The fields of a phase."""

    phase: Text
    start: Text
    end: Text | None = None
    node: Text | None = None


class CheckpointColumns(Columns):
    """The fields of a checkpoint."""

    at: Text


class StateMap(ColumnMap):
    """A map of states: what nodes, or slots, were good for, and when."""

    kind: Literal["states"]
    states: dict[str, State] = Field(default_factory=dict)
    columns: StateColumns


class PartitionMap(ColumnMap):
    """A map of partitions: how devices were cut, and when."""

    kind: Literal["partitions"]
    columns: PartitionColumns

    @model_validator(mode="after")
    def _slices_are_known(self) -> PartitionMap:
        columns = self.columns
        if (columns.compute_slices is None) != (columns.memory_slices is None):
            raise ValueError(
                "compute_slices and memory_slices go together: map both, or neither and the model"
            )
        if columns.compute_slices is None and columns.model is None:
            raise ValueError(
                "nothing says how many slices a partition takes: map compute_slices and memory_slices, "
                "or the device's model, which with the profile tells them"
            )
        return self


class RunMap(ColumnMap):
    """What maps of runs say: which columns make the run, as in the map of its holdings."""

    run: Names
    run_times: Names = ()

    @field_validator("run")
    @classmethod
    def _some_column(cls, run: tuple[str, ...]) -> tuple[str, ...]:
        if not run:
            raise ValueError("name at least one column")
        return run

    @field_validator("run_times")
    @classmethod
    def _of_the_run(cls, times: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        if others := set(times) - set(info.data.get("run", times)):
            raise ValueError(f"{', '.join(sorted(others))} is no column of run")
        return times

    def columns_read(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*self.run, *super().columns_read()]))


class PhaseMap(RunMap):
    """A map of phases: what runs were at, and when."""

    kind: Literal["phases"]
    phases: dict[str, Annotated[str, AfterValidator(_phase)]] = Field(default_factory=dict)
    columns: PhaseColumns


class CheckpointMap(RunMap):
    """A map of checkpoints: when the work of runs was kept."""

    kind: Literal["checkpoints"]
    columns: CheckpointColumns
