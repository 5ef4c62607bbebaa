-- lane_life: what can be held of a slot when: its partitions and what they leave over, or the whole device.
-- Grain: lane x stretch of one set of partitions. Keys: lane_no.
-- Units: lane_no numbers the unit's rows in the order of slot, lane and start; lane_ticks in ticks per second, together
-- the slot's; from_s and to_s in UTC seconds. A partition weighs by the larger of its parts of compute and memory (by the
-- policy mig_share by one of the two), of all there is, or of all that is cut where that is more. What is left over is
-- idle_free where a smallest slice still fits, else stranded; by the policy stranded the partitions take the latter.
with edge as (
    select l.life_no as life_no, l.from_s as at_s from slot_life as l
    union distinct
    select l.life_no as life_no, l.to_s as at_s from slot_life as l
    union distinct
    select l.life_no as life_no, p.from_s as at_s
    from slot_life as l
    inner join partition_life as p on l.slot = p.slot and p.from_s > l.from_s and p.from_s < l.to_s
    union distinct
    select l.life_no as life_no, p.to_s as at_s
    from slot_life as l
    inner join partition_life as p on l.slot = p.slot and p.to_s > l.from_s and p.to_s < l.to_s
),

stretch as (
    select
        e.life_no as life_no,
        e.at_s as from_s,
        lead(e.at_s) over (partition by e.life_no order by e.at_s) as to_s,
        lead(e.life_no) over (partition by e.life_no order by e.at_s) as next_no
    from edge as e
),

part as (
    select
        x.life_no as life_no,
        x.from_s as from_s,
        x.to_s as to_s,
        p.lane as lane,
        p.device as device,
        p.number as number,
        l.slot_ticks as slot_ticks,
        l.compute_total as compute_total,
        l.memory_total as memory_total,
        p.compute_slices as compute_slices,
        p.memory_slices as memory_slices,
        case
            when g.mig_share = 1 then p.compute_slices * l.memory_total
            when g.mig_share = 2 then p.memory_slices * l.compute_total
            else greatest(p.compute_slices * l.memory_total, p.memory_slices * l.compute_total)
        end as weight,
        g.stranded as absorbs
    from stretch as x
    inner join slot_life as l on x.life_no = l.life_no
    inner join partition_life as p on l.slot = p.slot and p.from_s <= x.from_s and p.to_s >= x.to_s
    cross join sharing as g
    where x.next_no = x.life_no and l.is_assumed = 0
),

summed as (
    select
        p.life_no as life_no,
        p.from_s as from_s,
        p.to_s as to_s,
        p.slot_ticks as slot_ticks,
        p.absorbs as absorbs,
        p.compute_total * p.memory_total as full_weight,
        cast(sum(p.weight) as bigint) as set_weight,
        case
            when
                p.compute_total > cast(sum(p.compute_slices) as bigint)
                and p.memory_total > cast(sum(p.memory_slices) as bigint)
                then 1
            else 0
        end as is_fitting
    from part as p
    group by p.life_no, p.from_s, p.to_s, p.slot_ticks, p.absorbs, p.compute_total, p.memory_total
),

divided as (
    select
        s.life_no as life_no,
        s.from_s as from_s,
        s.to_s as to_s,
        s.slot_ticks as slot_ticks,
        s.set_weight as set_weight,
        s.is_fitting as is_fitting,
        case
            when s.set_weight > s.full_weight or (s.absorbs = 1 and s.is_fitting = 0) then s.set_weight
            else s.full_weight
        end as whole_weight
    from summed as s
),

running as (
    select
        p.life_no as life_no,
        p.from_s as from_s,
        p.to_s as to_s,
        p.lane as lane,
        p.device as device,
        p.number as number,
        p.weight as weight,
        d.slot_ticks as slot_ticks,
        d.whole_weight as whole_weight,
        cast(
            sum(p.weight) over (
                partition by p.life_no, p.from_s order by p.lane, p.device
                rows between unbounded preceding and current row
            ) as bigint
        ) as reached
    from part as p
    inner join divided as d on p.life_no = d.life_no and p.from_s = d.from_s
),

lane as (
    select
        r.life_no as life_no,
        r.lane as lane,
        r.device as device,
        r.number as number,
        cast(0 as bigint) as is_whole,
        'idle_free' as free_account,
        r.slot_ticks * r.reached // r.whole_weight - r.slot_ticks * (r.reached - r.weight) // r.whole_weight as lane_ticks,
        r.from_s as from_s,
        r.to_s as to_s
    from running as r
    union all
    select
        d.life_no as life_no,
        l.slot || '/rest' as lane,
        '' as device,
        '' as number,
        cast(0 as bigint) as is_whole,
        case when d.is_fitting = 1 then 'idle_free' else 'stranded' end as free_account,
        d.slot_ticks - d.slot_ticks * d.set_weight // d.whole_weight as lane_ticks,
        d.from_s as from_s,
        d.to_s as to_s
    from divided as d
    inner join slot_life as l on d.life_no = l.life_no
    where d.slot_ticks > d.slot_ticks * d.set_weight // d.whole_weight
    union all
    select
        x.life_no as life_no,
        l.slot as lane,
        '' as device,
        '' as number,
        cast(1 as bigint) as is_whole,
        'idle_free' as free_account,
        l.slot_ticks as lane_ticks,
        x.from_s as from_s,
        x.to_s as to_s
    from stretch as x
    inner join slot_life as l on x.life_no = l.life_no
    left join divided as d on x.life_no = d.life_no and x.from_s = d.from_s
    where x.next_no = x.life_no and d.life_no is null
)

select
    row_number() over (order by l.slot, n.lane, n.from_s, n.device) as lane_no,
    n.life_no as life_no,
    l.node as node,
    l.slot as slot,
    n.lane as lane,
    n.device as device,
    n.number as number,
    n.is_whole as is_whole,
    n.free_account as free_account,
    n.lane_ticks as lane_ticks,
    n.from_s as from_s,
    n.to_s as to_s
from lane as n
inner join slot_life as l on n.life_no = l.life_no
