-- orphaned_time: what holdings claim where nothing is: outside the life of their slot or partition, while their device is
-- elsewhere, on a node without a free slot.
-- Grain: cluster. Keys: cluster. Units: ticks, in 1/720720 of a device-second.
-- What is claimed of a lane, or of free slots, that others claim too is contested or shared, and not orphaned.
with claimed as (
    select
        h.cluster as cluster,
        h.claimed_ticks * (h.to_s - h.from_s) as part_claimed
    from holding_claim as h
),

free as (
    select distinct g.life_no as life_no, g.node as node, g.from_s as from_s, g.to_s as to_s
    from segment as g
    left join holder as h on g.lane_no = h.lane_no and h.from_s <= g.from_s and h.to_s >= g.to_s
    where h.lane_no is null and g.state = 'available' and g.is_whole = 1
),

free_node as (
    select distinct l.cluster as cluster, f.node as node, f.from_s as from_s, f.to_s as to_s
    from free as f
    inner join slot_life as l on f.life_no = l.life_no
),

unplaced as (
    select p.node as node, p.claimed_ticks as claimed_ticks, p.from_s as from_s, p.to_s as to_s
    from placement as p
    where p.slot = '' and p.lane = ''
),

found as (
    select
        p.cluster as cluster,
        p.claimed_ticks * (least(p.to_s, l.to_s) - greatest(p.from_s, l.from_s)) as found_ticks
    from placement as p
    inner join slot_life as l on p.slot = l.slot and l.from_s < p.to_s and l.to_s > p.from_s
    where p.lane = ''
    union all
    select
        p.cluster as cluster,
        p.claimed_ticks * (least(p.to_s, v.to_s) - greatest(p.from_s, v.from_s)) as found_ticks
    from placement as p
    inner join lane_life as v on p.lane = v.lane and v.from_s < p.to_s and v.to_s > p.from_s
    where p.lane <> ''
    union all
    select
        n.cluster as cluster,
        u.claimed_ticks * (least(n.to_s, u.to_s) - greatest(n.from_s, u.from_s)) as found_ticks
    from free_node as n
    inner join unplaced as u on n.node = u.node and u.from_s < n.to_s and u.to_s > n.from_s
),

balance as (
    select c.cluster as cluster, c.part_claimed as part_ticks from claimed as c
    union all
    select f.cluster as cluster, 0 - f.found_ticks as part_ticks from found as f
)

select b.cluster as cluster, cast(sum(b.part_ticks) as bigint) as ticks
from balance as b
group by b.cluster
