-- device_seat: in which slot each device sat whose energy is known: in one at each instant.
-- Grain: device x longest stretch in one slot. Keys: device, from_s. Units: from_s and to_s in UTC seconds.
-- Where a device is said to be in several slots at once, the first by name has it, so its energy is never counted twice.
with reported as (
    select distinct e.device as device from energy as e
),

said as (
    select d.device as device, d.slot as slot, d.from_s as from_s, d.to_s as to_s
    from device_life as d
    inner join reported as r on d.device = r.device
),

edge as (
    select s.device as device, s.from_s as at_s from said as s
    union distinct
    select s.device as device, s.to_s as at_s from said as s
),

stretch as (
    select
        e.device as device,
        e.at_s as from_s,
        lead(e.at_s) over (partition by e.device order by e.at_s) as to_s,
        lead(e.device) over (partition by e.device order by e.at_s) as next_device
    from edge as e
),

seated as (
    select x.device as device, x.from_s as from_s, x.to_s as to_s, min(s.slot) as first_slot
    from stretch as x
    inner join said as s on x.device = s.device and s.from_s <= x.from_s and s.to_s >= x.to_s
    where x.next_device = x.device
    group by x.device, x.from_s, x.to_s
),

opened as (
    select
        t.device as device,
        t.first_slot as slot,
        t.from_s as part_from_s,
        t.to_s as part_to_s,
        lag(t.to_s) over (partition by t.device, t.first_slot order by t.from_s) as before_s
    from seated as t
),

island as (
    select
        o.device as device,
        o.slot as slot,
        o.part_from_s as part_from_s,
        o.part_to_s as part_to_s,
        sum(case when o.before_s = o.part_from_s then 0 else 1 end) over (
            partition by o.device, o.slot order by o.part_from_s
            rows between unbounded preceding and current row
        ) as island_no
    from opened as o
)

select i.device as device, i.slot as slot, min(i.part_from_s) as from_s, max(i.part_to_s) as to_s
from island as i
group by i.device, i.slot, i.island_no
