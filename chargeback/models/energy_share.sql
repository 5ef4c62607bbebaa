-- energy_share: each device's energy by whose share of its slot's lanes the time was, before what is known of held time.
-- Grain: money piece x lane x taker. Keys: lane_no, from_s, taker_no.
-- Units: joules in J; known_ticks, the time for which they are known, in 1/720720 of a device-second. Splits are running
-- differences over the time that each had while the device sat there, so the parts of a device's energy add up to it.
with weighed as (
    select
        p.cut_no as cut_no,
        p.from_s as from_s,
        p.spread as spread,
        p.seat_ticks as whole,
        p.joules as joules,
        p.known_ticks as known_ticks,
        n.lane_no as lane_no,
        n.taker_no as taker_no,
        cast(
            sum((least(p.sit_to_s, n.to_s) - greatest(p.sit_from_s, n.from_s)) * n.part_ticks) as bigint
        ) as weight
    from energy_piece as p
    inner join share_part as n on p.life_no = n.life_no and n.from_s < p.sit_to_s and n.to_s > p.sit_from_s
    group by
        p.cut_no, p.from_s, p.spread, p.seat_ticks, p.joules, p.known_ticks, n.lane_no, n.taker_no
),

running as (
    select
        w.from_s as from_s,
        w.spread % w.whole as phase,
        w.whole as whole,
        w.joules as joules,
        w.known_ticks as known_ticks,
        w.lane_no as lane_no,
        w.taker_no as taker_no,
        w.weight as weight,
        cast(
            sum(w.weight) over (
                partition by w.cut_no order by w.lane_no, w.taker_no
                rows between unbounded preceding and current row
            ) as bigint
        ) as reached
    from weighed as w
    where w.weight < w.whole
),

split as (
    select
        w.lane_no as lane_no,
        w.from_s as from_s,
        w.taker_no as taker_no,
        w.joules as part_joules,
        w.known_ticks as part_ticks
    from weighed as w
    where w.weight = w.whole
    union all
    select
        r.lane_no as lane_no,
        r.from_s as from_s,
        r.taker_no as taker_no,
        r.joules // r.whole * r.weight
        + (r.joules % r.whole * r.reached + r.phase) // r.whole
        - (r.joules % r.whole * (r.reached - r.weight) + r.phase) // r.whole as part_joules,
        r.known_ticks // r.whole * r.weight
        + (r.known_ticks % r.whole * r.reached + r.phase) // r.whole
        - (r.known_ticks % r.whole * (r.reached - r.weight) + r.phase) // r.whole as part_ticks
    from running as r
)

select
    s.lane_no as lane_no,
    s.from_s as from_s,
    s.taker_no as taker_no,
    cast(sum(s.part_joules) as bigint) as joules,
    cast(sum(s.part_ticks) as bigint) as known_ticks
from split as s
group by s.lane_no, s.from_s, s.taker_no
