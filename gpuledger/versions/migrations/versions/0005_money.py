"""Money: prices per node and month, contracts, currencies, lots and bills."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Widen the table of prices, and make those of exchange rates, lots and bills."""
    _prices()
    _version("fx_version", *_text("base", "quote", "day", "rate", "source"))
    kinds = "'purchase', 'fee', 'depreciation', 'energy', 'credit', 'tax', 'true_up'"
    _version(
        "lot_version",
        *_text("lot", "kind", "amount", "currency", "details", "source"),
        sa.CheckConstraint(f"kind in ({kinds})", name="ck_lot_version_kind"),
    )
    _version(
        "bill_version",
        *_text("provider", "billing_account", "invoice", "currency"),
        sa.Column("rows", sa.BigInteger, nullable=False),
        *_text("total"),
        sa.Column("stated_rows", sa.BigInteger, nullable=True),
        *_text("stated_total"),
        sa.Column("invoiced_s", sa.BigInteger, nullable=True),
        *_text("format", "digest", "source"),
    )
    position = sa.Column("position", sa.BigInteger, nullable=False)
    _version("bill_rule_version", position, *_text("matching", "action"))


def _prices() -> None:
    new = {
        "provider": "",
        "zone": "",
        "unit": "gpu_hour",
        "month_rule": "",
        "rules": "",
        "status": "final",
    }
    kinds = "selector_kind in ('sku', 'model', 'contract')"
    units = "unit in ('gpu_hour', 'node_hour', 'gpu_month', 'node_month')"
    with op.batch_alter_table("price_version") as table:
        for name, default in new.items():
            table.add_column(sa.Column(name, sa.Text, nullable=False, server_default=default))
        table.drop_constraint(op.f("ck_price_version_selector_kind"), type_="check")
        table.create_check_constraint(op.f("ck_price_version_selector_kind"), kinds)
        table.create_check_constraint(op.f("ck_price_version_unit"), units)
        table.create_check_constraint(op.f("ck_price_version_status"), "status in ('final', 'provisional')")


def _text(*names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def _version(name: str, *columns: Any) -> None:
    op.create_table(
        name,
        sa.Column("identity", sa.Text, primary_key=True, nullable=False),
        sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False, nullable=False),
        sa.Column("withdrawn", sa.Boolean, nullable=False),
        sa.Column("start_s", sa.BigInteger, nullable=False),
        sa.Column("end_s", sa.BigInteger, nullable=True),
        *columns,
        sa.ForeignKeyConstraint(["seq"], ["knowledge.seq"], name=f"fk_{name}_seq"),
    )
