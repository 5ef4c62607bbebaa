"""The commands that look after the database: its schema, its audit log."""

from __future__ import annotations

import typer

from gpuledger.errors import InvariantError
from gpuledger.session import Session
from gpuledger.versions.audit import audit_chain
from gpuledger.versions.database import Database

__all__ = ["upgrade", "verify_audit"]


def upgrade(ctx: typer.Context) -> None:
    """Run the migrations that the database has not had, and print the schema version it has then."""
    session = Session.of(ctx)
    session.console.print(f"schema {Database.upgrade(session.home.database_url)}")


def verify_audit(ctx: typer.Context) -> None:
    """Recompute the audit log's chain of digests; exit 6 where a row was changed or is gone."""
    session = Session.of(ctx)
    with session.database.read() as connection:
        chain = audit_chain(connection)
    if chain.broken is not None:
        raise InvariantError(
            f"row {chain.broken} of the audit log: {chain.why}",
            mend="somebody wrote to the database past gpuledger: compare it with a backup",
        )
    session.console.print(f"the audit log is whole: {chain.rows} rows, digest {chain.digest}", soft_wrap=True)
