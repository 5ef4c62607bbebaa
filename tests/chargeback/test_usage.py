"""Usage: GPU time by account, what is known of it, and who holds devices that stand idle."""

from __future__ import annotations

import csv
import io
import json
from decimal import Decimal

import pytest
from desktop import MAP, Desktop, filled
from house import House, at

from chargeback.statement import By
from chargeback.usage import IdleHolder, idle_holders, usage_of
from chargeback.usage_phases import Life, lives_of

pytestmark = pytest.mark.books

DAY, HOUR = at("2026-10-05T00:00Z"), 3600
TICKS = 720_720


def worked(house: House) -> None:
    """Three GPUs for four hours: one busy, one mostly idle, one half unknown, then free, then drained."""
    for index, owner in enumerate(("busy", "lazy", "dark")):
        house.slot("n1", index, DAY, DAY + 4 * HOUR)
        house.device("n1", index, f"GPU-{index}", DAY, None)
        held = 4 if owner != "dark" else 2
        house.holding(f"j-{owner}", DAY, DAY + held * HOUR, owner, node="n1", slot=f"n1/{index}")
    house.activity("GPU-0", DAY, DAY + 4 * HOUR, 900)
    house.activity("GPU-1", DAY, DAY + HOUR, 500)
    house.activity("GPU-1", DAY + HOUR, DAY + 4 * HOUR, 10)
    house.activity("GPU-2", DAY, DAY + HOUR, 0)
    house.state("n1", 2, "drained", DAY + 3 * HOUR, None)
    house.owner("busy", "vision")
    house.through(DAY + 24 * HOUR)
    house.keep()


def test_time_stands_by_account_with_how_much_of_it_is_known(house: House) -> None:
    worked(house)
    made = usage_of(house.books(), By.owner)
    hours = {
        line.key: {account: ticks // (TICKS * HOUR) for account, ticks in line.ticks.items()}
        for line in made.lines
    }
    assert hours == {
        "busy": {"used": 4},
        "lazy": {"used": 1, "idle_held": 3},
        "dark": {"idle_held": 1, "held_unobserved": 1},
        "__idle_free__": {"idle_free": 1},
        "__overhead__": {"overhead": 1},
    }
    known = {line.key: (line.coverage, line.idle) for line in made.lines}
    assert known["lazy"] == (Decimal("1.0000"), Decimal("0.7500"))
    assert known["dark"] == (Decimal("0.5000"), Decimal("1.0000"))
    assert known["__idle_free__"] == (None, None)
    assert made.total.total == 12 * HOUR * TICKS and made.capacity_known
    assert next(line.key for line in usage_of(house.books(), By.team).lines if line.held) == "dark"


def test_holders_come_by_the_time_that_they_stood_idle(house: House) -> None:
    worked(house)
    result = house.books()
    hour = HOUR * TICKS
    assert idle_holders(house.desk, result, 10) == (
        IdleHolder("c/j-lazy", "lazy", "lazy", 4 * hour, 3 * hour, 4 * hour),
        IdleHolder("c/j-dark", "dark", "dark", 2 * hour, hour, hour),
    )
    assert len(idle_holders(house.desk, result, 1)) == 1


def test_command_prints_a_table_csv_and_json(desktop: Desktop) -> None:
    filled(desktop)
    assert desktop.type("run")[0] == 0
    code, out, err = desktop.type("usage", "--month", "2026-10", "--by", "owner")
    assert code == 0 and "held_unobserved" in out and "capacity is assumed" in out, err
    rows = list(
        csv.DictReader(io.StringIO(desktop.type("usage", "--month", "2026-10", "--format", "csv")[1]))
    )
    assert {row["team"]: row["held_unobserved_gpu_hours"] for row in rows} == {
        "ml": "12.000000",
        "nlp": "7.000000",
    }
    found = json.loads(desktop.type("usage", "--month", "2026-10", "--format", "json")[1])
    assert found["total"]["gpu_hours"] == "19.000000" and found["capacity_known"] is False
    assert found["lines"][0]["coverage"] == "0.0000" and found["lines"][0]["idle_part"] is None
    assert found["idle_holders"] == []


def test_month_without_books_says_what_to_do(desktop: Desktop) -> None:
    code, _, err = desktop.type("usage", "--month", "2026-10")
    assert code == 6 and "there are no books of 2026-10" in err


def lived(house: House) -> None:
    """Two runs that held without working: one waited, warmed up and lost its work; one was parked."""
    for index in range(2):
        house.slot("n1", index, DAY, DAY + 10 * HOUR)
    house.holding("a", DAY, DAY + 10 * HOUR, "ml", node="n1", slot="n1/0", outcome="failed")
    house.holding("b", DAY, DAY + 8 * HOUR, "web", node="n1", slot="n1/1", suspended_s=3 * HOUR)
    house.phase("a", "waiting", DAY, DAY + HOUR)
    house.phase("a", "warm_up", DAY + HOUR, DAY + 3 * HOUR)
    house.phase("a", "checkpoint", DAY + 6 * HOUR, DAY + 6 * HOUR)
    house.phase("b", "suspended", DAY + HOUR, DAY + 2 * HOUR)
    house.price("1", 0)
    house.through(DAY + 24 * HOUR)
    house.keep()


def hours_of(life: Life) -> dict[str, int]:
    return {phase: ticks // (TICKS * HOUR) for phase, ticks in life.phases.items()}


def test_held_time_without_work_stands_by_its_phase(house: House) -> None:
    lived(house)
    result = house.books()
    lives = lives_of(house.desk, result, By.owner)
    assert {line: hours_of(life) for line, life in lives.items()} == {
        "ml": {"waiting": 1, "warm_up": 2, "lost_work": 4},
        "web": {"suspended": 1},
    }
    made = usage_of(result, By.owner).living(lives)
    assert hours_of(made.total.life) == {"waiting": 1, "warm_up": 2, "lost_work": 4, "suspended": 1}
    assert [line.key for line in made.lines if not line.life.phases] == ["__idle_free__"]


def test_suspended_time_told_as_a_total_counts_where_its_run_ended_and_changes_no_bill(house: House) -> None:
    """T25: end - start is billed, and both totals can be seen."""
    lived(house)
    result = house.books()
    lives = lives_of(house.desk, result, By.owner)
    assert {line: life.suspended_told // (TICKS * HOUR) for line, life in lives.items()} == {
        "ml": 0,
        "web": 3,
    }
    assert house.amounts()["web"] == 800
    house.holding("b", DAY, DAY + 8 * HOUR, "web", node="n1", slot="n1/1", suspended_s=0)
    house.keep()
    later = lives_of(house.desk, house.books(), By.owner)
    assert later["web"].suspended_told == 0
    assert lives_of(house.desk, result, By.owner) == lives, "as it was known then"


def test_a_run_that_ended_in_another_month_is_not_told_here(house: House) -> None:
    house.slot("n1", 0, DAY, None)
    start, end = at("2026-10-31T20:00Z"), at("2026-11-01T04:00Z")
    house.holding("b", start, end, "web", node="n1", slot="n1/0", suspended_s=HOUR, units=1)
    house.through(at("2026-12-01T00:00Z"))
    house.keep()
    told = {
        month: sum(life.suspended_told for life in lives_of(house.desk, house.books(month), By.team).values())
        for month in ("2026-10", "2026-11")
    }
    assert told == {"2026-10": 0, "2026-11": HOUR * TICKS}


def test_command_prints_the_phases_in_every_form(desktop: Desktop) -> None:
    desktop.write("jobs.csv", "job,start,end,owner,gpus,state,parked\n" + JOB)
    columns = "outcome: state, suspended: parked, units: gpus}"
    desktop.write("map.yaml", MAP.replace("units: gpus}", columns))
    filled(desktop)
    desktop.write("saves.csv", "job,at\n1,2026-10-05T05:00Z\n")
    desktop.write("saves.yaml", "kind: checkpoints\nrun: job\ncolumns: {at: at}\nconstants: {cluster: c}\n")
    assert desktop.type("import", "checkpoints", "saves.csv", "--map", "saves.yaml")[0] == 0
    assert desktop.type("run")[0] == 0
    code, out, err = desktop.type("usage", "--month", "2026-10")
    assert code == 0 and "GPU-hours held while" in out and "lost_work" in out and "suspended_told" in out, err
    assert "warm_up" not in out
    rows = list(
        csv.DictReader(io.StringIO(desktop.type("usage", "--month", "2026-10", "--format", "csv")[1]))
    )
    assert rows[0]["lost_work_gpu_hours"] == "2.000000"
    found = json.loads(desktop.type("usage", "--month", "2026-10", "--format", "json")[1])
    assert found["lines"][0]["suspended_told_gpu_hours"] == "1.000000"
    assert found["total"]["lost_work_gpu_hours"] == "2.000000"
    assert found["total"]["waiting_gpu_hours"] == "0.000000"


JOB = "1,2026-10-05T00:00Z,2026-10-05T06:00Z,ml,2,NODE_FAIL,00:30:00\n"
