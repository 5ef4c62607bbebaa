"""The metric catalogue: what a sample can carry, in which unit, kept in which integer.

The catalogue is `metrics.csv`. A row is one metric: its Prometheus name in base units (`gpuledger_*`), and
the nullable 64-bit column of the lake that keeps it, as a whole number of `quantum` units.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from importlib.resources import files
from typing import Any

from gpuledger.errors import InputError, Place
from gpuledger.money import half_up, parse_amount

__all__ = [
    "BASE_UNITS",
    "COUNTED",
    "OBSERVATION_TABLES",
    "STATES",
    "UNITS",
    "Metric",
    "catalogue",
    "metrics_of",
    "parse_catalogue",
]

FILE = "metrics.csv"
TYPES = frozenset({"counter", "gauge"})
ROUNDINGS = frozenset({"exact", "floor", "half_up"})
OBSERVATION_TABLES = ("sample", "serving_sample", "queue_sample")
COUNTED = frozenset({"errors", "events", "gpus", "observations", "requests", "rows", "tokens", "workloads"})
BASE_UNITS = frozenset(
    {"bytes", "bytes_per_second", "celsius", "hertz", "joules", "ratio", "seconds", "watts"}
)
STATES = frozenset({"code", "flag", "mask"})
UNITS = BASE_UNITS | COUNTED | STATES

_NAME = re.compile(r"gpuledger_[a-z][a-z0-9]*(?:_[a-z0-9]+)+")
_WORD = re.compile(r"[a-z][a-z0-9_]*")
_GREATEST = 2**53


@dataclass(frozen=True)
class Metric:
    """One row of the catalogue.

    `quantum` is the part of the unit that 1 in the stored integer stands for, `rounding` how a value becomes
    that integer. `labels` are the exposed ones, in order. `table` and `column` say where the lake keeps it,
    both empty for a metric that is only exposed.
    """

    name: str
    type: str
    unit: str
    quantum: Decimal
    rounding: str
    labels: tuple[str, ...]
    table: str
    column: str
    help: str

    def stored(self, value: Decimal) -> int:
        """The integer that the lake keeps for `value`, given in the metric's unit.

        Raises `InputError` for NaN, infinities, a number above 2^53, and a part of a quantum where the
        rounding is `exact`: such a sample belongs in quarantine.
        """
        if not value.is_finite():
            raise InputError(f"{self.name} is {value}", mend="send only finite numbers")
        quanta = Fraction(value) / Fraction(self.quantum)
        kept = half_up(quanta) if self.rounding == "half_up" else quanta.numerator // quanta.denominator
        if self.rounding == "exact" and kept != quanta:
            raise InputError(f"{self.name} is {value}, which is not whole", mend=f"count whole {self.unit}")
        if abs(kept) > _GREATEST:
            raise InputError(
                f"{self.name} is {value}, which is above 2^53", mend="check the unit that is declared"
            )
        return kept


@lru_cache(maxsize=1)
def catalogue() -> tuple[Metric, ...]:
    """All metrics, in the order of the file."""
    return parse_catalogue((files("gpuledger") / FILE).read_text(encoding="utf-8"))


def metrics_of(table: str) -> tuple[Metric, ...]:
    """The metrics that one table of the lake keeps, in the order of its columns."""
    return tuple(metric for metric in catalogue() if metric.table == table)


def parse_catalogue(text: str) -> tuple[Metric, ...]:
    """Read the catalogue from CSV text; raises `InputError` with row and column of the first thing wrong."""
    reader = csv.DictReader(io.StringIO(text), strict=True)
    header = [field.name for field in fields(Metric)]
    if reader.fieldnames != header:
        raise InputError("the catalogue has other columns", place=Place(FILE, row=1), mend=",".join(header))
    metrics: list[Metric] = []
    seen: set[tuple[str, str]] = set()
    for number, row in enumerate(reader, start=2):
        metric = _read_row(row, number)
        for column, wrong in _faults(metric, seen):
            raise InputError(f"{metric.name}: {wrong}", place=Place(FILE, row=number, column=column))
        seen |= {("", metric.name), (metric.table, metric.column)}
        metrics.append(metric)
    return tuple(metrics)


def _read_row(row: dict[str, Any], number: int) -> Metric:
    if None in row or None in row.values():
        raise InputError("a row has too few or too many fields", place=Place(FILE, row=number))
    return Metric(
        name=row["name"],
        type=row["type"],
        unit=row["unit"],
        quantum=parse_amount(row["quantum"]),
        rounding=row["rounding"],
        labels=tuple(row["labels"].split()),
        table=row["table"],
        column=row["column"],
        help=row["help"],
    )


def _faults(metric: Metric, seen: set[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Each thing wrong with a row: the column, and a sentence."""
    base = metric.name.removesuffix("_total")
    checks = [
        ("name", _NAME.fullmatch(metric.name), "a name is gpuledger_ and lower-case words"),
        ("name", ("", metric.name) not in seen, "the name is there twice"),
        ("name", base.endswith(f"_{metric.unit}"), "the name ends in its unit, before any _total"),
        (
            "name",
            (metric.type == "counter") == metric.name.endswith("_total"),
            "counters alone end in _total",
        ),
        ("type", metric.type in TYPES, "a type is counter or gauge"),
        ("unit", metric.unit in UNITS, "the unit is none of the catalogue's"),
        ("quantum", metric.quantum > 0, "the quantum is above 0"),
        ("rounding", metric.rounding in ROUNDINGS, "a rounding is exact, floor or half_up"),
        ("labels", all(_WORD.fullmatch(label) for label in metric.labels), "labels are lower-case words"),
        ("labels", len(set(metric.labels)) == len(metric.labels), "a label is there twice"),
        ("table", metric.table in ("", *OBSERVATION_TABLES), "the table is none of the lake's observations"),
        ("column", bool(metric.table) == bool(_WORD.fullmatch(metric.column)), "a column goes with a table"),
        ("column", not metric.table or (metric.table, metric.column) not in seen, "the column is taken"),
        ("help", metric.help.endswith(".") and metric.help.isprintable(), "the help is one sentence"),
    ]
    return ((column, sentence) for column, holds, sentence in checks if not holds)
