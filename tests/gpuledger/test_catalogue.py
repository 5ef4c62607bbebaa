"""The catalogue: the shipped file is sound, each fault in it is named, and a value becomes its integer."""

from __future__ import annotations

from decimal import Decimal

import pytest

from gpuledger.catalogue import OBSERVATION_TABLES, Metric, catalogue, metrics_of, parse_catalogue
from gpuledger.errors import InputError

HEADER = "name,type,unit,quantum,rounding,labels,table,column,help\n"
POWER = "gpuledger_device_power_watts,gauge,watts,1,half_up,cluster slot,sample,power_w,Power of the board."


def metric(column: str) -> Metric:
    (found,) = [metric for metric in catalogue() if metric.column == column]
    return found


def test_the_shipped_catalogue_keeps_each_table_of_observations() -> None:
    assert sum(len(metrics_of(table)) for table in OBSERVATION_TABLES) == len(catalogue())
    assert all(metrics_of(table) for table in OBSERVATION_TABLES)
    assert metrics_of("holding") == ()


def test_what_activity_and_bills_are_read_from_is_there() -> None:
    assert metric("sm_active_permille").name == "gpuledger_device_sm_active_ratio"
    assert metric("energy_j").type == "counter"
    assert {"prompt_tokens", "cached_prompt_tokens", "generation_tokens"} <= {
        found.column for found in metrics_of("serving_sample")
    }
    assert "pending_workloads" in {found.column for found in metrics_of("queue_sample")}


def test_ratios_are_per_mille_by_floor_and_seconds_are_microseconds() -> None:
    for found in catalogue():
        if found.unit == "ratio":
            assert (found.quantum, found.rounding) == (Decimal("0.001"), "floor")
            assert found.column.endswith("_permille")
        if found.unit == "seconds":
            assert found.quantum == Decimal("0.000001")
            assert found.column.endswith("_us")


def test_no_metric_takes_the_name_of_a_column_that_every_observation_has() -> None:
    kept = {"cluster", "node", "subject", "source", "instant_us", "seq", "identity"}
    assert not kept & {found.column for found in catalogue()}


def test_a_running_total_is_never_rounded_up() -> None:
    assert {found.rounding for found in catalogue() if found.type == "counter"} <= {"exact", "floor"}


@pytest.mark.parametrize(
    ("column", "value", "kept"),
    [
        ("sm_active_permille", "0.0499999", 49),
        ("sm_active_permille", "1", 1000),
        ("power_w", "412.5", 413),
        ("temperature_c", "-0.5", -1),
        ("energy_j", "1234567.899", 1_234_567),
        ("sm_clock_mhz", "1980000000", 1980),
        ("time_to_first_token_us", "0.1234567", 123_456),
        ("pending_milligpus", "0.5", 500),
        ("prompt_tokens", "9007199254740992", 2**53),
    ],
)
def test_a_value_is_kept_in_its_quantum_by_its_rounding(column: str, value: str, kept: int) -> None:
    assert metric(column).stored(Decimal(value)) == kept


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("power_w", "NaN"),
        ("power_w", "Infinity"),
        ("energy_j", "9007199254740993"),
        ("energy_j", "1e308"),
        ("prompt_tokens", "1.5"),
    ],
)
def test_a_value_that_belongs_in_quarantine_is_refused(column: str, value: str) -> None:
    with pytest.raises(InputError, match="gpuledger_"):
        metric(column).stored(Decimal(value))


@pytest.mark.parametrize(
    ("row", "column", "sentence"),
    [
        (POWER.replace("gpuledger_", ""), "name", "gpuledger_"),
        (POWER.replace("watts,gauge", "milliwatts,gauge"), "name", "ends in its unit"),
        (POWER.replace("watts,gauge", "watts_total,gauge"), "name", "counters alone"),
        (POWER.replace("gauge", "counter"), "name", "counters alone"),
        (POWER.replace("gauge", "histogram"), "type", "counter or gauge"),
        (POWER.replace("watts", "percent"), "unit", "none of the catalogue's"),
        (POWER.replace(",1,", ",0,"), "quantum", "above 0"),
        (POWER.replace("half_up", "round"), "rounding", "exact, floor or half_up"),
        (POWER.replace("cluster slot", "cluster Slot"), "labels", "lower-case"),
        (POWER.replace("cluster slot", "slot slot"), "labels", "twice"),
        (POWER.replace(",sample,", ",holding,"), "table", "observations"),
        (POWER.replace("power_w,", ","), "column", "goes with a table"),
        (POWER.replace(",sample,", ",,"), "column", "goes with a table"),
        (POWER.replace("board.", "board"), "help", "one sentence"),
        (f"{POWER}\n{POWER}", "name", "there twice"),
        (f"{POWER}\n{POWER.replace('device_power', 'device_other_power')}", "column", "is taken"),
    ],
)
def test_a_fault_is_named_with_its_row_and_column(row: str, column: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence) as refused:
        parse_catalogue(f"{HEADER}{row}\n")
    assert refused.value.place is not None
    assert refused.value.place.column == column
    assert refused.value.place.row == row.count("\n") + 2


@pytest.mark.parametrize(
    "text", ["", HEADER.replace("unit", "units"), f"{HEADER}a,b\n", f"{HEADER}{POWER},more\n"]
)
def test_a_file_of_another_shape_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"fields|columns"):
        parse_catalogue(text)


def test_a_metric_that_is_only_exposed_has_no_column() -> None:
    only = "gpuledger_scrape_errors_total,counter,errors,1,exact,cluster,,,Scrapes that failed."
    (found,) = parse_catalogue(f"{HEADER}{only}\n")
    assert (found.table, found.column) == ("", "")
