"""What came of an import of bills, as text for people and as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from chargeback.bills.completeness import standing
from chargeback.bills.deliver import Change, Outcome
from chargeback.bills.reading import Reading
from gpuledger.versions import BillFact

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["outcome_json", "print_outcome", "standing_said"]


def outcome_json(reading: Reading, outcome: Outcome) -> str:
    """The outcome as JSON; amounts are exact decimal text."""
    said = {
        "format": reading.format,
        "files": {str(path): rows for path, rows in reading.rows.items()},
        "seq": outcome.seq,
        "bills": [
            {
                "bill": fact.identity,
                "change": change,
                "rows": fact.rows,
                "total": fact.total,
                "currency": fact.currency,
                "standing": standing(fact),
                "stated_rows": fact.stated_rows,
                "stated_total": fact.stated_total or None,
            }
            for fact, change in outcome.bills
        ],
        "lines_written": outcome.lines,
        "lines_withdrawn": outcome.withdrawn,
        "replaced": list(outcome.replaced),
        "quarantined": len(reading.bad),
        "warnings": list(reading.warnings),
    }
    return json.dumps(said, indent=2, ensure_ascii=False) + "\n"


def print_outcome(reading: Reading, outcome: Outcome, console: Console) -> None:
    """Print the outcome: a line for each bill, then what is odd."""
    for fact, change in outcome.bills:
        console.print(_bill_said(fact, change), soft_wrap=True, markup=False, highlight=False)
    lines = [f"{name}: withdrawn, another takes its place" for name in outcome.replaced]
    lines += [f"rows in quarantine: {len(reading.bad)}"] if reading.bad else []
    lines += [f"odd: {warning}" for warning in reading.warnings]
    lines += [f"read as {reading.format}; known at seq {outcome.seq}"]
    for line in lines:
        console.print(line, soft_wrap=True, markup=False, highlight=False)


def standing_said(fact: BillFact) -> str:
    """Whether a bill is whole, in words."""
    found = standing(fact)
    if found == "proven":
        by = ["its number of rows"] if fact.stated_rows is not None else []
        by += ["its total"] if fact.stated_total else []
        return f"proven by {' and '.join(by)}"
    if found == "unproven":
        return "unproven: nobody said what it should have"
    lacks = []
    if fact.stated_rows is not None and fact.stated_rows != fact.rows:
        lacks.append(f"{fact.rows} of {fact.stated_rows} rows")
    if fact.stated_total and fact.stated_total != fact.total:
        lacks.append(f"{fact.total} of {fact.stated_total} {fact.currency}")
    return f"incomplete: {', '.join(lacks)}"


def _bill_said(fact: BillFact, change: Change) -> str:
    said = f"{fact.rows} line{'s' * (fact.rows != 1)} of {fact.total} {fact.currency}"
    return f"{fact.identity}: {change}, {said}, {standing_said(fact)}"
