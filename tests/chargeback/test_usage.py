"""Usage: GPU time by account, what is known of it, and who holds devices that stand idle."""

from __future__ import annotations

import csv
import io
import json
from decimal import Decimal

from desktop import Desktop, filled
from house import House, at

from chargeback.statement import By
from chargeback.usage import IdleHolder, idle_holders, usage_of

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
