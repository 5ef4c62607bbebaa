-- time_part: whose each slot's time is, in numbers: what `time_row` says in words.
-- Grain: money piece x lane x taker. Keys: lane_no, from_s, taker_no.
-- Units: ticks, in 1/720720 of a device-second; observed_ticks, the part of it for which activity is known; whole_ticks,
-- the time of the whole money piece; UTC seconds.
-- Held time is used, idle_held or held_unobserved by what is known of it, where that is enough: else all of it is
-- held_unobserved, and observed_ticks says how much was known. Lanes that are weighed by use are as used_share says.
with weighed as (
    select distinct u.lane_no as lane_no, u.from_s as from_s from used_share as u
),

told as (
    select
        g.life_no as life_no,
        g.lane_no as lane_no,
        g.claim_no as claim_no,
        g.taker_no as taker_no,
        g.price_no as price_no,
        g.piece_s as piece_s,
        g.from_s as from_s,
        g.to_s as to_s,
        g.whole_ticks as whole_ticks,
        g.given_ticks as given_ticks,
        case when u.lane_no is null then 0 else u.busy_ticks end as busy_part,
        case when u.lane_no is null then 0 else u.observed_ticks end as known_part,
        case
            when u.lane_no is null then 0
            when u.observed_ticks * 1000 >= g.given_ticks * s.coverage_permille then 1
            else 0
        end as is_known
    from given_part as g
    cross join sharing as s
    left join use_part as u on g.lane_no = u.lane_no and g.from_s = u.from_s and g.taker_no = u.taker_no
    left join weighed as w on g.lane_no = w.lane_no and g.from_s = w.from_s and g.all_alike = 1
    where w.lane_no is null
),

known_taker as (
    select b.taker_no as taker_no, u.taker_no as known_no, u.account as account
    from taker as b
    inner join taker as u on b.claim_no = u.claim_no and b.phase = u.phase and b.state = u.state
    where b.account = 'held_unobserved' and u.account in ('used', 'idle_held')
),

piece as (
    select
        g.life_no as life_no,
        g.lane_no as lane_no,
        g.price_no as price_no,
        g.piece_s as piece_s,
        g.from_s as from_s,
        g.to_s as to_s,
        g.whole_ticks as whole_ticks
    from given_part as g
    where g.all_alike = 1
    group by g.life_no, g.lane_no, g.price_no, g.piece_s, g.from_s, g.to_s, g.whole_ticks
),

split as (
    select
        t.life_no as life_no,
        t.lane_no as lane_no,
        t.taker_no as taker_no,
        t.price_no as price_no,
        t.piece_s as piece_s,
        t.from_s as from_s,
        t.to_s as to_s,
        t.whole_ticks as whole_ticks,
        case when t.is_known = 1 then t.given_ticks - t.known_part else t.given_ticks end as ticks,
        case when t.is_known = 1 then 0 else t.known_part end as observed_ticks
    from told as t
    union all
    select
        t.life_no as life_no,
        t.lane_no as lane_no,
        k.known_no as taker_no,
        t.price_no as price_no,
        t.piece_s as piece_s,
        t.from_s as from_s,
        t.to_s as to_s,
        t.whole_ticks as whole_ticks,
        case when k.account = 'used' then t.busy_part else t.known_part - t.busy_part end as ticks,
        case when k.account = 'used' then t.busy_part else t.known_part - t.busy_part end as observed_ticks
    from told as t
    inner join known_taker as k on t.taker_no = k.taker_no
    where t.is_known = 1
    union all
    select
        p.life_no as life_no,
        p.lane_no as lane_no,
        k.known_no as taker_no,
        p.price_no as price_no,
        p.piece_s as piece_s,
        p.from_s as from_s,
        p.to_s as to_s,
        p.whole_ticks as whole_ticks,
        case when k.account = 'used' then u.used_ticks else u.idle_ticks end as ticks,
        case when k.account = 'used' then u.used_ticks else u.idle_ticks end as observed_ticks
    from used_share as u
    inner join piece as p on u.lane_no = p.lane_no and u.from_s = p.from_s
    inner join known_taker as k on u.taker_no = k.taker_no
    union all
    select
        p.life_no as life_no,
        p.lane_no as lane_no,
        k.taker_no as taker_no,
        p.price_no as price_no,
        p.piece_s as piece_s,
        p.from_s as from_s,
        p.to_s as to_s,
        p.whole_ticks as whole_ticks,
        u.idle_ticks as ticks,
        u.idle_ticks as observed_ticks
    from used_share as u
    inner join piece as p on u.lane_no = p.lane_no and u.from_s = p.from_s
    inner join taker as k on u.taker_no = 0 and k.owner = '__account__' and k.account = 'idle_held'
)

select
    s.life_no as life_no,
    s.lane_no as lane_no,
    k.claim_no as claim_no,
    s.taker_no as taker_no,
    s.price_no as price_no,
    s.piece_s as piece_s,
    s.from_s as from_s,
    s.to_s as to_s,
    s.whole_ticks as whole_ticks,
    s.ticks as ticks,
    s.observed_ticks as observed_ticks
from split as s
inner join taker as k on s.taker_no = k.taker_no
where s.ticks > 0
