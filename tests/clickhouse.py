"""The models of the books on chDB, which is ClickHouse in this process: committed texts, the same inputs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory
from typing import Any

from recorded import Pass
from rendering import FOLDER

from chargeback.model_files import model
from chargeback.workbench import SOURCES, SourceFile
from gpuledger.lake import TABLES
from gpuledger.lake.arrow import pa, pq

__all__ = ["ClickHouse", "opened", "ordered"]

_RENDERED = FOLDER / "rendered" / "clickhouse"
_TYPES = {"int64": "Int64", "string": "String", "bool": "Bool"}


class ClickHouse:
    """A session of chDB; each pass has a database of its own for as long as it runs."""

    def __init__(self, session: Any) -> None:
        self._session = session
        for setting in _statements({f"{name}_files": "" for name in SOURCES})[:1]:
            self.do(setting)

    def do(self, statement: str) -> None:
        """Run a statement that yields no rows."""
        self._session.query(statement)

    def rows(self, query: str) -> pa.Table:
        """All rows of a query."""
        return self._session.query(query, "ArrowTable")

    @contextmanager
    def made(self, one: Pass, *, nullable: bool = False) -> Iterator[list[str]]:
        """What a pass makes: source views, then models in order; `nullable`: as if any input may be null."""
        self.do("create database pass")
        self.do("use pass")
        try:
            for name, table in one.inputs.items():
                self.stage(name, table, nullable=nullable)
            self._see(one.files)
            for name in one.models:
                engine = "" if model(name).kind == "view" else "engine = Memory"
                text = (_RENDERED / f"{name}.sql").read_text("utf-8")
                self.do(f"create {model(name).kind} {name} {engine} as\n{text}")
            yield [*one.sources, *one.models]
        finally:
            self.do("use default")
            self.do("drop database pass")

    def stage(self, name: str, table: pa.Table, *, nullable: bool = False) -> None:
        """Put an Arrow table into a table of that name, by way of Parquet."""
        columns = [
            (each.name, each.type, nullable or table[each.name].null_count > 0) for each in table.schema
        ]
        with TemporaryDirectory() as folder:
            path = f"{folder}/{name}.parquet"
            pq.write_table(table, path)
            scan = _file(path, _structure(columns))
            self.do(f"create table {name} engine = Memory as select * from {scan}")

    def check(self, one: Pass, *, nullable: bool = False) -> set[str]:
        """Hold what a pass makes here against what it made there, audits too; give the tables' names."""
        with self.made(one, nullable=nullable) as names:
            for name in names:
                found, known = self.rows(f"select * from {name}"), one.tables[name]
                assert found.column_names == known.column_names, name
                assert {str(kind) for kind in found.schema.types} <= {"int64", "string"}, name
                assert ordered(found) == ordered(known), name
            assert self.broken(one) == []
            return set(names)

    def broken(self, one: Pass) -> list[str]:
        """The models of a pass of which an audit returned a row."""
        return [name for name in one.models for audit in _audits(name) if self.rows(audit).num_rows]

    def _see(self, files: Sequence[SourceFile] | None) -> None:
        """Make the source views over these files."""
        if files is not None:
            for statement in _statements({f"{name}_files": _scan(name, files) for name in SOURCES}):
                self.do(statement)


def ordered(table: pa.Table) -> list[tuple[object, ...]]:
    """The rows of a table, by all of their columns."""
    rows = zip(*(table[name].to_pylist() for name in table.column_names), strict=True)
    return sorted(rows, key=lambda row: [(value is None, value) for value in row])


@contextmanager
def opened(path: Path) -> Iterator[ClickHouse]:
    """The one session that a process can have."""
    from chdb.session import Session

    session = Session(str(path))
    try:
        yield ClickHouse(session)
    finally:
        session.close()


def _statements(scans: dict[str, str]) -> list[str]:
    """ClickHouse's settings, then its source views over these table expressions."""
    text = Template((FOLDER / "sources" / "clickhouse.sql").read_text("utf-8")).substitute(scans)
    return [part for part in text.split(";\n") if part.strip()]


def _audits(name: str) -> list[str]:
    path = _RENDERED / f"{name}.audits.sql"
    return [part for part in path.read_text("utf-8").split(";\n") if part.strip()] if path.exists() else []


def _scan(name: str, files: Iterable[SourceFile]) -> str:
    """The rows of a table's files; a column that came after a file was written is null in it."""
    structure = _structure((each.name, each.type, each.nullable) for each in TABLES[name].arrow)
    scans = [
        f"select *, _path as filename from {_file(file.path, structure)}"
        for file in files
        if file.table == name
    ]
    return f"({' union all '.join(scans)})" if scans else f"null('{structure}, filename String')"


def _file(path: str, structure: str) -> str:
    return f"file('{path}', 'Parquet', '{structure}')"


def _structure(columns: Iterable[tuple[str, Any, bool]]) -> str:
    return ", ".join(
        f"{name} Nullable({_TYPES[str(kind)]})" if nullable else f"{name} {_TYPES[str(kind)]}"
        for name, kind, nullable in columns
    )
