"""Activity and energy, held against plain Python on random samples, and against what must not change them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from activity_oracle import EDGES, Sample, Stretch, Used, energy, stretches
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from collectors.activity import derive
from gpuledger.engine import connect
from gpuledger.lake.arrow import pa, pq
from gpuledger.lake.schema import table_schema

HOUR_S = 1_793_059_200
STEPS = (60, 300, 900, 20, 1, 36)
SUBJECTS = (("GPU-a", "GPU-a"), ("GPU-a#1", "GPU-a"), ("GPU-a/main/run", "GPU-a"), ("MIG-b", None))

EDGE_VALUES = st.sampled_from([*EDGES, *(edge - 1 for edge in EDGES[1:]), 1000])
VALUES = st.none() | EDGE_VALUES | st.integers(0, 1000)
TOTALS = st.none() | st.integers(0, 5000)


@st.composite
def sample(draw: st.DrawFn) -> Sample:
    """A sample in one of two hours, often at their edge."""
    subject, device = draw(st.sampled_from(SUBJECTS))
    source = draw(st.sampled_from(["dcgm", "nvml"]))
    step_s = draw(st.sampled_from(STEPS))
    offset = draw(st.integers(0, 7199) | st.sampled_from([0, 3599, 3600, 7199]))
    at_s = HOUR_S + offset // step_s * step_s
    energy_j, power_w = draw(TOTALS), draw(st.none() | st.integers(0, 700))
    values = draw(VALUES), draw(VALUES), draw(VALUES)
    node = draw(st.sampled_from(["n1", "n1", "n2"]))
    return Sample(subject, source, at_s, step_s, device, *values, energy_j, power_w, node)


@st.composite
def steady(draw: st.DrawFn) -> list[Sample]:
    """A device that reports by one step with few gaps, so that stretches are long."""
    step_s, cells = draw(st.sampled_from(STEPS[:3])), draw(st.lists(VALUES, min_size=1, max_size=120))
    keep = draw(
        st.lists(st.sampled_from([True, True, True, False]), min_size=len(cells), max_size=len(cells))
    )
    total, found = 0, []
    for number, (value, kept) in enumerate(zip(cells, keep, strict=True)):
        total = 0 if value == 1000 else total + (value or 0)
        at_s = HOUR_S + number * step_s
        if kept and at_s < HOUR_S + 86_400:
            found.append(Sample("GPU-a", "dcgm", at_s, step_s, "GPU-a", value, None, 500, total, value))
    return found


SAMPLES = st.lists(sample(), max_size=40) | steady()


@dataclass
class Bench:
    """An engine, and a folder for files of samples."""

    folder: Path
    engine: Any

    def made(self, *files: list[Sample], carry: int = 1) -> tuple[list[Stretch], list[Used]]:
        schema = table_schema("sample").arrow
        paths = []
        for number, some in enumerate(files):
            paths.append(str(self.folder / f"{number}.parquet"))
            rows = pa.Table.from_pylist([one.row() for one in some], schema=schema)
            pq.write_table(rows, paths[-1])
        found = derive(self.engine, paths, carry=carry)
        return _rows(found["activity"], Stretch), _rows(found["energy"], Used)


def _rows(table: Any, kind: Any) -> list[Any]:
    return [kind(*values) for values in zip(*(table[name].to_pylist() for name in kind._fields), strict=True)]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with connect("200MB", 1) as engine:
        yield Bench(tmp_path_factory.mktemp("samples"), engine)


pytestmark = pytest.mark.books

EVERY = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@EVERY
@given(samples=SAMPLES, carry=st.integers(0, 3))
def test_activity_and_energy_are_what_the_design_says(
    bench: Bench, samples: list[Sample], carry: int
) -> None:
    found, used = bench.made(samples, carry=carry)
    assert found == stretches(samples, carry)
    assert used == energy(samples, carry)


@EVERY
@given(samples=SAMPLES, data=st.data())
def test_order_cuts_and_second_deliveries_change_nothing(
    bench: Bench, samples: list[Sample], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(samples))
    at = data.draw(st.integers(0, len(samples)))
    again = data.draw(st.lists(st.sampled_from(samples), max_size=5)) if samples else []
    assert bench.made(shuffled[:at], shuffled[at:], again) == bench.made(samples)


@EVERY
@given(samples=steady(), lost=st.data())
def test_a_second_exporter_changes_no_second(
    bench: Bench, samples: list[Sample], lost: st.DataObject
) -> None:
    """It says the same, later by name, and may miss some of it: the first one has as many cells or more."""
    assume(samples)
    second = lost.draw(st.lists(st.sampled_from(samples), unique_by=lambda one: one.at_s))
    found, _ = bench.made(samples, [one._replace(source="zz-second") for one in second])
    assert found == bench.made(samples)[0]


@EVERY
@given(samples=SAMPLES)
def test_no_hour_has_more_seconds_than_it_has(bench: Bench, samples: list[Sample]) -> None:
    found, used = bench.made(samples)
    hours: dict[tuple[str, int], int] = {}
    assert all(one.subject != after.subject or one.end_s <= after.start_s for one, after in pairwise(found))
    for one in found:
        assert one.hour_s <= one.start_s < one.end_s <= one.hour_s + 3600
        assert 0 <= one.carried_s < one.end_s - one.start_s
        key = (one.subject, one.hour_s)
        hours[key] = hours.get(key, 0) + one.end_s - one.start_s
    assert all(seconds <= 3600 for seconds in hours.values())
    assert all(0 < one.known_s <= 3600 and one.joules >= 0 for one in used)
    assert len({(one.subject, one.hour_s) for one in used}) == len(used)


@EVERY
@given(samples=SAMPLES)
def test_an_hour_depends_on_its_own_samples_alone(bench: Bench, samples: list[Sample]) -> None:
    first = [one for one in samples if one.at_s < HOUR_S + 3600]
    whole, alone = bench.made(samples)[0], bench.made(first)[0]
    assert [one for one in whole if one.hour_s == HOUR_S] == alone
