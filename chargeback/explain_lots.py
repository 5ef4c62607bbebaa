"""The steps about lots: what no device takes, and what each lot that went into it says of itself."""

from __future__ import annotations

from collections.abc import Iterator

from chargeback.explain_ground import Ground, picked_totals
from chargeback.explanation import Row, Step, told
from chargeback.lots.lot import Lot
from gpuledger.instants import format_utc

__all__ = ["lot_steps"]


def lot_steps(ground: Ground) -> Iterator[Step]:
    """What no device takes, where there is any, with what devices do; and the lots that are in it."""
    on_devices = picked_totals(ground.bench)["unrounded"]
    if ground.asked.kind != "device" and ground.wanted["unrounded"] != on_devices:
        yield _direct(ground, on_devices)
    if ground.asked.kind != "device" and ground.bench.rows(f"select 1 {_OF_NODES} limit 1"):
        yield _nodes(ground)
    known = {lot.name: lot for lot in ground.terms.lots if lot.kind != "minimum"}
    names = [name for name in _names(ground) if name in known]
    if names:
        yield _lots(ground, [known[name] for name in names])


def _direct(ground: Ground, on_devices: int) -> Step:
    query = f"""
        select 'devices' as what, '' as account, '' as state, {on_devices} as unrounded
        union all
        select lot, account, state, sum(amount) from picked where slot = '' group by lot, account, state
    """
    says = "what no device takes, by lot and account, beside what devices take"
    wanted = {"unrounded": ground.wanted["unrounded"]}
    return ground.step("no device", says, query, ["what", "account", "state"], ("unrounded",), wanted)


_OF_NODES = "from picked where slot = '' and lane <> ''"


def _nodes(ground: Ground) -> Step:
    """What nodes have besides GPUs, by whose it was."""
    query = f"""
        select lot, lane as what, case when run = '' then '(' || account || ')' else run end as holding,
            count(*) as pieces, sum(amount) as unrounded
        {_OF_NODES} group by lot, lane, run, account
    """
    says = "what a price per node is for besides GPUs, by who asked for it (node_cost)"
    total = ground.bench.rows(f"select cast(sum(amount) as bigint) {_OF_NODES}")[0][0]
    figures = ("pieces", "unrounded")
    return ground.step("node cost", says, query, ["lot", "what", "holding"], figures, {"unrounded": total})


_NAMES = """
select lot from picked
union distinct
select r.lot
from kept_recognised as r
inner join (select distinct model || '/' || region as pool, piece_s from part where price_record <> '') as m
    on r.pool = m.pool and r.piece_s = m.piece_s
"""


def _names(ground: Ground) -> list[str]:
    return sorted(name for (name,) in ground.bench.rows(_NAMES))


def _lots(ground: Ground, lots: list[Lot]) -> Step:
    """What each lot recognises in the month in all, whoever it went to."""
    rows = [Row(_said(lot), {"recognised": _recognised(ground, lot)}) for lot in lots]
    return told(
        "lots",
        "the lots that are in it, and what each recognises in the month, whoever it goes to",
        rows,
        labels=["lot", "kind", "pays_for", "start", "end"],
        figures=["recognised"],
        wanted={},
        most=ground.most,
    )


def _recognised(ground: Ground, lot: Lot) -> int:
    terms = ground.terms
    until_s = min(terms.lot_throughs[lot.name], max(lot.to_s, terms.start_s))
    return lot.recognised(terms.start_s, until_s) if until_s > terms.start_s else 0


def _said(lot: Lot) -> dict[str, str]:
    return {
        "lot": lot.name,
        "kind": lot.kind,
        "pays_for": _target(lot),
        "start": format_utc(lot.from_s),
        "end": format_utc(lot.to_s),
    }


def _target(lot: Lot) -> str:
    if lot.kind == "commitment":
        return lot.said
    if lot.target.lots:
        return f"follows {', '.join(lot.target.lots)}"
    if lot.target.slots is None:
        return lot.target.account
    return "; ".join(f"{name} {', '.join(patterns)}" for name, patterns in lot.target.slots.items())
