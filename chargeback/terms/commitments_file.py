"""The file of commitments: reservations, plans, blocks and reserved capacity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from chargeback.commitments.details import Covers, Details, Due, Step, written_details
from chargeback.commitments.kinds import KINDS, Kind
from chargeback.terms.entries import Dated, Entry, Faults, Name, Text, checked, place_of, record_of
from chargeback.terms.lot_entries import (
    Invoices,
    Money,
    NotNegative,
    PaysFor,
    StepEntry,
    as_amount,
    as_instant,
    listed,
)
from chargeback.terms.records import join_identity
from chargeback.terms.validity import Clock
from gpuledger.errors import OverlapError
from gpuledger.instants import format_utc
from gpuledger.versions import CommitmentFact
from gpuledger.yaml_files import Document, Loc

__all__ = ["read_commitments"]


def _known_kind(text: str) -> str:
    if text not in KINDS:
        raise ValueError(f"{text!r} is no kind of commitment; they are {', '.join(KINDS)}")
    return text


def _positive(text: str) -> str:
    if not Decimal(found := as_amount(text, least=0)):
        raise ValueError(f"{text} is not above 0")
    return found


def _part(text: str) -> str:
    found = as_amount(text, least=0)
    if Decimal(found) >= 1:
        raise ValueError(f"{text} is no part: a saving of a third is written 0.3333")
    return found


class CoversEntry(PaysFor):
    """Slots that it covers; of nodes how many units one is, of money its rate there or what it saves."""

    counts_for: Annotated[Text, AfterValidator(_positive)] = "1"
    rate: NotNegative | None = None
    rate_per: Literal["gpu_hour", "node_hour"] = "gpu_hour"
    discount: Annotated[Text, AfterValidator(_part)] | None = None

    @property
    def slots(self) -> dict[str, Any]:
        return self.model_dump(exclude_none=True, include=set(PaysFor.model_fields))


class CommitmentEntry(Dated):
    """One commitment over its time."""

    commitment: Name
    kind: Annotated[Name, AfterValidator(_known_kind)]
    covers: Annotated[list[CoversEntry], Field(min_length=1), BeforeValidator(listed(""))]
    quantity: Annotated[list[StepEntry], Field(min_length=1), BeforeValidator(listed("value"))] | None = None
    spend_per_hour: (
        Annotated[list[StepEntry], Field(min_length=1), BeforeValidator(listed("value"))] | None
    ) = None
    currency: Money
    upfront: NotNegative = "0"
    each_hour: NotNegative = "0"
    each_month: NotNegative = "0"
    invoiced: Invoices = Field(default_factory=list)
    monthly: Literal["in_advance", "in_arrears"] | None = None
    extended: bool = False
    contract: Text = ""
    rounding_pool: Text = ""
    source: Text = ""

    @property
    def rules(self) -> Kind:
        return KINDS[self.kind]

    @property
    def committed(self) -> Sequence[StepEntry]:
        return self.quantity or self.spend_per_hour or ()


class CommitmentsFile(Entry):
    """The whole file."""

    commitments: list[CommitmentEntry]


def read_commitments(document: Document, clock: Clock, faults: Faults) -> list[CommitmentFact]:
    """The commitments of a file; what is wrong is noted in `faults`, and nothing of it is then to be used."""
    reader = _Reader(document, clock)
    found: list[tuple[CommitmentFact, Loc]] = []
    for number, entry in enumerate(checked(document, CommitmentsFile).commitments):
        with faults.noted():
            loc: Loc = ("commitments", number)
            _refuse_contradictions(document, loc, entry)
            found.append((reader.read(loc, entry), loc))
    _note_rivals(document, found, faults)
    return [fact for fact, _ in found]


class _Reader:
    def __init__(self, document: Document, clock: Clock) -> None:
        self.document, self.clock = document, clock

    def read(self, loc: Loc, entry: CommitmentEntry) -> CommitmentFact:
        """The fact that an entry says; raises `InputError` for a time that cannot be."""
        start_s, end_s = self.clock.interval(record_of(self.document, loc, entry))
        assert end_s is not None
        if entry.kind == "aws_capacity_block" and end_s % 86400 != _BLOCKS_END_S:
            raise self.document.wrong(
                f"{entry.commitment}: a capacity block ends at 11:30 UTC, not at {format_utc(end_s)}",
                (*loc, "to"),
                mend="write the end that the offer says",
            )
        key = "quantity" if entry.quantity else "spend_per_hour"
        details = Details(
            measure=entry.rules.measure,
            window=entry.rules.window,
            turn=entry.rules.turn,
            committed=tuple(self._steps((*loc, key), entry.committed, start_s, end_s)),
            covers=tuple(map(_covers, entry.covers)),
            rounding_pool=f"{_pool(entry)}:{entry.currency}",
            upfront=entry.upfront,
            each_hour=entry.each_hour,
            each_month=entry.each_month,
            adds=entry.rules.adds,
            places=entry.rules.places,
            waste=entry.rules.waste,
            tail_s=0 if entry.extended else entry.rules.tail_s,
            invoices=tuple(self._dues(loc, entry)),
            monthly=entry.monthly or "",
        )
        return CommitmentFact(
            identity=join_identity([entry.commitment, format_utc(start_s)]),
            start_s=start_s,
            end_s=end_s,
            commitment=entry.commitment,
            kind=entry.kind,
            currency=entry.currency,
            details=written_details(details),
            source=entry.source or "commitments",
        )

    def _steps(self, loc: Loc, entries: Sequence[StepEntry], start_s: int, end_s: int) -> Iterator[Step]:
        """The steps in order, the first from the beginning."""
        before = start_s
        for number, entry in enumerate(entries):
            at_s = start_s
            if entry.begins:
                at_s = as_instant(self.clock, self.document, (*loc, number, "from"), entry.begins)
            if (number and not before < at_s < end_s) or (not number and at_s != start_s):
                raise self.document.wrong(
                    "its steps do not follow one another inside its time",
                    (*loc, number),
                    mend="leave out the from of the first, and write the others in order",
                )
            before = at_s
            yield Step(at_s, entry.value)

    def _dues(self, loc: Loc, entry: CommitmentEntry) -> Iterator[Due]:
        for number, one in enumerate(entry.invoiced):
            at_s = as_instant(self.clock, self.document, (*loc, "invoiced", number, "on"), one.on)
            yield Due(at_s, one.amount or entry.upfront, one.number)


_BLOCKS_END_S = 11 * 3600 + 1800


def _covers(entry: CoversEntry) -> Covers:
    return Covers(
        slots={key: tuple(patterns) for key, patterns in entry.slots.items()},
        factor=entry.counts_for,
        rate=entry.rate or "",
        rate_unit="node" if entry.rate_per == "node_hour" else "gpu",
        discount=entry.discount or "",
    )


def _pool(entry: CommitmentEntry) -> str:
    """Where its cents are given: as said, else by its contract, or alone."""
    if entry.rounding_pool:
        return entry.rounding_pool
    return f"contract:{entry.contract}" if entry.contract else f"commitment:{entry.commitment}"


def _refuse_contradictions(document: Document, loc: Loc, entry: CommitmentEntry) -> None:
    for key, message, mend in _contradictions(entry):
        raise document.wrong(f"{entry.commitment}: {message}", (*loc, key) if key else loc, mend=mend)


def _contradictions(entry: CommitmentEntry) -> Iterator[tuple[str, str, str]]:
    """What is wrong with an entry as a whole: the key, a sentence and what to do."""
    is_spend = entry.rules.measure == "spend"
    if not entry.ends:
        yield "", "to is missing", "write to: the first instant at which it is over"
    if is_spend != (entry.spend_per_hour is not None) or is_spend == (entry.quantity is not None):
        wanted = "spend_per_hour: what is committed an hour" if is_spend else "quantity: how many it is for"
        yield "", f"a {entry.kind} needs {wanted.partition(':')[0]} alone", f"write {wanted}"
    if is_spend and (Decimal(entry.each_hour) or Decimal(entry.each_month)):
        yield "each_hour", "what is committed is what it costs", "leave each_hour and each_month out"
    if not is_spend and not any(map(Decimal, (entry.upfront, entry.each_hour, entry.each_month))):
        yield "", "nothing says what it costs", "write upfront, each_hour (for one of it) or each_month"
    for number, one in enumerate(entry.covers):
        if not one.slots:
            yield (
                "covers",
                f"entry {number + 1} names no slots",
                "name what it covers, such as sku: p5.48xlarge",
            )
        if is_spend == (one.rate is None and one.discount is None) or (one.rate and one.discount):
            message = "each entry needs its rate or its discount" if is_spend else "it has no rates"
            yield "covers", message, "write rate: 2.10 or discount: 0.34" if is_spend else "leave them out"
    due = sum((Decimal(one.amount or entry.upfront) for one in entry.invoiced), Decimal(0))
    if due > Decimal(entry.upfront):
        mend = "correct one of them; what recurs is invoiced monthly"
        yield "invoiced", f"its invoices come to {due:f}, and what is paid upfront to {entry.upfront}", mend


def _note_rivals(document: Document, found: Sequence[tuple[CommitmentFact, Loc]], faults: Faults) -> None:
    """Note names that come twice: what goes on in another way is another commitment."""
    ordered = sorted(found, key=lambda one: (one[0].commitment, one[0].start_s))
    for (one, first), (other, second) in pairwise(ordered):
        if one.commitment == other.commitment:
            place = place_of(document, second)
            line = document.line(first)
            message = f"{other.commitment} is the name of another commitment, at line {line}"
            faults.note(OverlapError(message, place=place, mend="give each a name of its own"))
