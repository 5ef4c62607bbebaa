"""Work that was lost: the time since the last checkpoint of a run that did not end well."""

from __future__ import annotations

from pathlib import Path

import pytest
from house import House, at, make_house

pytestmark = pytest.mark.books

DAY, HOUR = at("2026-10-05T00:00Z"), 3600
END = DAY + 24 * HOUR
TICKS = 720_720


def gpu(house: House, slots: int = 1, end: int | None = END) -> None:
    for index in range(slots):
        house.slot("n1", index, DAY, end)
    house.price("4", 0)
    house.through(DAY + 72 * HOUR)


def run(house: House, name: str, start: int, end: int | None, outcome: str | None, index: int = 0) -> None:
    house.holding(
        name, DAY + start, None if end is None else DAY + end, "ml", node="n1", slot=f"n1/{index}",
        outcome=outcome,
    )  # fmt: skip


def checkpoint(house: House, name: str, *instants: int) -> None:
    for instant in instants:
        house.phase(name, "checkpoint", DAY + instant, DAY + instant)


def seconds(house: House, name: str = "") -> dict[str, int]:
    """Seconds of held time by phase in books made now, of one run if asked."""
    house.books()
    found: dict[str, int] = {}
    for row in house.rows_of("time_row"):
        if row["run"] and row["run"].endswith(name):
            found[row["phase"]] = found.get(row["phase"], 0) + row["ticks"] // TICKS
    return found


@pytest.mark.parametrize("outcome", ["failed", "preempted", "timeout"])
def test_a_run_that_did_not_end_well_lost_what_it_did_since_its_last_checkpoint(
    house: House, outcome: str
) -> None:
    gpu(house)
    run(house, "a", 0, 2 * HOUR, outcome)
    checkpoint(house, "a", 600, 5000, 4000)
    house.keep()
    assert seconds(house) == {"": 5000, "lost_work": 2200}


@pytest.mark.parametrize("outcome", ["completed", "cancelled", None])
def test_a_run_that_did_what_it_was_to_do_or_of_which_nothing_is_known_lost_nothing(
    house: House, outcome: str | None
) -> None:
    gpu(house)
    run(house, "a", 0, 2 * HOUR, outcome)
    checkpoint(house, "a", 600)
    house.keep()
    assert seconds(house) == {"": 7200}


def test_nothing_is_guessed_where_no_checkpoint_is_known_before_the_end(house: House) -> None:
    gpu(house, 2)
    run(house, "a", 0, 2 * HOUR, "failed", 0)
    run(house, "b", 0, 2 * HOUR, "failed", 1)
    checkpoint(house, "b", 2 * HOUR + 1)
    house.keep()
    assert seconds(house) == {"": 4 * HOUR}


def test_a_run_that_goes_on_has_lost_nothing_yet(house: House) -> None:
    gpu(house)
    run(house, "a", 0, None, "failed")
    checkpoint(house, "a", 600)
    house.keep()
    assert seconds(house) == {"": 24 * HOUR}


def test_lost_work_costs_what_it_would_cost_otherwise(house: House) -> None:
    gpu(house)
    run(house, "a", 0, 2 * HOUR, "failed")
    house.keep()
    before = house.statement()
    checkpoint(house, "a", HOUR)
    house.keep()
    after = house.statement()
    assert [(line["key"], line["amount"]) for line in after["lines"]] == [
        (line["key"], line["amount"]) for line in before["lines"]
    ]
    assert {row["phase"]: row["amount"] for row in house.rows_of("entry") if row["run"] == "c/a"} == {
        "": 4 * 10**9,
        "lost_work": 4 * 10**9,
    }


def test_a_loss_that_began_days_before_its_run_ended_is_known_of_each_day(house: House) -> None:
    gpu(house, end=None)
    run(house, "a", 0, 60 * HOUR, "preempted")
    checkpoint(house, "a", 20 * HOUR)
    house.keep()
    assert seconds(house, "a") == {"": 20 * HOUR, "lost_work": 40 * HOUR}
    days = {row["utc_day"] for row in house.rows_of("time_row") if row["phase"] == "lost_work"}
    assert days == {"2026-10-05", "2026-10-06", "2026-10-07"}


def test_a_phase_that_a_source_names_goes_before_what_was_lost_but_for_running(house: House) -> None:
    gpu(house)
    run(house, "a", 0, 2 * HOUR, "failed")
    checkpoint(house, "a", 1000)
    house.phase("a", "running", DAY, DAY + 3000)
    house.phase("a", "suspended", DAY + 3000, DAY + 4000)
    house.phase("a", "running", DAY + 4000, DAY + 2 * HOUR)
    house.keep()
    assert seconds(house) == {"running": 1000, "lost_work": 5200, "suspended": 1000}


def test_each_end_of_a_run_loses_what_came_after_the_checkpoint_before_it(house: House) -> None:
    gpu(house)
    run(house, "a", 0, 1000, "preempted")
    run(house, "a", 2000, 3000, "preempted")
    run(house, "a", 4000, 5000, "completed")
    checkpoint(house, "a", 900, 2400)
    house.keep()
    assert seconds(house) == {"": 900 + 400 + 1000, "lost_work": 100 + 600}


def test_a_run_that_was_resized_lost_work_of_both_sizes(house: House) -> None:
    gpu(house, 2)
    house.holding("a", DAY, DAY + HOUR, "ml", node="n1", units=1)
    house.holding("a", DAY + HOUR, DAY + 2 * HOUR, "ml", node="n1", units=2, outcome="failed")
    checkpoint(house, "a", HOUR // 2)
    house.keep()
    assert seconds(house) == {"": 1800, "lost_work": 1800 + 2 * HOUR}


def test_a_later_word_on_how_it_ended_and_a_checkpoint_taken_back_correct_it(house: House) -> None:
    gpu(house)
    run(house, "a", 0, 2 * HOUR, "failed")
    checkpoint(house, "a", 1000, 5000)
    first = house.keep()
    assert seconds(house) == {"": 5000, "lost_work": 2200}
    house.phase("a", "checkpoint", DAY + 5000, DAY + 5000)
    house.withdraw("phase", f"a/checkpoint@{DAY + 5000}")
    house.keep()
    assert seconds(house) == {"": 1000, "lost_work": 6200}
    run(house, "a", 0, 2 * HOUR, "completed")
    house.keep()
    assert seconds(house) == {"": 2 * HOUR}
    house.books(seq=first)
    assert {row["phase"] for row in house.rows_of("time_row") if row["run"]} == {"", "lost_work"}


@pytest.mark.parametrize("shards", [1, 5])
def test_a_job_on_several_nodes_lost_work_on_each_whatever_shard_it_is_in(
    tmp_path: Path, shards: int
) -> None:
    house = make_house(tmp_path, shards=shards)
    for node in ("n1", "n2", "n3", "n4"):
        house.slot(node, 0, DAY, END)
        house.holding("job", DAY, DAY + HOUR, "ml", node=node, identity=f"job/{node}", outcome="failed")
    checkpoint(house, "job", 600)
    house.through(END)
    house.keep()
    assert seconds(house) == {"": 4 * 600, "lost_work": 4 * 3000}
    lost = {row["node"] for row in house.rows_of("time_row") if row["phase"] == "lost_work"}
    assert lost == {"c/n1", "c/n2", "c/n3", "c/n4"}
    house.desk.database.close()
