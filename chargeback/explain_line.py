"""From a line's cents to what it has before rounding: the cent of rounding, by rounding pool."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from chargeback.cents import Cell, cells_of
from chargeback.explanation import Row, Step, told
from chargeback.ledger import Result
from chargeback.statement import Line, Statement, key_of
from gpuledger.money import Currency, format_minor, format_quanta

__all__ = ["line_steps"]


def line_steps(made: Statement, result: Result, line: Line, most: int) -> list[Step]:
    """The line, its rounding apart, and its part of each rounding pool."""
    return [_line(made.currency, line), _pools(made, result, line, most)]


def _line(money: Currency, line: Line) -> Step:
    """What was booked and what rounding adds are the line's amount, in quanta."""
    amount, booked = (line.minor or 0) * money.quanta_per_minor, line.quanta or 0
    said = f"{format_minor(line.minor, money)} {money.code}" if line.minor is not None else "unpriced"
    rows = [
        Row({"what": "as booked"}, {"unrounded": booked}),
        Row({"what": "rounding"}, {"unrounded": amount - booked}),
    ]
    return told(
        "line",
        f"{line.key}: {said}",
        rows,
        labels=["what"],
        figures=["unrounded"],
        wanted={"unrounded": amount},
        most=2,
    )


def _pools(made: Statement, result: Result, line: Line, most: int) -> Step:
    money = made.currency
    cells: dict[str, list[Cell]] = {}
    of_line: Callable[[Cell], str] = key_of(made.by)
    for cell in cells_of(result, money):
        if of_line(cell) == line.key:
            cells.setdefault(cell.rounding_pool, []).append(cell)
    rows = []
    for pool, kept in sorted(cells.items()):
        minor, quanta = sum(cell.minor for cell in kept), sum(cell.quanta for cell in kept)
        exact = result.exact.get(pool, Fraction(0))
        labels = {
            "rounding_pool": pool,
            "pool_exact": _exact(exact, money),
            "pool_total": format_minor(result.cents.get(pool, 0), money),
        }
        rounding = minor * money.quanta_per_minor - quanta
        rows.append(Row(labels, {"unrounded": quanta, "rounding": rounding, "amount": minor}))
    quanta, minor = line.quanta or 0, line.minor or 0
    return told(
        "rounding pools",
        "each pool's exact total is rounded once, and its cents go out by largest remainder",
        rows,
        labels=["rounding_pool", "pool_exact", "pool_total"],
        figures=["unrounded", "rounding", "amount"],
        wanted={
            "unrounded": quanta,
            "rounding": minor * money.quanta_per_minor - quanta,
            "amount": minor,
        },
        most=most,
    )


def _exact(quanta: Fraction, money: Currency) -> str:
    """An exact total as decimal text where it has an end at a quantum, else as a fraction."""
    return format_quanta(quanta.numerator, money) if quanta.denominator == 1 else str(quanta / money.quantum)
