"""What each lot brings where, piece by piece: to its slots, after other lots, or to an account."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from fractions import Fraction
from functools import cached_property
from typing import Protocol

from chargeback.commitments.commitment import Commitment
from chargeback.landing import Landing, Place
from chargeback.layers import ACCRUED, TAX_RECOVERABLE
from chargeback.lots.balances import invoiced_parts, sources_of
from chargeback.lots.lot import Invoiced, Lot, truncated
from chargeback.money_parts import BilledPart, Where
from chargeback.tariffs import Tariff
from gpuledger.calendars import Piece, utc_day
from gpuledger.errors import BooksError
from gpuledger.money import Currency, running_split, split_phase

__all__ = ["Slots", "take_lots"]

RECONCILIATION, FX = ("reconciliation", ""), ("fx", "")


class _Terms(Protocol):
    @property
    def currency(self) -> Currency: ...
    @property
    def pieces(self) -> Sequence[Piece]: ...
    @property
    def lots(self) -> Sequence[Lot]: ...
    @property
    def throughs(self) -> Mapping[str, int]: ...
    @property
    def tolerance(self) -> Fraction | None: ...
    @property
    def commitments(self) -> Mapping[str, Commitment]: ...


@dataclass(frozen=True)
class Slots:
    """The slots of a period: slot-seconds by place, and what superseded meters make of them, in quanta."""

    seconds: Mapping[Where, int]
    estimates: Mapping[Where, Fraction]
    tariffs: Mapping[str, Tariff]

    @cached_property
    def of_lots(self) -> dict[str, dict[int, list[Where]]]:
        """The places that each lot pays for, by piece."""
        found: dict[str, dict[int, list[Where]]] = defaultdict(lambda: defaultdict(list))
        for where in sorted(self.seconds):
            for lot in self.tariffs[where.price_record].lots:
                found[lot][where.piece_s].append(where)
        return found


@dataclass(frozen=True)
class _PieceAmount:
    """What a lot recognises in a piece: whole quanta, and exact."""

    piece: Piece
    amount: int
    exact: Fraction


def take_lots(terms: _Terms, slots: Slots, landing: Landing) -> None:
    """Let every lot bring what it recognises in the period to where it belongs."""
    taking = _Taking(terms, slots, landing)
    waiting = []
    for lot in sorted(terms.lots, key=lambda lot: lot.name):
        taking.invoice(lot)
        if lot.target.account == TAX_RECOVERABLE or not lot.segments or lot.name in terms.commitments:
            continue
        if lot.target.lots:
            waiting.append(lot)
        elif lot.target.slots is None:
            taking.to_account(lot)
        else:
            taking.to_slots(lot)
    taking.follow(waiting)


class _Taking:
    def __init__(self, terms: _Terms, slots: Slots, landing: Landing) -> None:
        self._terms, self._slots, self._landing = terms, slots, landing
        self._starts = [piece.start_s for piece in terms.pieces]
        self._named = {lot.name: lot for lot in terms.lots}
        self._disputed = self._disputes()

    def amounts(self, lot: Lot) -> Iterator[_PieceAmount]:
        """What a lot recognises, piece by piece up to where it is known; pieces without any are left out."""
        until_s = min(lot.to_s, self._terms.throughs[lot.name])
        first = max(0, bisect_left(self._starts, lot.from_s + 1) - 1)
        for piece in self._terms.pieces[first:]:
            if piece.start_s >= until_s:
                break
            end_s = min(piece.end_s, until_s)
            amount = lot.recognised(piece.start_s, end_s)
            exact = lot.recognised_to(end_s) - lot.recognised_to(piece.start_s)
            if amount or exact:
                yield _PieceAmount(piece, amount, exact)

    def invoice(self, lot: Lot) -> None:
        """The billed side of a lot in the period, and what the rates of its days made of each invoice."""
        for number in sorted({max(0, bisect_left(self._starts, one.at_s + 1) - 1) for one in lot.invoices}):
            piece = self._terms.pieces[number]
            for part in invoiced_parts(lot, piece):
                recoverable = lot.target.account == TAX_RECOVERABLE
                self._bill(lot, piece, TAX_RECOVERABLE if recoverable else part.account, part.amount)
            apart = sum((one.fx for one in lot.invoices if _is_within(one, piece)), _NOTHING)
            if truncated(apart):
                self._bill(lot, piece, ACCRUED, truncated(apart))
                self._landing.not_fixed(lot.rounding_pool)
                self._landing.direct(lot, piece, FX, ACCRUED, truncated(apart), apart)

    def _bill(self, lot: Lot, piece: Piece, account: str, amount: int) -> None:
        part = BilledPart(lot.name, utc_day(piece.start_s), piece.day, piece.start_s, account, amount)
        self._landing.billed.append(part)

    def to_account(self, lot: Lot) -> None:
        """A lot that pays for nothing physical."""
        for one in self.amounts(lot):
            self._direct(lot, one, (lot.target.account, ""))

    def to_slots(self, lot: Lot) -> None:
        """A lot that pays for slots: by their time, or by what the meters make of it that it replaces."""
        places = self._slots.of_lots.get(lot.name, {})
        if lot.name in self._disputed:
            self._dispute(lot, places, self._disputed[lot.name])
            return
        weigh = self._weighing(lot, places)
        for one in self.amounts(lot):
            weights = {where: weigh(where) for where in places.get(one.piece.start_s, ())}
            if any(weights.values()):
                self._split(lot, one, weights)
            else:
                self._direct(lot, one, _absent(lot))

    def _weighing(self, lot: Lot, places: Mapping[int, Sequence[Where]]) -> _Weigh:
        """By what a lot is split: the estimates it takes the place of, where all of its slots have one."""
        slots = self._slots
        wheres = [where for some in places.values() for where in some]
        if lot.supersedes and all(truncated(slots.estimates.get(where, _NOTHING)) > 0 for where in wheres):
            return lambda where: truncated(slots.estimates[where])
        return lambda where: slots.seconds[where] * where.slot_ticks

    def _split(self, lot: Lot, one: _PieceAmount, weights: Mapping[Where, int]) -> None:
        whole = sum(weights.values())
        phase = split_phase(one.piece.start_s // 3600, 0, whole)
        for source, part in sources_of(lot, one.piece, one.amount) if one.amount else [(ACCRUED, 0)]:
            share = Fraction(part, one.amount) if one.amount else Fraction(1)
            for where, amount in running_split(part, weights, phase).items():
                exact = one.exact * share * weights[where] / whole
                self._landing.slots(lot, one.piece, where, source, amount, exact)

    def _direct(self, lot: Lot, one: _PieceAmount, account: tuple[str, str]) -> None:
        for source, part in sources_of(lot, one.piece, one.amount) if one.amount else [(ACCRUED, 0)]:
            share = Fraction(part, one.amount) if one.amount else Fraction(1)
            self._landing.direct(lot, one.piece, account, source, part, one.exact * share)

    def _disputes(self) -> dict[str, Fraction]:
        """The lots of bills that differ from the estimates they take the place of by more than may be, each
        with the estimate of its slots. Every bill's estimate and amount is kept, also where they agree."""
        rated = {
            lot.name: estimate
            for lot in self._terms.lots
            if lot.supersedes and (estimate := self._estimate(lot)) is not None
        }
        sums: dict[str, tuple[Fraction, Fraction]] = defaultdict(lambda: (_NOTHING, _NOTHING))
        for name, estimate in rated.items():
            lot = self._named[name]
            before, billed = sums[lot.rounding_pool]
            amount = sum((one.exact for one in self.amounts(lot)), _NOTHING)
            sums[lot.rounding_pool] = (before + estimate, billed + amount)
        self._landing.rated = dict(sorted(rated.items()))
        most = self._terms.tolerance
        if most is None:
            return {}
        apart = {
            pool for pool, (estimate, billed) in sums.items() if abs(billed - estimate) > most * estimate
        }
        return {
            name: estimate for name, estimate in rated.items() if self._named[name].rounding_pool in apart
        }

    def _estimate(self, lot: Lot) -> Fraction | None:
        """What meters make of a lot's slots in the period, where all of them have one; those of several lots
        go to each by its own amount."""
        wheres = [where for some in self._slots.of_lots.get(lot.name, {}).values() for where in some]
        if not wheres or any(where not in self._slots.estimates for where in wheres):
            return None
        named = self._named
        found = _NOTHING
        for where in wheres:
            rivals = [
                named[name].amount
                for name in self._slots.tariffs[where.price_record].lots
                if named[name].supersedes
            ]
            whole = sum(rivals, _NOTHING)
            part = lot.amount / whole if whole else Fraction(1, len(rivals))
            found += self._slots.estimates[where] * part
        return found

    def _dispute(self, lot: Lot, places: Mapping[int, Sequence[Where]], estimate: Fraction) -> None:
        """Charge what was estimated, and let the rest of the bill, which may be all of it, stand apart."""
        known = {piece.start_s: piece for piece in self._terms.pieces}
        billed = list(self.amounts(lot))
        weigh = self._weighing(lot, places)
        weights = {where: weigh(where) for some in places.values() for where in some}
        charged, whole = truncated(estimate), sum(weights.values())
        for where, amount in running_split(charged, weights).items():
            exact = estimate * weights[where] / whole
            self._landing.slots(lot, known[where.piece_s], where, ACCRUED, amount, exact)
        shares = {one.piece.start_s: abs(one.amount) for one in billed}
        if not any(shares.values()):
            shares = {start_s: sum(map(weigh, some)) for start_s, some in places.items()}
        rest = sum(one.amount for one in billed) - charged
        exact_rest, whole = sum((one.exact for one in billed), -estimate), sum(shares.values())
        for start_s, amount in running_split(rest, shares).items():
            exact = exact_rest * shares[start_s] / whole
            self._landing.direct(lot, known[start_s], RECONCILIATION, ACCRUED, amount, exact)

    def follow(self, lots: Sequence[Lot]) -> None:
        """Lots that follow others, each after all that it follows; BooksError where they go in a ring."""
        waiting = {lot.name: lot for lot in lots}
        while waiting:
            ready = [lot for lot in waiting.values() if not any(_follows(lot, name) for name in waiting)]
            if not ready:
                raise BooksError(
                    f"these lots follow one another in a ring: {', '.join(sorted(waiting))}",
                    mend="let one of them pay for something else than the others",
                )
            for lot in ready:
                self._follow(lot)
                del waiting[lot.name]

    def _reach(self, lot: Lot) -> None:
        """What a month's least amount is above all that counts towards it, in the time of that.

        It is known once the month is; where nothing counts towards it, it is spread as it is recognised.
        """
        if not self._terms.pieces or self._terms.throughs[lot.name] < self._terms.pieces[-1].end_s:
            return
        spent = _by_piece(self._basis(lot))
        least = {one.piece.start_s: one for one in self.amounts(lot)}
        exact = sum((one.exact for one in least.values()), Fraction(-sum(spent.values())))
        if exact <= 0:
            return
        self._landing.not_fixed(lot.rounding_pool)
        weights = {start_s: amount for start_s, amount in spent.items() if amount > 0}
        weights = weights or {start_s: one.amount for start_s, one in least.items()}
        known = {piece.start_s: piece for piece in self._terms.pieces}
        whole = sum(weights.values())
        for start_s, amount in running_split(truncated(exact), weights).items():
            share = exact * weights[start_s] / whole
            self._landing.direct(lot, known[start_s], (lot.target.account, ""), ACCRUED, amount, share)

    def _follow(self, lot: Lot) -> None:
        """Split what a lot recognises in the period by the money that it follows, wherever that landed."""
        if lot.kind == "minimum":
            self._reach(lot)
            return
        pieces = {one.piece.start_s: one for one in self.amounts(lot)}
        known = {piece.start_s: piece for piece in self._terms.pieces}
        basis = self._basis(lot)
        weights = {_sortable(key): abs(amount) for key, amount in basis.items() if amount}
        if not weights:
            self.to_account(lot)
            return
        keys = {_sortable(key): key for key in basis}
        amount = sum(one.amount for one in pieces.values())
        exact = sum((one.exact for one in pieces.values()), _NOTHING)
        whole = sum(weights.values())
        for key, part in running_split(amount, weights).items():
            start_s, place = keys[key]
            piece, share = known[start_s], exact * weights[key] / whole
            for source, some in sources_of(lot, piece, part) if part else [(ACCRUED, 0)]:
                fraction = Fraction(some, part) if part else Fraction(1)
                if isinstance(place, Where):
                    self._landing.slots(lot, piece, place, source, some, share * fraction)
                else:
                    self._landing.direct(lot, piece, place, source, some, share * fraction)

    def _basis(self, lot: Lot) -> dict[tuple[int, Place], int]:
        """The money that a lot follows, in its own time, by piece and where it landed."""
        known = {piece.start_s: piece for piece in self._terms.pieces}
        basis: dict[tuple[int, Place], int] = defaultdict(int)
        for name, moves in self._landing.moves.items():
            if _follows(lot, name):
                for (start_s, place), amount in moves.items():
                    in_its_time = start_s < lot.to_s and known[start_s].end_s > lot.from_s
                    if in_its_time and place != FX:
                        basis[start_s, place] += amount
        return basis


def _by_piece(basis: Mapping[tuple[int, Place], int]) -> dict[int, int]:
    found: dict[int, int] = defaultdict(int)
    for (start_s, _), amount in basis.items():
        found[start_s] += amount
    return found


class _Weigh(Protocol):
    def __call__(self, where: Where, /) -> int: ...


_NOTHING = Fraction(0)


def _is_within(one: Invoiced, piece: Piece) -> bool:
    return piece.start_s <= one.at_s < piece.end_s


def _absent(lot: Lot) -> tuple[str, str]:
    """Where a lot's money goes while none of its slots is there."""
    return lot.absent, "absent" if lot.absent == "overhead" else ""


def _follows(lot: Lot, name: str) -> bool:
    return name != lot.name and any(fnmatchcase(name, pattern) for pattern in lot.target.lots)


def _sortable(key: tuple[int, Place]) -> tuple[int, int, Place]:
    """A key in an order: slots go before accounts."""
    start_s, place = key
    return start_s, int(not isinstance(place, Where)), place
