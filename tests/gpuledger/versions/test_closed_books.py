"""The database itself refuses to write to the books of a closed period: raw SQL, past all of our code."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from gpuledger.versions import Database

REFUSED = "the books of a closed period are not written to"

CHANGES = {
    "run": "started_at_s = 7",
    "entry_day": "amount = amount + 1",
    "time_day": "ticks = ticks + 1",
    "pool_total": "cents = 7",
    "book_head": "digest = 'other'",
    "period_close": "actor = 'bob'",
}
ROWS = {
    "run": "('{run}', 'main', '{period}', 1, 1, '0', 'open', 1, 1, '')",
    "entry_day": "('{run}', 'main', '{period}', 'd', 'l', 'l', 'a', '', 'o', 't', '', 'm', 'c', 5)",
    "time_day": "('{run}', 'main', '{period}', 'd', 'a', '', 'o', 't', '', 'm', 'c', 0, 5, 0, 0)",
    "pool_total": "('{run}', 'p', '{period}', '5', '1', 0)",
    "book_head": "('main', '{period}', 'd', 0, '{run}', 1, 1, 5, 'digest')",
    "period_close": "('main', '{period}', '{state}', 'c1', '{run}', 1, 5, 'ann', 1, 's', 'b', 'f', '{{}}')",
}


def fill(database: Database) -> None:
    """Two months of books: October is closed, November provisionally."""
    with database.commit("import", at_s=1) as commit:
        insert = "insert into {table} values {row}"
        book = "('main', 'UTC', 'USD', 1, 'pooled', 1)"
        commit.connection.execute(text(insert.format(table="book", row=book)))
        for run, period, state in (("r1", "2026-10", "closed"), ("r2", "2026-11", "provisional")):
            for table, row in ROWS.items():
                values = row.format(run=run, period=period, state=state)
                commit.connection.execute(text(insert.format(table=table, row=values)))


def refuses(database: Database, statement: str) -> bool:
    """Whether the database refuses one statement; it is rolled back in any case."""
    with database.engine.connect() as connection:
        try:
            connection.execute(text(statement))
        except DBAPIError as error:
            return REFUSED in str(error.orig)
        finally:
            connection.rollback()
    return False


def where(table: str, month: int) -> str:
    if table in ("book_head", "period_close"):
        return f"period = '2026-{month + 9}'"
    return f"{'id' if table == 'run' else 'run_id'} = 'r{month}'"


def changes_of(table: str, month: int) -> Iterator[str]:
    yield f"update {table} set {CHANGES[table]} where {where(table, month)}"
    yield f"delete from {table} where {where(table, month)}"


@pytest.fixture
def closed(database: Database) -> Database:
    fill(database)
    return database


@pytest.mark.parametrize("table", CHANGES)
def test_rows_of_a_closed_period_are_neither_changed_nor_deleted(closed: Database, table: str) -> None:
    assert all(refuses(closed, statement) for statement in changes_of(table, 1))


@pytest.mark.parametrize("table", ["entry_day", "time_day", "pool_total", "book_head", "period_close"])
def test_rows_of_an_open_or_provisional_period_are(closed: Database, table: str) -> None:
    assert not any(refuses(closed, statement) for statement in changes_of(table, 2))


@pytest.mark.parametrize("table", ROWS)
def test_rows_do_not_come_to_a_closed_period(closed: Database, table: str) -> None:
    row = ROWS[table].format(run="r1", period="2026-10", state="provisional")
    assert refuses(closed, f"insert into {table} values {row}")
    assert refuses(closed, f"insert or replace into {table} values {row}")


@pytest.mark.parametrize("table", ["entry_day", "time_day", "pool_total"])
def test_rows_are_not_moved_to_a_closed_period(closed: Database, table: str) -> None:
    assert refuses(closed, f"update {table} set run_id = 'r1' where run_id = 'r2'")


def test_another_run_of_a_closed_period_can_be_kept_beside_it(closed: Database) -> None:
    row = ROWS["run"].format(run="r3", period="2026-10")
    assert not refuses(closed, f"insert into run values {row}")
    assert refuses(closed, "insert into book_head values ('main', '2026-10', 'e', 0, 'r2', 1, 1, 5, '')")


def test_closed_state_is_not_taken_back(closed: Database) -> None:
    assert refuses(closed, "update period_close set state = 'provisional' where period = '2026-10'")
    assert not refuses(closed, "update period_close set state = 'closed' where period = '2026-11'")
    assert refuses(closed, "update period_close set period = '2026-10' where period = '2026-11'")
