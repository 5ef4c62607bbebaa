"""What came of a price list, in lines for people and as a document for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from chargeback.price_lists.bring_in import Brought
from chargeback.price_lists.price_list import Reason
from chargeback.price_lists.shapes import OWN
from gpuledger.instants import format_utc

__all__ = ["document", "lines"]


def document(brought: Brought, file: str) -> dict[str, object]:
    """All figures: `rows`, `read` and `skipped` of the file, the others of its prices."""
    found = brought.found
    return {
        "kind": "prices",
        "file": file,
        "seq": brought.seq,
        "shape": found.shape,
        "rows": found.rows,
        "read": found.read,
        "skipped": [_reason(one, "rows") for one in found.skipped],
        "left_out": [_reason(one, "prices") for one in found.left_out],
        "new": brought.new,
        "changed": brought.changed,
        "unchanged": brought.unchanged,
        "ended": brought.ended,
        "rate_of_0": _free(brought),
        "since": [format_utc(at_s) for at_s in _since(brought)],
        "purchase_options": dict(sorted(Counter(one.fact.purchase_option for one in found.terms).items())),
        "assumed_currency": found.assumed_currency or None,
    }


def lines(brought: Brought, file: str) -> Iterator[str]:
    """The same for people."""
    found = brought.found
    counts = f"new {brought.new}, changed {brought.changed}, unchanged {brought.unchanged}"
    counts += f", ended {brought.ended}" if brought.ended else ""
    if found.shape == OWN:
        yield f"prices from {file}: rows {found.rows}, {counts}, rate of 0 {_free(brought)}"
    else:
        skipped = found.rows - found.read
        yield f"prices from {file}: {found.shape}, rows {found.rows}: read {found.read}, skipped {skipped}"
    yield from _reasons("skipped", found.skipped)
    yield from _reasons("left out", found.left_out)
    if found.shape == OWN:
        return
    yield f"prices {len(found.terms)}: {counts}"
    if found.terms:
        first, *later = (format_utc(at_s) for at_s in _since(brought))
        since = f"they begin between {first} and {later[0]}" if later else f"they hold from {first} on"
        yield f"{since}, each until the next of the same thing"
    options = sorted({one.fact.purchase_option for one in found.terms} - {""})
    if options:
        yield f"they are for nodes whose purchase option is {' or '.join(options)}"
    if found.assumed_currency:
        yield f"the list names no currency: {found.assumed_currency} was taken"


def _reasons(what: str, reasons: Iterable[Reason]) -> Iterator[str]:
    for one in reasons:
        said = f": {one.said}" if one.said else ""
        yield f"  {what} {one.count}: {one.reason} (first in row {one.first_row}{said})"


def _reason(one: Reason, counted: str) -> dict[str, object]:
    return {"reason": one.reason, counted: one.count, "first_row": one.first_row, "says": one.said}


def _free(brought: Brought) -> int:
    return sum(term.fact.rate == "0" for term in brought.found.terms)


def _since(brought: Brought) -> list[int]:
    """The first and the last instant since which its prices hold; one where they are the same."""
    starts = {term.fact.start_s for term in brought.found.terms}
    return sorted({min(starts), max(starts)}) if starts else []
