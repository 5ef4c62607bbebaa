"""Atoms: the stretches of one slot with one state and the same holders, computed again when asked."""

from __future__ import annotations

from chargeback.explain_ground import Ground
from chargeback.explanation import Step
from chargeback.measure import stage_inputs
from chargeback.model_files import MEASURE
from chargeback.units import Terms, Unit
from chargeback.workbench import Workbench

__all__ = ["atom_step", "stage_atoms"]

_MODELS = MEASURE[: MEASURE.index("share") + 1]

_NEAR = {
    "source_slot": "node in (select node from around)",
    "source_state": "slot in (select slot from source_slot) or node in (select node from around)",
    "source_partition": "node in (select node from around)",
    "source_activity": "false",
    "source_energy": "false",
    "source_device": "node in (select node from around)",
    "source_holding": "(is_assumed = 0 and node in (select node from around)) "
    "or (is_assumed = 1 and run in (select run from around))",
}

_ATOMS = """
with whole as (
    select
        row_number() over (
            order by s.lane_no, s.from_s, s.run, s.owner, s.team, s.cost_centre, s.phase, s.account
        ) as whole_no,
        l.slot, v.lane, v.device as partition, g.state as slot_state, s.life_no, s.from_s, s.to_s, s.run,
        s.owner, s.team, s.cost_centre, s.phase, s.account, s.state, s.share_ticks, l.slot_ticks
    from share as s
    inner join slot_life as l on s.life_no = l.life_no
    inner join lane_life as v on s.lane_no = v.lane_no
    inner join segment as g on s.lane_no = g.lane_no and s.from_s = g.from_s
    where l.slot in (select slot from around)
),
edge as (
    select whole_no, from_s as at_s from whole
    union distinct
    select whole_no, to_s from whole
    union distinct
    select w.whole_no, d.from_s
    from whole as w
    inner join device_life as d on w.slot = d.slot and d.from_s > w.from_s and d.from_s < w.to_s
    union distinct
    select w.whole_no, d.to_s
    from whole as w
    inner join device_life as d on w.slot = d.slot and d.to_s > w.from_s and d.to_s < w.to_s
),
stretch as (
    select
        whole_no, at_s as start_s, lead(at_s) over (partition by whole_no order by at_s) as end_s
    from edge
)
select
    w.* exclude (whole_no, life_no, partition) replace (x.start_s as from_s, x.end_s as to_s),
    coalesce(nullif(w.partition, ''), (
        select min(d.device) from device_life as d
        where d.slot = w.slot and d.from_s <= x.start_s and d.to_s >= x.end_s
    ), '') as device,
    (
        select count(*) from money_piece as m
        where m.life_no = w.life_no and m.from_s < x.end_s and m.to_s > x.start_s
    ) as pieces
from stretch as x
inner join whole as w on x.whole_no = w.whole_no
where x.end_s is not null
"""


def stage_atoms(bench: Workbench, terms: Terms, unit: Unit, where: str, values: dict[str, str]) -> None:
    """Stage `atom`: the atoms of the slots that `where` picks among the time rows.

    They are not stored: on a bench of their own the models make them again from the facts of the slots'
    nodes, or of the runs that assumed slots come from.
    """
    nearby = "slot, node, case when is_assumed = 1 then run else '' end as run"
    around = bench.connection.sql(f"select distinct {nearby} from kept_time where {where}", params=values)
    with Workbench(unit.limits) as near:
        stage_inputs(near, terms, unit)
        near.stage("around", around.to_arrow_table())
        for view, rows in _NEAR.items():
            near.connection.execute(f"create table {view}_near as select * from {view} where {rows}")
            near.connection.execute(f"create or replace view {view} as select * from {view}_near")
        near.run(_MODELS)
        bench.stage("atom", near.connection.sql(_ATOMS).to_arrow_table())


def atom_step(ground: Ground, slot: str) -> Step:
    """The atoms of one slot that what is explained has a part in; `pieces` is how many hours each falls into.

    They must add up to the slot's time rows, but where a policy weighs those who share it by their use: atoms
    show equal shares then.
    """
    by_use = ground.terms.policies["time_slicing"].startswith("by_use")
    query = """
        select utc(a.from_s) as "start", utc(a.to_s) as "end", slot_state as state,
            case when lane = slot then '' else lane end as lane, device, run as holding, owner, phase,
            account, cast(share_ticks as varchar) || '/' || cast(slot_ticks as varchar) as share,
            pieces, share_ticks * (a.to_s - a.from_s) as time
        from atom as a
        where slot = $slot and exists (
            select 1 from part as p
            where p.lane = a.lane and p.run = a.run and p.owner = a.owner and p.team = a.team
                and p.cost_centre = a.cost_centre and p.phase = a.phase and p.claimed_as = a.account
                and p.state = a.state
                and p.from_s < a.to_s and p.to_s > a.from_s
        )
    """
    time = ground.bench.rows(
        "select cast(coalesce(sum(ticks), 0) as bigint) from part where slot = $slot", {"slot": slot}
    )[0][0]
    labels = ["start", "end", "state", "lane", "device", "holding", "owner", "phase", "account", "share"]
    says = f"the stretches of {slot} with one state and the same holders, computed again"
    says += ", before those who share it are weighed by use" if by_use else ""
    wanted = {} if by_use else {"time": time}
    return ground.step("atoms", says, query, labels, ("pieces", "time"), wanted=wanted, values={"slot": slot})
