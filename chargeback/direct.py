"""Money that no device takes, and what was invoiced: entries of a partition beside those of the shards."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from chargeback.cents import UNOWNED
from chargeback.entry_rows import EntryRow
from chargeback.landing import Priced
from chargeback.layers import BILLED, PAYABLE, RECOGNISED
from chargeback.money_parts import BilledPart, DirectPart
from chargeback.policies import policy_text
from chargeback.post import partition_digest
from chargeback.units import NO_SHARD, EntryDay, OwnerPiece, Partition, Posted, Terms
from chargeback.workbench import Limits, Workbench
from gpuledger.calendars import calendar_pieces

__all__ = ["direct_days", "direct_pieces", "post_direct"]


def post_direct(terms: Terms, priced: Priced, books: Path, run_id: str, limits: Limits) -> Posted:
    """Post what no device takes and what was invoiced: one file by UTC day, and what the database keeps."""
    rows = sorted(_rows(terms, priced), key=lambda row: (row.utc_day, row.piece_s, row.lot, row.to_account))
    partitions = []
    with Workbench(limits) as bench:
        for day, some in groupby(rows, lambda row: row.utc_day):
            kept = list(some)
            folder = books / day / str(NO_SHARD) / f"run={run_id}"
            bench.stage_rows("direct_entry", EntryRow, kept)
            bench.write("select * from direct_entry", folder / "entry.parquet")
            total = sum(row.amount for row in kept)
            partitions.append(Partition(day, NO_SHARD, len(kept), total, partition_digest(folder)))
    pieces = tuple(direct_pieces(terms, priced)) if terms.distribution else ()
    return Posted(tuple(partitions), tuple(_days(rows)), pieces)


def direct_days(terms: Terms, priced: Priced) -> Iterator[EntryDay]:
    """What the database keeps of it, by day."""
    return _days(_rows(terms, priced))


def _rows(terms: Terms, priced: Priced) -> Iterator[EntryRow]:
    policy = policy_text(terms.policies)
    for part in priced.billed:
        yield _row(terms, part, policy, layer=BILLED, from_account=PAYABLE, owner="")
    for direct in priced.direct:
        yield _row(
            terms,
            direct,
            policy,
            layer=RECOGNISED,
            from_account=direct.from_account,
            owner=UNOWNED,
            state=direct.state,
        )


def _row(
    terms: Terms,
    part: BilledPart | DirectPart,
    policy: str,
    *,
    layer: str,
    from_account: str,
    owner: str,
    state: str = "",
) -> EntryRow:
    return EntryRow(
        layer=layer,
        lot=part.lot,
        pool="",
        utc_day=part.utc_day,
        day=part.day,
        piece_s=part.piece_s,
        from_s=part.piece_s,
        cluster="",
        model="",
        slot="",
        lane="",
        run="",
        phase="",
        from_account=from_account,
        from_owner="",
        to_account=part.account,
        to_owner=owner,
        team=owner,
        cost_centre="",
        state=state,
        amount=part.amount,
        policy=policy,
        cause="",
        service_period=terms.period,
        booking_period=terms.period,
    )


def _days(rows: Iterable[EntryRow]) -> Iterator[EntryDay]:
    sums: dict[tuple[str, ...], int] = defaultdict(int)
    for row in rows:
        sums[row.day, row.layer, row.lot, row.to_account, row.state, row.to_owner] += row.amount
    for (day, layer, lot, account, state, owner), amount in sorted(sums.items()):
        yield EntryDay(day, layer, lot, account, state, owner, owner, "", "", "", amount)


def direct_pieces(terms: Terms, priced: Priced) -> Iterator[OwnerPiece]:
    """What distribution may move of it."""
    ends = {piece.start_s: piece.end_s for piece in calendar_pieces(terms.zone, terms.start_s, terms.end_s)}
    sums: dict[tuple[int, str, str, str, str, str], int] = defaultdict(int)
    for part in priced.direct:
        sums[part.piece_s, part.utc_day, part.day, part.lot, part.account, part.state] += part.amount
    for (piece_s, utc_day, day, lot, account, state), amount in sorted(sums.items()):
        if amount:
            yield OwnerPiece(
                shard=NO_SHARD,
                piece_s=piece_s,
                from_s=piece_s,
                to_s=ends[piece_s],
                utc_day=utc_day,
                day=day,
                lot=lot,
                model="",
                region="",
                cluster="",
                account=account,
                state=state,
                owner=UNOWNED,
                team=UNOWNED,
                cost_centre="",
                amount=amount,
                ticks=0,
            )
