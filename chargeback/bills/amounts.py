"""Decimal text in SQL: exact sums of a million lines without an object for each.

An amount is `hi * 10^18 + lo` in units of 10^-30 of the currency: `hi` a HUGEINT of twelve digits behind the
point, `lo` the eighteen after these, each with the sign of the amount. Sums of both stay within 38 digits.
"""

from __future__ import annotations

import re
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING

from gpuledger.errors import InputError
from gpuledger.money import parse_amount

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["PLAIN", "SCALE", "define_amounts", "exact", "plain_amount", "shown"]

SCALE = 10**30
"""Units in which sums are kept, in one unit of the currency."""

PLAIN = "-?[0-9]{1,18}([.][0-9]{1,30})?"
"""Amounts that stand in the lake as they were read; others are spelt so first."""

_MOST_DIGITS = 30
_MARKED = re.compile(
    r"(-?)(?:[$]([0-9]+|[0-9]{1,3}(?:,[0-9]{3})+)([.][0-9]+)?|([0-9]{1,3}(?:,[0-9]{3})+)([.][0-9]+))"
)

_MACROS = """
create or replace macro behind(t) as rpad(split_part(t, '.', 2), 30, '0');
create or replace macro sign_of(t) as case when starts_with(t, '-') then '-' else '' end;
create or replace macro amount_hi(t) as
    cast(split_part(t, '.', 1) || substr(behind(t), 1, 12) as hugeint);
create or replace macro amount_lo(t) as cast(sign_of(t) || substr(behind(t), 13, 18) as bigint);
"""


def define_amounts(connection: DuckDBPyConnection) -> None:
    """Define `amount_hi` and `amount_lo` of decimal text for a connection."""
    connection.execute(_MACROS)


def exact(hi: int, lo: int) -> Fraction:
    """The amount of the two parts of a sum, in units of the currency.

    >>> exact(12_345_000_000_000, 0)
    Fraction(2469, 200)
    """
    return Fraction(int(hi) * 10**18 + int(lo), SCALE)


def shown(amount: Fraction) -> str:
    """An exact amount of at most 30 digits behind the point as decimal text without zeros at its end."""
    whole = amount * SCALE
    if whole.denominator != 1:
        raise InputError(f"{amount} has more than {_MOST_DIGITS} digits behind the point")
    with localcontext(prec=80):
        text = f"{Decimal(whole.numerator).scaleb(-_MOST_DIGITS):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def plain_amount(text: str) -> str:
    """An amount as plain decimal digits: `8e-07` as `0.0000008`; raises `InputError` for what is none.

    What a binary float has beyond the 30th digit behind the point is rounded off. Groups of three digits are
    read, as in `1,234.50`, where a dollar sign or a decimal point shows that commas are no decimal ones.

    >>> plain_amount("-$1,234.50")
    '-1234.50'
    """
    try:
        amount = parse_amount(text)
    except InputError:
        marked = _MARKED.fullmatch(text)
        amount = parse_amount("".join(marked.groups("")).replace(",", "")) if marked else _float_noise(text)
    plain = f"{amount:f}"
    return plain.removeprefix("-") if not amount else plain


def _float_noise(text: str) -> Decimal:
    """A very small number, such as floats have for nothing, to the 30th digit; InputError for all else."""
    mantissa, mark, power = text.lower().partition("e-")
    if not (mark and power.isdigit() and 10 < int(power) < 400):
        return parse_amount(text)
    with localcontext(prec=80):
        scaled = parse_amount(mantissa).scaleb(-int(power))
        return scaled.quantize(Decimal(1).scaleb(-_MOST_DIGITS))
