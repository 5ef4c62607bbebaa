"""A commitment in words: what changes of it by key, and what explanations say that it covers."""

from __future__ import annotations

from collections.abc import Iterable

from chargeback.commitments.details import Covers, Details
from gpuledger.instants import format_utc
from gpuledger.versions import CommitmentFact

__all__ = ["covered_by", "words_of"]


def covered_by(details: Details) -> str:
    """What it covers, such as `4 × sku p5.48xlarge, zone us-east-1a`."""
    amounts = "; then ".join(step.value for step in details.committed)
    unit = " an hour" if details.measure == "spend" else ""
    return f"{amounts}{unit} × {_covers(details.covers)}"


def words_of(fact: CommitmentFact, details: Details) -> dict[str, str]:
    """What a commitment says beside its time, by the keys of `commitments.yaml`; '' is not said."""
    alone = details.rounding_pool == f"commitment:{fact.commitment}:{fact.currency}"
    steps = [
        f"{one.value} from {format_utc(one.from_s)}" if number else one.value
        for number, one in enumerate(details.committed)
    ]
    dues = [
        f"{one.amount} on {format_utc(one.at_s)}" + (f" as {one.number}" if one.number else "")
        for one in details.invoices
    ]
    return {
        "kind": fact.kind,
        "covers": _covers(details.covers),
        "spend_per_hour" if details.measure == "spend" else "quantity": "; ".join(steps),
        "upfront": _money(details.upfront),
        "each_hour": _money(details.each_hour),
        "each_month": _money(details.each_month),
        "currency": fact.currency,
        "unusable": f"the last {details.tail_s // 60} minutes" if details.tail_s else "",
        "invoiced": "; ".join(dues),
        "monthly": details.monthly,
        "rounding_pool": "" if alone else details.rounding_pool,
        "source": fact.source,
    }


def _covers(covers: Iterable[Covers]) -> str:
    return "; ".join(_cover(one) for one in covers)


def _cover(one: Covers) -> str:
    said = [f"{key} {' or '.join(patterns)}" for key, patterns in one.slots.items()]
    said += [f"counts for {one.factor}"] if one.factor != "1" else []
    said += [f"rate {one.rate} a {one.rate_unit} hour"] if one.rate else []
    said += [f"discount {one.discount}"] if one.discount else []
    return ", ".join(said)


def _money(text: str) -> str:
    return "" if text == "0" else text
