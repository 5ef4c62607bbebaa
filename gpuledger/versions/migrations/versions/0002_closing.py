"""Closing: what a close freezes, triggers that keep it, and the audit log as a chain of digests."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_BY_PERIOD = ("book_head", "period_close")
_BY_RUN = {"run": "id", "entry_day": "run_id", "time_day": "run_id", "pool_total": "run_id"}
_REFUSAL = "the books of a closed period are not written to"


def upgrade() -> None:
    """Make the table of closes with its triggers, and chain the audit log's rows that there are."""
    _chain()
    _closes()
    if op.get_bind().dialect.name == "sqlite":
        _sqlite_triggers()
    else:
        _server_triggers()


def _chain() -> None:
    op.add_column("audit_log", sa.Column("digest", sa.Text, nullable=False, server_default=""))
    head = op.create_table(
        "audit_head",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False, nullable=False),
        sa.Column("last_id", sa.BigInteger, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.CheckConstraint("id = 1", name="single"),
    )
    connection, digest, last_id = op.get_bind(), "", 0
    found = connection.execute(
        sa.text("select id, at_s, seq, actor, action, detail from audit_log order by id")
    ).mappings()
    for row in found.all():
        digest, last_id = _digest(dict(row), digest), row["id"]
        signed = sa.text("update audit_log set digest = :digest where id = :id")
        connection.execute(signed, {"digest": digest, "id": last_id})
    op.bulk_insert(head, [{"id": 1, "last_id": last_id, "digest": digest}])


def _digest(row: dict[str, Any], previous: str) -> str:
    text = json.dumps(
        {**row, "previous": previous}, sort_keys=True, ensure_ascii=False, separators=(",", ":")
    )
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _closes() -> None:
    op.create_table(
        "period_close",
        sa.Column("book", sa.Text, primary_key=True, nullable=False),
        sa.Column("period", sa.Text, primary_key=True, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("close_id", sa.Text, nullable=False),
        sa.Column("run_id", sa.Text, nullable=False),
        sa.Column("seq", sa.BigInteger, nullable=False),
        sa.Column("closed_at_s", sa.BigInteger, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("format_version", sa.BigInteger, nullable=False),
        sa.Column("statement_digest", sa.Text, nullable=False),
        sa.Column("books_digest", sa.Text, nullable=False),
        sa.Column("facts_digest", sa.Text, nullable=False),
        sa.Column("statement", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(["book"], ["book.name"], name="fk_period_close_book"),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name="fk_period_close_run_id"),
        sa.CheckConstraint("state in ('provisional', 'closed')", name="state"),
    )
    op.create_index("ix_period_close_run_id", "period_close", ["run_id"])


def _same(table: str, row: str) -> str:
    """Whether a row of a table belongs to the close `c`, as SQL."""
    if table in _BY_PERIOD:
        return f"c.book = {row}.book and c.period = {row}.period"
    return f"c.run_id = {row}.{_BY_RUN[table]}"


def _closed(*conditions: str) -> str:
    either = " or ".join(f"({condition})" for condition in conditions)
    return f"exists (select 1 from period_close as c where c.state = 'closed' and ({either}))"


def _sqlite_triggers() -> None:
    for table in (*_BY_PERIOD, *_BY_RUN):
        for event, rows in {"insert": ("new",), "update": ("old", "new"), "delete": ("old",)}.items():
            closed = _closed(*(_same(table, row) for row in rows))
            op.execute(
                f"create trigger {table}_{event}_closed before {event} on {table} when {closed} "
                f"begin select raise(abort, '{_REFUSAL}'); end"
            )


def _server_triggers() -> None:
    _function("keep_closed_all", f"if {_closed('true')} then raise exception '{_REFUSAL}'; end if;")
    for table in (*_BY_PERIOD, *_BY_RUN):
        there, then = (_same(table, row) for row in ("old", "new"))
        closed = _closed(f"tg_op <> 'INSERT' and {there}", f"tg_op <> 'DELETE' and {then}")
        _function(f"keep_closed_{table}", f"if {closed} then raise exception '{_REFUSAL}'; end if;")
        op.execute(
            f"create trigger {table}_closed before insert or update or delete on {table} "
            f"for each row execute function keep_closed_{table}()"
        )
        op.execute(
            f"create trigger {table}_truncate_closed before truncate on {table} "
            "for each statement execute function keep_closed_all()"
        )


def _function(name: str, body: str) -> None:
    op.execute(
        f"create function {name}() returns trigger language plpgsql as $$ begin {body} "
        "if tg_op = 'DELETE' then return old; end if; return new; end $$"
    )
