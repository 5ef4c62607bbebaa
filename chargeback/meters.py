"""Meters: what a price record makes of time, and which record is the more specific."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from chargeback.places import Trait
from gpuledger.money import currency, rate_per_second
from gpuledger.versions import PriceFact

__all__ = ["Meter", "Window", "fits", "meter_of", "record_name", "specificity"]


@dataclass(frozen=True)
class Window:
    """The period [start, end) in UTC seconds: what prices per month are divided by."""

    start_s: int
    end_s: int


@dataclass(frozen=True)
class Meter:
    """A metered lot at one rate: `rate` in quanta of its currency per second of a whole device, or of a node.

    `price` is the rate as listed, `unit` what it is for; `multiple` what a rule of counting makes of it.
    """

    lot: str
    record: str
    rate: Fraction
    price: str
    currency: str
    unit: str = "gpu_hour"
    multiple: Fraction = Fraction(1)
    is_provisional: bool = False

    @property
    def listed(self) -> str:
        """The name of the price record, whatever a rule of counting makes of it."""
        return self.record if self.multiple == 1 else self.record.removesuffix(f"*{self.multiple}")

    @property
    def is_per_node(self) -> bool:
        """Whether the rate is for a whole node, so that its slots share it."""
        return self.unit.startswith("node_")


def fits(fact: PriceFact, trait: Trait) -> bool:
    """Whether a price is for a slot that says this of itself."""
    if fact.selector_kind == "contract":
        named = fact.selector in (trait.reservation, trait.instance)
    elif fact.selector_kind == "sku":
        named = fact.selector == trait.sku
    else:
        named = fact.selector in (trait.model, "*")
    return named and all(
        getattr(fact, name) in ("", getattr(trait, name))
        for name in ("region", "purchase_option", "provider", "zone")
    )


def specificity(fact: PriceFact) -> tuple[int, bool, bool, bool, bool, bool, str]:
    """A key by which the most specific of prices is the greatest."""
    return (
        ("model", "sku", "contract").index(fact.selector_kind),
        fact.selector != "*",
        fact.region != "",
        fact.purchase_option != "",
        fact.provider != "",
        fact.zone != "",
        fact.identity,
    )


def meter_of(fact: PriceFact, window: Window, multiple: Fraction = Fraction(1)) -> Meter:
    """The meter that a price record drives in a period; a price per month is divided by its rule's hours."""
    rate = rate_per_second(Decimal(fact.rate), currency(fact.currency), _seconds(fact, window))
    record = record_name(fact)
    return Meter(
        lot=_lot(fact),
        record=record if multiple == 1 else f"{record}*{multiple}",
        rate=rate * multiple,
        price=fact.rate,
        currency=fact.currency,
        unit=fact.unit,
        multiple=multiple,
        is_provisional=fact.status == "provisional",
    )


def _seconds(fact: PriceFact, window: Window) -> int:
    """The seconds that a price is for: an hour, or a month as its rule has it."""
    if not fact.unit.endswith("_month"):
        return 3600
    return window.end_s - window.start_s if fact.month_rule == "actual" else int(fact.month_rule) * 3600


def record_name(fact: PriceFact) -> str:
    """The name of a price record: its lot, its rate, and what that is for unless it is a GPU-hour."""
    rate = f"{_lot(fact)}@{Decimal(fact.rate).normalize():f}"
    if fact.unit == "gpu_hour":
        return rate
    return f"{rate}/{fact.unit}" + (f"/{fact.month_rule}" if fact.month_rule else "")


def _lot(fact: PriceFact) -> str:
    scope = f"{fact.region or '*'}:{fact.purchase_option or '*'}:{fact.currency}"
    more = [f"{name}={value}" for name in ("provider", "zone") if (value := getattr(fact, name))]
    return ":".join([f"meter:{fact.selector_kind}:{fact.selector}:{scope}", *more])
