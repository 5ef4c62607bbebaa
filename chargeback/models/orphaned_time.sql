-- orphaned_time: what holdings claim where no slot is: outside the life of their slot, on a node without a free one.
-- Grain: cluster. Keys: cluster. Units: ticks, in 1/720720 of a device-second.
-- What is claimed of a slot, or of free slots, that others claim too is contested or shared, and not orphaned.
with claimed as (
    select
        h.cluster as cluster,
        h.claimed_ticks * (h.to_s - h.from_s) as part_claimed
    from holding_claim as h
),

free as (
    select distinct g.life_no as life_no, g.node as node, g.from_s as from_s, g.to_s as to_s
    from segment as g
    left join holder as h on g.slot = h.slot and h.from_s <= g.from_s and h.to_s >= g.to_s
    where h.slot is null and g.state = 'available'
),

free_node as (
    select distinct l.cluster as cluster, f.node as node, f.from_s as from_s, f.to_s as to_s
    from free as f
    inner join slot_life as l on f.life_no = l.life_no
),

found as (
    select l.cluster as cluster, h.held_ticks * (g.to_s - g.from_s) as found_ticks
    from segment as g
    inner join holder as h on g.slot = h.slot and h.from_s <= g.from_s and h.to_s >= g.to_s
    inner join slot_life as l on g.life_no = l.life_no
    union all
    select n.cluster as cluster, h.held_ticks * (n.to_s - n.from_s) as found_ticks
    from free_node as n
    inner join holder as h on n.node = h.node and h.from_s <= n.from_s and h.to_s >= n.to_s
    where h.slot = ''
),

balance as (
    select c.cluster as cluster, c.part_claimed as part_ticks from claimed as c
    union all
    select f.cluster as cluster, 0 - f.found_ticks as part_ticks from found as f
)

select b.cluster as cluster, cast(sum(b.part_ticks) as bigint) as ticks
from balance as b
group by b.cluster
