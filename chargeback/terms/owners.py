"""Who an owner key is: its team and cost centre, since when."""

from __future__ import annotations

from collections.abc import Iterable

from chargeback.terms.records import Record, join_identity
from chargeback.terms.validity import Clock, Term
from gpuledger.errors import InputError
from gpuledger.instants import format_utc
from gpuledger.versions import OwnerFact

__all__ = ["OPTIONAL", "REQUIRED", "owner_claim", "parse_owners"]

REQUIRED = ("owner_key", "team", "from", "to")
OPTIONAL = ("cost_centre",)


def parse_owners(records: Iterable[Record], clock: Clock) -> list[Term[OwnerFact]]:
    """The owners of a list. Raises `InputError`, with file and row, for the first that cannot be right."""
    return [Term(record.place, _owner(record, clock)) for record in records]


def owner_claim(fact: OwnerFact) -> tuple[str, ...]:
    """What an owner is of: no key belongs to two teams at the same time."""
    return (fact.owner_key,)


def _owner(record: Record, clock: Clock) -> OwnerFact:
    cells = record.cells
    for name in ("owner_key", "team"):
        _check_name(record, name)
    start_s, end_s = clock.interval(record)
    return OwnerFact(
        identity=join_identity([cells["owner_key"], format_utc(start_s)]),
        start_s=start_s,
        end_s=end_s,
        owner_key=cells["owner_key"],
        team=cells["team"],
        cost_centre=cells["cost_centre"] or None,
    )


def _check_name(record: Record, name: str) -> None:
    text, place = record.cells[name], record.at(name)
    if not text:
        raise InputError(
            f"{name} is empty",
            place=place,
            mend="leave the row out: an owner key without a row is its own team",
        )
    if name == "team" and text.startswith("__"):
        raise InputError(
            f"{text} is a name that gpuledger keeps for itself",
            place=place,
            mend="name a team that does not begin with two underscores",
        )
