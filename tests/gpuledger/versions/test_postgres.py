"""The same database on a real PostgreSQL server."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from gpuledger.errors import OverlapError, SchemaError, StorageError
from gpuledger.lake import Lake, LocalFiles, total
from gpuledger.lake.arrow import pa
from gpuledger.versions import (
    HEAD,
    Database,
    OwnerFact,
    audit_chain,
    owners_in_force,
    put_owners,
    set_through,
    throughs,
)
from gpuledger.versions.tables import metadata

pytestmark = pytest.mark.integration

AT_S = 1_790_000_000

CLOSED_MONTH = {
    "book": "('main', 'UTC', 'USD', 1, 'pooled', 1)",
    "run": "('r', 'main', '2026-10', 1, 1, '0', 'closed', 1, 1, '')",
    "entry_day": "('r', 'main', '2026-10', 'd', 'l', 'l', 'a', '', 'o', 't', '', 'm', 'c', 5)",
    "pool_total": "('r', 'p', '2026-10', '5', '1', 0)",
    "book_head": "('main', '2026-10', 'd', 0, 'r', 1, 1, 5, 'digest')",
    "period_close": "('main', '2026-10', 'closed', 'c', 'r', 1, 5, 'ann', 1, 's', 'b', 'f', '{}')",
}


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
    return port


def as_server(*command: str | Path) -> None:
    """Run a command as the user `postgres` where we are root, for the server refuses root."""
    user, groups = ("postgres", ["postgres"]) if os.geteuid() == 0 else (None, None)
    words = [str(part) for part in command]
    subprocess.run(
        words, check=True, cwd="/", stdout=subprocess.DEVNULL, user=user, group=user, extra_groups=groups
    )


@pytest.fixture(scope="module")
def server(require: Callable[[str, str], NoReturn]) -> Iterator[str]:
    """The address of a server of our own, on loopback and a port of its own, without the database's name."""
    pytest.importorskip("psycopg", reason="postgres: the driver psycopg is not installed")
    homes = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not homes:
        require("apt", "no PostgreSQL server in /usr/lib/postgresql/*/bin")
    folder, port = Path(tempfile.mkdtemp(prefix="gpuledger-pg-")), free_port()
    data = folder / "data"
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off"
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres", "postgres")
        as_server(
            homes[-1] / "initdb", "-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-sync"
        )
        as_server(homes[-1] / "pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", options, "start")
        try:
            yield f"postgresql://postgres@127.0.0.1:{port}"
        finally:
            as_server(homes[-1] / "pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)


@pytest.fixture
def empty(server: str, request: pytest.FixtureRequest) -> str:
    """The address of an empty database of this test's own."""
    import psycopg

    name = request.node.name[:60]
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f'create database "{name}"')
    return f"{server}/{name}"


@pytest.fixture
def url(empty: str) -> str:
    """The address of a fresh database."""
    Database.upgrade(empty)
    return empty


def test_empty_server_database_is_upgraded_by_the_command_that_the_error_names(empty: str) -> None:
    with pytest.raises(SchemaError, match="has no gpuledger schema") as caught:
        Database.open(empty)
    assert "gpuledger upgrade" in caught.value.mend
    assert Database.upgrade(empty) == HEAD
    assert Database.upgrade(empty) == HEAD
    database = Database.open(empty)
    assert database.latest_seq() == 0
    database.close()


def test_migrations_make_the_same_tables_on_the_server(url: str) -> None:
    database = Database.open(url)
    with database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    database.close()


def test_server_refuses_to_write_to_closed_books_too(url: str) -> None:
    database = Database.open(url)
    with database.commit("import", at_s=AT_S) as commit:
        for table, row in CLOSED_MONTH.items():
            commit.connection.execute(text(f"insert into {table} values {row}"))
    refused = [
        "update run set state = 'open'",
        "delete from entry_day",
        "update entry_day set amount = 6",
        "insert into entry_day select * from entry_day",
        "insert into pool_total values ('r', 'q', '2026-10', '5', '1', 0)",
        "insert into book_head values ('main', '2026-10', 'e', 0, 'r', 1, 1, 5, '')",
        "update book_head set digest = ''",
        "update period_close set state = 'provisional'",
        "delete from period_close",
        "truncate entry_day",
        "truncate period_close",
    ]
    for statement in refused:
        with pytest.raises(StorageError, match="closed period"), database.write() as connection:
            connection.execute(text(statement))
    with database.write() as connection:
        connection.execute(
            text("insert into run select 's', book, period, 2, 1, '', 'open', 1, 1, '' from run")
        )
    with database.read() as connection:
        assert audit_chain(connection).broken is None
    database.close()


def test_server_refuses_to_write_to_restatements_that_a_closed_month_collects(url: str) -> None:
    database = Database.open(url)
    day = "('x', 'price', 'd', {layer}'a', '', 'o', 't', '', 'm', 'c', {figures})"
    rows = {
        "restatement": "('x', 'main', '2026-09', '2026-10', 1, 'r', 'r', 1, 1, 'price', 0, '', 'ann', 5, "
        "null, 1, 'digest', '5', '1')",
        "restated_entry_day": day.format(layer="'pooled', 'l', ", figures="5"),
        "restated_time_day": day.format(layer="", figures="0, 5, 0, 0"),
    }
    order = ["book", "run", *rows, "period_close"]
    with database.commit("import", at_s=AT_S) as commit:
        for table in order:
            commit.connection.execute(text(f"insert into {table} values {(CLOSED_MONTH | rows)[table]}"))
    refused = [
        *(f"insert into {table} values {row}" for table, row in rows.items()),
        "update restatement set replaced_at_s = 6",
        "update restatement set booking_period = '2026-11'",
        "update restated_entry_day set amount = 6",
        "update restated_time_day set restatement_id = 'y'",
        *(f"delete from {table}" for table in rows),
        *(f"truncate {table} cascade" for table in rows),
    ]
    for statement in refused:
        with pytest.raises(StorageError, match="closed period"), database.write() as connection:
            connection.execute(text(statement))
    with database.write() as connection:
        another = rows["restatement"].replace("'x'", "'y'").replace("'2026-10'", "'2026-11'")
        connection.execute(text(f"insert into restatement values {another}"))
        connection.execute(text("update restatement set replaced_at_s = 6 where id = 'y'"))
    with pytest.raises(StorageError, match="closed period"), database.write() as connection:
        connection.execute(text("update restatement set booking_period = '2026-10' where id = 'y'"))
    database.close()


def test_two_processes_get_seqs_in_the_order_of_their_commits(
    url: str, commit_from_two_processes: Callable[[str, int], tuple[list[int], list[int], list[int]]]
) -> None:
    one, two, seen = commit_from_two_processes(url, 100)
    assert one == sorted(one)
    assert two == sorted(two)
    assert sorted(one + two) == list(range(1, 201))
    assert seen == list(range(200))


def test_failed_commit_leaves_nothing_and_its_seq_to_the_next(url: str) -> None:
    database = Database.open(url)
    with pytest.raises(ZeroDivisionError), database.commit("import", at_s=AT_S):
        raise ZeroDivisionError
    with database.commit("import", at_s=AT_S) as commit:
        assert database.latest_seq() == 0
    assert (commit.seq, database.latest_seq(), database.seq_at(AT_S)) == (1, 1, 1)
    database.close()


def test_reader_sees_one_state_for_as_long_as_it_reads(url: str) -> None:
    database = Database.open(url)
    with database.read() as connection:
        count = text("select count(*) from knowledge")
        before = connection.scalar(count)
        with database.commit("import", at_s=AT_S):
            pass
        assert connection.scalar(count) == before == 0
    assert database.latest_seq() == 1
    database.close()


def test_owners_and_throughs_are_versions_on_the_server_too(url: str) -> None:
    database = Database.open(url)
    fact = OwnerFact("b", 10**9, None, "vision", "Vision", None)
    other = OwnerFact("B", 10**9, None, "Vision", "Vision", "CC1")
    with database.commit("import", at_s=AT_S) as commit:
        put_owners(commit, [fact, other])
        set_through(commit, "sacct", "main", 5)
    with pytest.raises(OverlapError), database.commit("import", at_s=AT_S) as commit:
        put_owners(commit, [OwnerFact("c", 10**9, None, "vision", "Robotics", None)])
    with database.read() as connection:
        assert owners_in_force(connection, 1) == [other, fact]
        assert throughs(connection, 1) == {("sacct", "main"): 5}
    database.close()


def test_lake_is_published_compacted_swept_and_repaired_on_the_server_too(url: str, tmp_path: Path) -> None:
    database = Database.open(url)
    lake = Lake(database, LocalFiles(tmp_path / "lake"), 1, threads=1)
    for identity in ("a", "b"):
        columns = {name: ["x"] for name in ("source", "cluster", "node", "resource", "unit")}
        facts = pa.table(
            {**columns, "identity": [identity], "withdrawn": [False], "start_s": [5], "quantity": [8]}
        )
        staged = lake.stage("node_resource", facts)
        with database.commit("import", at_s=AT_S) as commit:
            lake.publish(commit, staged)
    before = total(lake.files("node_resource", 2))
    known = [lake.in_force("node_resource", seq) for seq in (0, 1, 2)]
    assert [table.num_rows for table in known] == [0, 1, 2]
    lake.compact("node_resource", 0, AT_S)
    lake.write_manifest()
    assert len(lake.sweep(AT_S + 86_400)) == 2
    assert total(lake.files("node_resource", 9)) == before
    assert all(lake.in_force("node_resource", seq).equals(table) for seq, table in enumerate(known))
    with database.write() as connection:
        connection.execute(text("delete from lake_file"))
    assert len(lake.repair(AT_S)) == 1
    assert lake.verify() == []
    database.close()
