-- assumed_slot: the slots that holdings without a node imply: one per unit held, `<group>/<run>/<k>`, while it is held.
-- Grain: slot x stretch of constant size and of what is said of the owner. Keys: slot, from_s.
-- A run that holds several models or regions at once counts k over all of them, in the order of their names.
-- who_no 0 is a run whose facts have different owners at once.
-- Units: slot_ticks in ticks per second (720720 = a whole device; less where only a fraction is claimed); UTC seconds.
with claim as (
    select
        h.cluster as cluster,
        h.capacity_group as capacity_group,
        h.run as run,
        h.run_name as run_name,
        h.run_no as run_no,
        h.who_no as who_no,
        h.outcome_no as outcome_no,
        h.model as model,
        h.region as region,
        h.claimed_ticks as claimed_ticks,
        h.from_s as from_s,
        h.to_s as to_s
    from holding_claim as h
    where h.is_assumed = 1
),

edge as (
    select c.capacity_group as capacity_group, c.run as run, c.from_s as at_s
    from claim as c
    union distinct
    select c.capacity_group as capacity_group, c.run as run, c.to_s as at_s
    from claim as c
),

stretch as (
    select
        e.capacity_group as capacity_group,
        e.run as run,
        e.at_s as from_s,
        lead(e.at_s) over (partition by e.capacity_group, e.run order by e.at_s) as to_s,
        lead(e.run) over (partition by e.capacity_group, e.run order by e.at_s) as next_run
    from edge as e
),

level as (
    select
        s.capacity_group as capacity_group,
        s.run as run,
        c.model as model,
        c.region as region,
        s.from_s as from_s,
        s.to_s as to_s,
        c.cluster as cluster,
        c.run_name as run_name,
        c.run_no as run_no,
        case when min(c.outcome_no) = max(c.outcome_no) then min(c.who_no) else 0 end as level_who_no,
        cast(sum(c.claimed_ticks) as bigint) as level_ticks
    from stretch as s
    inner join claim as c
        on s.capacity_group = c.capacity_group and s.run = c.run and c.from_s <= s.from_s and c.to_s >= s.to_s
    where s.next_run = s.run
    group by s.capacity_group, s.run, c.model, c.region, s.from_s, s.to_s, c.cluster, c.run_name,
        c.run_no
),

counted as (
    select
        l.cluster as cluster,
        l.capacity_group as capacity_group,
        l.run as run,
        l.run_name as run_name,
        l.run_no as run_no,
        l.level_who_no as who_no,
        l.model as model,
        l.region as region,
        l.level_ticks as level_ticks,
        l.from_s as from_s,
        l.to_s as to_s,
        (l.level_ticks + 720719) // 720720 as slot_count,
        cast(
            sum((l.level_ticks + 720719) // 720720) over (
                partition by l.capacity_group, l.run, l.from_s order by l.model, l.region
                rows between unbounded preceding and current row
            ) as bigint
        ) as reached_count
    from level as l
)

select
    c.cluster as cluster,
    c.capacity_group || '/' || c.run || '/' || cast(c.reached_count - c.slot_count + n.k as varchar) as slot,
    (c.run_no + c.reached_count - c.slot_count + n.k) % 65536 as slot_no,
    c.run as run,
    c.run_name as run_name,
    c.who_no as who_no,
    c.model as model,
    c.region as region,
    least(720720, c.level_ticks - n.k * 720720) as slot_ticks,
    c.from_s as from_s,
    c.to_s as to_s
from counted as c
inner join counting as n on n.k * 720720 < c.level_ticks
