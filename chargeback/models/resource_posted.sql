-- resource_posted: the money of each kind of a node by whose it was.
-- Grain: meter x node x money piece x kind x run (or none) x owner x account. Keys: charge_no, node, kind, from_s, run,
-- owner, team, cost_centre, account.
-- Units: amount in the currency's quanta; weights in ticks. The split is by running differences with the phase
-- (hour + 7919 * node number) * 2654435761 mod W, so that no key is favoured.
with node_amount as (
    select
        n.node as node,
        n.from_s as from_s,
        n.piece_s as piece_s,
        r.kind as kind,
        r.charge_no as charge_no,
        min(n.node_no) as first_no,
        cast(sum(r.amount * n.slot_count) as bigint) as whole_amount
    from node_part as n
    inner join resource_amount as r
        on n.price_no = r.price_no and n.node_slots = r.node_slots and n.from_s = r.from_s and n.to_s = r.to_s
    group by n.node, n.from_s, n.piece_s, r.kind, r.charge_no
),

running as (
    select
        a.charge_no as charge_no,
        t.node as node,
        t.cluster as cluster,
        t.kind as kind,
        t.piece_s as piece_s,
        t.from_s as from_s,
        t.run as run,
        t.owner as owner,
        t.team as team,
        t.cost_centre as cost_centre,
        t.account as account,
        t.ticks as ticks,
        t.whole_ticks as whole,
        a.whole_amount as whole_amount,
        (t.piece_s // 3600 + 7919 * a.first_no) * cast(2654435761 as bigint) % t.whole_ticks as phase,
        cast(
            sum(t.ticks) over (
                partition by a.charge_no, t.node, t.kind, t.from_s
                order by t.run, t.owner, t.team, t.cost_centre, t.account
                rows between unbounded preceding and current row
            ) as bigint
        ) as reached
    from node_amount as a
    inner join resource_time as t on a.node = t.node and a.kind = t.kind and a.from_s = t.from_s
)

select
    r.charge_no as charge_no,
    r.node as node,
    r.cluster as cluster,
    r.kind as kind,
    r.piece_s as piece_s,
    r.from_s as from_s,
    r.run as run,
    r.owner as owner,
    r.team as team,
    r.cost_centre as cost_centre,
    r.account as account,
    r.whole_amount // r.whole * r.ticks
    + (r.whole_amount % r.whole * r.reached + r.phase) // r.whole
    - (r.whole_amount % r.whole * (r.reached - r.ticks) + r.phase) // r.whole as amount
from running as r
