"""Recalculating: prices in two times, and runs that race, as others' trackers tell of them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from house import House, at
from sqlalchemy import select

from chargeback.ledger import heads, load_run, run_in_force
from chargeback.runs import make_books
from chargeback.statement import By, state_statement
from gpuledger.errors import InvariantError
from gpuledger.versions.tables import book_head, entry_day

pytestmark = pytest.mark.books

DAY, HOUR = at("2026-10-05T00:00Z"), 3600
OCTOBER = "2026-10"


def held(house: House) -> None:
    house.slot("n1", 0, DAY, DAY + 4 * HOUR)
    house.holding("j", DAY, DAY + 4 * HOUR, "a", node="n1", slot="n1/0")
    house.price("3", 0)
    house.through(DAY + 24 * HOUR)


def test_price_that_becomes_known_late_counts_from_when_it_held(house: House) -> None:
    """T54: a price has a time at which it holds and another at which it is known; both can be asked for."""
    held(house)
    known = house.keep()
    assert house.amounts() == {"a": 1200}
    house.price("3", 0, DAY + HOUR)
    house.price("5", DAY + HOUR)
    house.keep()
    assert house.amounts() == {"a": 300 + 3 * 500}, "back to when it began to hold, not from today on"
    assert [line["amount"] for line in house.statement(seq=known)["lines"]] == [1200]


def test_runs_that_race_leave_the_rows_of_one(house: House) -> None:
    """T55: each run writes under a name of its own, and one transaction puts one of them in force."""
    held(house)
    seq = house.keep()

    def compute(name: str) -> str:
        desk = replace(house.desk, limits=replace(house.desk.limits, memory="200MB"))
        return make_books(desk, OCTOBER, seq=seq, run_id=name, at_s=0).run_id

    with ThreadPoolExecutor(4) as pool:
        names = list(pool.map(compute, [f"race{number}" for number in range(4)]))
    with house.desk.database.read() as connection:
        in_force = run_in_force(connection, "main", OCTOBER)
        assert in_force in names
        assert {row.run_id for row in heads(connection, "main", OCTOBER)} == {in_force}
        made = state_statement(house.desk.book, load_run(connection, in_force or ""), By.owner)
    assert [(line.key, line.minor) for line in made.lines] == [("a", 1200)]


def test_run_that_fails_on_its_way_changes_nothing_that_is_in_force(house: House) -> None:
    """T55: insert only: what was in force stays until the next one is whole."""
    held(house)
    house.keep()
    house.books()
    house.slot("n1", 0, DAY + HOUR, DAY + 2 * HOUR, identity="again", model="A100")
    house.keep()
    with pytest.raises(InvariantError, match="n1/0"):
        house.books()
    with house.desk.database.read() as connection:
        assert run_in_force(connection, "main", OCTOBER) == "run1"
        kept = set(connection.scalars(select(entry_day.c.run_id)))
        assert kept == {"run1"} == set(connection.scalars(select(book_head.c.run_id)))
