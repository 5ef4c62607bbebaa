"""Money as integers: the currencies, the shares that conserve, and the cents.

Inside gpuledger an amount is an `int` in its currency's quantum (USD: 10^-9 dollars) and a rate is a
`Fraction` of quanta per second. Text becomes `Decimal` at the edge. No float is ever in the way, and nothing
here reads a price list or knows an owner.
"""

from gpuledger.money.currencies import Currency, currency, format_minor, format_quanta, parse_amount
from gpuledger.money.rounding import nested_cents, round_cents
from gpuledger.money.shares import (
    Sortable,
    half_up,
    largest_remainder,
    meter_amount,
    rate_per_second,
    recognised_to,
    running_split,
    share,
    split_phase,
)

__all__ = [
    "Currency",
    "Sortable",
    "currency",
    "format_minor",
    "format_quanta",
    "half_up",
    "largest_remainder",
    "meter_amount",
    "nested_cents",
    "parse_amount",
    "rate_per_second",
    "recognised_to",
    "round_cents",
    "running_split",
    "share",
    "split_phase",
]
