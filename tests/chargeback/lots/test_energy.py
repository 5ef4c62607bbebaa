"""Energy: kW or kWh times PUE times tariff, cut where any of them changes."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from lots_said import cents, in_month, made, read

from chargeback.lots.lot import Lot
from gpuledger.errors import InputError

EXAMPLES = json.loads((Path(__file__).parents[2] / "conformance" / "examples.json").read_text("utf-8"))
USD = 10**9
REST = "pue: 1.30, tariff: 0.12, pays_for: {node: dgx-*}"


def energy(text: str, until: str = "2026-12-01", folder: Path = Path(), begins: str = "2026-06-01") -> Lot:
    entry = f"{{energy: hall, currency: USD, from: {begins}, {text}}}"
    (lot,) = made(energy=f"[{entry}]", until=until, folder=folder).values()
    return lot


def refused(text: str, folder: Path = Path()) -> InputError:
    entry = f"{{energy: hall, currency: USD, from: 2026-06-01, to: 2026-07-01, {text}}}"
    _, (error,) = read(energy=f"\n- {entry}", folder=folder)
    return error


def test_power_and_cooling_of_example_e22() -> None:
    (example,) = (one for one in EXAMPLES["examples"] if one["id"] == "E22")
    (variant,) = example["expected"]["variants"]
    lot = energy(f"it_kw: 6.5, {REST}")
    assert cents(lot, "2026-06") == variant["lines"]["power_and_cooling"] == "730.08"
    assert in_month(lot, "2026-06") / USD == Fraction(variant["exact"]["power_and_cooling"])


def test_cost_lines_of_example_e22_add_up() -> None:
    (example,) = (one for one in EXAMPLES["examples"] if one["id"] == "E22")
    (variant,) = example["expected"]["variants"]
    fees = ", ".join(
        f"{{lot: {name}, kind: fee, every: month, amount: {amount}, currency: USD, from: 2026-01-01, "
        "pays_for: {node: dgx-*}}"
        for name, amount in (("rack", "1200.00"), ("network", "300.00"), ("staff", "1500.00"))
    )
    asset = (
        "[{asset: depreciation, cost: 300000, residual: 30000, currency: USD, life_months: 60, "
        "in_service: 2026-03-10, pays_for: {node: dgx-*}}]"
    )
    power = f"[{{energy: power_and_cooling, currency: USD, from: 2026-06-01, it_kw: 6.5, {REST}}}]"
    lots = made(lots=f"[{fees}]", assets=asset, energy=power, until="2026-07-01")
    assert {name: cents(lots[f"lot:{name}"], "2026-06") for name in variant["lines"]} == variant["lines"]
    assert sum(in_month(lot, "2026-06") for lot in lots.values()) == Fraction(variant["total"]) * USD


def test_tariff_pue_and_load_each_cut_where_they_change() -> None:
    lot = energy(
        "it_kw: [{value: 10}, {from: 2026-06-11, value: 20}], "
        "pue: [{from: 2026-01-01, value: 1.5}, {from: 2026-06-21, value: 1.2}], "
        "tariff: [{value: 0.10}, {from: 2026-06-21T12:00Z, value: 0.20}], account: shared"
    )
    hours = [
        (240, 10, "1.5", "0.1"),
        (240, 20, "1.5", "0.1"),
        (12, 20, "1.2", "0.1"),
        (228, 20, "1.2", "0.2"),
    ]
    expected = sum(h * kw * Fraction(pue) * Fraction(tariff) for h, kw, pue, tariff in hours)
    assert in_month(lot, "2026-06") / USD == expected


def test_reading_counts_evenly_and_is_parted_at_a_tariffs_edge() -> None:
    lot = energy(
        "to: 2026-08-01, metered: [{from: 2026-06-30, to: 2026-07-02, kwh: 48}, "
        "{from: 2026-07-03, to: 2026-07-04, kwh: 7.5}], "
        "pue: 1.5, tariff: [{value: 0.10}, {from: 2026-07-01, value: 0.20}], account: shared"
    )
    assert in_month(lot, "2026-06") / USD == 24 * Fraction("0.15")
    assert in_month(lot, "2026-07") / USD == Fraction("31.5") * Fraction("0.30")


def test_readings_of_a_file_beside_are_those_written_in_place(tmp_path: Path) -> None:
    (tmp_path / "power.csv").write_text("kwh,from,to\n2.50,2026-06-02,2026-06-03\n24,2026-06-01,2026-06-02\n")
    there = energy(f"metered_file: power.csv, {REST}", folder=tmp_path)
    here = energy(
        "metered: [{from: 2026-06-01, to: 2026-06-02, kwh: 24}, {from: 2026-06-02, to: 2026-06-03, kwh: 2.5}]"
        f", {REST}"
    )
    assert there == here
    assert cents(there, "2026-06") == "4.13"


def test_energy_without_an_end_goes_on_to_the_horizon() -> None:
    lot = energy(f"it_kw: 6.5, {REST}", until="2026-06-16")
    assert cents(lot, "2026-06") == "365.04"


def test_what_lies_before_a_horizon_is_the_same_whatever_the_horizon() -> None:
    entry = "metered: [{from: 2026-06-01, to: 2026-07-01, kwh: 48}], " + REST
    assert in_month(energy(entry, until="2026-06-16"), "2026-06") * 2 == in_month(energy(entry), "2026-06")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{REST}", "hall: it needs one of it_kw, metered and metered_file"),
        (f"it_kw: 1, metered_file: a.csv, {REST}", "hall: it needs one of it_kw, metered and metered_file"),
        (
            "it_kw: 1, pue: [{from: 2026-06-02, value: 1}], tariff: 1, account: shared",
            "pue has no value from 2026-06-01T",
        ),
        (
            "it_kw: 1, pue: 1, tariff: [{value: 1}, {value: 2}], account: shared",
            "tariff from 2026-06-01T00:00:00Z on follows what is from 2026-06-01T00:00:00Z on",
        ),
        ("it_kw: -1, pue: 1, tariff: 1, account: shared", "-1 is below 0"),
        ("metered: [{from: 2026-06-01, kwh: 1}], " + REST, "to is empty"),
        ("metered: [{from: 2026-05-31, to: 2026-06-02, kwh: 1}], " + REST, "is not inside the lot's time"),
        ("metered: [{from: 2026-06-30, to: 2026-07-02, kwh: 1}], " + REST, "is not inside the lot's time"),
        (
            "metered: [{from: 2026-06-01, to: 2026-06-03, kwh: 1}, "
            "{from: 2026-06-02, to: 2026-06-04, kwh: 1}]"
            f", {REST}",
            "the reading from 2026-06-02T00:00:00Z on begins before the one from 2026-06-01T00:00:00Z on",
        ),
        ("invoiced: 2026-07-02, it_kw: 1, " + REST, "hall: an invoice has no amount"),
        ("it_kw: 1, covers: true, " + REST, "hall: only a purchase, a fee or an asset"),
        ("it_kw: 1, pue: 1, account: shared", "energy.0.tariff is missing"),
    ],
)
def test_mistake_is_said_with_its_line(text: str, message: str) -> None:
    error = refused(text)
    assert message in error.message
    assert error.mend and error.place and error.place.line == 4


def test_mistake_in_a_file_of_readings_is_said_with_its_row(tmp_path: Path) -> None:
    (tmp_path / "power.csv").write_text("from,to,kwh\n2026-06-01,2026-06-02,1\n2026-06-02,2026-06-03,-1\n")
    error = refused(f"metered_file: power.csv, {REST}", tmp_path)
    assert (error.message, error.place and error.place.row) == ("kwh: -1 is below 0", 2)
    assert "cannot be read" in refused(f"metered_file: absent.csv, {REST}", tmp_path).message
