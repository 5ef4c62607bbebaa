"""The bills of the provider of nodes by the hour: a line per node and UTC day, and what else a bill has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Decimal
from random import Random

from simulator.money.world import Bill, Line, Metered, Run

__all__ = ["bills_of"]

_DAY = 86_400
_COMPUTE, _SUPPORT, _WEB = "Nimbus Compute", "Nimbus Support", "Nimbus Web"


def bills_of(rng: Random, runs: Sequence[Run], prices: Sequence[Metered]) -> Iterator[Bill]:
    """The bills of all twelve months, each with the days of it that come a month late."""
    mine, late = [run for run in runs if run.kind == "on_demand"], list[Line]()
    code = prices[0].currency
    for month in range(1, 13):
        start_s, end_s = _month(month), _month(month + 1)
        used = [line for run in mine for line in _days(rng, run, prices, start_s, end_s)]
        held_back = [rng.choice(used)] if used and month < 12 and rng.random() < 0.6 else []
        lines = [*late, *(line for line in used if line not in held_back)]
        lines += _others(rng, month, start_s, end_s, lines)
        late = held_back
        total = sum((Decimal(line.amount) for line in lines), Decimal(0))
        yield Bill(
            month=f"2026-{month:02d}",
            number=f"N-{2600 + month}",
            currency=code,
            start_s=start_s,
            end_s=end_s,
            lines=tuple(lines),
            total=f"{total.quantize(Decimal('0.01'), ROUND_HALF_UP)}",
            said_s=end_s + 4 * _DAY + 9 * 3600 if month % 2 else None,
        )


def _month(number: int) -> int:
    return int(datetime(2026 + (number - 1) // 12, (number - 1) % 12 + 1, 1, tzinfo=UTC).timestamp())


def _days(rng: Random, run: Run, prices: Sequence[Metered], start_s: int, end_s: int) -> Iterator[Line]:
    """A node's days of a month, each by the price at its begin, some hundredths of a percent beside it.

    What was used of the last hour counts whole, and so the last line goes on after the node has ended.
    """
    until_s = end_s if run.end_s is None else min(end_s, -(-run.end_s // 3600) * 3600)
    for day_s in range(start_s, end_s, _DAY):
        first, last = max(day_s, run.start_s), min(day_s + _DAY, until_s)
        if first < last:
            rate = next(one.rate for one in prices if one.end_s is None or first < one.end_s)
            beside = Decimal(10_000 + rng.randrange(-60, 61)) / 10_000
            yield _line(
                "Usage", _COMPUTE, run.instance, first, last, Decimal(rate) * (last - first) / 3600 * beside
            )


def _others(rng: Random, month: int, start_s: int, end_s: int, used: Sequence[Line]) -> Iterator[Line]:
    spent = sum((Decimal(line.amount) for line in used), Decimal(0))
    yield _line("Purchase", _SUPPORT, "", start_s, end_s, Decimal(100 + month))
    for _ in range(3):
        day_s = start_s + rng.randrange(27) * _DAY
        web = _line("Usage", _WEB, "vm-shop", day_s, day_s + _DAY, Decimal(rng.randrange(1, 900)) / 7)
        yield Line(**{**vars(web), "sub_account": "shop"})
    if spent and month % 3 == 0:
        day_s = start_s + rng.randrange(20) * _DAY
        yield _line(
            "Usage", _COMPUTE, "i-ffff", day_s, day_s + 2 * _DAY, Decimal(rng.randrange(100, 900)) / 9
        )
    if spent:
        yield _line("Credit", _COMPUTE, "", start_s, end_s, -spent / 50)
        yield _line("Tax", "", "", start_s, end_s, spent / 13)


def _line(category: str, service: str, resource: str, start_s: int, end_s: int, amount: Decimal) -> Line:
    text = f"{amount.quantize(Decimal('1e-10')):f}"
    return Line(category, service, resource, start_s, end_s, text)  # type: ignore[arg-type]
