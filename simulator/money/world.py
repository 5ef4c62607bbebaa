"""What is paid for a simulated fleet over a year, and by whom its devices are held.

Instants are whole UTC seconds; intervals are half-open, and an end of None is open. Amounts and rates are
decimal text in their currency, as contracts, price lists and bills write them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

__all__ = [
    "ACCOUNT",
    "PROVIDER",
    "SLOTS",
    "Asset",
    "Bill",
    "Fixed",
    "Grant",
    "Hold",
    "Line",
    "Metered",
    "Money",
    "MoneyWorld",
    "Power",
    "Run",
]

PROVIDER, ACCOUNT = "Nimbus", "4711"
"""Who bills nodes by the hour, and the account that it bills."""
SLOTS = 2
"""GPUs of each node."""

Kind = Literal["owned", "on_demand", "spot", "neocloud", "reserved"]


@dataclass(frozen=True, order=True)
class Run:
    """A node from when it began to run until it ended; `ended_by` says who ended it, '' where nobody did."""

    node: str
    start_s: int
    end_s: int | None
    kind: Kind
    model: str
    region: str
    sku: str
    zone: str = ""
    instance: str = ""
    reservation: str = ""
    ended_by: str = ""


@dataclass(frozen=True, order=True)
class Hold:
    """A pod that has one GPU of a node for itself; `place` counts the node's GPUs from 0."""

    node: str
    place: int
    start_s: int
    end_s: int | None
    owner_key: str
    pod: str
    uid: str


@dataclass(frozen=True, order=True)
class Grant:
    """Whose an owner key is over an interval."""

    owner_key: str
    team: str
    start_s: int
    end_s: int | None


@dataclass(frozen=True, order=True)
class Metered:
    """What a node of a SKU costs an hour, or with `month_rule` a month, over an interval.

    `month_rule` is `actual` or a number of hours. With `counted` each run is counted in started hours, as
    used where the provider ended it, and free where it did so within the first hour.
    """

    sku: str
    option: str
    rate: str
    currency: str
    start_s: int
    end_s: int | None
    zone: str = ""
    month_rule: str = ""
    counted: bool = False


@dataclass(frozen=True)
class Fixed:
    """A purchase, fee, credit or tax over [start, end).

    `pays_for` is a pattern of nodes, `follows` the names of others, `account` an account: one of the three.
    A fee is each month's amount, invoiced `in_advance`, `in_arrears` or not at all; others are invoiced on
    `invoiced`, a day. A `recoverable` tax is no cost.
    """

    name: str
    kind: Literal["purchase", "fee", "credit", "tax"]
    amount: str
    currency: str
    start: str
    end: str | None
    pays_for: str = ""
    follows: tuple[str, ...] = ()
    account: str = ""
    invoiced: str = ""
    absent: str = "overhead"
    recoverable: bool = False


@dataclass(frozen=True)
class Asset:
    """Nodes that were bought and are written off, by one of the conventions, from a day on."""

    name: str
    cost: str
    residual: str
    currency: str
    months: int
    in_service: str
    convention: str
    pays_for: str


@dataclass(frozen=True)
class Power:
    """Energy: kW of the machines times what the building needs beside, at a tariff that changes on a day."""

    name: str
    kw: str
    pue: str
    tariff: str
    later: str
    changes: str
    currency: str
    start: str
    pays_for: str


@dataclass(frozen=True, order=True)
class Line:
    """A line of a bill: what is charged for [start, end), and of which `resource`, '' of none."""

    category: Literal["Usage", "Purchase", "Credit", "Tax"]
    service: str
    resource: str
    start_s: int
    end_s: int
    amount: str
    sub_account: str = "gpu"


@dataclass(frozen=True)
class Bill:
    """The provider's bill of a UTC month: its lines, and the total that the invoice states.

    It is invoiced at an instant; None is not said, and then it counts in the month's last second.
    """

    month: str
    number: str
    currency: str
    start_s: int
    end_s: int
    lines: tuple[Line, ...]
    total: str
    said_s: int | None = None

    @property
    def invoiced_s(self) -> int:
        """When it counts as invoiced."""
        return self.end_s - 1 if self.said_s is None else self.said_s

    @property
    def name(self) -> str:
        """What books call it."""
        return f"{PROVIDER}/{ACCOUNT}/{self.month}/{self.number}/{self.currency}"


@dataclass(frozen=True)
class Money:
    """All that is paid."""

    metered: tuple[Metered, ...]
    fixed: tuple[Fixed, ...]
    assets: tuple[Asset, ...]
    power: tuple[Power, ...]
    bills: tuple[Bill, ...]
    fx: Mapping[tuple[str, str], Mapping[str, str]]


@dataclass(frozen=True)
class MoneyWorld:
    """A fleet over twelve months of a zone, who holds it, and what is paid for it."""

    seed: int
    zone: str
    months: tuple[str, ...]
    start_s: int
    end_s: int
    runs: tuple[Run, ...]
    holds: tuple[Hold, ...]
    grants: tuple[Grant, ...]
    money: Money
