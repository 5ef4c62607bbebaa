"""What a lot says of itself beside its amount: what it pays for, how it is recognised, invoiced and rounded.

It is kept with its fact as canonical JSON, see `docs/lots.md`; `version` is that of this form.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from chargeback.lots.lot import LotClass, Target
from gpuledger.canonical import canonical_json
from gpuledger.errors import BooksError

__all__ = [
    "CONVENTIONS",
    "Asset",
    "Change",
    "Convention",
    "Details",
    "Disposal",
    "EachMonth",
    "Energy",
    "Invoice",
    "Reading",
    "Step",
    "read_details",
    "written_details",
]

VERSION = 1
"""Of the form of the details; it changes when what is written could be read as something else."""

Convention = Literal["actual_days", "30_360", "half_month", "full_month", "whole_life_days"]
CONVENTIONS: tuple[Convention, ...] = get_args(Convention)
"""How a month is counted in which an asset begins or ends."""

EachMonth = Literal["", "in_advance", "in_arrears"]


@dataclass(frozen=True)
class Invoice:
    """What is invoiced at an instant, Unix seconds: decimal text in the lot's currency."""

    at_s: int
    amount: str
    number: str = ""


@dataclass(frozen=True)
class Change:
    """What changes for an asset from a day (YYYY-MM-DD) on: '' and 0 leave it as it is.

    `remaining_months` is how long it lives on from that day; `impairment` is written off at once.
    """

    day: str
    residual: str = ""
    remaining_months: int = 0
    impairment: str = ""


@dataclass(frozen=True)
class Disposal:
    """The first day on which an asset is not in service any more, and what it was sold for."""

    day: str
    proceeds: str = "0"


@dataclass(frozen=True)
class Asset:
    """How an asset is written off, straight line; `account` takes impairments and what a disposal leaves."""

    in_service: str
    life_months: int
    residual: str
    convention: Convention
    changes: tuple[Change, ...] = ()
    disposal: Disposal | None = None
    account: str = "overhead"


@dataclass(frozen=True)
class Step:
    """A value, decimal text, from an instant on, until the next one."""

    from_s: int
    value: str


@dataclass(frozen=True)
class Reading:
    """The energy of IT equipment over `[from_s, to_s)`, kWh as decimal text."""

    from_s: int
    to_s: int
    kwh: str


@dataclass(frozen=True)
class Energy:
    """Energy by a load in kW or by readings, times PUE, at a tariff per kWh; one of the two is empty."""

    pue: tuple[Step, ...]
    tariff: tuple[Step, ...]
    it_kw: tuple[Step, ...] = ()
    metered: tuple[Reading, ...] = ()


@dataclass(frozen=True)
class Details:
    """All that a `LotFact` has no column for.

    `converted_on` is the day whose exchange rate counts for all of it, '': the day of its first invoice, else
    its first day; where the service day's rates count it has no meaning.
    """

    target: Target
    lot_class: LotClass
    rounding_pool: str
    absent: str = "overhead"
    covers: bool = False
    invoices: tuple[Invoice, ...] = ()
    each_month: EachMonth = ""
    converted_on: str = ""
    asset: Asset | None = None
    energy: Energy | None = None


def written_details(details: Details) -> str:
    """The details as canonical JSON; the patterns of a target in the order in which they were written."""
    said = asdict(details) | {"version": VERSION}
    target, slots = details.target, details.target.slots
    kept = None if slots is None else {key: list(patterns) for key, patterns in slots.items()}
    said["target"] = {"slots": kept, "lots": list(target.lots), "account": target.account}
    return canonical_json(_plain(said))


def read_details(text: str, lot: str = "") -> Details:
    """The details that `written_details` wrote; raises BooksError for another version, naming the lot."""
    said = json.loads(text)
    if (version := said.pop("version", None)) != VERSION:
        raise BooksError(
            f"lot {lot}: its details are of version {version!r}, and this gpuledger reads {VERSION}",
            mend="use the gpuledger that applied these terms, or a later one",
        )
    target = said.pop("target")
    return Details(
        **{
            **said,
            "target": Target(target["slots"], tuple(target["lots"]), target["account"]),
            "invoices": _each(Invoice, said["invoices"]),
            "asset": _asset(said["asset"]),
            "energy": _energy(said["energy"]),
        }
    )


def _asset(said: Mapping[str, Any] | None) -> Asset | None:
    if said is None:
        return None
    disposal = None if said["disposal"] is None else Disposal(**said["disposal"])
    return Asset(**{**said, "changes": _each(Change, said["changes"]), "disposal": disposal})


def _energy(said: Mapping[str, Any] | None) -> Energy | None:
    if said is None:
        return None
    steps = {name: _each(Step, said[name]) for name in ("pue", "tariff", "it_kw")}
    return Energy(**steps, metered=_each(Reading, said["metered"]))


def _each(kind: Any, said: Sequence[Mapping[str, Any]]) -> Any:
    return tuple(kind(**one) for one in said)


def _plain(value: Any) -> Any:
    """The value with lists for its tuples."""
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, (list, tuple)) else value
