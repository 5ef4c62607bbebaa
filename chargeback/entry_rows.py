"""A row of entries as files have it, where Python writes it and not a model."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["EntryRow"]


@dataclass(frozen=True)
class EntryRow:
    """One row, both sides: an amount in quanta from one account and owner to others; '' is none.

    `piece_s` and `from_s` are UTC seconds. The fields are the columns of every file of entries, in order.
    """

    layer: str
    lot: str
    pool: str
    utc_day: str
    day: str
    piece_s: int
    from_s: int
    cluster: str
    model: str
    slot: str
    lane: str
    run: str
    phase: str
    from_account: str
    from_owner: str
    to_account: str
    to_owner: str
    team: str
    cost_centre: str
    state: str
    amount: int
    policy: str
    cause: str
    service_period: str
    booking_period: str
