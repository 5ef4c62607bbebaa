-- use_part: what is known of held time: in how much of it the holder was busy, and for how much anything is known.
-- Grain: money piece x lane x taker in held_unobserved. Keys: lane_no, from_s, taker_no.
-- Units: busy_ticks and observed_ticks in 1/720720 of a device-second, busy a part of observed; busy_s and observed_s in
-- seconds of the holder; from_s in UTC seconds.
select
    s.lane_no as lane_no,
    s.taker_no as taker_no,
    s.from_s as from_s,
    cast(sum(s.is_busy * (s.seen_to_s - s.seen_from_s)) as bigint) as busy_s,
    cast(sum(s.seen_to_s - s.seen_from_s) as bigint) as observed_s,
    cast(sum(s.is_busy * s.share_ticks * (s.seen_to_s - s.seen_from_s)) as bigint) as busy_ticks,
    cast(sum(s.share_ticks * (s.seen_to_s - s.seen_from_s)) as bigint) as observed_ticks
from seen_part as s
group by s.lane_no, s.taker_no, s.from_s
