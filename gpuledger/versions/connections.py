"""Engines for SQLite and PostgreSQL, and the one place where a database's own errors become ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy
from sqlalchemy import URL, Connection, Engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from gpuledger.errors import MissingExtra, SettingsError, StorageError

__all__ = ["database_file", "mapped_errors", "mend_of", "open_engine", "shown"]

_LOCK_WAIT_S = 60
"""How long a writer waits for another one before it gives up."""


def open_engine(url: str | URL) -> Engine:
    """An engine for this URL: SQLite, or PostgreSQL through psycopg.

    Raises SettingsError for a URL that cannot be read or names another kind of database, MissingExtra where
    the driver is not installed.
    """
    parsed = _parse(url)
    if parsed.get_backend_name() == "sqlite":
        return _sqlite_engine(parsed)
    try:
        return sqlalchemy.create_engine(parsed.set(drivername="postgresql+psycopg"), pool_pre_ping=True)
    except ModuleNotFoundError as error:
        raise MissingExtra("needs: pip install 'gpuledger[postgres]'") from error


def database_file(url: str) -> Path | None:
    """The file behind an SQLite URL; None for a database that is no file."""
    parsed = _parse(url)
    return Path(parsed.database or "") if parsed.get_backend_name() == "sqlite" else None


def shown(url: str) -> str:
    """The URL as it may be printed: without its password."""
    return _parse(url).render_as_string(hide_password=True)


@contextmanager
def mapped_errors(name: str) -> Iterator[None]:
    """Turn what SQLAlchemy raises inside into a StorageError about the database of this name.

    The driver itself raises UnicodeDecodeError where a damaged file makes it say something that is no text.
    """
    try:
        yield
    except (SQLAlchemyError, UnicodeDecodeError) as error:
        cause = str(getattr(error, "orig", None) or error).strip()
        raise StorageError(f"{name}: {cause}", mend=mend_of(cause)) from error


def mend_of(cause: str) -> str:
    """What to do where the database fails with these words; empty where they do not tell."""
    if "locked" in cause:
        return "another gpuledger is writing: try again when it is done"
    if any(words in cause for words in ("disk is full", "disk I/O", "No space left")):
        return "look at the disk, then try again"
    return ""


def _parse(url: str | URL) -> URL:
    mend = "give sqlite:////path/to/file or postgresql://user@host/name"
    try:
        parsed = make_url(url)
        backend = parsed.get_backend_name()
    except ArgumentError as error:
        raise SettingsError("database_url cannot be read", mend=mend) from error
    if backend not in ("sqlite", "postgresql"):
        raise SettingsError(f"database_url names {backend}, which gpuledger does not use", mend=mend)
    if backend == "sqlite" and parsed.database in (None, "", ":memory:"):
        raise SettingsError("database_url names no file: SQLite in memory is not shared", mend=mend)
    return parsed


def _sqlite_engine(url: URL) -> Engine:
    """SQLite with our own BEGIN: the driver's waits for the first write, and takes the lock too late."""
    engine = sqlalchemy.create_engine(url, connect_args={"timeout": _LOCK_WAIT_S})

    @event.listens_for(engine, "connect")
    def _configure(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        connection.execute("pragma synchronous = full")
        connection.execute("pragma foreign_keys = on")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(f"begin {connection.get_execution_options().get('sqlite_begin', '')}")

    return engine
