"""Entitlements: who may use how much of a pool, what of it is lent, and whose the pool is."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table of entitlements."""
    op.create_table(
        "entitlement_version",
        sa.Column("identity", sa.Text, primary_key=True, nullable=False),
        sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False, nullable=False),
        sa.Column("withdrawn", sa.Boolean, nullable=False),
        sa.Column("start_s", sa.BigInteger, nullable=False),
        sa.Column("end_s", sa.BigInteger, nullable=True),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("kind", "team", "model", "region")),
        sa.Column("units", sa.BigInteger, nullable=False),
        sa.Column("borrower", sa.Text, nullable=False),
        sa.Column("cost_centre", sa.Text, nullable=True),
        sa.CheckConstraint("kind in ('entitled', 'lent', 'pool')", name="ck_entitlement_version_kind"),
        sa.ForeignKeyConstraint(["seq"], ["knowledge.seq"], name="fk_entitlement_version_seq"),
    )
