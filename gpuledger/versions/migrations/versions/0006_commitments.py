"""Commitments: what is paid for whether it is used or not; and lots of a least amount each month."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table of commitments, and let lots be minimums."""
    kinds = "'purchase', 'fee', 'minimum', 'depreciation', 'energy', 'credit', 'tax', 'true_up'"
    with op.batch_alter_table("lot_version") as table:
        table.drop_constraint(op.f("ck_lot_version_ck_lot_version_kind"), type_="check")
        table.create_check_constraint(op.f("ck_lot_version_kind"), f"kind in ({kinds})")
    texts = ("commitment", "kind", "currency", "details", "source")
    op.create_table(
        "commitment_version",
        sa.Column("identity", sa.Text, primary_key=True, nullable=False),
        sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False, nullable=False),
        sa.Column("withdrawn", sa.Boolean, nullable=False),
        sa.Column("start_s", sa.BigInteger, nullable=False),
        sa.Column("end_s", sa.BigInteger, nullable=True),
        *(sa.Column(name, sa.Text, nullable=False) for name in texts),
        sa.ForeignKeyConstraint(["seq"], ["knowledge.seq"], name="fk_commitment_version_seq"),
    )
