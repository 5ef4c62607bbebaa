"""What a GPU, a node or a contract costs by price list, and since when that is known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from gpuledger.errors import InputError
from gpuledger.money import currency, parse_amount
from gpuledger.versions.database import Commit
from gpuledger.versions.facts import PutCount, put, rows_in_force, withdraw
from gpuledger.versions.tables import price_version

__all__ = [
    "MONTH_RULES",
    "UNITS",
    "PriceFact",
    "prices_in_force",
    "put_prices",
    "withdraw_prices",
]


SELECTOR_KINDS = ("sku", "model", "contract")
UNITS = ("gpu_hour", "node_hour", "gpu_month", "node_month")
MONTH_RULES = ("actual", "730", "720")
STATUSES = ("final", "provisional")


@dataclass(frozen=True)
class PriceFact:
    """A price over `[start_s, end_s)`, Unix seconds; `end_s` None is open.

    `selector_kind` is "sku", "model" or "contract" (the id of a node's reservation or instance), `selector`
    its value; `provider`, `region`, `zone` and `purchase_option` are "" for any. `rate` is exact decimal text
    in major units of the currency for one `unit`: a GPU or a whole node, an hour or a month. `month_rule`
    says how many hours a month has: "actual", "730" or "720"; "" where the unit is no month. `rules` say how
    a run of a node is counted, as canonical JSON; "" is by the second. `status` is "provisional" while the
    provider may still change it. `origin` is "import", or "terms" for what `apply` keeps as the files have
    it.
    """

    identity: str
    start_s: int
    end_s: int | None
    selector_kind: str
    selector: str
    region: str
    purchase_option: str
    rate: str
    currency: str
    source: str
    origin: str = "import"
    provider: str = ""
    zone: str = ""
    unit: str = "gpu_hour"
    month_rule: str = ""
    rules: str = ""
    status: str = "final"

    @property
    def claim(self) -> tuple[str, ...]:
        """What it is for: no two hold for the same at the same time, in whichever unit."""
        what = (self.selector_kind, self.selector, self.region, self.purchase_option)
        return (*what, self.provider, self.zone)


_KNOWN = {"selector_kind": SELECTOR_KINDS, "unit": UNITS, "status": STATUSES}


def put_prices(commit: Commit, facts: Iterable[PriceFact]) -> PutCount:
    """Make versions of the prices that differ from what is in force; 2.50 does not differ from 2.5.

    Raises InputError for a rate that is negative or no number (a price of 0 is one), and OverlapError, naming
    both, where the same thing would have two prices at once; nothing is written then.
    """
    known = prices_in_force(commit.connection, commit.seq)
    checked = [_checked(fact) for fact in facts]
    return put(commit, price_version, known, checked, claim=lambda fact: fact.claim, what="price")


def withdraw_prices(commit: Commit, identities: Iterable[str]) -> int:
    """Take prices back; give how many of the identities were in force."""
    known = prices_in_force(commit.connection, commit.seq)
    return withdraw(commit, price_version, known, identities)


def prices_in_force(connection: Connection, seq: int) -> list[PriceFact]:
    """What was known at this seq, by identity."""
    return [
        PriceFact(
            identity=row.identity,
            start_s=row.start_s,
            end_s=row.end_s,
            selector_kind=row.selector_kind,
            selector=row.selector,
            region=row.region,
            purchase_option=row.purchase_option,
            rate=row.rate,
            currency=row.currency,
            source=row.source,
            origin=row.origin,
            provider=row.provider,
            zone=row.zone,
            unit=row.unit,
            month_rule=row.month_rule,
            rules=row.rules,
            status=row.status,
        )
        for row in rows_in_force(connection, price_version, seq)
    ]


def _checked(fact: PriceFact) -> PriceFact:
    """The price with its rate in one spelling: no exponent, no zeros at the end."""
    for name, known in _KNOWN.items():
        if (value := getattr(fact, name)) not in known:
            raise InputError(f"price {fact.identity}: {name} is {value!r}; it is {' or '.join(known)}")
    if bool(fact.month_rule) != fact.unit.endswith("_month") or fact.month_rule not in ("", *MONTH_RULES):
        raise InputError(
            f"price {fact.identity} per {fact.unit} has the month rule {fact.month_rule!r}",
            mend=f"a price per month has one of {', '.join(MONTH_RULES)}, another has none",
        )
    try:
        currency(fact.currency)
        rate = parse_amount(fact.rate)
    except InputError as error:
        raise InputError(f"price {fact.identity}: {error.message}", mend=error.mend) from error
    if rate < 0:
        raise InputError(
            f"price {fact.identity} has a negative rate: {fact.rate}",
            mend="leave the row out if the price is not known, write 0 if it costs nothing",
        )
    return replace(fact, rate=f"{rate.normalize():f}" if rate else "0")
