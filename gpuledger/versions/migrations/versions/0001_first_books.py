"""The first schema: knowledge time, versions, the lake's files, the books' totals, the audit log."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make all tables in an empty database, and the one row that commits lock."""
    _knowledge()
    _terms()
    _lake()
    _books()
    _totals()


def text(name: str, *, null: bool = False, key: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.Text, nullable=null, primary_key=key)


def whole(name: str, *, null: bool = False, key: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.BigInteger, nullable=null, primary_key=key, autoincrement=False)


def refers(table: str, column: str, to: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [to], name=f"fk_{table}_{column}")


def index(table: str, *columns: str) -> None:
    op.create_index(f"ix_{table}_{'_'.join(columns)}", table, list(columns))


def _knowledge() -> None:
    op.create_table("knowledge", whole("seq", key=True), whole("committed_at_s"), text("kind"), text("note"))
    index("knowledge", "committed_at_s")
    head = op.create_table(
        "knowledge_head",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False, nullable=False),
        whole("seq"),
        whole("committed_at_s"),
        sa.CheckConstraint("id = 1", name="single"),
    )
    op.bulk_insert(head, [{"id": 1, "seq": 0, "committed_at_s": 0}])
    op.create_table(
        "audit_log",
        sa.Column(
            "id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True, autoincrement=True
        ),
        whole("at_s"),
        whole("seq", null=True),
        text("actor"),
        text("action"),
        text("detail"),
        refers("audit_log", "seq", "knowledge.seq"),
    )
    index("audit_log", "seq")


def _terms() -> None:
    op.create_table(
        "owner_version",
        text("identity", key=True),
        whole("seq", key=True),
        sa.Column("withdrawn", sa.Boolean, nullable=False),
        whole("start_s"),
        whole("end_s", null=True),
        text("owner_key"),
        text("team"),
        text("cost_centre", null=True),
        refers("owner_version", "seq", "knowledge.seq"),
    )
    op.create_table(
        "price_version",
        text("identity", key=True),
        whole("seq", key=True),
        sa.Column("withdrawn", sa.Boolean, nullable=False),
        whole("start_s"),
        whole("end_s", null=True),
        text("selector_kind"),
        text("selector"),
        text("region"),
        text("purchase_option"),
        text("rate"),
        text("currency"),
        text("source"),
        refers("price_version", "seq", "knowledge.seq"),
        sa.CheckConstraint("selector_kind in ('sku', 'model')", name="selector_kind"),
    )


def _lake() -> None:
    op.create_table(
        "source_through",
        text("source", key=True),
        text("cluster", key=True),
        whole("seq", key=True),
        whole("through_s"),
        refers("source_through", "seq", "knowledge.seq"),
    )
    op.create_table(
        "lake_file",
        text("path", key=True),
        text("table_name"),
        text("day", null=True),
        whole("shard"),
        text("part"),
        whole("rows"),
        whole("min_s", null=True),
        whole("max_s", null=True),
        text("row_hash"),
        text("digest"),
        whole("bytes"),
        whole("added_seq"),
        whole("removed_seq", null=True),
        whole("removed_at_s", null=True),
        refers("lake_file", "added_seq", "knowledge.seq"),
        refers("lake_file", "removed_seq", "knowledge.seq"),
    )
    index("lake_file", "table_name", "shard", "day")


def _books() -> None:
    op.create_table(
        "book",
        text("name", key=True),
        text("zone"),
        text("currency"),
        whole("shards"),
        text("charged"),
        whole("created_seq"),
        refers("book", "created_seq", "knowledge.seq"),
    )
    op.create_table(
        "run",
        text("id", key=True),
        text("book"),
        text("period"),
        whole("seq"),
        whole("through_s", null=True),
        text("engine_version"),
        text("state"),
        whole("started_at_s"),
        whole("finished_at_s", null=True),
        text("summary", null=True),
        refers("run", "book", "book.name"),
    )
    index("run", "book", "period")
    op.create_table(
        "book_head",
        text("book", key=True),
        text("period", key=True),
        text("day", key=True),
        whole("shard", key=True),
        text("run_id"),
        whole("seq"),
        whole("rows"),
        whole("sum_amount"),
        text("digest"),
        refers("book_head", "book", "book.name"),
        refers("book_head", "run_id", "run.id"),
    )


def _totals() -> None:
    op.create_table(
        "entry_day",
        text("run_id"),
        text("book"),
        text("period"),
        text("day"),
        text("layer"),
        text("lot"),
        text("account"),
        text("state"),
        text("owner"),
        text("team"),
        text("cost_centre"),
        text("model"),
        text("cluster"),
        whole("amount"),
        refers("entry_day", "run_id", "run.id"),
    )
    op.create_table(
        "time_day",
        text("run_id"),
        text("book"),
        text("period"),
        text("day"),
        text("account"),
        text("state"),
        text("owner"),
        text("team"),
        text("cost_centre"),
        text("model"),
        text("cluster"),
        whole("is_assumed"),
        whole("ticks"),
        whole("unpriced_ticks"),
        whole("observed_ticks"),
        refers("time_day", "run_id", "run.id"),
    )
    for table in ("entry_day", "time_day"):
        index(table, "run_id")
        index(table, "book", "period", "day")
    op.create_table(
        "pool_total",
        text("run_id", key=True),
        text("rounding_pool", key=True),
        text("period", key=True),
        text("exact_num"),
        text("exact_den"),
        whole("cents", null=True),
        refers("pool_total", "run_id", "run.id"),
    )
