"""The map of samples: who was observed, when, by which step, and which column holds which metric."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from collectors.imports.cells import Part, Text
from collectors.imports.column_map import ColumnMap, Columns, Names
from collectors.samples.units import UNITS_OF, factor
from gpuledger.catalogue import Metric, metrics_of

__all__ = ["MetricCell", "SampleMap", "metric_named"]

_LONGEST_STEP_S = 900


@cache
def _metrics() -> Mapping[str, Metric]:
    """The metrics of a sample, by the name of their column and by their own."""
    found = metrics_of("sample")
    return {name: metric for metric in found for name in (metric.column, metric.name)}


def metric_named(name: str) -> Metric | None:
    """The metric of the table `sample` with this column or name; None if there is none."""
    return _metrics().get(name)


class MetricCell(Part):
    """A column that holds a metric, and its unit there; without one the catalogue's own."""

    column: str
    unit: str | None = None


def _short(value: object) -> object:
    return {"column": value} if isinstance(value, str) else value


class SampleColumns(Columns):
    """The fields of a sample that are no metric."""

    at: Text
    device: Text | None = None
    partition: Text | None = None
    node: Text | None = None


class SampleMap(ColumnMap):
    """A map of samples."""

    kind: Literal["samples"]
    step: Annotated[int, Field(ge=1, le=_LONGEST_STEP_S)]
    run: Names = ()
    columns: SampleColumns
    metrics: dict[str, Annotated[MetricCell, BeforeValidator(_short)]] = Field(min_length=1)

    @field_validator("step")
    @classmethod
    def _divides_a_quarter(cls, step: int) -> int:
        if _LONGEST_STEP_S % step:
            raise ValueError(f"{step} s is no divisor of {_LONGEST_STEP_S} s: cells would straddle an hour")
        return step

    @field_validator("metrics")
    @classmethod
    def _known_metrics(cls, metrics: dict[str, MetricCell]) -> dict[str, MetricCell]:
        seen: dict[str, str] = {}
        for name, cell in metrics.items():
            if (metric := metric_named(name)) is None:
                raise ValueError(f"{name} is no metric of a sample: docs/metrics.md lists them")
            if factor(metric.unit, cell.unit) is None:
                units = ", ".join(UNITS_OF.get(metric.unit, {})) or f"{metric.unit}, and none to convert"
                raise ValueError(f"{name} has no unit {cell.unit}: its units are {units}")
            if metric.column in seen:
                raise ValueError(f"{name} and {seen[metric.column]} are one metric: keep one")
            seen[metric.column] = name
        return metrics

    @model_validator(mode="after")
    def _somebody_is_observed(self) -> SampleMap:
        if self.columns.device is None and self.columns.partition is None:
            raise ValueError("nothing is observed: map device, or partition where it is a UUID")
        if self.data_through is not None:
            raise ValueError("samples have no data_through: no bill waits for them")
        return self

    def columns_read(self) -> tuple[str, ...]:
        """Every column that the map names, once."""
        measured = [cell.column for cell in self.metrics.values()]
        return tuple(dict.fromkeys([*super().columns_read(), *self.run, *measured]))

    def measured(self) -> dict[str, tuple[Metric, str, Fraction]]:
        """By the lake's column: the metric, the file's column, and how much of its unit 1 there is."""
        found: dict[str, tuple[Metric, str, Fraction]] = {}
        for name, cell in self.metrics.items():
            if (metric := metric_named(name)) is not None:
                found[metric.column] = (metric, cell.column, factor(metric.unit, cell.unit) or Fraction(1))
        return found
