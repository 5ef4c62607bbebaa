"""What contracts, assets and energy cost, month by month and day by day."""

from __future__ import annotations

from datetime import date
from fnmatch import fnmatchcase
from fractions import Fraction

from simulator.money.flow import HOUR_S, Flow, Invoice, Part
from simulator.money.rates import Rates
from simulator.money.world import Asset, Fixed, MoneyWorld, Power

__all__ = ["Contracts", "month_share"]


class Contracts:
    """Flows of what is agreed on, at the rates of their days."""

    def __init__(self, world: MoneyWorld, rates: Rates) -> None:
        self.world, self.rates = world, rates

    def fixed(self, one: Fixed) -> Flow:
        start_s = self.rates.at(one.start)
        end_s = self.world.end_s if one.end is None else self.rates.at(one.end)
        if one.kind == "fee":
            parts, invoices = self._fee(one, start_s, end_s)
        else:
            day = min(one.start, one.invoiced)
            amount = Fraction(one.amount) * self.rates.rate(one.currency, day)
            parts = [] if one.recoverable else [Part(start_s, end_s, amount)]
            billed = Fraction(one.amount) * self.rates.rate(one.currency, one.invoiced)
            invoices = [Invoice(self.rates.at(one.invoiced), billed, billed - amount)]
        return Flow(
            name=f"lot:{one.name}",
            parts=tuple(parts),
            invoices=tuple(invoices),
            nodes=self.nodes(one.pays_for),
            follows=tuple(f"lot:{name}" for name in one.follows),
            account=one.account,
            absent=one.absent,
            is_late=bool(one.follows),
            is_recoverable=one.recoverable,
        )

    def _fee(self, one: Fixed, start_s: int, end_s: int) -> tuple[list[Part], list[Invoice]]:
        parts, invoices = list[Part](), list[Invoice]()
        for low, high, share in self.rates.months(start_s, end_s):
            units = Fraction(one.amount) * share
            served = list(self.rates.by_day(Part(low, high, units), one.currency))
            parts += served
            at_s = low if one.invoiced == "in_advance" else high
            if one.invoiced and at_s < self.world.end_s:
                billed = units * self.rates.rate(one.currency, self.rates.day(at_s))
                invoices.append(Invoice(at_s, billed, billed - sum(part.amount for part in served)))
        return parts, invoices

    def asset(self, one: Asset) -> Flow:
        """The first year of straight-line depreciation; the end of a life is not in it."""
        rate = self.rates.rate(one.currency, one.in_service)
        first_s, units = self.rates.at(one.in_service), Fraction(one.cost) - Fraction(one.residual)
        begun = date.fromisoformat(one.in_service)
        parts = []
        for low, high, _ in self.rates.months(first_s, self.world.end_s):
            month = date.fromisoformat(self.rates.day(low)).replace(day=1)
            days = (date.fromisoformat(self.rates.day(high - 1)) - month).days + 1
            share = month_share(one.convention, begun, month, days)
            if one.convention == "whole_life_days":
                ends = begun.replace(year=begun.year + one.months // 12)
                charge = units * share / (ends - begun).days
            else:
                charge = units * share / one.months
            parts.append(Part(low, high, charge * rate))
        return Flow(f"lot:{one.name}", tuple(parts), nodes=self.nodes(one.pays_for))

    def power(self, one: Power) -> Flow:
        start_s, change_s = self.rates.at(one.start), self.rates.at(one.changes)
        parts: list[Part] = []
        for low, high, tariff in ((start_s, change_s, one.tariff), (change_s, self.world.end_s, one.later)):
            units = Fraction(one.kw) * Fraction(one.pue) * Fraction(tariff) * (high - low) / HOUR_S
            parts += self.rates.by_day(Part(low, high, units), one.currency)
        return Flow(f"lot:{one.name}", tuple(parts), nodes=self.nodes(one.pays_for))

    def nodes(self, pattern: str) -> tuple[str, ...]:
        return tuple(sorted({run.node for run in self.world.runs if fnmatchcase(run.node, pattern)}))


def month_share(convention: str, begun: date, month: date, days: int) -> Fraction:
    """How much of a month a convention charges: in months, or in days of the whole life."""
    is_first = begun.replace(day=1) == month
    there = days - begun.day + 1 if is_first else days
    if convention == "whole_life_days":
        return Fraction(there)
    if not is_first or convention == "full_month":
        return Fraction(1)
    firsts = {"actual_days": Fraction(there, days), "30_360": Fraction(31 - min(begun.day, 30), 30)}
    return firsts.get(convention, Fraction(1, 2))
