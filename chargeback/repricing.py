"""Re-pricing: a month under other terms of money, from the time rows of the books in force.

Whose time it is stays, so nothing is measured again: slots are counted by what would pay for them, the price
pass runs over these as over any, and what lands on slots goes to owners by their time, at each rate once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from chargeback.buckets import Bucket, buckets_of
from chargeback.cents import UNOWNED
from chargeback.desk import Desk
from chargeback.direct import direct_days, direct_pieces
from chargeback.distribute import distributed_days
from chargeback.kept_time import OwnerTime, Stretch, counted, held, lay_tariffs, pool_parts
from chargeback.ledger import Result
from chargeback.partitions import run_folders
from chargeback.period_terms import come_to_the_same
from chargeback.policies import MONEY_POLICIES
from chargeback.post import has_file
from chargeback.runs import price_period
from chargeback.units import EntryDay, OwnerPiece, Terms, TimeDay
from chargeback.workbench import Workbench
from gpuledger.calendars import Piece, calendar_pieces, utc_day
from gpuledger.money import running_split

__all__ = ["reprice"]


def reprice(desk: Desk, stood: Result, before: Terms, after: Terms) -> Result | None:
    """What a month comes to by other terms of money; None where they need it to be measured anew.

    `stood` is a run of the month by the terms `before`. Its totals are those of a run by the terms `after`;
    an owner's amount is within a quantum for each split that such a run makes. Days are summed to the month,
    what is billed is left out, and nothing is written.
    """
    if not _differ_in_money_alone(before, after):
        return None
    folders = run_folders(desk, stood)
    files = [folder / "time_row.parquet" for folder in folders if has_file(folder, "time_row")]
    with Workbench(desk.limits) as bench:
        if not files or not lay_tariffs(bench, files, after):
            return None
        stretches = counted(bench)
        priced = price_period(after, pool_parts(after, stretches))
        gathered = buckets_of(stretches, priced, by_piece=after.distribution is not None)
        times = held(bench, gathered.numbers)
    shares = list(_shares(gathered.buckets, times))
    entries = [*_entries(after, shares), *direct_days(after, priced)]
    if after.distribution:
        pieces = [*_pieces(after, stretches, gathered.buckets, times, shares), *direct_pieces(after, priced)]
        entries += distributed_days(pieces, after.distribution)
    return replace(
        stood,
        entries=entries,
        times=list(_times(after, times)),
        exact=priced.exact,
        cents=priced.cents,
        pools=priced.pools,
        summary={**stood.summary, "uncovered_ticks": priced.uncovered},
    )


def _differ_in_money_alone(before: Terms, after: Terms) -> bool:
    """Whether time is whose it was; a price that is for more than GPUs needs what else nodes have."""
    if before.is_weighed or after.is_weighed:
        return False
    kept = {name: value for name, value in before.policies.items() if name not in MONEY_POLICIES}
    money = {name: value for name, value in after.policies.items() if name in MONEY_POLICIES}
    same = replace(
        after,
        tariffs=before.tariffs,
        lots=before.lots,
        commitments=before.commitments,
        fx=before.fx,
        distribution=before.distribution,
        policies=before.policies if after.policies == kept | money else {},
    )
    return come_to_the_same(before, same)


def _calendar(terms: Terms) -> Sequence[Piece]:
    return calendar_pieces(terms.zone, terms.start_s, terms.end_s)


@dataclass(frozen=True)
class _Share:
    """What an owner has of what a lot brings to a bucket, in quanta."""

    bucket: Bucket
    time: OwnerTime
    lot: str
    amount: int


def _shares(buckets: Mapping[int, Bucket], times: Iterable[OwnerTime]) -> Iterator[_Share]:
    """The money of each bucket by whose time it is, lot by lot."""
    for number, some in groupby(times, lambda time: time.bucket):
        bucket, weights = buckets[number], {time: time.ticks for time in some}
        for lot, amount in sorted(bucket.amounts.items()):
            for time, part in running_split(amount, weights).items():
                yield _Share(bucket, time, lot, part)


def _entries(terms: Terms, shares: Iterable[_Share]) -> Iterator[EntryDay]:
    first = _calendar(terms)[0].day
    for one in shares:
        time = one.time
        yield EntryDay(
            day=first,
            layer=terms.charged,
            lot=one.lot,
            account=time.account,
            state=time.state,
            owner=time.owner,
            team=time.team,
            cost_centre=time.cost_centre,
            model=time.model,
            cluster=time.cluster,
            amount=one.amount,
        )


def _times(terms: Terms, times: Iterable[OwnerTime]) -> Iterator[TimeDay]:
    first = _calendar(terms)[0].day
    return (TimeDay(first, *time[1:]) for time in times)


_PieceKey = tuple[tuple[int, str, str], tuple[str, str, str, str], tuple[str, str, str]]
"""A window; lot, cluster, account and state of what no team owns; owner, team and cost centre."""


def _pieces(
    terms: Terms,
    stretches: Iterable[Stretch],
    buckets: Mapping[int, Bucket],
    times: Iterable[OwnerTime],
    shares: Iterable[_Share],
) -> Iterator[OwnerPiece]:
    """What distribution goes by, where each bucket is of one piece."""
    bounds: dict[tuple[int, str, str], tuple[int, int]] = {}
    for cell, from_s, to_s, _ in stretches:
        window = (cell.piece_s, cell.model, cell.region)
        begin, end = bounds.get(window, (from_s, to_s))
        bounds[window] = min(begin, from_s), max(end, to_s)
    amounts: dict[_PieceKey, int] = defaultdict(int)
    ticks: dict[_PieceKey, int] = defaultdict(int)
    for time in times:
        if time.owner != UNOWNED:
            ticks[_piece_key(buckets[time.bucket], time, "")] += time.ticks
    for one in shares:
        amounts[_piece_key(one.bucket, one.time, one.lot)] += one.amount
    days = {piece.start_s: piece.day for piece in _calendar(terms)}
    for key in sorted({*amounts, *ticks}):
        (piece_s, model, region), (lot, cluster, account, state), (owner, team, centre) = key
        from_s, to_s = bounds[piece_s, model, region]
        yield OwnerPiece(
            shard=0,
            piece_s=piece_s,
            from_s=from_s,
            to_s=to_s,
            utc_day=utc_day(piece_s),
            day=days[piece_s],
            lot=lot,
            model=model,
            region=region,
            cluster=cluster,
            account=account,
            state=state,
            owner=owner,
            team=team,
            cost_centre=centre,
            amount=amounts.get(key, 0),
            ticks=ticks.get(key, 0),
        )


def _piece_key(bucket: Bucket, time: OwnerTime, lot: str) -> _PieceKey:
    """What owners have is one, whatever it is of."""
    window = (bucket.piece_s, bucket.model, bucket.region)
    who = (time.owner, time.team, time.cost_centre)
    unowned = time.owner == UNOWNED
    return window, (lot, time.cluster, time.account, time.state) if unowned else ("", "", "", ""), who
