-- energy_part: whose each device's energy is, by the rows of `time_part`: inside each share by the time of its accounts.
-- Grain: money piece x lane x taker. Keys: lane_no, from_s, taker_no. What has no row has no energy that is known.
-- Units: joules in J; known_ticks, the part of the row's time for which they are known, in 1/720720 of a device-second.
-- Samples of use move energy between the accounts of one holder only; of a lane that is weighed by use, what all who share
-- it have is split as their time is (group_no 0). Splits are running differences.
with weighed as (
    select distinct u.lane_no as lane_no, u.from_s as from_s from used_share as u
),

alike as (
    select g.lane_no as lane_no, g.from_s as from_s, g.taker_no as taker_no
    from given_part as g
    inner join weighed as w on g.lane_no = w.lane_no and g.from_s = w.from_s
    where g.all_alike = 1
),

base as (
    select
        u.taker_no as taker_no,
        case
            when u.owner = '__account__' and u.account = 'idle_held' then 0
            when b.taker_no is null then u.taker_no
            else b.taker_no
        end as given_no
    from taker as u
    left join taker as b
        on
            u.claim_no = b.claim_no and u.phase = b.phase and u.state = b.state
            and b.account = 'held_unobserved' and u.account in ('used', 'idle_held')
),

shared as (
    select
        s.lane_no as lane_no,
        s.from_s as from_s,
        case when a.lane_no is null then s.taker_no else 0 end as group_no,
        s.joules as part_joules,
        s.known_ticks as part_ticks
    from energy_share as s
    left join alike as a on s.lane_no = a.lane_no and s.from_s = a.from_s and s.taker_no = a.taker_no
),

grouped as (
    select
        s.lane_no as lane_no,
        s.from_s as from_s,
        s.group_no as group_no,
        cast(sum(s.part_joules) as bigint) as joules,
        cast(sum(s.part_ticks) as bigint) as group_ticks
    from shared as s
    group by s.lane_no, s.from_s, s.group_no
),

powered as (
    select distinct s.lane_no as lane_no, s.from_s as from_s from energy_share as s
),

placed as (
    select
        t.life_no as life_no,
        t.lane_no as lane_no,
        t.from_s as from_s,
        t.taker_no as taker_no,
        t.piece_s as piece_s,
        t.ticks as ticks,
        t.whole_ticks as piece_ticks,
        case when a.lane_no is null then b.given_no else 0 end as group_no
    from time_part as t
    inner join powered as w on t.lane_no = w.lane_no and t.from_s = w.from_s
    inner join base as b on t.taker_no = b.taker_no
    left join alike as a on t.lane_no = a.lane_no and t.from_s = a.from_s and b.given_no = a.taker_no
),

running as (
    select
        p.lane_no as lane_no,
        p.from_s as from_s,
        p.taker_no as taker_no,
        p.ticks as weight,
        (p.piece_s // 3600 + 7919 * l.slot_no) * cast(2654435761 as bigint) as spread,
        g.joules as joules,
        g.group_ticks as group_ticks,
        cast(
            sum(p.ticks) over (partition by p.lane_no, p.from_s, p.group_no) as bigint
        ) as whole,
        cast(
            sum(p.ticks) over (
                partition by p.lane_no, p.from_s, p.group_no order by p.taker_no
                rows between unbounded preceding and current row
            ) as bigint
        ) as reached
    from placed as p
    inner join grouped as g on p.lane_no = g.lane_no and p.from_s = g.from_s and p.group_no = g.group_no
    inner join slot_life as l on p.life_no = l.life_no
    where p.ticks < p.piece_ticks
),

bounded as (
    select
        r.lane_no as lane_no,
        r.from_s as from_s,
        r.taker_no as taker_no,
        r.weight as weight,
        r.whole as whole,
        r.reached as reached,
        r.spread % r.whole as phase,
        r.joules as part_joules,
        least(r.group_ticks, r.whole) as sure_ticks
    from running as r
)

select
    p.lane_no as lane_no,
    p.from_s as from_s,
    p.taker_no as taker_no,
    g.joules as joules,
    least(g.group_ticks, p.ticks) as known_ticks
from placed as p
inner join grouped as g on p.lane_no = g.lane_no and p.from_s = g.from_s and p.group_no = g.group_no
where p.ticks = p.piece_ticks
union all
select
    b.lane_no as lane_no,
    b.from_s as from_s,
    b.taker_no as taker_no,
    b.part_joules // b.whole * b.weight
    + (b.part_joules % b.whole * b.reached + b.phase) // b.whole
    - (b.part_joules % b.whole * (b.reached - b.weight) + b.phase) // b.whole as joules,
    b.sure_ticks // b.whole * b.weight
    + (b.sure_ticks % b.whole * b.reached + b.phase) // b.whole
    - (b.sure_ticks % b.whole * (b.reached - b.weight) + b.phase) // b.whole as known_ticks
from bounded as b
