-- resource_claim: what each holding asked of its node besides GPUs, and whose it is at the time: the version in force at
-- the run's seq, cut to the run's window and where the cluster's sources are no longer known to be complete.
-- Grain: one fact in force x kind x stretch of one team. Keys: identity, kind, from_s.
-- Units: quantity in thousandths of a CPU, in MiB (rounded up), or in licences; from_s and to_s in UTC seconds.
with ranked as (
    select
        h.identity as identity,
        h.withdrawn as withdrawn,
        h.start_s as start_s,
        coalesce(h.end_s, w.end_s) as until_s,
        h.cluster as cluster,
        h.run as run,
        h.namespace as namespace,
        h.account as account,
        h.owner_key as owner_key,
        h.labels as labels,
        h.node as node,
        h.cpus_milli as cpus_milli,
        h.memory_mib as memory_mib,
        h.licences as licences,
        row_number() over (partition by h.identity order by h.seq desc) as newest
    from source_holding as h
    inner join run_window as w on h.seq <= w.seq
),

cut as (
    select
        r.identity as identity,
        r.run as run,
        r.node as node,
        q.who_no as who_no,
        r.cpus_milli as cpus_milli,
        r.memory_mib as memory_mib,
        r.licences as licences,
        greatest(r.start_s, w.start_s) as from_s,
        least(r.until_s, w.end_s, coalesce(t.through_s, w.end_s)) as to_s
    from ranked as r
    inner join run_window as w on r.start_s < w.end_s
    inner join who as q
        on
            r.cluster = q.cluster and r.namespace = q.namespace and r.account = q.account
            and r.owner_key = q.owner_key and r.labels = q.labels
    left join cluster_through as t on r.cluster = t.cluster
    where r.newest = 1 and r.withdrawn = 0 and r.node <> ''
),

asked as (
    select c.identity as identity, c.run as run, c.node as node, c.who_no as who_no, 'cpu' as kind,
        c.cpus_milli as quantity, c.from_s as asked_from_s, c.to_s as asked_to_s
    from cut as c
    union all
    select c.identity as identity, c.run as run, c.node as node, c.who_no as who_no, 'memory' as kind,
        c.memory_mib as quantity, c.from_s as asked_from_s, c.to_s as asked_to_s
    from cut as c
    union all
    select c.identity as identity, c.run as run, c.node as node, c.who_no as who_no, 'licence' as kind,
        c.licences as quantity, c.from_s as asked_from_s, c.to_s as asked_to_s
    from cut as c
),

owned as (
    select
        a.identity as identity,
        a.kind as kind,
        a.node as node,
        a.run as run,
        o.owner as owner,
        o.team as team,
        o.cost_centre as cost_centre,
        a.quantity as quantity,
        greatest(a.asked_from_s, o.from_s) as owned_from_s,
        least(a.asked_to_s, o.to_s) as owned_to_s
    from asked as a
    inner join owner_span as o on a.who_no = o.who_no and o.from_s < a.asked_to_s and o.to_s > a.asked_from_s
    where a.quantity > 0 and a.asked_from_s < a.asked_to_s
)

select
    n.identity as identity,
    n.kind as kind,
    n.node as node,
    n.run as run,
    n.owner as owner,
    n.team as team,
    n.cost_centre as cost_centre,
    n.quantity as quantity,
    n.owned_from_s as from_s,
    n.owned_to_s as to_s
from owned as n
