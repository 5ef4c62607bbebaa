"""How the database gets its schema."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from gpuledger.errors import SchemaError
from gpuledger.versions import HEAD, Database, audit_chain, migrations
from gpuledger.versions.connections import open_engine
from gpuledger.versions.tables import metadata


def test_migrations_make_the_tables_that_the_code_knows(database: Database) -> None:
    with database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


def test_code_and_migrations_agree_on_the_newest_schema() -> None:
    assert migrations.newest_revision() == HEAD


def test_every_table_and_column_says_what_it_means() -> None:
    assert all(table.info["meaning"] for table in metadata.tables.values())
    silent = [str(column) for table in metadata.tables.values() for column in table.columns if not column.doc]
    assert silent == []


def test_database_that_was_not_made_to_its_end_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    with monkeypatch.context() as broken:
        broken.setattr("os.link", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            Database.open(url)
    assert list(tmp_path.iterdir()) == []
    assert Database.open(url).latest_seq() == 0


def test_many_that_open_an_absent_database_at_once_share_one(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'ledger.db'}"

    def commit(_: int) -> int:
        database = Database.open(url)
        with database.commit("import", at_s=1) as commit:
            pass
        database.close()
        return commit.seq

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(commit, range(4))) == [1, 2, 3, 4]


def test_first_schema_is_upgraded_with_what_is_in_it(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    engine = open_engine(url)
    assert migrations.migrate(engine, "0001") == "0001"
    with engine.begin() as connection:
        for seq in (1, 2, 3):
            connection.execute(text(f"insert into knowledge values ({seq}, {seq * 10}, 'import', 'a.csv')"))
            connection.execute(
                text(
                    "insert into audit_log (at_s, seq, actor, action, detail) "
                    f"values ({seq * 10}, {seq}, 'gpuledger', 'import', 'é.csv')"
                )
            )
        connection.execute(text("update knowledge_head set seq = 3, committed_at_s = 30"))
        connection.execute(text("insert into book values ('main', 'UTC', 'USD', 1, 'pooled', 1)"))
    engine.dispose()
    with pytest.raises(SchemaError, match="schema 0001"):
        Database.open(url)

    assert Database.upgrade(url) == HEAD
    database = Database.open(url)
    with database.commit("import", at_s=40) as commit:
        pass
    with database.read() as connection:
        chain = audit_chain(connection)
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
        assert connection.scalar(text("select name from book")) == "main"
    assert (commit.seq, chain.rows, chain.broken) == (4, 4, None)
    database.close()
