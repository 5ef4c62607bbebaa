"""The command that brings the database to the schema of this version."""

from __future__ import annotations

import typer

from gpuledger.session import Session
from gpuledger.versions.database import Database

__all__ = ["upgrade"]


def upgrade(ctx: typer.Context) -> None:
    """Run the migrations that the database has not had, and print the schema version it has then."""
    session = Session.of(ctx)
    session.console.print(f"schema {Database.upgrade(session.home.database_url)}")
