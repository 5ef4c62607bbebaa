-- energy: what each device used in each hour, from the samples of one UTC day and shard.
-- Grain: device x hour. Keys: subject, hour_s. Input: `sample`, all of one day and shard.
-- Energy and power are the device's, whichever of its partitions or holders reports them: read once per device, source and
-- instant, as the greatest of what is repeated.
-- counter: the difference of two readings of the device's running total; a fall is a reset, and the new reading is what came
-- since. Two readings more than 1 + $carry steps apart are a gap: what was used in it is not known. A difference over the turn of
-- an hour is split by seconds; one over the turn of a UTC day is not known, so a day depends on its own samples alone.
-- power: watts of a cell times its step, for cells that have a reading.
-- One series and method speaks for a device and hour: the counter first, then more seconds known, then the source's name,
-- then the shorter step.
-- A series is what one source says of one device by one step; a reading's key is series_no * 86400 + its second of the day.
-- Units: J, W, UTC seconds; known_s is the part of the hour that the joules cover.
with series as (
    select
        s.device as device,
        s.source as source,
        s.step_s as step_s,
        max(s.cluster) as cluster_name,
        max(s.node) as node_name,
        min(s.instant_us) // cast(86400000000 as bigint) * 86400 as day_s
    from sample as s
    where s.device is not null and s.step_s is not null and (s.energy_j is not null or s.power_w is not null)
    group by s.device, s.source, s.step_s
),

numbered as (
    select
        s.device as device,
        s.source as source,
        s.step_s as step_s,
        s.cluster_name as cluster_name,
        s.node_name as node_name,
        s.day_s as day_s,
        row_number() over (order by s.device, s.source, s.step_s) as series_no
    from series as s
),

reading as (
    select
        n.series_no * 86400 + s.instant_us // 1000000 % 86400 // n.step_s * n.step_s as reading_key,
        max(s.energy_j) as total_j,
        max(s.power_w) as watts
    from sample as s
    inner join numbered as n on s.device = n.device and s.source = n.source and s.step_s = n.step_s
    where s.energy_j is not null or s.power_w is not null
    group by n.series_no * 86400 + s.instant_us // 1000000 % 86400 // n.step_s * n.step_s
),

counted as (
    select
        r.reading_key as reading_key,
        r.total_j as total_j,
        lag(r.reading_key) over (order by r.reading_key) as before_key,
        lag(r.total_j) over (order by r.reading_key) as before_j
    from reading as r
    where r.total_j is not null
),

gained as (
    select
        n.series_no as series_no,
        c.before_key % 86400 as from_s,
        c.reading_key % 86400 as to_s,
        c.before_key % 86400 // 3600 * 3600 as first_s,
        (c.reading_key % 86400 - 1) // 3600 * 3600 as last_s,
        case when c.total_j >= c.before_j then c.total_j - c.before_j else c.total_j end as gain_j
    from counted as c
    inner join numbered as n on c.reading_key // 86400 = n.series_no
    where c.before_key // 86400 = n.series_no and c.reading_key - c.before_key <= (1 + $carry) * n.step_s
),

part as (
    select
        g.series_no as series_no,
        1 as method_no,
        g.first_s as hour_s,
        g.from_s as from_s,
        least(g.to_s, g.first_s + 3600) as until_s,
        case
            when g.first_s = g.last_s then g.gain_j
            else g.gain_j * (g.last_s - g.from_s) // (g.to_s - g.from_s)
        end as part_j
    from gained as g
    union all
    select
        g.series_no as series_no,
        1 as method_no,
        g.last_s as hour_s,
        g.last_s as from_s,
        g.to_s as until_s,
        g.gain_j - g.gain_j * (g.last_s - g.from_s) // (g.to_s - g.from_s) as part_j
    from gained as g
    where g.first_s <> g.last_s
    union all
    select
        n.series_no as series_no,
        2 as method_no,
        r.reading_key % 86400 // 3600 * 3600 as hour_s,
        r.reading_key % 86400 as from_s,
        r.reading_key % 86400 + n.step_s as until_s,
        r.watts * n.step_s as part_j
    from reading as r
    inner join numbered as n on r.reading_key // 86400 = n.series_no
    where r.watts is not null
),

summed as (
    select
        p.series_no as series_no,
        p.method_no as method_no,
        p.hour_s as hour_of_day_s,
        min(p.from_s) as first_of_day_s,
        max(p.until_s) as last_of_day_s,
        cast(sum(p.until_s - p.from_s) as bigint) as known_s,
        cast(sum(p.part_j) as bigint) as joules
    from part as p
    group by p.series_no, p.method_no, p.hour_s
),

candidate as (
    select
        n.device as device,
        n.source as source,
        n.step_s as step_s,
        n.cluster_name as cluster_name,
        n.node_name as node_name,
        s.method_no as method_no,
        n.day_s + s.hour_of_day_s as hour_s,
        n.day_s + s.first_of_day_s as first_s,
        n.day_s + s.last_of_day_s as last_s,
        s.known_s as known_s,
        s.joules as joules
    from summed as s
    inner join numbered as n on s.series_no = n.series_no
),

placed as (
    select
        c.device as device,
        c.source as source,
        c.method_no as method_no,
        c.hour_s as hour_s,
        c.cluster_name as cluster_name,
        c.node_name as node_name,
        c.first_s as first_s,
        c.last_s as last_s,
        c.known_s as known_s,
        c.joules as joules,
        row_number() over (
            partition by c.device, c.hour_s order by c.method_no, c.known_s desc, c.source, c.step_s
        ) as place
    from candidate as c
),

final as (
    select
        p.cluster_name as cluster,
        p.node_name as node,
        p.device as subject,
        p.source as source,
        p.hour_s as hour_s,
        p.first_s as start_s,
        p.last_s as end_s,
        p.joules as joules,
        p.known_s as known_s,
        case p.method_no when 1 then 'counter' else 'power' end as method
    from placed as p
    where p.place = 1
)

select
    f.cluster as cluster,
    f.node as node,
    f.subject as subject,
    f.source as source,
    f.hour_s as hour_s,
    f.start_s as start_s,
    f.end_s as end_s,
    f.joules as joules,
    f.known_s as known_s,
    f.method as method
from final as f
order by f.subject, f.start_s
