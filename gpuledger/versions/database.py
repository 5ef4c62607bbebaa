"""One database: reading at an instant, and committing with a seq.

SQLite by default, PostgreSQL in production. A commit holds one lock from its first statement to its end, so
the seq that it gets there is also its place in the order of commits: whoever sees seq 8 sees everything up to
8.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, case, func, insert, select, text, update
from sqlalchemy.exc import DBAPIError

from gpuledger.errors import SchemaError, StorageError
from gpuledger.versions.audit import append_audit
from gpuledger.versions.connections import database_file, mapped_errors, mend_of, open_engine, shown
from gpuledger.versions.tables import knowledge, knowledge_head

__all__ = ["HEAD", "Commit", "Database", "latest_fact_seq"]

HEAD = "0006"
"""The schema version that this code reads and writes: the newest revision in `migrations/`."""

_UPGRADE = "run `gpuledger upgrade`"

_NO_FACTS = ("begin book", "compact", "sweep")
"""The kinds of commits that change nothing of what is known."""


@dataclass(frozen=True)
class Commit:
    """An open transaction that has the lock: what is written through `connection` becomes known at `seq`.

    `at_s` is its wall time in Unix seconds.
    """

    seq: int
    at_s: int
    connection: Connection


class Database:
    """The database of one home: knowledge time, versions, and what the lake and the books hold.

    >>> database = Database.open("sqlite:////data/gpuledger.db")        # doctest: +SKIP
    >>> with database.commit("import", at_s=1_790_000_000) as commit:   # doctest: +SKIP
    ...     put_owners(commit, facts)
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        weakref.finalize(self, engine.dispose)
        self.name = engine.url.render_as_string(hide_password=True)
        if engine.dialect.name == "sqlite":
            reader, writer = {}, {"sqlite_begin": "immediate"}
        else:
            reader, writer = {"isolation_level": "REPEATABLE READ"}, {}
        self._reader = engine.execution_options(**reader)
        self._writer = engine.execution_options(**writer)

    @classmethod
    def open(cls, url: str) -> Database:
        """Open the database at this URL; an absent SQLite file is made, with its folder and schema.

        Raises SchemaError if it has another schema version, StorageError if it cannot be opened.
        """
        path = database_file(url)
        if path is not None and not path.exists():
            from gpuledger.versions.migrations import create_file

            create_file(path)
        database = cls(open_engine(url))
        try:
            database._check_schema()
        except BaseException:
            database.close()
            raise
        return database

    @staticmethod
    def upgrade(url: str) -> str:
        """Bring the database at this URL to this code's schema, or make it; give the version it then has."""
        from gpuledger.versions.migrations import create_file, migrate

        path = database_file(url)
        if path is not None and not path.exists():
            create_file(path)
        engine = open_engine(url)
        try:
            with mapped_errors(shown(url)):
                return migrate(engine)
        finally:
            engine.dispose()

    def close(self) -> None:
        """Give all connections back."""
        self.engine.dispose()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Read: a connection that sees one state of the database for as long as it is open."""
        with mapped_errors(self.name), self._reader.begin() as connection:
            yield connection

    @contextmanager
    def commit(
        self, kind: str, *, at_s: int, note: str = "", actor: str = "gpuledger", above: int = 0
    ) -> Iterator[Commit]:
        """Write: one transaction that has the lock, its seq, and its line in the audit log.

        `at_s` is the clock in Unix seconds; knowledge time never runs backwards, so an instant before the
        last commit becomes that commit's. The seq is greater than `above`. An exception rolls everything
        back, and the next commit gets the seq.
        """
        with mapped_errors(self.name), self._writer.begin() as connection:
            commit = _take_seq(connection, at_s, above)
            _record(commit, kind, note, actor)
            yield commit

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Write what is no fact, such as a run of the books: one transaction with the lock, without a seq."""
        with mapped_errors(self.name), self._writer.begin() as connection:
            connection.execute(update(knowledge_head).values(seq=knowledge_head.c.seq))
            yield connection

    def latest_seq(self) -> int:
        """The seq of the last commit, 0 if there is none."""
        with self.read() as connection:
            return int(connection.scalar(select(func.max(knowledge.c.seq))) or 0)

    def seq_at(self, at_s: int) -> int:
        """The greatest seq committed by this instant, 0 if there is none."""
        known = select(func.max(knowledge.c.seq)).where(knowledge.c.committed_at_s <= at_s)
        with self.read() as connection:
            return int(connection.scalar(known) or 0)

    def damage(self) -> list[str]:
        """What SQLite finds wrong with its own file, such as an index and a table that do not agree.

        Empty where nothing is, and for a server, which looks after its own files.
        """
        if self.engine.dialect.name != "sqlite":
            return []
        with self.read() as connection:
            found = [str(line) for line in connection.scalars(text("pragma integrity_check"))]
        return [] if found == ["ok"] else found

    def _check_schema(self) -> None:
        found = self._schema_version()
        if found == HEAD:
            return
        if found is None:
            raise SchemaError(f"{self.name} has no gpuledger schema", mend=_UPGRADE)
        mend = _UPGRADE if found < HEAD else "use the gpuledger that wrote it, or a later one"
        raise SchemaError(f"{self.name} has schema {found}, this gpuledger needs {HEAD}", mend=mend)

    def _schema_version(self) -> str | None:
        """The schema that the database says it has; None where it says nothing."""
        try:
            with self._reader.begin() as connection:
                found = connection.scalar(text("select version_num from alembic_version"))
                return None if found is None else str(found)
        except (DBAPIError, UnicodeDecodeError) as error:
            cause = error.orig if isinstance(error, DBAPIError) else error
            if "alembic_version" in str(cause):
                return None
            raise StorageError(f"{self.name} cannot be opened: {cause}", mend=mend_of(str(cause))) from error


def latest_fact_seq(connection: Connection) -> int:
    """The seq of the last commit that may have brought facts or terms, 0 if there is none."""
    brought = knowledge.c.kind.not_in(_NO_FACTS)
    return int(connection.scalar(select(func.max(knowledge.c.seq)).where(brought)) or 0)


def _take_seq(connection: Connection, at_s: int, above: int) -> Commit:
    """Take the next seq: the update waits for whoever holds the row, and keeps it to the end."""
    head = knowledge_head.c
    last = case((head.seq > above, head.seq), else_=above)
    now_s = case((head.committed_at_s > at_s, head.committed_at_s), else_=at_s)
    connection.execute(update(knowledge_head).values(seq=last + 1, committed_at_s=now_s))
    row = connection.execute(select(head.seq, head.committed_at_s)).one()
    return Commit(seq=int(row.seq), at_s=int(row.committed_at_s), connection=connection)


def _record(commit: Commit, kind: str, note: str, actor: str) -> None:
    known = {"seq": commit.seq, "committed_at_s": commit.at_s, "kind": kind, "note": note}
    commit.connection.execute(insert(knowledge).values(**known))
    append_audit(commit.connection, at_s=commit.at_s, seq=commit.seq, actor=actor, action=kind, detail=note)
