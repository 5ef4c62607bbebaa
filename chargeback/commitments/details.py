"""What a commitment says of itself beside its name and time, as its fact keeps it: canonical JSON.

Amounts are decimal text in its currency, times Unix seconds. `version` is that of this form.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from chargeback.commitments.commitment import Measure, Window
from gpuledger.canonical import canonical_json
from gpuledger.errors import BooksError

__all__ = ["Covers", "Details", "Due", "Step", "read_details", "written_details"]

VERSION = 1


@dataclass(frozen=True)
class Step:
    """How much is committed from an instant on, until the next one: units, or money an hour."""

    from_s: int
    value: str


@dataclass(frozen=True)
class Due:
    """What is invoiced at an instant."""

    at_s: int
    amount: str
    number: str = ""


@dataclass(frozen=True)
class Covers:
    """Slots that it covers, as patterns by attribute: see `Coverable`; '' is not said."""

    slots: dict[str, tuple[str, ...]]
    factor: str = "1"
    rate: str = ""
    rate_unit: Literal["gpu", "node"] = "gpu"
    discount: str = ""


@dataclass(frozen=True)
class Details:
    """All that a `CommitmentFact` has no column for.

    `committed` is in units, or in money an hour. It costs `upfront` over its whole time, `each_hour` for an
    hour of each unit, and `each_month`; of spend what is committed, less what is paid upfront, each hour.
    The last `tail_s` seconds cannot be used.
    """

    measure: Measure
    window: Window
    turn: int
    committed: tuple[Step, ...]
    covers: tuple[Covers, ...]
    rounding_pool: str
    upfront: str = "0"
    each_hour: str = "0"
    each_month: str = "0"
    adds: bool = False
    places: bool = False
    waste: str = "commitment_unused"
    tail_s: int = 0
    invoices: tuple[Due, ...] = ()
    monthly: Literal["", "in_advance", "in_arrears"] = ""


_READER = TypeAdapter(Details)


def written_details(details: Details) -> str:
    """The details as canonical JSON."""
    return canonical_json(_plain(asdict(details) | {"version": VERSION}))


def read_details(text: str, name: str) -> Details:
    """The details that `written_details` wrote; BooksError for another version, naming the commitment."""
    said = json.loads(text)
    version = said.pop("version", None)
    try:
        if version == VERSION:
            return _READER.validate_python(said)
    except ValidationError as error:
        raise BooksError(
            f"commitment {name}: its details are damaged: {error.errors()[0]['msg']}",
            mend="apply the terms again",
        ) from error
    raise BooksError(
        f"commitment {name}: its details are of version {version!r}, and this gpuledger reads {VERSION}",
        mend="use the gpuledger that applied these terms, or a later one",
    )


def _plain(value: Any) -> Any:
    """The value with lists for its tuples."""
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, (list, tuple)) else value
