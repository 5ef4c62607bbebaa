-- share_part: what `share` says, in numbers.
-- Grain: segment x taker. Keys: lane_no, from_s, taker_no.
-- Units: part_ticks in ticks per second; UTC seconds. Held time stands under its taker in held_unobserved, is_held 1.
-- A run that claims a lane for two owners at once has one taker there, `__conflict__`.
select
    s.life_no as life_no,
    s.lane_no as lane_no,
    s.from_s as from_s,
    s.to_s as to_s,
    k.claim_no as claim_no,
    k.taker_no as taker_no,
    cast(case when s.account = 'held' then 1 else 0 end as bigint) as is_held,
    min(s.is_sole) as has_lane,
    min(s.is_timed) as is_alike,
    cast(sum(s.share_ticks) as bigint) as part_ticks
from share as s
inner join taker as k
    on
        s.run = k.run and s.owner = k.owner and s.team = k.team and s.cost_centre = k.cost_centre
        and s.phase = k.phase and s.state = k.state
        and k.account = case when s.account = 'held' then 'held_unobserved' else s.account end
group by
    s.life_no, s.lane_no, s.from_s, s.to_s, k.claim_no, k.taker_no,
    cast(case when s.account = 'held' then 1 else 0 end as bigint)
