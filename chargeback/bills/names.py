"""How a bill is named: who bills which account for which time, under which invoice, in which currency."""

from __future__ import annotations

from datetime import UTC, datetime

from chargeback.terms.records import join_identity
from gpuledger.instants import format_utc

__all__ = ["bill_identity", "bill_name", "billing_time"]

_DAY_S = 86_400


def bill_identity(
    issuer: str, account: str, start_s: int, end_s: int, invoice: str | None, currency: str
) -> str:
    """The identity of a bill: issuer/account/month/invoice/currency, without an invoice where it has none.

    >>> bill_identity("Acme", "1234", 1_790_812_800, 1_793_491_200, "INV-7", "USD")
    'Acme/1234/2026-10/INV-7/USD'
    """
    numbered = [invoice] if invoice else []
    return join_identity([issuer, account, billing_time(start_s, end_s), *numbered, currency])


def bill_name(issuer: str, account: str, start_s: int, end_s: int, invoice: str) -> str:
    """What the names of a bill's lots begin with: issuer/account/invoice, or the month without one."""
    return join_identity([issuer, account, invoice or billing_time(start_s, end_s)])


def billing_time(start_s: int, end_s: int) -> str:
    """A billing period by name: its month, in whichever zone it is one, else its first and last instant."""
    if 27 * _DAY_S < end_s - start_s < 32 * _DAY_S:
        middle = datetime.fromtimestamp((start_s + end_s) // 2, UTC)
        return f"{middle.year:04}-{middle.month:02}"
    return f"{_short(start_s)}..{_short(end_s)}"


def _short(at_s: int) -> str:
    return format_utc(at_s).removesuffix("T00:00:00Z")
