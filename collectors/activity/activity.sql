-- activity: the samples of one UTC day and shard as stretches of equal bands of use, per subject and hour.
-- Grain: subject x hour x stretch. Keys: subject, start_s. Input: `sample`, all of one day and shard, and `counting`, k from 0 to 7.
-- A cell is a source's instant // step. A row counts for the best measure that it has: SM active (ladder 1), else graphics engine
-- active (2), else utilisation (3), which speaks for whole devices alone. A word is up to 60 cells that lie in one hour; eight masks
-- of bits per word say which of its cells reach each edge of a band (0, 10, 50, 150, 300, 500, 700, 900 per mille). A mask is made
-- by `or`, so the greatest sample of a cell counts, and neither order nor delivering twice changes a bit.
-- One source speaks for a subject and hour: first by the ladder, then by more cells, then by name, then by the shorter step; only
-- its rows of that measure are read.
-- An empty cell takes the state before it for at most $carry cells. Nothing is carried into another hour, so an hour depends on
-- its own samples alone.
-- The operators on bits are the one departure from the portable subset.
-- Units: per mille, UTC seconds; pos counts cells from the start of the hour; an edge's key is (hour_no * 4096 + pos) * 16 + state,
-- where state 0 is an empty cell and 1 to 8 are the bands.
with cell as (
    select
        s.subject as subject,
        s.source as source,
        s.step_s as step_s,
        s.cluster as cluster,
        s.node as node,
        s.instant_us as instant_us,
        s.step_s * 1000000 as step_us,
        case
            when s.step_s >= 60 then cast(3600000000 as bigint)
            when s.step_s >= 30 then cast(1800000000 as bigint)
            when s.step_s >= 15 then cast(900000000 as bigint)
            when s.step_s >= 3 then cast(180000000 as bigint)
            else cast(60000000 as bigint)
        end as word_us,
        case
            when s.sm_active_permille is not null then 1
            when s.graphics_engine_active_permille is not null then 2
            else 3
        end as ladder,
        coalesce(s.sm_active_permille, s.graphics_engine_active_permille, s.utilisation_permille) as reading
    from sample as s
    where s.step_s is not null
        and (
            s.sm_active_permille is not null
            or s.graphics_engine_active_permille is not null
            or (s.utilisation_permille is not null and s.device = s.subject)
        )
),

placed_cell as (
    select
        c.subject as subject,
        c.source as source,
        c.step_s as step_s,
        c.cluster as cluster,
        c.node as node,
        c.ladder as ladder,
        c.reading as reading,
        c.instant_us as instant_us,
        c.step_us as step_us,
        c.word_us as word_us,
        c.instant_us // c.word_us * c.word_us as word_at_us
    from cell as c
),

marked as (
    select
        p.subject as subject,
        p.source as source,
        p.step_s as step_s,
        p.cluster as cluster,
        p.node as node,
        p.ladder as ladder,
        p.reading as reading,
        p.word_at_us as word_at_us,
        cast(1 as bigint) << ((p.instant_us - p.word_at_us) // p.step_us) as mark
    from placed_cell as p
),

told as (
    select
        m.subject as subject,
        m.source as source,
        m.step_s as step_s,
        m.cluster as cluster,
        m.node as node,
        m.ladder as ladder,
        m.word_at_us // 1000000 as word_at_s,
        bit_or(case when m.reading >= 0 then m.mark end) as from_0,
        bit_or(case when m.reading >= 10 then m.mark end) as from_10,
        bit_or(case when m.reading >= 50 then m.mark end) as from_50,
        bit_or(case when m.reading >= 150 then m.mark end) as from_150,
        bit_or(case when m.reading >= 300 then m.mark end) as from_300,
        bit_or(case when m.reading >= 500 then m.mark end) as from_500,
        bit_or(case when m.reading >= 700 then m.mark end) as from_700,
        bit_or(case when m.reading >= 900 then m.mark end) as from_900
    from marked as m
    group by m.subject, m.source, m.step_s, m.cluster, m.node, m.ladder, m.word_at_us
),

word as (
    select
        t.subject as subject,
        t.source as source,
        t.step_s as step_s,
        t.ladder as ladder,
        t.word_at_s as word_at_s,
        t.word_at_s // 3600 * 3600 as hour_s,
        max(t.cluster) as cluster_name,
        max(t.node) as node_name,
        coalesce(bit_or(t.from_0), 0) as mask_0,
        coalesce(bit_or(t.from_10), 0) as mask_10,
        coalesce(bit_or(t.from_50), 0) as mask_50,
        coalesce(bit_or(t.from_150), 0) as mask_150,
        coalesce(bit_or(t.from_300), 0) as mask_300,
        coalesce(bit_or(t.from_500), 0) as mask_500,
        coalesce(bit_or(t.from_700), 0) as mask_700,
        coalesce(bit_or(t.from_900), 0) as mask_900
    from told as t
    group by t.subject, t.source, t.step_s, t.ladder, t.word_at_s
),

candidate as (
    select
        w.subject as subject,
        w.source as source,
        w.step_s as step_s,
        w.ladder as ladder,
        w.hour_s as hour_s,
        max(w.cluster_name) as cluster,
        max(w.node_name) as node,
        cast(sum(bit_count(w.mask_0)) as bigint) as cells
    from word as w
    group by w.subject, w.source, w.step_s, w.ladder, w.hour_s
),

placed as (
    select
        c.subject as subject,
        c.source as source,
        c.step_s as step_s,
        c.hour_s as hour_s,
        c.cluster as cluster,
        c.node as node,
        c.ladder as ladder,
        row_number() over (
            partition by c.subject, c.hour_s order by c.ladder, c.cells desc, c.source, c.step_s
        ) as place
    from candidate as c
),

chosen as (
    select
        p.subject as subject,
        p.source as source,
        p.step_s as step_s,
        p.hour_s as hour_s,
        p.cluster as cluster,
        p.node as node,
        p.ladder as ladder,
        row_number() over (order by p.subject, p.hour_s) as hour_no
    from placed as p
    where p.place = 1
),

reached as (
    select
        c.hour_no as hour_no,
        w.word_at_s % 3600 // c.step_s as word_pos,
        w.mask_0 as mask_0,
        w.mask_10 as mask_10,
        w.mask_50 as mask_50,
        w.mask_150 as mask_150,
        w.mask_300 as mask_300,
        w.mask_500 as mask_500,
        w.mask_700 as mask_700,
        w.mask_900 as mask_900
    from word as w
    inner join chosen as c
        on w.subject = c.subject and w.hour_s = c.hour_s and w.source = c.source and w.step_s = c.step_s
        and w.ladder = c.ladder
),

changed as (
    select
        r.hour_no as hour_no,
        r.word_pos as word_pos,
        r.mask_0 as from_0,
        r.mask_10 as from_10,
        r.mask_50 as from_50,
        r.mask_150 as from_150,
        r.mask_300 as from_300,
        r.mask_500 as from_500,
        r.mask_700 as from_700,
        r.mask_900 as from_900,
        xor(r.mask_0, r.mask_0 << 1)
        | xor(r.mask_10, r.mask_10 << 1)
        | xor(r.mask_50, r.mask_50 << 1)
        | xor(r.mask_150, r.mask_150 << 1)
        | xor(r.mask_300, r.mask_300 << 1)
        | xor(r.mask_500, r.mask_500 << 1)
        | xor(r.mask_700, r.mask_700 << 1)
        | xor(r.mask_900, r.mask_900 << 1) as edges
    from reached as r
),

octet as (
    select
        c.hour_no as hour_no,
        c.word_pos + n.k * 8 as octet_pos,
        (c.edges >> (n.k * 8)) & 255 as octet_edges,
        (c.from_0 >> (n.k * 8)) & 255 as octet_0,
        (c.from_10 >> (n.k * 8)) & 255 as octet_10,
        (c.from_50 >> (n.k * 8)) & 255 as octet_50,
        (c.from_150 >> (n.k * 8)) & 255 as octet_150,
        (c.from_300 >> (n.k * 8)) & 255 as octet_300,
        (c.from_500 >> (n.k * 8)) & 255 as octet_500,
        (c.from_700 >> (n.k * 8)) & 255 as octet_700,
        (c.from_900 >> (n.k * 8)) & 255 as octet_900
    from changed as c
    inner join counting as n on (c.edges >> (n.k * 8)) & 255 > 0
),

edge as (
    select
        o.hour_no as hour_no,
        (o.hour_no * 4096 + o.octet_pos + n.k) * 16
        + ((o.octet_0 >> n.k) & 1)
        + ((o.octet_10 >> n.k) & 1)
        + ((o.octet_50 >> n.k) & 1)
        + ((o.octet_150 >> n.k) & 1)
        + ((o.octet_300 >> n.k) & 1)
        + ((o.octet_500 >> n.k) & 1)
        + ((o.octet_700 >> n.k) & 1)
        + ((o.octet_900 >> n.k) & 1) as edge_key
    from octet as o
    inner join counting as n on (o.octet_edges >> n.k) & 1 > 0
),

ordered as (
    select
        e.hour_no as hour_no,
        e.edge_key as edge_key,
        e.edge_key % 16 as state_no,
        lead(e.hour_no) over (order by e.edge_key) as next_hour_no,
        lead(e.edge_key) over (order by e.edge_key) as next_key,
        lag(e.edge_key) over (order by e.edge_key) as last_key,
        lag(e.edge_key, 2) over (order by e.edge_key) as key_before
    from edge as e
),

limited as (
    select
        o.hour_no as hour_no,
        o.edge_key as edge_key,
        o.edge_key // 16 as at_pos,
        case
            when o.next_hour_no = o.hour_no then o.next_key // 16
            else o.hour_no * 4096 + 3600 // c.step_s
        end as limit_pos,
        case when o.state_no > 0 then o.state_no else o.last_key % 16 end as band_no,
        case when o.state_no > 0 then 0 else 1 end as is_empty,
        case
            when o.state_no = 0 then 0
            when o.last_key % 16 = 0 and o.key_before % 16 = o.state_no
                and o.key_before // 65536 = o.hour_no and o.edge_key // 16 - o.last_key // 16 <= $carry then 0
            else 1
        end as fresh
    from ordered as o
    inner join chosen as c on o.hour_no = c.hour_no
),

piece as (
    select
        l.hour_no as hour_no,
        l.edge_key as edge_key,
        l.at_pos as at_pos,
        case when l.is_empty = 0 then l.limit_pos else least(l.limit_pos, l.at_pos + $carry) end as to_pos,
        l.band_no as band_no,
        l.is_empty as is_empty,
        l.fresh as fresh
    from limited as l
),

island as (
    select
        p.hour_no as hour_no,
        p.at_pos as at_pos,
        p.to_pos as to_pos,
        p.band_no as band_no,
        p.is_empty * (p.to_pos - p.at_pos) as carried_cells,
        sum(p.fresh) over (
            order by p.edge_key rows between unbounded preceding and current row
        ) as island_no
    from piece as p
    where p.to_pos > p.at_pos
),

stretch as (
    select
        i.island_no as island_no,
        min(i.hour_no) as hour_no_of,
        min(i.at_pos) % 4096 as from_pos,
        max(i.to_pos) - min(i.hour_no) * 4096 as until_pos,
        max(i.band_no) as band_no_of,
        cast(sum(i.carried_cells) as bigint) as cells_carried
    from island as i
    group by i.island_no
),

final as (
    select
        c.hour_no as hour_no,
        c.cluster as cluster,
        c.node as node,
        c.subject as subject,
        c.source as source,
        c.hour_s as hour_s,
        cast(c.hour_s + s.from_pos * c.step_s as bigint) as start_s,
        cast(c.hour_s + s.until_pos * c.step_s as bigint) as end_s,
        cast(
            case s.band_no_of
                when 1 then 0
                when 2 then 10
                when 3 then 50
                when 4 then 150
                when 5 then 300
                when 6 then 500
                when 7 then 700
                else 900
            end as bigint
        ) as band,
        cast(s.cells_carried * c.step_s as bigint) as carried_s,
        case c.ladder when 1 then 'sm_active' when 2 then 'graphics_engine_active' else 'utilisation' end as measure
    from stretch as s
    inner join chosen as c on s.hour_no_of = c.hour_no
)

select
    f.cluster as cluster,
    f.node as node,
    f.subject as subject,
    f.source as source,
    f.hour_s as hour_s,
    f.start_s as start_s,
    f.end_s as end_s,
    f.band as band,
    f.carried_s as carried_s,
    f.measure as measure
from final as f
order by f.hour_no, f.start_s
