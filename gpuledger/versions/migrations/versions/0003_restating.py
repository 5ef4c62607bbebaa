"""Terms as code and restating: rules of owners, policies, and what changed of closed books."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_REFUSAL = "the books of a closed period are not written to"
_DAYS = ("restated_entry_day", "restated_time_day")
_WHO = ("account", "state", "owner", "team", "cost_centre", "model", "cluster")


def upgrade() -> None:
    """Make the tables of rules, policies and restatements, with the triggers that keep what is closed."""
    _terms()
    _restatements()
    if op.get_bind().dialect.name == "sqlite":
        _sqlite_triggers()
    else:
        _server_triggers()


def _text(*names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def _numbers(*names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, sa.BigInteger, nullable=False) for name in names]


def _terms() -> None:
    op.add_column("price_version", sa.Column("origin", sa.Text, nullable=False, server_default="import"))
    cost_centre = sa.Column("cost_centre", sa.Text, nullable=True)
    _version("owner_rule_version", *_numbers("position"), *_text("matching", "team"), cost_centre)
    _version("policy_version", *_text("policy", "choice"))


def _version(name: str, *columns: sa.Column[Any]) -> None:
    op.create_table(
        name,
        sa.Column("identity", sa.Text, primary_key=True, nullable=False),
        sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False, nullable=False),
        sa.Column("withdrawn", sa.Boolean, nullable=False),
        *_numbers("start_s"),
        sa.Column("end_s", sa.BigInteger, nullable=True),
        *columns,
        sa.ForeignKeyConstraint(["seq"], ["knowledge.seq"], name=f"fk_{name}_seq"),
    )


def _restatements() -> None:
    op.create_table(
        "restatement",
        sa.Column("id", sa.Text, primary_key=True, nullable=False),
        *_text("book", "service_period", "booking_period"),
        *_numbers("number"),
        *_text("base_run_id", "run_id"),
        *_numbers("base_seq", "seq"),
        *_text("causes"),
        *_numbers("reopened"),
        *_text("reason", "actor"),
        *_numbers("made_at_s"),
        sa.Column("replaced_at_s", sa.BigInteger, nullable=True),
        *_numbers("rows"),
        *_text("digest", "exact_num", "exact_den"),
        sa.ForeignKeyConstraint(["book"], ["book.name"], name="fk_restatement_book"),
        sa.ForeignKeyConstraint(["base_run_id"], ["run.id"], name="fk_restatement_base_run_id"),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name="fk_restatement_run_id"),
    )
    op.create_index("ix_restatement_book_service_period", "restatement", ["book", "service_period"])
    op.create_index("ix_restatement_book_booking_period", "restatement", ["book", "booking_period"])
    op.create_index("ix_restatement_run_id", "restatement", ["run_id"])
    _days("restated_entry_day", *_text("layer", "lot", *_WHO), *_numbers("amount"))
    _days(
        "restated_time_day",
        *_text(*_WHO),
        *_numbers("is_assumed", "ticks", "unpriced_ticks", "observed_ticks"),
    )


def _days(name: str, *columns: sa.Column[Any]) -> None:
    op.create_table(
        name,
        *_text("restatement_id", "cause", "day"),
        *columns,
        sa.ForeignKeyConstraint(["restatement_id"], ["restatement.id"], name=f"fk_{name}_restatement_id"),
    )
    op.create_index(f"ix_{name}_restatement_id", name, ["restatement_id"])


def _same(table: str, row: str) -> str:
    """Whether a row is collected by the period of the close `c`, as SQL."""
    if table == "restatement":
        return f"c.book = {row}.book and c.period = {row}.booking_period"
    return (
        f"exists (select 1 from restatement as r where r.id = {row}.restatement_id "
        "and c.book = r.book and c.period = r.booking_period)"
    )


def _closed(*conditions: str) -> str:
    either = " or ".join(f"({condition})" for condition in conditions)
    return f"exists (select 1 from period_close as c where c.state = 'closed' and ({either}))"


def _sqlite_triggers() -> None:
    for table in ("restatement", *_DAYS):
        for event, rows in {"insert": ("new",), "update": ("old", "new"), "delete": ("old",)}.items():
            closed = _closed(*(_same(table, row) for row in rows))
            op.execute(
                f"create trigger {table}_{event}_closed before {event} on {table} when {closed} "
                f"begin select raise(abort, '{_REFUSAL}'); end"
            )


def _server_triggers() -> None:
    for table in ("restatement", *_DAYS):
        there, then = (_same(table, row) for row in ("old", "new"))
        closed = _closed(f"tg_op <> 'INSERT' and {there}", f"tg_op <> 'DELETE' and {then}")
        op.execute(
            f"create function keep_closed_{table}() returns trigger language plpgsql as $$ begin "
            f"if {closed} then raise exception '{_REFUSAL}'; end if; "
            "if tg_op = 'DELETE' then return old; end if; return new; end $$"
        )
        op.execute(
            f"create trigger {table}_closed before insert or update or delete on {table} "
            f"for each row execute function keep_closed_{table}()"
        )
        op.execute(
            f"create trigger {table}_truncate_closed before truncate on {table} "
            "for each statement execute function keep_closed_all()"
        )
