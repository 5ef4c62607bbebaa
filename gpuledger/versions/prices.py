"""What a GPU-hour costs by price list, and since when that is known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from gpuledger.errors import InputError
from gpuledger.money import currency, parse_amount
from gpuledger.versions.database import Commit
from gpuledger.versions.facts import PutCount, put, rows_in_force, withdraw
from gpuledger.versions.tables import price_version

__all__ = ["PriceFact", "prices_in_force", "put_prices", "withdraw_prices"]


@dataclass(frozen=True)
class PriceFact:
    """A price per GPU-hour over `[start_s, end_s)`, Unix seconds; `end_s` None is open.

    `selector_kind` is "sku" or "model", `selector` its value; `region` and `purchase_option` are "" for any.
    `rate` is exact decimal text in major units of the currency. `origin` is "import", or "terms" for what
    `apply` keeps as the files have it.
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


def put_prices(commit: Commit, facts: Iterable[PriceFact]) -> PutCount:
    """Make versions of the prices that differ from what is in force; 2.50 does not differ from 2.5.

    Raises InputError for a rate that is negative or no number (a price of 0 is one), and OverlapError, naming
    both, where the same thing would have two prices at once; nothing is written then.
    """
    known = prices_in_force(commit.connection, commit.seq)
    checked = [_checked(fact) for fact in facts]
    return put(commit, price_version, known, checked, claim=_priced, what="price")


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
        )
        for row in rows_in_force(connection, price_version, seq)
    ]


def _priced(fact: PriceFact) -> tuple[str, ...]:
    return (fact.selector_kind, fact.selector, fact.region, fact.purchase_option)


def _checked(fact: PriceFact) -> PriceFact:
    """The price with its rate in one spelling: no exponent, no zeros at the end."""
    if fact.selector_kind not in ("sku", "model"):
        raise InputError(f"price {fact.identity} selects by {fact.selector_kind!r}; it is sku or model")
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
