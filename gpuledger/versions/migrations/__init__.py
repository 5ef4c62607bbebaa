"""How the database gets its schema: Alembic's revisions, run from inside the package.

Only making and upgrading a database imports this; opening one does not, for Alembic is slow to import.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from threading import Lock

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, Engine, text

from gpuledger.errors import StorageError
from gpuledger.versions.connections import mapped_errors, open_engine

__all__ = ["create_file", "migrate", "newest_revision"]

_ONE_AT_A_TIME = Lock()
"""Alembic keeps the migration that runs in module variables, which threads share."""

_UPGRADE_LOCK = 6770757
"""Any number that no other program on the same PostgreSQL server takes an advisory lock on."""


def migrate(engine: Engine, revision: str = "head") -> str:
    """Run the revisions that the database lacks, up to one, and give the version it then has.

    All in one transaction.
    """
    with _ONE_AT_A_TIME, engine.execution_options(sqlite_begin="immediate").begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text("select pg_advisory_xact_lock(:key)"), {"key": _UPGRADE_LOCK})
        config = _config()
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
        return MigrationContext.configure(connection).get_current_revision() or ""


def newest_revision() -> str:
    """Alembic's own head: what `HEAD` must be."""
    return ScriptDirectory.from_config(_config()).get_current_head() or ""


def create_file(path: Path) -> None:
    """Make a new SQLite file, whole, beside its place, then give it its name: nobody ever opens half a one.

    Where another process was first, its file stays.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".new-", dir=path.parent) as folder:
            made = Path(folder) / path.name
            _create(made)
            _give_name(made, path)
    except OSError as error:
        raise StorageError(f"{path} cannot be made: {error}", mend="choose another --home") from error


def _create(path: Path) -> None:
    engine = open_engine(URL.create("sqlite", database=str(path)))
    try:
        with mapped_errors(str(path)):
            _write_ahead(engine)
            migrate(engine)
    finally:
        engine.dispose()


def _write_ahead(engine: Engine) -> None:
    """Let readers go on while one writes. The file remembers it; it cannot be set inside a transaction."""
    raw = engine.raw_connection()
    try:
        raw.cursor().execute("pragma journal_mode = wal")
    finally:
        raw.close()


def _give_name(made: Path, path: Path) -> None:
    with open(made, "rb") as file:
        os.fsync(file.fileno())
    try:
        os.link(made, path)
    except FileExistsError:
        return
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    return config
