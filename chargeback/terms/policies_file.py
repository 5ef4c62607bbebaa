"""The file of policies: which alternative of each is chosen, and from which month."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import pairwise, zip_longest

from pydantic import Field

from chargeback.policies import CHOICES
from chargeback.terms.entries import Entry, Faults, Name, Text, checked, place_of
from chargeback.terms.records import join_identity
from gpuledger.calendars import month_bounds
from gpuledger.errors import InputError, OverlapError
from gpuledger.instants import format_utc
from gpuledger.versions import PolicyFact
from gpuledger.yaml_files import Document

__all__ = ["read_policies"]


class _PolicyEntry(Entry):
    policy: Name
    choice: Name
    begins: Text = Field("", alias="from")


class _Policies(Entry):
    policies: list[_PolicyEntry]


@dataclass(frozen=True)
class _Choice:
    """A choice and since when it holds, Unix seconds; `number` is its place in the file, from 0."""

    policy: str
    start_s: int
    number: int
    choice: str


def read_policies(document: Document, zone: str, faults: Faults) -> list[PolicyFact]:
    """The choices of a file, each until the next one of its policy; months are those of the book's zone.

    What is wrong in the file is noted in `faults`; the choices are then not to be used.
    """
    choices: list[_Choice] = []
    for number, entry in enumerate(checked(document, _Policies).policies):
        with faults.noted():
            choices.append(_choice(document, number, entry, zone))
    choices.sort(key=lambda one: (one.policy, one.start_s, one.number))
    _note_twice(document, choices, faults)
    return list(_facts(choices))


def _choice(document: Document, number: int, entry: _PolicyEntry, zone: str) -> _Choice:
    loc = ("policies", number)
    if entry.policy not in CHOICES:
        raise document.wrong(
            f"{entry.policy} is no policy that can be chosen",
            (*loc, "policy"),
            mend=_mend(entry.policy, tuple(CHOICES)),
        )
    if entry.choice not in CHOICES[entry.policy]:
        raise document.wrong(
            f"{entry.choice} is no choice of {entry.policy}",
            (*loc, "choice"),
            mend=_mend(entry.choice, CHOICES[entry.policy]),
        )
    try:
        start_s = month_bounds(zone, entry.begins)[0] if entry.begins else 0
    except InputError as error:
        raise document.wrong(f"from: {error.message}", (*loc, "from"), mend=error.mend) from error
    return _Choice(entry.policy, start_s, number, entry.choice)


def _mend(text: str, known: Sequence[str]) -> str:
    close = get_close_matches(text, known, n=1)
    return (f"write {close[0]}; " if close else "") + f"known: {', '.join(known)}"


def _note_twice(document: Document, choices: Sequence[_Choice], faults: Faults) -> None:
    """Note an `OverlapError` where a policy is chosen twice from the same month."""
    for one, other in pairwise(choices):
        if (one.policy, one.start_s) == (other.policy, other.start_s):
            line, rival = (document.line(("policies", found.number)) for found in (one, other))
            message = f"lines {line} and {rival} choose {one.policy} from the same month"
            place = place_of(document, ("policies", other.number))
            faults.note(OverlapError(message, place=place, mend="keep one of the two"))


def _facts(choices: Sequence[_Choice]) -> Iterator[PolicyFact]:
    for one, following in zip_longest(choices, choices[1:]):
        is_last = following is None or following.policy != one.policy
        yield PolicyFact(
            identity=join_identity([one.policy, format_utc(one.start_s)]),
            start_s=one.start_s,
            end_s=None if is_last else following.start_s,
            policy=one.policy,
            choice=one.choice,
        )
