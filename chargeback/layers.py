"""Layers and accounts of entries: which of them a view adds up."""

from __future__ import annotations

from typing import Protocol

__all__ = [
    "ACCRUED",
    "BALANCES",
    "BILLED",
    "CLEARING",
    "DISTRIBUTED",
    "PAYABLE",
    "POOLED",
    "PREPAID",
    "RECOGNISED",
    "TAX_RECOVERABLE",
    "is_charged",
]

BILLED, RECOGNISED, POOLED, DISTRIBUTED = "billed", "recognised", "pooled", "distributed"

PAYABLE, PREPAID, ACCRUED = "payable", "prepaid", "accrued"
TAX_RECOVERABLE, CLEARING = "tax_recoverable", "clearing"

BALANCES = (PAYABLE, PREPAID, ACCRUED, TAX_RECOVERABLE, CLEARING)
"""The accounts that are no cost."""


class _Entered(Protocol):
    @property
    def layer(self) -> str: ...
    @property
    def account(self) -> str: ...


def is_charged(row: _Entered) -> bool:
    """Whether an amount is part of what a statement charges: it entered a cost account, or left one there."""
    return row.layer != BILLED and row.account not in BALANCES
