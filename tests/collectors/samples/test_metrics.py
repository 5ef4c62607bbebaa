"""Values of metrics: text, integers and floats of one value give one integer, the catalogue's own."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from collectors.samples.metrics import MetricReading
from collectors.samples.units import UNITS_OF
from collectors.samples.verdict import Verdict
from gpuledger.catalogue import Metric, metrics_of
from gpuledger.lake.arrow import pa

METRICS = {metric.column: metric for metric in metrics_of("sample")}


def read(metric: Metric, values: Any, unit: Fraction = Fraction(1)) -> tuple[list[int | None], list[str]]:
    verdict = Verdict(len(values))
    kept = MetricReading(metric, "column", unit, frozenset()).read(values, verdict).to_pylist()
    return kept, [reason for _, reason in verdict.bad()]


@given(st.integers(0, 10**6), st.sampled_from(["sm_active_permille", "power_w", "temperature_c", "energy_j"]))
def test_text_and_floats_give_the_catalogues_integer(millionths: int, column: str) -> None:
    metric, text = METRICS[column], format(Decimal(millionths).scaleb(-6), "f")
    assert read(metric, pa.array([text])) == ([metric.stored(Decimal(text))], [])
    assert read(metric, pa.array([float(text)])) == ([metric.stored(Decimal(text))], [])


@given(st.integers(0, 10**6), st.sampled_from(sorted(UNITS_OF["joules"])))
def test_integers_of_any_unit_are_exact(count: int, unit: str) -> None:
    size = UNITS_OF["joules"][unit]
    exact = count * size
    assert read(METRICS["energy_j"], pa.array([count]), size) == ([exact.numerator // exact.denominator], [])
    assert read(METRICS["energy_j"], pa.array([str(count)]), size) == read(
        METRICS["energy_j"], pa.array([count]), size
    )


def test_microjoules_beyond_2_to_the_53_are_joules_within() -> None:
    assert read(METRICS["energy_j"], pa.array([2**60]), Fraction(1, 10**6)) == ([2**60 // 10**6], [])


def test_single_floats_and_unsigned_numbers_are_read() -> None:
    singles = pa.array(np.array([0.29, 0.7, 1.0], dtype=np.float32))
    assert read(METRICS["sm_active_permille"], singles) == ([290, 700, 1000], [])
    unsigned = pa.array([7, 2**64 - 1, None], pa.uint64())
    assert read(METRICS["energy_j"], unsigned) == ([7, None, None], ["energy_j is above 2^53"])


@pytest.mark.parametrize("values", [pa.array(["1.5"]), pa.array([1.5])])
def test_a_count_is_whole(values: Any) -> None:
    assert read(METRICS["xid_events"], values) == ([None], ["xid_events is not whole"])
