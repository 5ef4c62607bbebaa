"""Currencies, and amounts as text: decimal digits in, decimal digits out, never a float."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from gpuledger.errors import InputError

__all__ = ["Currency", "currency", "format_minor", "format_quanta", "parse_amount"]

# (digits kept, digits of the minor unit): the kept ones let a signed 64-bit sum pass 10^9 US dollars in each.
_DIGITS = {
    (9, 3): "BHD JOD KWD OMR TND",
    (9, 2): "AED AUD CAD CHF EUR GBP NZD QAR SAR SGD USD",
    (8, 2): "BRL CNY CZK DKK HKD ILS MAD MXN MYR NOK PLN RON SEK TWD ZAR",
    (7, 2): "BDT EGP HUF INR KES LKR PHP PKR RSD RUB THB TRY UAH",
    (7, 0): "ISK JPY",
    (6, 2): "ARS COP KZT NGN",
    (6, 0): "CLP KRW",
    (5, 2): "IDR",
    (5, 0): "VND",
}

_AMOUNT = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,2})?")
_MOST_BEFORE_THE_POINT = 18
_MOST_BEHIND_THE_POINT = 30


@dataclass(frozen=True)
class Currency:
    """A currency, the digits of its minor unit, and the digits gpuledger keeps."""

    code: str
    minor_digits: int
    quantum_digits: int

    @property
    def quantum(self) -> int:
        """Quanta in one major unit (USD: 10^9)."""
        return int(10**self.quantum_digits)

    @property
    def quanta_per_minor(self) -> int:
        """Quanta in one minor unit (USD: 10^7 in a cent)."""
        return int(10 ** (self.quantum_digits - self.minor_digits))


_CURRENCIES = {
    code: Currency(code, minor, kept) for (kept, minor), codes in _DIGITS.items() for code in codes.split()
}


def currency(code: str) -> Currency:
    """The currency of an ISO 4217 code; raises `InputError` for a code without a row in the table."""
    found = _CURRENCIES.get(code)
    if found is None:
        meant = code.strip().upper()
        known = "one of these ISO 4217 codes: " + " ".join(sorted(_CURRENCIES))
        raise InputError(
            f"currency {code!r} is not known", mend=f"write {meant if meant in _CURRENCIES else known}"
        )
    return found


def parse_amount(text: str) -> Decimal:
    """Read decimal text exactly: `2.744705`, `-0.5`, `1e-6`.

    Raises `InputError` for NaN, infinities, thousands separators, currency signs, and more than 18 digits
    before the point or 30 behind it: each of these is a mistake upstream, never a price.
    """
    stripped = text.strip()
    if not _AMOUNT.fullmatch(stripped):
        raise InputError(
            f"{text[:80]!r} is not an amount",
            mend="write plain decimal digits, like 1234.56, without separators or currency signs",
        )
    amount = Decimal(stripped)
    exponent = int(amount.as_tuple().exponent)
    if -exponent > _MOST_BEHIND_THE_POINT or (amount and amount.adjusted() >= _MOST_BEFORE_THE_POINT):
        raise InputError(
            f"{text[:80]!r} is out of bounds for an amount",
            mend=f"give at most {_MOST_BEFORE_THE_POINT} digits before the point"
            f" and {_MOST_BEHIND_THE_POINT} behind it",
        )
    return amount


def format_minor(cents: int, cur: Currency) -> str:
    """Minor units as decimal text with the currency's own digits: `-12.34` dollars, `1234` yen."""
    return _fixed_point(cents, cur.minor_digits)


def format_quanta(amount: int, cur: Currency) -> str:
    """Quanta as decimal text of full precision: `12.345678901` dollars."""
    return _fixed_point(amount, cur.quantum_digits)


def _fixed_point(value: int, digits: int) -> str:
    sign = "-" if value < 0 else ""
    text = str(abs(value)).rjust(digits + 1, "0")
    return f"{sign}{text[:-digits]}.{text[-digits:]}" if digits else sign + text
