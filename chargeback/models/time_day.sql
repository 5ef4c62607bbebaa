-- time_day: the time rows of a unit summed by local day.
-- Grain: day x account x state x owner x team x cost centre x model x cluster x whether capacity is assumed.
-- Units: ticks and unpriced_ticks in 1/720720 of a device-second; observed_ticks is the part with known activity.
with summed as (
    select
        t.life_no as life_no,
        t.taker_no as taker_no,
        c.day as day,
        cast(sum(t.ticks) as bigint) as part_ticks,
        cast(sum(case when p.is_priced = 0 then t.ticks else 0 end) as bigint) as part_unpriced_ticks,
        cast(sum(t.observed_ticks) as bigint) as part_observed_ticks
    from time_part as t
    inner join calendar_piece as c on t.piece_s = c.start_s
    inner join price_name as p on t.price_no = p.price_no
    group by t.life_no, t.taker_no, c.day
)

select
    s.day as day,
    k.account as account,
    k.state as state,
    k.owner as owner,
    k.team as team,
    k.cost_centre as cost_centre,
    l.model as model,
    l.cluster as cluster,
    l.is_assumed as is_assumed,
    cast(sum(s.part_ticks) as bigint) as ticks,
    cast(sum(s.part_unpriced_ticks) as bigint) as unpriced_ticks,
    cast(sum(s.part_observed_ticks) as bigint) as observed_ticks
from summed as s
inner join taker as k on s.taker_no = k.taker_no
inner join slot_life as l on s.life_no = l.life_no
group by
    s.day, k.account, k.state, k.owner, k.team, k.cost_centre, l.model, l.cluster, l.is_assumed
