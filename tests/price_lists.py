"""Reading a small price list from text."""

from __future__ import annotations

from collections.abc import Iterable

from chargeback.price_lists.price_list import PriceList, Reason, read_price_list
from chargeback.price_lists.quote import Wanted
from chargeback.price_lists.shapes import shape_of
from chargeback.price_lists.table import header_of, parse_table
from gpuledger.versions import PriceFact

JANUARY_S = 1_767_225_600  # 2026-01-01T00:00:00Z


def read(
    header: str,
    *rows: str,
    from_s: int | None = JANUARY_S,
    provider: str = "",
    currency: str = "",
    everything: bool = False,
    shape: str | None = None,
) -> PriceList:
    text = "\n".join((header, *rows)) + "\n"
    known = shape_of(header_of(text.splitlines()), "list.csv", shape)
    assert known is not None, "the header is that of no list of others"
    wanted = Wanted("list", from_s, provider, currency, everything)
    found = read_price_list(parse_table(text.splitlines(), "list.csv", known.uses), known, wanted)
    assert found.rows == found.read + sum(one.count for one in found.skipped)
    return found


def prices(found: PriceList) -> list[PriceFact]:
    return [term.fact for term in found.terms]


def rates(found: PriceList) -> dict[str, str]:
    """Rates by selector, region and purchase option."""
    return {"/".join((fact.selector, fact.region, fact.purchase_option)): fact.rate for fact in prices(found)}


def reasons(said: Iterable[Reason]) -> dict[str, int]:
    return {one.reason: one.count for one in said}
