"""The distribute pass: money of what nobody holds goes to teams, over a whole period, after it was posted.

A bucket is what a piece of a shard has in one account that no team owns. It goes to teams by the weights of
its account's policy, and inside a team to its owner keys by what they were charged. It keeps its account; its
entries stand in the partition that it was posted to. No total of a lot, a pool or an account changes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from chargeback.cents import UNOWNED
from chargeback.distribution import Distribution
from chargeback.distribution_weights import Base, Key, Window, weights_of
from chargeback.entry_rows import EntryRow
from chargeback.layers import DISTRIBUTED
from chargeback.money_parts import pool_name
from chargeback.owners import CONFLICT
from chargeback.policies import FALLBACK, distributing
from chargeback.post import DISTRIBUTED_ENTRY, partition_digest
from chargeback.units import NO_SHARD, EntryDay, OwnerPiece, Partition, Posted, Terms
from chargeback.workbench import Limits, Workbench
from gpuledger.money import running_split, split_phase

__all__ = ["Move", "distribute", "distributed_days", "moves_of"]


@dataclass(frozen=True)
class Move:
    """What an owner takes of a bucket, in quanta; `policy` names the rule that gave it."""

    bucket: OwnerPiece
    owner: str
    team: str
    cost_centre: str
    amount: int
    policy: str


def distribute(
    terms: Terms, posted: Sequence[Posted], books: Path, run_id: str, limits: Limits
) -> tuple[list[Partition], list[EntryDay]]:
    """Distribute a period that was posted, a UTC day at a time: write the entries beside the others.

    Gives all partitions, those that took entries anew, and the moves by day with both of their sides.
    """
    partitions = [partition for one in posted for partition in one.partitions]
    if terms.distribution is None:
        return partitions, []
    rows = sorted((row for one in posted for row in one.pieces), key=_window_of)
    places = {(one.day, one.shard): number for number, one in enumerate(partitions)}
    days: dict[EntryDay, int] = defaultdict(int)
    with Workbench(limits) as bench:
        for day, some in groupby(rows, lambda row: row.utc_day):
            moves = moves_of(some, terms.distribution)
            _add_days(days, moves)
            for shard, mine in groupby(sorted(moves, key=_shard_of), _shard_of):
                number = places[day, shard]
                folder = books / day / str(shard) / f"run={run_id}"
                partitions[number] = _written(bench, partitions[number], folder, list(mine), terms.period)
    return partitions, _as_entries(days)


def distributed_days(rows: Iterable[OwnerPiece], agreed: Distribution) -> list[EntryDay]:
    """The moves of some pieces by day, with both of their sides."""
    days: dict[EntryDay, int] = defaultdict(int)
    _add_days(days, moves_of(rows, agreed))
    return _as_entries(days)


def moves_of(rows: Iterable[OwnerPiece], agreed: Distribution) -> list[Move]:
    """The moves of some pieces, bucket by bucket in order.

    A bucket whose policy finds no weight goes by the fallback, and stays where that finds none either. What
    no device takes belongs to no pool: its base is that of all pools.
    """
    choices = dict(agreed.choices)
    moves: list[Move] = []
    ordered = sorted(rows, key=_window_of)
    whole: dict[int, list[OwnerPiece]] = defaultdict(list)
    for row in ordered:
        whole[row.piece_s].append(row)
    for (piece_s, model, region), some in groupby(ordered, _window_of):
        here = list(some)
        begin, end = min(row.from_s for row in here), max(row.to_s for row in here)
        anywhere = all(row.shard == NO_SHARD for row in here)
        window, base = (
            Window(model, region, begin, end, anywhere),
            _base(whole[piece_s] if anywhere else here),
        )
        weights: dict[str, dict[str, int]] = {}
        for bucket in sorted((row for row in here if _is_bucket(row, choices)), key=_place):
            for choice in dict.fromkeys((choices[bucket.account], agreed.fallback)):
                if choice not in weights:
                    weights[choice] = weights_of(choice, window, base, agreed)
                if weights[choice]:
                    policy = _said(bucket.account, choices[bucket.account], choice)
                    moves += _split(bucket, weights[choice], base, agreed, policy)
                    break
    return moves


def _shard_of(move: Move) -> int:
    return move.bucket.shard


def _window_of(row: OwnerPiece) -> tuple[int, str, str]:
    return row.piece_s, row.model, row.region


def _is_bucket(row: OwnerPiece, choices: Mapping[str, str]) -> bool:
    return row.owner == UNOWNED and row.account in choices and row.amount != 0


def _place(row: OwnerPiece) -> tuple[int, str, str, str, str]:
    return row.shard, row.cluster, row.lot, row.account, row.state


def _base(rows: Iterable[OwnerPiece]) -> Base:
    """What owners were charged and held; what no team owns, and what is contested, is no base."""
    base = Base()
    for row in rows:
        if row.owner not in (UNOWNED, CONFLICT):
            base.charged[row.team][row.owner, row.cost_centre] += row.amount
            base.held[row.team][row.owner, row.cost_centre] += row.ticks
    return base


def _said(account: str, choice: str, used: str) -> str:
    """The policies that an entry names: its account's, and the fallback where that was used."""
    said = f"{distributing(account)}={choice}"
    return said if used == choice else f"{said} {FALLBACK}={used}"


def _split(
    bucket: OwnerPiece, weights: Mapping[str, int], base: Base, agreed: Distribution, policy: str
) -> Iterator[Move]:
    """Split a bucket over teams, and what each takes over its owner keys, by running differences."""
    hour = bucket.piece_s // 3600
    for team, part in running_split(
        bucket.amount, weights, split_phase(hour, 0, sum(weights.values()))
    ).items():
        keys = base.keys_of(team) or _named(team, bucket.piece_s, agreed)
        for (owner, centre), amount in running_split(
            part, keys, split_phase(hour, 0, sum(keys.values()))
        ).items():
            if amount:
                yield Move(bucket, owner, team, centre, amount, policy)


def _named(team: str, at_s: int, agreed: Distribution) -> dict[Key, int]:
    """Under what a team stands that has no owner key in the window: its own name."""
    return {(team, agreed.cost_centre_of(team, at_s)): 1}


def _written(
    bench: Workbench, partition: Partition, folder: Path, moves: Sequence[Move], period: str
) -> Partition:
    """Write the moves of a partition, and give the partition with them."""
    bench.stage_rows(DISTRIBUTED_ENTRY, EntryRow, [_entry(move, period) for move in moves])
    rows = bench.write(f"select * from {DISTRIBUTED_ENTRY}", folder / f"{DISTRIBUTED_ENTRY}.parquet")
    return replace(
        partition,
        rows=partition.rows + rows,
        sum_amount=partition.sum_amount + sum(move.amount for move in moves),
        digest=partition_digest(folder),
    )


def _entry(move: Move, period: str) -> EntryRow:
    bucket = move.bucket
    return EntryRow(
        layer=DISTRIBUTED,
        lot=bucket.lot,
        pool=pool_name(bucket.model, bucket.region),
        utc_day=bucket.utc_day,
        day=bucket.day,
        piece_s=bucket.piece_s,
        from_s=bucket.piece_s,
        cluster=bucket.cluster,
        model=bucket.model,
        slot="",
        lane="",
        run="",
        phase="",
        from_account=bucket.account,
        from_owner=UNOWNED,
        to_account=bucket.account,
        to_owner=move.owner,
        team=move.team,
        cost_centre=move.cost_centre,
        state=bucket.state,
        amount=move.amount,
        policy=move.policy,
        cause="",
        service_period=period,
        booking_period=period,
    )


def _add_days(days: dict[EntryDay, int], moves: Iterable[Move]) -> None:
    """Add the moves by day: what each owner takes, and what leaves the account."""
    for move in moves:
        days[_day(move.bucket, move.owner, move.team, move.cost_centre)] += move.amount
        days[_day(move.bucket, UNOWNED, UNOWNED, "")] -= move.amount


def _as_entries(days: Mapping[EntryDay, int]) -> list[EntryDay]:
    return [replace(side, amount=amount) for side, amount in days.items() if amount]


def _day(bucket: OwnerPiece, owner: str, team: str, cost_centre: str) -> EntryDay:
    return EntryDay(
        day=bucket.day,
        layer=DISTRIBUTED,
        lot=bucket.lot,
        account=bucket.account,
        state=bucket.state,
        owner=owner,
        team=team,
        cost_centre=cost_centre,
        model=bucket.model,
        cluster=bucket.cluster,
        amount=0,
    )
