"""Commits, their seq, and what a reader sees meanwhile."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path
from threading import Event, Thread

import pytest
from sqlalchemy import insert, select, text

from gpuledger.errors import MissingExtra, SchemaError, SettingsError, StorageError
from gpuledger.versions import HEAD, Database, latest_fact_seq
from gpuledger.versions.tables import audit_log, knowledge

AT_S = 1_790_000_000


def test_absent_file_is_made_with_its_folder_and_opens_again(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'a' / 'b' / 'ledger.db'}"
    Database.open(url).close()
    assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["ledger.db"]
    assert Database.open(url).latest_seq() == 0


def test_opening_reads_one_row_and_never_imports_alembic(url: str) -> None:
    script = (
        "import sys, sqlalchemy\n"
        "from sqlalchemy import event\n"
        "from gpuledger.versions import Database\n"
        "said = []\n"
        "event.listen(sqlalchemy.Engine, 'before_cursor_execute', lambda *a: said.append(a[2]))\n"
        f"Database.open({url!r}).close()\n"
        "assert len([s for s in said if s.startswith('select')]) == 1, said\n"
        "assert len(said) == 2, said\n"
        "assert 'alembic' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_commits_are_numbered_from_one_and_logged(database: Database) -> None:
    with database.commit("import holdings", at_s=AT_S, note="jobs.csv", actor="ann") as first:
        pass
    with database.commit("run", at_s=AT_S + 5) as second:
        pass
    assert (first.seq, second.seq, database.latest_seq()) == (1, 2, 2)
    with database.read() as connection:
        known = [tuple(row) for row in connection.execute(select(knowledge).order_by(knowledge.c.seq))]
        logged = connection.execute(select(audit_log.c.at_s, audit_log.c.seq, audit_log.c.actor)).all()
        said = connection.execute(select(audit_log.c.action, audit_log.c.detail)).all()
    assert known == [(1, AT_S, "import holdings", "jobs.csv"), (2, AT_S + 5, "run", "")]
    assert [tuple(row) for row in logged] == [(AT_S, 1, "ann"), (AT_S + 5, 2, "gpuledger")]
    assert [tuple(row) for row in said] == [("import holdings", "jobs.csv"), ("run", "")]


def test_failed_commit_leaves_nothing_and_its_seq_to_the_next(database: Database) -> None:
    with pytest.raises(ZeroDivisionError), database.commit("import", at_s=AT_S) as lost:
        raise ZeroDivisionError
    assert database.latest_seq() == 0
    with database.read() as connection:
        assert connection.execute(select(audit_log)).all() == []
    with database.commit("import", at_s=AT_S) as kept:
        pass
    assert kept.seq == lost.seq == 1


def test_as_of_an_instant_is_the_greatest_seq_committed_by_then(database: Database) -> None:
    for at_s in (AT_S, AT_S, AT_S + 10):
        with database.commit("import", at_s=at_s):
            pass
    asked = [AT_S - 1, AT_S, AT_S + 9, AT_S + 10, AT_S + 99]
    assert [database.seq_at(at_s) for at_s in asked] == [0, 2, 2, 3, 3]


def test_latest_facts_are_not_those_of_a_commit_that_brought_none(database: Database) -> None:
    for kind in ("begin book", "import prices", "compact", "sweep"):
        with database.commit(kind, at_s=AT_S):
            pass
    with database.read() as connection:
        assert latest_fact_seq(connection) == 2
    assert database.latest_seq() == 4


def test_a_clock_that_goes_back_does_not_reorder_knowledge(database: Database) -> None:
    with database.commit("import", at_s=AT_S):
        pass
    with database.commit("import", at_s=AT_S - 3_600) as late:
        pass
    assert late.at_s == AT_S
    assert (database.seq_at(AT_S - 1), database.seq_at(AT_S)) == (0, 2)


def test_reader_is_not_held_up_by_a_commit_and_sees_one_state(database: Database) -> None:
    with database.commit("import", at_s=AT_S):
        assert database.latest_seq() == 0
    with database.read() as connection:
        before = connection.scalar(select(knowledge.c.seq))
        with database.commit("import", at_s=AT_S):
            pass
        again = connection.execute(select(knowledge.c.seq)).scalars().all()
    assert (before, list(again), database.latest_seq()) == (1, [1], 2)


def test_second_commit_waits_for_the_first_and_comes_after_it(database: Database) -> None:
    began, order = Event(), []

    def second() -> None:
        began.set()
        with database.commit("second", at_s=AT_S) as commit:
            order.append(("second", commit.seq))

    other = Thread(target=second)
    with database.commit("first", at_s=AT_S) as commit:
        other.start()
        began.wait()
        order.append(("first", commit.seq))
    other.join()
    assert order == [("first", 1), ("second", 2)]


def test_writing_without_a_seq_takes_the_lock_and_is_no_knowledge(database: Database) -> None:
    with database.write() as connection:
        connection.execute(insert(audit_log).values(at_s=AT_S, actor="ann", action="look", detail=""))
    assert database.latest_seq() == 0
    with database.read() as connection:
        assert connection.scalar(select(audit_log.c.action)) == "look"


def test_database_of_another_schema_names_the_command_that_upgrades(url: str, database: Database) -> None:
    with database.engine.begin() as connection:
        connection.execute(text("update alembic_version set version_num = '0000'"))
    with pytest.raises(SchemaError, match=f"schema 0000, this gpuledger needs {HEAD}") as caught:
        Database.open(url)
    assert caught.value.mend == "run `gpuledger upgrade`"
    with database.engine.begin() as connection:
        connection.execute(text("update alembic_version set version_num = '9999'"))
    with pytest.raises(SchemaError) as caught:
        Database.open(url)
    assert "a later one" in caught.value.mend


def test_database_without_a_schema_is_upgraded_by_the_command_that_the_error_names(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'empty.db'}"
    (tmp_path / "empty.db").touch()
    with pytest.raises(SchemaError, match="has no gpuledger schema"):
        Database.open(url)
    assert Database.upgrade(url) == HEAD
    assert Database.upgrade(url) == HEAD
    assert Database.open(url).latest_seq() == 0


def test_upgrade_makes_an_absent_database(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'new' / 'ledger.db'}"
    assert Database.upgrade(url) == HEAD
    assert Database.open(url).latest_seq() == 0


def test_file_that_is_no_database_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "notes.db").write_text("no database at all, but long enough to be looked at")
    with pytest.raises(StorageError, match="not a database"):
        Database.open(f"sqlite:///{tmp_path / 'notes.db'}")


def test_folder_that_cannot_be_made_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    with pytest.raises(StorageError, match="cannot be made"):
        Database.open(f"sqlite:///{tmp_path / 'taken' / 'ledger.db'}")


def test_what_the_database_refuses_is_a_storage_error(database: Database) -> None:
    twice = insert(knowledge).values(seq=1, committed_at_s=AT_S, kind="", note="")
    with pytest.raises(StorageError, match="UNIQUE"), database.commit("import", at_s=AT_S) as commit:
        commit.connection.execute(twice)


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("what is this", "cannot be read"),
        ("nosuch://host/name", "names nosuch"),
        ("mysql://host/name", "names mysql"),
        ("sqlite://", "names no file"),
        ("sqlite:///:memory:", "names no file"),
    ],
)
def test_address_of_no_use_is_a_settings_error(url: str, says: str) -> None:
    with pytest.raises(SettingsError, match=says):
        Database.open(url)


def test_absent_driver_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtra, match=r"gpuledger\[postgres\]"):
        Database.open("postgresql://ann@127.0.0.1:1/books")


def test_database_that_is_let_go_leaves_no_connection_open(url: str) -> None:
    database = Database.open(url)
    assert database.latest_seq() == 0
    engine = database.engine
    del database
    gc.collect()
    assert engine.pool.checkedin() == 0  # type: ignore[attr-defined]


def test_password_of_an_address_is_not_shown() -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(StorageError) as caught:
        Database.open("postgresql://ann:secret@127.0.0.1:1/books?connect_timeout=1")
    assert "secret" not in str(caught.value)
