-- seen_part: each stretch of held time of which something is known, cut by money pieces.
-- Grain: money piece x lane x taker in held_unobserved x stretch of activity. Keys: lane_no, taker_no, seen_from_s.
-- Units: share_ticks in ticks per second; is_busy 1 from the idle threshold on; UTC seconds.
-- Who has a lane for itself is known by what the device, or the partition, reported; who shares one by what was reported
-- of its own processes, `<device>/<run>`: what a shared device does is nobody's alone. A partition is named by its UUID,
-- and in an hour in which nothing is, by its device and number, `<device>#<number>`.
with held as (
    select
        p.life_no as life_no,
        p.lane_no as lane_no,
        p.taker_no as taker_no,
        p.part_ticks as share_ticks,
        p.is_alike as is_timed,
        p.from_s as from_s,
        p.to_s as to_s,
        v.slot as slot,
        v.device as device,
        v.number as number,
        v.is_whole as is_whole,
        case when p.has_lane = 1 then '' else '/' || k.run_name end as suffix
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
        h.is_timed as is_timed,
        d.device || h.suffix as subject,
        '' as instead_of,
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
        h.is_timed as is_timed,
        h.device || h.suffix as subject,
        '' as instead_of,
        h.from_s as part_from_s,
        h.to_s as part_to_s
    from held as h
    where h.is_whole = 0 and h.device <> ''
    union all
    select
        h.life_no as life_no,
        h.lane_no as lane_no,
        h.taker_no as taker_no,
        h.share_ticks as share_ticks,
        h.is_timed as is_timed,
        d.device || h.number || h.suffix as subject,
        case when h.device = '' then '' else h.device || h.suffix end as instead_of,
        greatest(h.from_s, d.from_s) as part_from_s,
        least(h.to_s, d.to_s) as part_to_s
    from held as h
    inner join device_life as d on h.slot = d.slot and d.from_s < h.to_s and d.to_s > h.from_s
    where h.is_whole = 0 and h.number <> ''
),

-- What is held for weeks meets only the reports of its days. Neither stretches nor pieces cross a clock hour.
life_day as (
    select distinct m.life_no as life_no, m.piece_s // 86400 as day_no from money_piece as m
),

dated as (
    select
        n.life_no as life_no,
        n.lane_no as lane_no,
        n.taker_no as taker_no,
        n.share_ticks as share_ticks,
        n.is_timed as is_timed,
        n.subject as subject,
        n.instead_of as instead_of,
        d.day_no as day_no,
        n.part_from_s as part_from_s,
        n.part_to_s as part_to_s
    from named as n
    inner join life_day as d
        on
            n.life_no = d.life_no
            and d.day_no * 86400 < n.part_to_s and (d.day_no + 1) * 86400 > n.part_from_s
),

reported as (
    select distinct a.subject as subject, a.hour_s as hour_s from activity as a
),

seen as (
    select
        n.life_no as life_no,
        n.lane_no as lane_no,
        n.taker_no as taker_no,
        n.share_ticks as share_ticks,
        n.is_timed as is_timed,
        a.is_busy as is_busy,
        a.hour_s // 3600 as hour_no,
        greatest(n.part_from_s, a.start_s) as known_from_s,
        least(n.part_to_s, a.end_s) as known_to_s
    from activity as a
    inner join dated as n
        on
            a.subject = n.subject and a.hour_s // 86400 = n.day_no
            and n.part_from_s < a.end_s and n.part_to_s > a.start_s
    left join reported as r on n.instead_of = r.subject and a.hour_s = r.hour_s
    where r.subject is null
)

select
    s.lane_no as lane_no,
    s.taker_no as taker_no,
    m.from_s as from_s,
    s.share_ticks as share_ticks,
    s.is_timed as is_timed,
    s.is_busy as is_busy,
    greatest(m.from_s, s.known_from_s) as seen_from_s,
    least(m.to_s, s.known_to_s) as seen_to_s
from seen as s
inner join money_piece as m
    on
        s.life_no = m.life_no and m.piece_s // 3600 = s.hour_no
        and m.from_s < s.known_to_s and m.to_s > s.known_from_s
