"""What proves that a bill is whole: how many lines it should have, and what they should come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from chargeback.bills.amounts import shown
from chargeback.bills.texts import AddedUp
from gpuledger.errors import InputError
from gpuledger.money import currency, parse_amount
from gpuledger.versions import BillFact

__all__ = ["Standing", "Stated", "standing", "stated_of"]

Standing = Literal["proven", "unproven", "incomplete"]


@dataclass(frozen=True)
class Stated:
    """What a bill should have: its number of lines, and its total as decimal text; None and '' not said."""

    rows: int | None = None
    total: str = ""


def stated_of(
    bills: Sequence[AddedUp],
    rows: Sequence[str],
    totals: Sequence[str],
    bad: Mapping[str, int],
    files_rows: int | None = None,
) -> dict[str, Stated]:
    """What each bill should have, by identity, of options like `98` and `BILL=98`, held against what it has.

    What is said without a bill is of all bills together; `files_rows` is what a manifest says of that. `bad`
    are the rows that could not be read, by the bill they may be of: where nothing else is stated, a bill
    should have had them. Raises `InputError` where a bill has not what it should have, with both figures and
    the difference.
    """
    by_bill = {bill.identity: bill for bill in bills}
    counts = {name: _whole(text) for name, text in _by_bill(rows, by_bill, "--rows").items()}
    owed = _by_bill(totals, by_bill, "--total")
    total_rows = counts.pop("", files_rows)
    if total_rows is not None:
        _compare_rows(_all(bills), total_rows, sum(bill.rows for bill in bills) + bad.get("", 0))
        counts = {bill.identity: bill.rows + bad.get(bill.identity, 0) for bill in bills} | counts
    if (amount := owed.pop("", None)) is not None:
        owed = _together(bills, amount, bad) | owed
    for name, count in counts.items():
        _compare_rows(name, count, by_bill[name].rows + bad.get(name, 0))
    for name, total in owed.items():
        if not bad.get(name):
            _compare_totals(name, total, Fraction(by_bill[name].total), by_bill[name].currency)
    counts |= {name: by_bill[name].rows + bad[name] for name in by_bill if bad.get(name)}
    return {name: Stated(counts.get(name), owed.get(name, "")) for name in by_bill}


def standing(bill: BillFact) -> Standing:
    """Whether what a bill should have is stated, and whether it has it."""
    if bill.stated_rows is None and not bill.stated_total:
        return "unproven"
    if bill.stated_rows is not None and bill.stated_rows != bill.rows:
        return "incomplete"
    if bill.stated_total and not _agree(bill.stated_total, Fraction(bill.total), bill.currency):
        return "incomplete"
    return "proven"


def _by_bill(options: Sequence[str], bills: Mapping[str, AddedUp], option: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in options:
        name, mark, value = text.rpartition("=")
        if mark and name not in bills:
            raise InputError(
                f"{option} {text}: {name} is no bill of these files",
                mend=f"they are of {', '.join(bills) or 'no bill'}",
            )
        if name in found:
            raise InputError(f"{option} is given twice for {name or 'all'}", mend="give it once")
        found[name] = value
    return found


def _whole(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise InputError(f"--rows {text} is no number of rows", mend="give how many lines the bill has")
    return int(text)


def _all(bills: Sequence[AddedUp]) -> str:
    return bills[0].identity if len(bills) == 1 else "the bills together"


def _together(bills: Sequence[AddedUp], amount: str, bad: Mapping[str, int]) -> dict[str, str]:
    """What all bills come to together, as what each should: what it comes to where there are several."""
    codes = sorted({bill.currency for bill in bills})
    if len(codes) > 1:
        raise InputError(
            f"--total {amount} cannot be of {' and '.join(codes)} together",
            mend="state it of each bill, as --total BILL=AMOUNT",
        )
    if len(bills) == 1:
        return {bills[0].identity: amount}
    if not any(bad.values()):
        total = sum((Fraction(bill.total) for bill in bills), Fraction(0))
        _compare_totals(_all(bills), amount, total, codes[0])
    return {bill.identity: bill.total for bill in bills}


def _compare_rows(what: str, stated: int, found: int) -> None:
    if stated != found:
        word = "too few" if found < stated else "too many"
        raise InputError(
            f"{what} has {found} rows, and should have {stated}: {abs(stated - found)} {word}; "
            "nothing was stored",
            mend="fetch the whole bill: where an export comes in pages, name all of them",
        )


def _compare_totals(what: str, stated: str, found: Fraction, code: str) -> None:
    """Refuse a total that the lines do not come to."""
    if _agree(stated, found, code):
        return
    short = Fraction(parse_amount(stated)) - found
    word = "less" if short > 0 else "more"
    raise InputError(
        f"{what} comes to {shown(found)} {code}, and should come to {stated}: {shown(abs(short))} {word}; "
        "nothing was stored",
        mend="fetch the whole bill: where an export comes in pages, name all of them",
    )


def _agree(stated: str, found: Fraction, code: str) -> bool:
    """Whether lines come to a stated total, which is rounded to minor units where it has no more digits."""
    amount = Fraction(parse_amount(stated))
    unit = Fraction(1, 10 ** currency(code).minor_digits)
    return amount == found or (amount % unit == 0 and abs(amount - found) < unit)
