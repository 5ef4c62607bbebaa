"""What no single value of `lots.yaml` shows to be wrong: contradictions in an entry, and between entries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from difflib import get_close_matches
from fnmatch import fnmatchcase
from itertools import pairwise

from chargeback.lots.details import Details, Invoice
from chargeback.terms.entries import Faults
from chargeback.terms.lot_entries import ACCOUNTS, EnergyEntry, LotEntry, PayingEntry
from gpuledger.errors import InputError, OverlapError, Place
from gpuledger.versions import LotFact
from gpuledger.yaml_files import Document, Loc

__all__ = ["Read", "note_wrong_names", "refuse_contradictions", "refuse_wrong_invoices"]

_Wrong = tuple[str, str, str]
"""The key that is wrong, '' for the entry; the message and the mend."""


@dataclass(frozen=True)
class Read:
    """A fact, its details and where its entry stands."""

    fact: LotFact
    details: Details
    loc: Loc

    @property
    def attributes(self) -> tuple[object, ...]:
        """What must not change while a name goes on: all but amount, time, invoices and the day of a rate."""
        details = replace(self.details, invoices=(), each_month="", converted_on="")
        return self.fact.kind, self.fact.currency, details


def refuse_contradictions(document: Document, loc: Loc, entry: PayingEntry) -> None:
    """Raise `InputError` for the first thing in an entry that contradicts another one."""
    for key, message, mend in _contradictions(entry):
        raise document.wrong(f"{entry.name}: {message}", (*loc, key) if key else loc, mend=mend)


def _contradictions(entry: PayingEntry) -> Iterator[_Wrong]:
    if "#" in entry.name:
        yield "", "# is not for names", "write another sign: what belongs to an asset is named asset#what"
    yield from _targets(entry)
    if isinstance(entry, LotEntry):
        yield from _lot(entry)
    if isinstance(entry, EnergyEntry):
        given = [one for one in (entry.it_kw, entry.metered, entry.metered_file) if one is not None]
        if len(given) != 1:
            mend = "say the load in kW, or what was metered"
            yield "", "it needs one of it_kw, metered and metered_file", mend
    if entry.is_usage and entry.converted_on:
        message = f"{entry.lot_kind} is converted at the rate of each day"
        yield "converted_on", message, "leave converted_on out"
    if entry.covers and not (entry.pays_for and entry.lot_kind in ("purchase", "fee", "depreciation")):
        yield (
            "covers",
            "only a purchase, a fee or an asset that pays_for slots can be their price",
            "leave covers out, and the price of the slots stays in force beside it",
        )


def _targets(entry: PayingEntry) -> Iterator[_Wrong]:
    recoverable = isinstance(entry, LotEntry) and entry.recoverable
    given = [key for key in ("pays_for", "follows", "account") if getattr(entry, key) is not None]
    given += ["recoverable"] if recoverable else []
    if len(given) != 1:
        yield (
            given[1] if given else "",
            f"{' and '.join(given)} are given" if given else "nothing says what it pays for",
            f"write one of pays_for (slots), follows (other lots), account ({', '.join(ACCOUNTS)}); "
            "tax that comes back is recoverable: true",
        )
    if recoverable and isinstance(entry, LotEntry) and entry.kind != "tax":
        yield "recoverable", f"a {entry.kind} is not recoverable", "leave it out, or make its kind tax"
    if entry.pays_for is not None and not entry.pays_for.model_dump(exclude_none=True):
        yield "pays_for", "pays_for names nothing", "name what it pays for, such as node: [rack1-*]"


def _lot(entry: LotEntry) -> Iterator[_Wrong]:
    amount, is_monthly = Decimal(entry.amount), entry.kind in ("fee", "minimum")
    if is_monthly and entry.every is None:
        yield "", f"a {entry.kind} needs every", "write every: month; the amount is then that of each month"
    if entry.kind == "minimum" and entry.follows is None:
        mend = "write follows: what counts towards it, such as meter:model:H100:*"
        yield "", "a minimum needs follows", mend
    if entry.kind == "minimum" and entry.invoiced:
        yield "invoiced", "what a minimum comes to is known when its month is over", "leave invoiced out"
    if not is_monthly and entry.every is not None:
        yield "every", f"a {entry.kind} comes once", "leave every out, or make its kind fee"
    if not is_monthly and not entry.ends:
        yield "", "to is missing", "write to: the first instant that its amount is not for any more"
    if entry.kind in ("purchase", "fee", "minimum") and amount < 0:
        yield "amount", f"a {entry.kind} of {entry.amount} is below 0", "make its kind credit or true_up"
    if entry.kind == "credit" and amount > 0:
        yield "amount", f"a credit of {entry.amount} is above 0", f"write it with a minus: -{entry.amount}"


def refuse_wrong_invoices(
    document: Document, loc: Loc, entry: PayingEntry, invoices: Sequence[Invoice]
) -> None:
    """Raise `InputError` where invoices come to more than the lot, or one of several has no amount."""
    for message, mend in _wrong_invoices(entry, invoices):
        raise document.wrong(f"{entry.name}: {message}", (*loc, "invoiced"), mend=mend)


def _wrong_invoices(entry: PayingEntry, invoices: Sequence[Invoice]) -> Iterator[tuple[str, str]]:
    each_month = {one.on for one in entry.invoiced} & {"in_advance", "in_arrears"}
    if each_month and not (entry.lot_kind == "fee" and len(entry.invoiced) == 1):
        yield f"{each_month.pop()} is for a fee, alone", "list its invoices: {on: 2026-10-31, amount: 1200}"
    if each_month:
        return
    if any(one.amount is None for one in entry.invoiced) and (entry.is_usage or len(entry.invoiced) > 1):
        yield "an invoice has no amount", "write {on: 2026-10-31, amount: 1200, number: INV-7} for each"
    if not entry.is_usage and invoices:
        total = sum((Decimal(one.amount) for one in invoices), Decimal(0))
        whole = Decimal(entry.whole_amount)
        if abs(total) > abs(whole) or total * whole < 0:
            yield (
                f"its invoices come to {total:f}, and it to {whole:f}",
                "correct one of them, or write a true_up for the difference",
            )


def note_wrong_names(document: Document, found: Sequence[Read], faults: Faults) -> None:
    """Note names that come twice for one time or for different things, and what follows nothing or itself."""
    by_name: dict[str, list[Read]] = defaultdict(list)
    for one in found:
        by_name[one.fact.lot].append(one)
    for parts in by_name.values():
        _note_rivals(document, sorted(parts, key=lambda one: one.fact.start_s), faults)
    follows = {f"lot:{name}": parts[0] for name, parts in by_name.items()}
    for one in found:
        with faults.noted():
            _refuse_no_match(document, one, follows)
    for name in follows:
        with faults.noted():
            _refuse_circle(document, name, follows)


def _note_rivals(document: Document, parts: Sequence[Read], faults: Faults) -> None:
    for one, other in pairwise(parts):
        first, second = sorted(document.line(part.loc) or 0 for part in (one, other))
        place = Place(document.file, line=second)
        if one.fact.end_s is None or one.fact.end_s > other.fact.start_s:
            message = f"lines {first} and {second} both say what {one.fact.lot} is at the same time"
            mend = "end the earlier one, with to, where the later one begins; or give one another name"
            faults.note(OverlapError(message, place=place, mend=mend))
        elif one.attributes != other.attributes:
            message = f"lines {first} and {second} differ in more than amount and time of {one.fact.lot}"
            mend = "give the later one another name: a lot keeps its kind, currency, target and rounding pool"
            faults.note(InputError(message, place=place, mend=mend))


def _refuse_no_match(document: Document, one: Read, known: Mapping[str, Read]) -> None:
    """A pattern of lots of this file has to match one of them; those of meters and bills may match later."""
    for number, pattern in enumerate(one.details.target.lots):
        others = [name for name in known if name != f"lot:{one.fact.lot}"]
        if pattern.startswith("lot:") and not any(fnmatchcase(name, pattern) for name in others):
            close = get_close_matches(pattern, others, n=1)
            names = (
                f"write {close[0]}" if close else "name a lot of this file, or a pattern of bill:… or meter:…"
            )
            raise document.wrong(
                f"{one.fact.lot} follows {pattern}, which is no other lot of this file",
                (*one.loc, "follows", number),
                mend=names,
            )


def _refuse_circle(document: Document, name: str, known: Mapping[str, Read]) -> None:
    """Money that follows itself would never arrive."""
    reached, ahead = set[str](), [name]
    while ahead:
        at = ahead.pop()
        for other in known:
            patterns = known[at].details.target.lots
            if other == at or not any(fnmatchcase(other, pattern) for pattern in patterns):
                continue
            if other == name:
                raise document.wrong(
                    f"{name} follows {at}, which follows {name}",
                    (*known[name].loc, "follows"),
                    mend="let one of them follow lots that follow nothing",
                )
            if other not in reached:
                reached.add(other)
                ahead.append(other)
