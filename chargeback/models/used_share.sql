-- used_share: shared lanes whose holders a policy weighs by use, where enough is known of each: the time in which any of
-- them was busy by their seconds busy, the rest as idle, apart from them or by the same weights.
-- Grain: money piece x lane x taker in held_unobserved; taker_no 0 is idle time that is nobody's. Keys: lane_no, from_s,
-- taker_no.
-- Units: used_ticks and idle_ticks in 1/720720 of a device-second, by running differences.
with timed as (
    select
        g.lane_no as lane_no,
        g.from_s as from_s,
        g.taker_no as taker_no,
        g.given_ticks as given_ticks,
        case when u.lane_no is null then 0 else u.busy_s end as own_busy_s,
        case when u.lane_no is null then 0 else u.observed_s end as own_observed_s,
        g.held_s * s.coverage_permille as needed,
        s.time_slicing as choice
    from given_part as g
    cross join sharing as s
    left join use_part as u on g.lane_no = u.lane_no and g.from_s = u.from_s and g.taker_no = u.taker_no
    where g.all_alike = 1 and s.time_slicing >= 2
),

weighed as (
    select
        t.lane_no as lane_no,
        t.from_s as from_s,
        t.choice as choice,
        cast(sum(t.given_ticks) as bigint) as shared_ticks,
        cast(sum(t.own_busy_s) as bigint) as all_busy_s,
        min(case when t.own_observed_s * 1000 >= t.needed then 1 else 0 end) as is_known
    from timed as t
    group by t.lane_no, t.from_s, t.choice
),

busy as (
    select p.lane_no as lane_no, p.from_s as from_s, p.seen_from_s as busy_from_s, p.seen_to_s as busy_to_s
    from seen_part as p
    where p.is_timed = 1 and p.is_busy = 1
),

edge as (
    select b.lane_no as lane_no, b.from_s as from_s, b.busy_from_s as at_s from busy as b
    union distinct
    select b.lane_no as lane_no, b.from_s as from_s, b.busy_to_s as at_s from busy as b
),

stretch as (
    select
        e.lane_no as lane_no,
        e.from_s as from_s,
        e.at_s as part_from_s,
        lead(e.at_s) over (partition by e.lane_no, e.from_s order by e.at_s) as part_to_s,
        lead(e.lane_no) over (partition by e.lane_no, e.from_s order by e.at_s) as next_no
    from edge as e
),

covered as (
    select distinct x.lane_no as lane_no, x.from_s as from_s, x.part_from_s as part_from_s, x.part_to_s as part_to_s
    from stretch as x
    inner join busy as b
        on
            x.lane_no = b.lane_no and x.from_s = b.from_s and b.busy_from_s <= x.part_from_s
            and b.busy_to_s >= x.part_to_s
    where x.next_no = x.lane_no
),

anyone as (
    select
        c.lane_no as lane_no,
        c.from_s as from_s,
        cast(sum((c.part_to_s - c.part_from_s) * v.lane_ticks) as bigint) as busy_ticks
    from covered as c
    inner join lane_life as v on c.lane_no = v.lane_no
    group by c.lane_no, c.from_s
),

known as (
    select
        w.lane_no as lane_no,
        w.from_s as from_s,
        w.choice as choice,
        w.all_busy_s as all_busy_s,
        case when a.lane_no is null then 0 else a.busy_ticks end as any_ticks,
        case when a.lane_no is null then w.shared_ticks else w.shared_ticks - a.busy_ticks end as rest_ticks
    from weighed as w
    left join anyone as a on w.lane_no = a.lane_no and w.from_s = a.from_s
    where w.is_known = 1 and (w.all_busy_s > 0 or w.choice = 2)
),

running as (
    select
        t.lane_no as lane_no,
        t.from_s as from_s,
        t.taker_no as taker_no,
        t.own_busy_s as weight,
        k.all_busy_s as whole,
        k.choice as choice,
        k.any_ticks as any_ticks,
        k.rest_ticks as rest_ticks,
        cast(
            sum(t.own_busy_s) over (
                partition by t.lane_no, t.from_s order by t.taker_no
                rows between unbounded preceding and current row
            ) as bigint
        ) as reached
    from timed as t
    inner join known as k on t.lane_no = k.lane_no and t.from_s = k.from_s
)

select
    r.lane_no as lane_no,
    r.from_s as from_s,
    r.taker_no as taker_no,
    case
        when r.whole = 0 then 0
        else r.any_ticks * r.reached // r.whole - r.any_ticks * (r.reached - r.weight) // r.whole
    end as used_ticks,
    case
        when r.choice = 2 then 0
        else r.rest_ticks * r.reached // r.whole - r.rest_ticks * (r.reached - r.weight) // r.whole
    end as idle_ticks
from running as r
union all
select
    k.lane_no as lane_no,
    k.from_s as from_s,
    cast(0 as bigint) as taker_no,
    cast(0 as bigint) as used_ticks,
    k.rest_ticks as idle_ticks
from known as k
where k.choice = 2
