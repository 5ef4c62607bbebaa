"""A lot in words: what changes of it by key, and the sentence that statements and explanations print."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from chargeback.lots.details import Asset, Change, Details, Energy, Invoice, Step
from chargeback.lots.lot import Target
from gpuledger.instants import format_utc
from gpuledger.versions import LotFact

__all__ = ["said_of", "words_of"]

_SHOWN = 4


def said_of(fact: LotFact, details: Details) -> str:
    """What a reader is told of a lot: what it costs, and how that is spread."""
    money = f"{fact.amount} {fact.currency}"
    if (asset := details.asset) is not None:
        life = f"{asset.life_months} months from {asset.in_service}, {asset.convention}"
        return f"{money} to a residual of {asset.residual} in {life}"
    if (energy := details.energy) is not None:
        load = "metered kWh" if energy.metered else f"{_steps(energy.it_kw)} kW"
        return f"{load} × PUE {_steps(energy.pue)} × {_steps(energy.tariff)} {fact.currency} per kWh"
    least = "at least " * (fact.kind == "minimum")
    return f"{least}{money} each month" if fact.kind in ("fee", "minimum") else money


def words_of(fact: LotFact, details: Details) -> dict[str, str]:
    """What a lot says beside amount, currency and time, by the keys of `lots.yaml`; '' is not said."""
    alone = details.rounding_pool == f"lot:{fact.lot}:{fact.currency}"
    return {
        **_target(details.target),
        "covers": "true" if details.covers else "",
        "class": details.lot_class,
        "rounding_pool": "" if alone else details.rounding_pool,
        "absent": details.absent if details.absent != "overhead" else "",
        "invoiced": details.each_month or _listed([_invoice(one) for one in details.invoices]),
        "converted_on": details.converted_on,
        **(_asset(details.asset) if details.asset else {}),
        **(_energy(details.energy) if details.energy else {}),
        "source": fact.source,
    }


def _target(target: Target) -> Mapping[str, str]:
    if target.slots is not None:
        said = (f"{key} {' or '.join(patterns)}" for key, patterns in target.slots.items())
        return {"pays_for": ", ".join(said)}
    return {"follows": " or ".join(target.lots)} if target.lots else {"account": target.account}


def _invoice(one: Invoice) -> str:
    return f"{one.amount} on {format_utc(one.at_s)}" + (f" as {one.number}" if one.number else "")


def _asset(asset: Asset) -> Mapping[str, str]:
    disposal = asset.disposal
    return {
        "in_service": asset.in_service,
        "life_months": str(asset.life_months),
        "residual": asset.residual,
        "convention": asset.convention,
        "changes": _listed([_change(one) for one in asset.changes]),
        "disposed": f"on {disposal.day} for {disposal.proceeds}" if disposal else "",
        "booked_to": asset.account if asset.account != "overhead" else "",
    }


def _change(one: Change) -> str:
    parts = [f"residual {one.residual}"] if one.residual else []
    parts += [f"{one.remaining_months} months from then on"] if one.remaining_months else []
    parts += [f"impairment {one.impairment}"] if one.impairment else []
    return f"from {one.day} {' and '.join(parts)}"


def _energy(energy: Energy) -> Mapping[str, str]:
    return {
        "it_kw": _steps(energy.it_kw),
        "metered": _metered(energy),
        "pue": _steps(energy.pue),
        "tariff": _steps(energy.tariff),
    }


def _metered(energy: Energy) -> str:
    if not energy.metered:
        return ""
    total = sum((Decimal(one.kwh) for one in energy.metered), Decimal(0))
    return f"{len(energy.metered)} readings of {total:f} kWh"


def _steps(steps: Sequence[Step]) -> str:
    """The first value, and each later one with its start."""
    return _listed(
        [
            one.value if not number else f"{one.value} from {format_utc(one.from_s)}"
            for number, one in enumerate(steps)
        ]
    )


def _listed(texts: Iterable[str]) -> str:
    found = list(texts)
    more = [f"and {len(found) - _SHOWN} more"] if len(found) > _SHOWN else []
    return "; ".join([*found[:_SHOWN], *more])
