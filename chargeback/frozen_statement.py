"""A statement as a close freezes it: the lines of every view as canonical JSON, and back.

Table, CSV and JSON are rendered from the frozen text alone, so a closed month prints the same bytes whatever
happens to the books, the terms or the code that rounds. What changes those bytes gets a new FORMAT_VERSION.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from fractions import Fraction
from typing import Any

from chargeback.statement import By, Figures, Line, Restated, RestatedLine, Statement
from gpuledger.canonical import canonical_json
from gpuledger.errors import BooksError
from gpuledger.money import Currency
from gpuledger.versions import Book

__all__ = ["FORMAT_VERSION", "format_version_of", "freeze_statement", "thaw_statement"]

FORMAT_VERSION = 3
"""3 has what is distributed, 2 what a month collects of earlier ones, 1 neither."""


def format_version_of(made: Statement) -> int:
    """The format that a statement is frozen in: the least that can say all of it."""
    if made.distributed is not None:
        return 3
    return 2 if made.restated else 1


def freeze_statement(views: Sequence[Statement]) -> str:
    """The views of one statement as one canonical text; they differ in their lines and nothing else."""
    first = views[0]
    return canonical_json(
        {
            "format_version": format_version_of(first),
            "book": asdict(first.book),
            "currency": asdict(first.currency),
            "period": first.period,
            "state": first.state,
            "seq": first.seq,
            "total": first.collected,
            "figures": asdict(first.figures),
            "summary": first.summary,
            "pools": [
                {"pool": name, "exact": f"{exact.numerator}/{exact.denominator}", "total": minor}
                for name, (exact, minor) in first.pools.items()
            ],
            "views": {made.by.value: [_freeze_line(line) for line in made.lines] for made in views},
            **({"restated": _freeze_restated(views)} if first.restated else {}),
        }
    )


def _freeze_line(line: Line) -> dict[str, Any]:
    """The figures of a line; what is distributed is left out where nothing is."""
    return {name: value for name, value in asdict(line).items() if name != "distributed" or value is not None}


def _freeze_change(line: RestatedLine) -> dict[str, Any]:
    """The figures that are printed of a line of an earlier month."""
    return {name: value for name, value in asdict(line).items() if name != "distributed"}


def _freeze_restated(views: Sequence[Statement]) -> list[dict[str, Any]]:
    return [
        {
            "name": one.name,
            "period": one.period,
            "number": one.number,
            "seq": one.seq,
            "views": {
                made.by.value: [_freeze_change(line) for line in made.restated[place].lines] for made in views
            },
        }
        for place, one in enumerate(views[0].restated)
    ]


def _thaw_restated(frozen: dict[str, Any], by: By) -> tuple[Restated, ...]:
    return tuple(
        Restated(
            name=one["name"],
            period=one["period"],
            number=one["number"],
            seq=one["seq"],
            lines=tuple(RestatedLine(**line) for line in one["views"][by.value]),
        )
        for one in frozen.get("restated", ())
    )


def thaw_statement(text: str, by: By) -> Statement:
    """The statement of a frozen text in one of its views; BooksError for a format that is not known."""
    frozen: dict[str, Any] = json.loads(text)
    if frozen["format_version"] not in range(1, FORMAT_VERSION + 1):
        raise BooksError(
            f"the frozen statement of {frozen['period']} has format {frozen['format_version']}, "
            f"this gpuledger prints {FORMAT_VERSION}",
            mend="use the gpuledger that closed it, or a later one",
        )
    restated = _thaw_restated(frozen, by)
    return Statement(
        book=Book(**frozen["book"]),
        period=frozen["period"],
        state=frozen["state"],
        by=by,
        seq=frozen["seq"],
        currency=Currency(**frozen["currency"]),
        total=frozen["total"] - sum(one.total for one in restated),
        lines=[Line(**line) for line in frozen["views"][by.value]],
        figures=Figures(**frozen["figures"]),
        summary=frozen["summary"],
        pools={one["pool"]: (Fraction(one["exact"]), one["total"]) for one in frozen["pools"]},
        restated=restated,
    )
