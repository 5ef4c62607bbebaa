-- use_part: what is known of held time: in how much of it the device was busy, and for how much anything is known.
-- Grain: money piece x lane x taker in held_unobserved. Keys: lane_no, from_s, taker_no.
-- Units: busy_ticks and observed_ticks in 1/720720 of a device-second, busy a part of observed; from_s in UTC seconds.
-- Who has a lane for itself is known by what the device, or the partition, reported; who shares one by what was reported
-- of its own processes, `<device>/<run>`: what a shared device does is nobody's alone.
with held as (
    select
        p.life_no as life_no,
        p.lane_no as lane_no,
        p.taker_no as taker_no,
        p.share_ticks as share_ticks,
        p.from_s as from_s,
        p.to_s as to_s,
        v.slot as slot,
        v.device as device,
        v.is_whole as is_whole,
        case when p.is_sole = 1 then '' else '/' || k.run_name end as suffix
    from share_part as p
    inner join lane_life as v on p.lane_no = v.lane_no
    inner join taker as k on p.taker_no = k.taker_no
    where p.is_held = 1
),

named as (
    select
        h.life_no as life_no,
        h.lane_no as lane_no,
        h.taker_no as taker_no,
        h.share_ticks as share_ticks,
        d.device || h.suffix as subject,
        greatest(h.from_s, d.from_s) as part_from_s,
        least(h.to_s, d.to_s) as part_to_s
    from held as h
    inner join device_life as d on h.slot = d.slot and d.from_s < h.to_s and d.to_s > h.from_s
    where h.is_whole = 1
    union all
    select
        h.life_no as life_no,
        h.lane_no as lane_no,
        h.taker_no as taker_no,
        h.share_ticks as share_ticks,
        h.device || h.suffix as subject,
        h.from_s as part_from_s,
        h.to_s as part_to_s
    from held as h
    where h.is_whole = 0 and h.device <> ''
),

seen as (
    select
        n.life_no as life_no,
        n.lane_no as lane_no,
        n.taker_no as taker_no,
        n.share_ticks as share_ticks,
        a.is_busy as is_busy,
        a.hour_s as hour_s,
        greatest(n.part_from_s, a.start_s) as seen_from_s,
        least(n.part_to_s, a.end_s) as seen_to_s
    from activity as a
    inner join named as n on a.subject = n.subject and n.part_from_s < a.end_s and n.part_to_s > a.start_s
)

select
    s.lane_no as lane_no,
    s.taker_no as taker_no,
    m.from_s as from_s,
    cast(
        sum(
            s.is_busy * s.share_ticks * (least(m.to_s, s.seen_to_s) - greatest(m.from_s, s.seen_from_s))
        ) as bigint
    ) as busy_ticks,
    cast(
        sum(s.share_ticks * (least(m.to_s, s.seen_to_s) - greatest(m.from_s, s.seen_from_s))) as bigint
    ) as observed_ticks
from seen as s
inner join money_piece as m
    on s.life_no = m.life_no and m.from_s < s.seen_to_s and m.to_s > s.seen_from_s
group by s.lane_no, s.taker_no, m.from_s
