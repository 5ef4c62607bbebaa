"""The units of work: a shard over some UTC days of a period, and what each pass hands to the next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from chargeback.commitments.commitment import Commitment
from chargeback.distribution import Distribution
from chargeback.fx import FxRates
from chargeback.lots.lot import Lot
from chargeback.node_cost import NO_RESOURCES
from chargeback.owners import OwnerSpan, Who
from chargeback.tariffs import Tariffs
from chargeback.workbench import Limits, SourceFile

__all__ = [
    "NO_SHARD",
    "EntryDay",
    "Measured",
    "OwnerPiece",
    "Partition",
    "PoolPart",
    "PoolShare",
    "Posted",
    "Terms",
    "TimeDay",
    "Unit",
    "days_of",
    "units_of",
]

NO_SHARD = -1
"""The shard of what no device takes."""

_PIECES_AT_ONCE = 1_500_000


@dataclass(frozen=True)
class Terms:
    """Everything that a period's books are made of besides the lake's rows; the same for all of its units.

    `currency` is that of the book. `throughs` gives, by cluster, the instant in UTC seconds up to which all
    of its sources are complete; `sources` the same by `cluster/source`. `most_units` bounds the units that
    one run holds without a node; `whos` are numbered from 1 in `owners`; the money of `commitments` is
    among the `lots`. `seq` is what is known of the lake,
    `distribution` None where nothing is distributed.
    """

    period: str
    zone: str
    charged: str
    currency: str
    seq: int
    start_s: int
    end_s: int
    policies: dict[str, str]
    whos: tuple[Who, ...]
    owners: tuple[OwnerSpan, ...]
    tariffs: Tariffs
    lots: tuple[Lot, ...]
    commitments: tuple[Commitment, ...]
    fx: FxRates
    throughs: dict[str, int]
    sources: dict[str, int]
    most_units: int
    distribution: Distribution | None

    @cached_property
    def tariff_numbers(self) -> dict[str, int]:
        """The number by which the models join each tariff's record; 0 is no tariff."""
        return {record: number for number, record in enumerate(sorted(self.tariffs.records), 1)}

    @property
    def is_weighed(self) -> bool:
        """Whether anything of a node's price is for what the node has besides GPUs."""
        return any(tariff.resources != NO_RESOURCES for tariff in self.tariffs.records.values())

    @property
    def lot_throughs(self) -> dict[str, int]:
        """Up to which instant each lot is recognised: as far as the clusters are known that it pays for.

        Slots that are only assumed are of any cluster.
        """
        least = min([self.end_s, *self.throughs.values()])
        known = {
            lot: min(
                [self.end_s, *(self.throughs.get(one, self.end_s) if one else least for one in clusters)]
            )
            for lot, clusters in self.tariffs.clusters.items()
        }
        return {lot.name: known.get(lot.name, least) for lot in self.lots}


@dataclass(frozen=True)
class Unit:
    """A shard over consecutive UTC days, [start, end) cut to the period; `folder` is the run's scratch."""

    shard: int
    start_s: int
    end_s: int
    files: tuple[SourceFile, ...]
    books: Path
    scratch: Path
    run_id: str
    limits: Limits

    @property
    def key(self) -> str:
        return f"{self.shard}-{self.start_s}"

    def partition(self, day: str) -> Path:
        return self.books / day / str(self.shard) / f"run={self.run_id}"


@dataclass(frozen=True)
class PoolPart:
    """Slots of one size, on nodes with as many, at one tariff over one money piece length in a shard."""

    shard: int
    model: str
    region: str
    piece_s: int
    utc_day: str
    day: str
    price_record: str
    slot_ticks: int
    node_slots: int
    from_s: int
    to_s: int
    slot_count: int


@dataclass(frozen=True)
class PoolShare:
    """What the slots of one size in one shard carry of a pool's money in a piece: `amount` in quanta."""

    share_no: int
    shard: int
    pool: str
    model: str
    region: str
    piece_s: int
    slot_ticks: int
    slot_seconds: int
    amount: int


@dataclass(frozen=True)
class TimeDay:
    """A day's GPU time by account, owner, model and cluster, in ticks of 1/720720 s."""

    day: str
    account: str
    state: str
    owner: str
    team: str
    cost_centre: str
    model: str
    cluster: str
    is_assumed: int
    ticks: int
    unpriced_ticks: int
    observed_ticks: int


@dataclass(frozen=True)
class EntryDay:
    """A day's entries by layer, lot, account, owner, model and cluster: `amount` in quanta."""

    day: str
    layer: str
    lot: str
    account: str
    state: str
    owner: str
    team: str
    cost_centre: str
    model: str
    cluster: str
    amount: int


@dataclass(frozen=True)
class OwnerPiece:
    """What distribution goes by in one piece of a pool and shard: money in quanta, held time in ticks.

    Of owner `__account__` by lot, cluster, account and state; of owners with all of these empty. The pool
    has time over [from, to) of the piece.
    """

    shard: int
    piece_s: int
    from_s: int
    to_s: int
    utc_day: str
    day: str
    lot: str
    model: str
    region: str
    cluster: str
    account: str
    state: str
    owner: str
    team: str
    cost_centre: str
    amount: int
    ticks: int


@dataclass(frozen=True)
class Partition:
    """One day and shard as written: rows of entries, their sum, and the digest of its files."""

    day: str
    shard: int
    rows: int
    sum_amount: int
    digest: str


@dataclass(frozen=True)
class Measured:
    """What measuring a unit found: parts of pools, time by day, and what has no place, by cluster."""

    parts: tuple[PoolPart, ...]
    times: tuple[TimeDay, ...]
    orphaned: dict[str, int]
    unplaced_joules: dict[str, int]


@dataclass(frozen=True)
class Posted:
    """What posting a unit wrote; `pieces` is what distribution goes by, nothing where it is not asked for."""

    partitions: tuple[Partition, ...]
    entries: tuple[EntryDay, ...]
    pieces: tuple[OwnerPiece, ...] = ()


def days_of(start_s: int, end_s: int) -> list[tuple[int, int]]:
    """The UTC days that touch [start, end), each cut to it."""
    bounds = [start_s, *range(start_s // 86400 * 86400 + 86400, end_s, 86400), end_s]
    return list(pairwise(bounds))


def units_of(shards: Sequence[tuple[int, int]], start_s: int, end_s: int) -> Iterator[tuple[int, int, int]]:
    """Cut a period into (shard, start, end), each of so many UTC days that memory holds its money pieces.

    `shards` gives each shard with the most lanes it can have. How days are bundled changes no figure.
    """
    days = days_of(start_s, end_s)
    for shard, lanes in shards:
        at_once = max(1, _PIECES_AT_ONCE // (24 * max(lanes, 1)))
        for first in range(0, len(days), at_once):
            bundle = days[first : first + at_once]
            yield shard, bundle[0][0], bundle[-1][1]
