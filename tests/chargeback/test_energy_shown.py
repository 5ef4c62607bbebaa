"""How energy is shown: in kWh with the known part, in every view, explained, and of closed months."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from desktop import Desktop, filled
from energies import DAY, HOUR, TICKS, gpu, of_the_rich_day, powered
from house import House, at, make_house
from rich_day import rich_in_lanes

from chargeback.checks import OK
from chargeback.closing import Asked as Closing
from chargeback.closing import close_period
from chargeback.energy import Energy, energy_by, kwh
from chargeback.explain import explain
from chargeback.explain_pick import Asked
from chargeback.model_files import Model, model
from chargeback.restating import AskedAgain, ground_of, restate
from chargeback.statement import By
from chargeback.usage import idle_holders
from chargeback.verify import verify_period
from gpuledger.lake.arrow import pq

pytestmark = pytest.mark.books


def test_books_that_were_made_before_energy_was_kept_have_none(house: House) -> None:
    gpu(house)
    house.holding("j", DAY, DAY + HOUR, "ml", node="n1", slot="n1/0")
    house.energy("GPU-0", DAY, DAY + HOUR, 3_600_000)
    house.keep()
    result = house.books()
    for path in house.desk.books.rglob("time_row.parquet"):
        kept = pq.read_table(path, partitioning=None)
        pq.write_table(kept.drop_columns(["joules", "energy_ticks"]), path)
    made = powered(house, result)
    assert (made.total.energy, made.total.energy_coverage) == (Energy(), Decimal("0.0000"))


def test_closed_month_of_an_older_version_is_restated_and_verified_as_before(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpu(house)
    house.holding("j", DAY, DAY + HOUR, "ml", node="n1", slot="n1/0")
    house.price("2", 0)
    house.through(at("2026-12-01T00:00Z"))
    house.keep()
    with monkeypatch.context() as older:
        older.setattr("chargeback.workbench.model", model_without_energy)
        result = house.books()
    close_period(house.desk, "2026-10", Closing("ann", at("2026-12-02T00:00Z")), "c1")
    assert {"joules", "energy_ticks"}.isdisjoint(house.rows_of("time_row")[0])
    house.energy("GPU-0", DAY, DAY + HOUR, 3_600_000)
    house.activity("GPU-0", DAY, DAY + HOUR, 900)
    house.keep()
    asked = AskedAgain("ann", at("2027-01-02T00:00Z"))
    found = restate(house.desk, ground_of(house.desk, "2026-10"), asked, "r1")
    assert [step.cause for step in found.steps] == ["samples"] and found.exact == 0
    assert {check.status for check in verify_period(house.desk, "2026-10", result)} == {OK}
    assert powered(house, result).total.energy == Energy()
    assert energy_by(house.desk, found.after, By.owner)["ml"].joules == 3_600_000


def test_energy_that_comes_after_a_close_restates_nothing(house: House) -> None:
    gpu(house)
    house.price("2", 0)
    house.energy("GPU-0", DAY, DAY + 1800, 1_000)
    house.through(at("2026-12-01T00:00Z"))
    house.keep()
    result = house.books()
    close_period(house.desk, "2026-10", Closing("ann", at("2026-12-02T00:00Z")), "c1")
    assert list(house.desk.books.rglob("facts/*/close=c1/energy.parquet"))
    house.energy("GPU-0", DAY + HOUR, DAY + 2 * HOUR, 3_600_000)
    house.keep()
    asked = AskedAgain("ann", at("2027-01-02T00:00Z"))
    assert restate(house.desk, ground_of(house.desk, "2026-10"), asked, "r1").steps == ()
    assert {check.status for check in verify_period(house.desk, "2026-10", result)} == {OK}
    assert powered(house, result).total.energy.joules == 1_000


def model_without_energy(name: str) -> Model:
    """A model as it was before time rows had energy."""
    made = model(name)
    added = ",\n    e.joules as joules,\n    e.known_ticks as energy_ticks"
    assert name != "time_row" or added in made.sql
    return replace(made, sql=made.sql.replace(added, "")) if name == "time_row" else made


@pytest.mark.parametrize("by", list(By))
def test_every_view_has_the_same_energy_on_lines_that_are_there(house: House, by: By) -> None:
    total = of_the_rich_day(house)
    rich_in_lanes(house)
    result = house.books()
    made = powered(house, result, by)
    assert made.total.energy.joules == total
    assert energy_by(house.desk, result, by).keys() <= {line.key for line in made.lines}


def test_idle_holders_have_their_energy(house: House) -> None:
    gpu(house)
    house.holding("lazy", DAY, DAY + HOUR, "ml", node="n1", slot="n1/0")
    house.activity("GPU-0", DAY, DAY + HOUR, 0)
    house.energy("GPU-0", DAY, DAY + HOUR, 1_800_000)
    house.keep()
    (one,) = idle_holders(house.desk, house.books(), 10)
    assert one.energy == Energy(1_800_000, HOUR * TICKS) and one.energy.kwh == Decimal("0.500000")


@pytest.mark.parametrize(
    ("kind", "key"), [("holding", "c/j"), ("line", "ml"), ("slot", "c/n1/0"), ("device", "GPU-0")]
)
def test_explanation_says_what_is_known_of_a_holdings_energy(house: House, kind: Any, key: str) -> None:
    gpu(house)
    house.holding("j", DAY, DAY + HOUR, "ml", node="n1", slot="n1/0")
    house.energy("GPU-0", DAY, DAY + 1800, 900_000)
    house.keep()
    made = explain(house.desk, house.books(), Asked(kind, key, By.owner))
    assert not made.apart
    found = [step.total for step in made.steps if step.name == "energy"]
    assert found == ([] if kind == "device" else [{"with_energy": 1800 * TICKS, "joules": 900_000}])


def test_explanation_without_any_energy_has_no_such_step(house: House) -> None:
    gpu(house)
    house.holding("j", DAY, DAY + HOUR, "ml", node="n1", slot="n1/0")
    house.keep()
    made = explain(house.desk, house.books(), Asked("holding", "c/j"))
    assert "energy" not in {step.name for step in made.steps}


def test_kwh_are_rounded_half_up_at_the_sixth_place() -> None:
    assert [str(kwh(joules)) for joules in (0, 1, 2, 3_600_000, 9)] == [
        "0.000000",
        "0.000000",
        "0.000001",
        "1.000000",
        "0.000003",
    ]


def test_command_says_energy_its_known_part_and_what_is_not_known(desktop: Desktop) -> None:
    desktop.folder.joinpath("home").mkdir()
    house = make_house(desktop.folder / "home")
    for index in (0, 1):
        gpu(house, index)
        house.holding(f"j{index}", DAY, DAY + HOUR, f"o{index}", node="n1", slot=f"n1/{index}")
    house.energy("GPU-0", DAY, DAY + 1800, 5_400_000)
    house.energy("GPU-lost", DAY, DAY + HOUR, 7_200_000)
    house.keep()
    house.desk.database.close()
    assert desktop.type("run", "--month", "2026-10")[0] == 0
    words = ("usage", "--month", "2026-10", "--by", "owner")
    told = json.loads(desktop.type(*words, "--format", "json")[1])
    assert [(line["energy_kwh"], line["energy_coverage"]) for line in told["lines"]] == [
        ("1.500000", "0.5000"),
        (None, "0.0000"),
    ]
    assert told["total"]["energy_kwh"] == "1.500000" and told["total"]["energy_coverage"] == "0.2500"
    assert told["unplaced_energy_kwh"] == "2.000000"
    rows = csv.DictReader(io.StringIO(desktop.type(*words, "--format", "csv")[1]))
    assert [(row["energy_kwh"], row["energy_coverage"]) for row in rows] == [
        ("1.500000", "0.5000"),
        ("", "0.0000"),
    ]
    printed = desktop.type(*words)[1]
    assert "kWh" in printed and "1.50" in printed and "2.000000 kWh more are of devices" in printed


def test_command_without_any_energy_shows_no_column_and_null(desktop: Desktop) -> None:
    filled(desktop)
    assert desktop.type("run", "--month", "2026-10")[0] == 0
    assert "kWh" not in desktop.type("usage", "--month", "2026-10")[1]
    told = json.loads(desktop.type("usage", "--month", "2026-10", "--format", "json")[1])
    assert told["total"]["energy_kwh"] is None and told["unplaced_energy_kwh"] is None
