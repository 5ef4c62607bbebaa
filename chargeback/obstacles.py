"""What stands in the way of a close: its figure, how to mend it, and whether it can be signed for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from chargeback.checks import FAILED, Check
from chargeback.layers import is_charged
from chargeback.ledger import Result
from chargeback.restatements import Restatement
from chargeback.statement import Statement, gpu_hours
from gpuledger.calendars import month_bounds
from gpuledger.instants import format_utc
from gpuledger.money import format_minor, half_up

__all__ = ["Obstacle", "Signable", "broken", "obstacles"]


class Signable(StrEnum):
    """What a person may sign for."""

    unpriced = "unpriced"
    contested = "contested"
    orphaned = "orphaned"
    not_yet_known = "not-yet-known"
    provisional = "provisional"
    reconciliation = "reconciliation"


@dataclass(frozen=True)
class Obstacle:
    """One thing in the way: `says` has its figure; `signable` is None where nobody can sign for it."""

    says: str
    mend: str
    signable: Signable | None = None


def obstacles(
    result: Result, made: Statement, booked: Sequence[Restatement], now_s: int, latest_seq: int
) -> list[Obstacle]:
    """What stands in the way of closing the books in force, besides what `verify` finds.

    `booked` is what it collects, `now_s` the clock, `latest_seq` that of the latest facts.
    """
    return [
        *_stale(result, latest_seq),
        *_stale_restatements(booked, latest_seq),
        *_unsettled(made),
        *_unsure(result, made),
        *_not_yet_known(result, made, now_s),
    ]


def broken(checks: Sequence[Check]) -> list[Obstacle]:
    """The checks that failed, as obstacles."""
    return [
        Obstacle(
            f"check {check.name} failed ({check.says}): {check.figures}",
            "`gpuledger verify` says what is wrong",
        )
        for check in checks
        if check.status == FAILED
    ]


def _stale(result: Result, latest_seq: int) -> Iterator[Obstacle]:
    if result.seq < latest_seq:
        yield Obstacle(
            f"the books are of seq {result.seq}, and facts of seq {latest_seq} are not in them",
            f"run `gpuledger run --month {result.period}`",
        )


def _stale_restatements(booked: Sequence[Restatement], latest_seq: int) -> Iterator[Obstacle]:
    for one in booked:
        if one.seq < latest_seq:
            yield Obstacle(
                f"the restatement of {one.service_period} is of seq {one.seq}, and facts of seq {latest_seq} "
                "are not in it",
                f"run `gpuledger restate --month {one.service_period}`",
            )


def _unsettled(made: Statement) -> Iterator[Obstacle]:
    figures = made.figures
    if figures.unpriced:
        hours = gpu_hours(figures.unpriced)
        yield Obstacle(f"{hours} GPU-hours have no price", "bring their prices in", Signable.unpriced)
    if figures.contested:
        hours = gpu_hours(figures.contested)
        yield Obstacle(f"{hours} GPU-hours are claimed twice", "correct the holdings", Signable.contested)
    if figures.orphaned:
        hours = gpu_hours(figures.orphaned)
        yield Obstacle(
            f"{hours} GPU-hours are claimed where no slot was",
            "complete the inventory, or correct the holdings",
            Signable.orphaned,
        )


def _unsure(result: Result, made: Statement) -> Iterator[Obstacle]:
    """Money whose price may still change, and what bills charge that nothing explains."""
    prices = sorted({price["lot"] for price in result.summary["prices"] if price.get("status")})
    if prices:
        says = f"{len(prices)} prices are provisional, first {prices[0]}"
        yield Obstacle(says, "bring the final ones in", Signable.provisional)
    left = [row.amount for row in result.entries if row.account == "reconciliation" and is_charged(row)]
    if any(left):
        amount = format_minor(half_up(Fraction(sum(left), made.currency.quanta_per_minor)), made.currency)
        yield Obstacle(
            f"{amount} {made.currency.code} of bills stand in reconciliation",
            f"`gpuledger bills --month {made.period}` names them: say in bills.yaml what they are for, "
            "correct the prices, or ask the provider",
            Signable.reconciliation,
        )


def _not_yet_known(result: Result, made: Statement, now_s: int) -> Iterator[Obstacle]:
    end_s = month_bounds(made.book.zone, made.period)[1]
    end = format_utc(end_s)
    if now_s < end_s:
        mend = "wait for its end"
        yield Obstacle(
            f"the period ends at {end}, and it is {format_utc(now_s)}", mend, Signable.not_yet_known
        )
    reached: dict[str, int] = {}
    for source, through_s in result.summary["data_through"].items():
        cluster = source.partition("/")[0]
        reached[cluster] = min(through_s, reached.get(cluster, through_s))
    mend = f"bring in what is known to {end} or later, and say so with --through"
    for cluster in sorted({row.cluster for row in result.times} | reached.keys()):
        if cluster not in reached:
            says = f"nothing says how far cluster {cluster} is complete"
            yield Obstacle(says, mend, Signable.not_yet_known)
        elif reached[cluster] < end_s:
            says = f"cluster {cluster} is complete to {format_utc(reached[cluster])} only, not to {end}"
            yield Obstacle(says, mend, Signable.not_yet_known)
