-- resource_time: who has asked for how much of each kind of a node over a money piece, and what nobody asked for.
-- Grain: node x money piece x kind x run (or none) x owner x account. Keys: node, kind, from_s, run, owner, team,
-- cost_centre, account.
-- Units: ticks, of which a second of the whole kind has 720720; whole_ticks, those of the whole money piece; UTC seconds.
-- At each instant a holder has its quantity of what there is, or of what all ask for where that is more; the remainder
-- by key. Samples say nothing of CPUs, memory and licences: what is asked for is held_unobserved.
with kind_piece as (
    select
        n.node as node,
        n.cluster as cluster,
        r.kind as kind,
        n.piece_s as piece_s,
        n.from_s as from_s,
        n.to_s as to_s,
        max(r.quantity) as there
    from node_part as n
    inner join tariff_resource as r on n.price_no = r.price_no
    group by n.node, n.cluster, r.kind, n.piece_s, n.from_s, n.to_s
),

met as (
    select
        k.node as node,
        k.kind as kind,
        k.from_s as part_from_s,
        k.there as there,
        c.run as run,
        c.owner as owner,
        c.team as team,
        c.cost_centre as cost_centre,
        c.quantity as quantity,
        greatest(c.from_s, k.from_s) as met_from_s,
        least(c.to_s, k.to_s) as met_to_s
    from kind_piece as k
    inner join resource_claim as c
        on k.node = c.node and k.kind = c.kind and c.from_s < k.to_s and c.to_s > k.from_s
),

edge as (
    select m.node as node, m.kind as kind, m.part_from_s as part_from_s, m.met_from_s as at_s from met as m
    union distinct
    select m.node as node, m.kind as kind, m.part_from_s as part_from_s, m.met_to_s as at_s from met as m
),

stretch as (
    select
        e.node as node,
        e.kind as kind,
        e.part_from_s as part_from_s,
        e.at_s as from_s,
        lead(e.at_s) over (partition by e.node, e.kind, e.part_from_s order by e.at_s) as to_s,
        lead(e.node) over (partition by e.node, e.kind, e.part_from_s order by e.at_s) as next_node
    from edge as e
),

asked as (
    select
        s.node as node,
        s.kind as kind,
        s.part_from_s as part_from_s,
        s.from_s as from_s,
        720720 * (s.to_s - s.from_s) as stretch_ticks,
        m.there as there,
        m.run as run,
        m.owner as owner,
        m.team as team,
        m.cost_centre as cost_centre,
        cast(sum(m.quantity) as bigint) as asked_quantity
    from stretch as s
    inner join met as m
        on
            s.node = m.node and s.kind = m.kind and s.part_from_s = m.part_from_s
            and m.met_from_s <= s.from_s and m.met_to_s >= s.to_s
    where s.next_node = s.node
    group by
        s.node, s.kind, s.part_from_s, s.from_s, s.to_s, m.there, m.run, m.owner, m.team, m.cost_centre
),

running as (
    select
        a.node as node,
        a.kind as kind,
        a.part_from_s as part_from_s,
        a.run as run,
        a.owner as owner,
        a.team as team,
        a.cost_centre as cost_centre,
        a.stretch_ticks as stretch_ticks,
        a.asked_quantity as quantity,
        cast(
            sum(a.asked_quantity) over (
                partition by a.node, a.kind, a.part_from_s, a.from_s
                order by a.run, a.owner, a.team, a.cost_centre
                rows between unbounded preceding and current row
            ) as bigint
        ) as reached,
        greatest(
            a.there, cast(sum(a.asked_quantity) over (partition by a.node, a.kind, a.part_from_s, a.from_s) as bigint)
        ) as whole
    from asked as a
),

given as (
    select
        r.node as node,
        r.kind as kind,
        r.part_from_s as part_from_s,
        r.run as run,
        r.owner as owner,
        r.team as team,
        r.cost_centre as cost_centre,
        r.stretch_ticks // r.whole * r.quantity
        + r.stretch_ticks % r.whole * r.reached // r.whole
        - r.stretch_ticks % r.whole * (r.reached - r.quantity) // r.whole as given_ticks
    from running as r
),

held as (
    select
        g.node as node,
        g.kind as kind,
        g.part_from_s as part_from_s,
        g.run as run,
        g.owner as owner,
        g.team as team,
        g.cost_centre as cost_centre,
        cast(sum(g.given_ticks) as bigint) as held_ticks
    from given as g
    group by g.node, g.kind, g.part_from_s, g.run, g.owner, g.team, g.cost_centre
),

taken as (
    select h.node as node, h.kind as kind, h.part_from_s as part_from_s, cast(sum(h.held_ticks) as bigint) as taken_ticks
    from held as h
    group by h.node, h.kind, h.part_from_s
)

select
    k.node as node,
    k.cluster as cluster,
    k.kind as kind,
    k.piece_s as piece_s,
    k.from_s as from_s,
    h.run as run,
    h.owner as owner,
    h.team as team,
    h.cost_centre as cost_centre,
    'held_unobserved' as account,
    h.held_ticks as ticks,
    720720 * (k.to_s - k.from_s) as whole_ticks
from held as h
inner join kind_piece as k on h.node = k.node and h.kind = k.kind and h.part_from_s = k.from_s
where h.held_ticks > 0
union all
select
    k.node as node,
    k.cluster as cluster,
    k.kind as kind,
    k.piece_s as piece_s,
    k.from_s as from_s,
    '' as run,
    '__account__' as owner,
    '__account__' as team,
    '' as cost_centre,
    'idle_free' as account,
    720720 * (k.to_s - k.from_s) - coalesce(t.taken_ticks, 0) as ticks,
    720720 * (k.to_s - k.from_s) as whole_ticks
from kind_piece as k
left join taken as t on k.node = t.node and k.kind = t.kind and k.from_s = t.part_from_s
where t.node is null or t.taken_ticks < 720720 * (k.to_s - k.from_s)
