"""What a period's books are made of besides the lake's rows: owners, tariffs, lots, rates, policies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from chargeback.bills.bill_lots import BillLots, bill_lots
from chargeback.bills.in_force import read_bill_lines
from chargeback.bills.rules import matched_by
from chargeback.commitments.building import commitments_of
from chargeback.desk import Desk
from chargeback.distribution import distribution_of
from chargeback.fx import FxRates, fx_rates
from chargeback.lots.building import lots_of
from chargeback.lots.lot import Lot
from chargeback.meters import Window
from chargeback.outline import Outline
from chargeback.owners import owner_spans
from chargeback.policies import BY_RESOURCE, NODE_COST, policies_at
from chargeback.tariffs import tariffs_of
from chargeback.terms.in_force import Seqs, TermsInForce, terms_in_force
from chargeback.units import Terms
from gpuledger.calendars import month_bounds
from gpuledger.versions import throughs

__all__ = ["bills_of", "come_to_the_same", "lots_until", "terms_at", "terms_of"]


def terms_at(desk: Desk, period: str, seqs: Seqs, known: Outline) -> Terms:
    """What a period's books are made of besides the lake's rows, each kind of term as known at its seq."""
    with desk.database.read() as connection:
        agreed = terms_in_force(connection, seqs)
    return terms_of(desk, period, seqs.usage, known, agreed)


def terms_of(desk: Desk, period: str, seq: int, known: Outline, agreed: TermsInForce) -> Terms:
    """What a period's books are made of, where these terms are agreed and the lake is as known at a seq."""
    start_s, end_s = month_bounds(desk.book.zone, period)
    with desk.database.read() as connection:
        complete = throughs(connection, seq)
    by_cluster: dict[str, int] = {}
    for (_, cluster), through_s in complete.items():
        by_cluster[cluster] = min(through_s, by_cluster.get(cluster, through_s))
    policies = policies_at(agreed.policies, desk.book.charged, start_s)
    owners = owner_spans(known.whos, agreed.rules, agreed.owners, policies["unmatched_owner"], start_s, end_s)
    rates = fx_rates(agreed.fx, agreed.fx_later)
    horizon_s = min(end_s, max(by_cluster.values(), default=end_s))
    window = Window(start_s, end_s)
    quantities = known.quantities if policies[NODE_COST] == BY_RESOURCE else None
    made = commitments_of(agreed.commitments, desk.book.zone, desk.book.currency, rates, horizon_s)
    commitments = tuple(one for one in made if _touches(one.lot, start_s, end_s))
    lots = (*_lots(desk, agreed, known, rates, window, horizon_s), *(one.lot for one in commitments))
    return Terms(
        period=period,
        zone=desk.book.zone,
        charged=desk.book.charged,
        currency=desk.book.currency,
        seq=seq,
        start_s=start_s,
        end_s=end_s,
        policies=policies,
        whos=known.whos,
        owners=tuple(owners),
        tariffs=tariffs_of(known.places, known.lives, agreed.prices, lots, window, quantities, commitments),
        lots=lots,
        commitments=commitments,
        fx=rates,
        throughs=by_cluster,
        sources={f"{cluster}/{source}": at_s for (source, cluster), at_s in complete.items()},
        most_units=known.most_units,
        distribution=distribution_of(policies, agreed, start_s, end_s),
    )


def _lots(
    desk: Desk, agreed: TermsInForce, known: Outline, rates: FxRates, window: Window, horizon_s: int
) -> Iterator[Lot]:
    """The lots of the terms and of bills that the period has anything of."""
    found = lots_of(agreed.lots, desk.book.zone, desk.book.currency, rates, horizon_s)
    for lot in (*found, *bills_of(desk, agreed, known, rates, window).lots):
        if _touches(lot, window.start_s, window.end_s):
            yield lot


def lots_until(desk: Desk, period: str, seq: int, known: Outline) -> list[tuple[Lot, int]]:
    """Every lot that anything was recognised or invoiced of by a month's end, as known at a seq, with the
    instant up to which it is recognised by then."""
    with desk.database.read() as connection:
        agreed = terms_in_force(connection, Seqs.at(seq))
    terms = terms_of(desk, period, seq, known, agreed)
    throughs = terms.lot_throughs
    horizon_s = min([terms.end_s, *terms.throughs.values()])
    found = list(_lots(desk, agreed, known, terms.fx, Window(0, terms.end_s), horizon_s))
    made = commitments_of(agreed.commitments, desk.book.zone, desk.book.currency, terms.fx, horizon_s)
    found += [one.lot for one in made if _touches(one.lot, 0, terms.end_s)]
    return [(lot, throughs.get(lot.name, terms.end_s)) for lot in found if lot.kind != "minimum"]


def bills_of(desk: Desk, agreed: TermsInForce, known: Outline, rates: FxRates, window: Window) -> BillLots:
    """What the bills come to of which anything is charged or billed in a window."""
    if not agreed.bills:
        return BillLots((), (), ())
    attributes = matched_by(agreed.bill_rules)
    lines = read_bill_lines(desk, agreed.bill_seq, window.start_s, window.end_s, attributes, known.lives)
    return bill_lots(lines, known.lives, agreed.bill_rules, rates, desk.book)


def _touches(lot: Lot, start_s: int, end_s: int) -> bool:
    """Whether anything of a lot is recognised, or invoiced, in [start, end)."""
    recognised = any(one.from_s < end_s and one.to_s > start_s for one in lot.segments)
    return recognised or any(start_s <= one.at_s < end_s for one in lot.invoices)


def come_to_the_same(one: Terms, other: Terms) -> bool:
    """Whether books made of two terms are equal: which rule or row gave a team moves nothing."""
    return _without_terms(one) == _without_terms(other)


def _without_terms(terms: Terms) -> Terms:
    return replace(terms, owners=tuple(replace(span, term="") for span in terms.owners))
