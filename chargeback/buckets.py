"""What lands on slots, gathered into buckets in which a device-second costs the same, lot by lot."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from chargeback.kept_time import Cell, Stretch
from chargeback.landing import Priced
from chargeback.money_parts import TICKS
from gpuledger.money import half_up, running_split

__all__ = ["Bucket", "Buckets", "buckets_of"]

_Lots = dict[str, int]


@dataclass(frozen=True)
class Bucket:
    """A pool's slots at one cost, with what each lot brings to them in quanta; '' is the pool's own money.

    `piece_s` is the piece that all of it is of, 0 where there may be several.
    """

    model: str
    region: str
    piece_s: int
    amounts: _Lots = field(default_factory=lambda: defaultdict(int))


@dataclass(frozen=True)
class Buckets:
    """The buckets of a period, numbered from 1, and the number of each cell's."""

    buckets: Mapping[int, Bucket]
    numbers: Mapping[Cell, int]


def buckets_of(stretches: Sequence[Stretch], priced: Priced, by_piece: bool) -> Buckets:
    """Gather what was priced; `by_piece` keeps the pieces apart, whatever they cost.

    Costs are compared by the quanta of each lot for an hour of a device, rounded: cells that are one
    bucket differ by less than a quantum for each of their hours.
    """
    ticks: dict[Cell, int] = defaultdict(int)
    for cell, from_s, to_s, slot_count in stretches:
        ticks[cell] += (to_s - from_s) * slot_count * cell.slot_ticks
    buckets: dict[tuple[object, ...], tuple[int, Bucket]] = {}
    numbers: dict[Cell, int] = {}
    for cells, amounts in _landed(ticks, stretches, priced):
        first, whole = cells[0], sum(ticks[cell] for cell in cells)
        piece_s = first.piece_s if by_piece else 0
        costs = tuple(
            (lot, half_up(Fraction(amount * 3600 * TICKS, whole))) for lot, amount in sorted(amounts.items())
        )
        key = (first.model, first.region, piece_s, costs)
        number, bucket = buckets.setdefault(
            key, (len(buckets) + 1, Bucket(first.model, first.region, piece_s))
        )
        for lot, amount in amounts.items():
            bucket.amounts[lot] += amount
        numbers.update(dict.fromkeys(cells, number))
    return Buckets(dict(buckets.values()), numbers)


def _landed(
    ticks: Mapping[Cell, int], stretches: Sequence[Stretch], priced: Priced
) -> Iterator[tuple[list[Cell], _Lots]]:
    """Cells that cost the same, with what lots bring to them: of a pool's piece, or each by itself."""
    pools: dict[tuple[str, str, int, int], list[Cell]] = defaultdict(list)
    for cell in ticks:
        if cell.price_no and priced.shares:
            pools[cell.model, cell.region, cell.piece_s, cell.slot_ticks].append(cell)
        elif not cell.price_no:
            yield [cell], {}
    for share in priced.shares:
        yield pools[share.model, share.region, share.piece_s, share.slot_ticks], {"": share.amount}
    if not priced.shares:
        onto = _onto_slots(ticks, stretches, priced)
        yield from (([cell], onto.get(cell, {})) for cell in ticks if cell.price_no)


def _onto_slots(ticks: Mapping[Cell, int], stretches: Sequence[Stretch], priced: Priced) -> dict[Cell, _Lots]:
    """What each meter and lot brings to a cell, where no pool is charged."""
    names = {charge.charge_no: charge.lot for charge in priced.charges}
    found: dict[Cell, _Lots] = defaultdict(lambda: defaultdict(int))
    meters: dict[tuple[int, int, int, int, int], dict[str, int]] = defaultdict(dict)
    for row in priced.amounts:
        key = (row.price_no, row.slot_ticks, row.node_slots, row.from_s, row.to_s)
        meters[key][names[row.charge_no]] = row.amount
    for cell, from_s, to_s, slot_count in stretches:
        each = meters.get((cell.price_no, cell.slot_ticks, cell.node_slots, from_s, to_s), {})
        for lot, amount in each.items():
            found[cell][lot] += amount * slot_count
    alike: dict[tuple[str, str, int, int, int], dict[Cell, int]] = defaultdict(dict)
    for cell, weight in ticks.items():
        place = (cell.model, cell.region, cell.price_no, cell.piece_s, cell.slot_ticks)
        alike[place][cell] = weight
    for part in priced.lot_shares:
        place = (part.model, part.region, part.price_no, part.piece_s, part.slot_ticks)
        for cell, amount in running_split(part.amount, alike[place]).items():
            found[cell][names[part.charge_no]] += amount
    return found
