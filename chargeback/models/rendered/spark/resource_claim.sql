-- Rendered by scripts/render from chargeback/models/resource_claim.sql for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- resource_claim: what each holding asked of its node besides GPUs, and whose it is at the time: the version in force at
-- the run's seq, cut to the run's window and where the cluster's sources are no longer known to be complete.
-- Grain: one fact in force x kind x stretch of one team. Keys: identity, kind, from_s.
-- Units: quantity in thousandths of a CPU, in MiB (rounded up), or in licences; from_s and to_s in UTC seconds.
WITH ranked AS (
  SELECT
    h.identity AS identity,
    h.withdrawn AS withdrawn,
    h.start_s AS start_s,
    COALESCE(h.end_s, w.end_s) AS until_s,
    h.cluster AS cluster,
    h.run AS run,
    h.namespace AS namespace,
    h.account AS account,
    h.owner_key AS owner_key,
    h.labels AS labels,
    h.node AS node,
    h.cpus_milli AS cpus_milli,
    h.memory_mib AS memory_mib,
    h.licences AS licences,
    CAST(ROW_NUMBER() OVER (PARTITION BY h.identity ORDER BY h.seq DESC) AS BIGINT) AS newest
  FROM source_holding AS h
  INNER JOIN run_window AS w
    ON h.seq <= w.seq
), cut AS (
  SELECT
    r.identity AS identity,
    r.run AS run,
    r.node AS node,
    q.who_no AS who_no,
    r.cpus_milli AS cpus_milli,
    r.memory_mib AS memory_mib,
    r.licences AS licences,
    GREATEST(r.start_s, w.start_s) AS from_s,
    LEAST(r.until_s, w.end_s, COALESCE(t.through_s, w.end_s)) AS to_s
  FROM ranked AS r
  INNER JOIN run_window AS w
    ON r.start_s < w.end_s
  INNER JOIN who AS q
    ON r.cluster = q.cluster
    AND r.namespace = q.namespace
    AND r.account = q.account
    AND r.owner_key = q.owner_key
    AND r.labels = q.labels
  LEFT JOIN cluster_through AS t
    ON r.cluster = t.cluster
  WHERE
    r.newest = 1 AND r.withdrawn = 0 AND r.node <> ''
), asked AS (
  SELECT
    c.identity AS identity,
    c.run AS run,
    c.node AS node,
    c.who_no AS who_no,
    'cpu' AS kind,
    c.cpus_milli AS quantity,
    c.from_s AS asked_from_s,
    c.to_s AS asked_to_s
  FROM cut AS c
  UNION ALL
  SELECT
    c.identity AS identity,
    c.run AS run,
    c.node AS node,
    c.who_no AS who_no,
    'memory' AS kind,
    c.memory_mib AS quantity,
    c.from_s AS asked_from_s,
    c.to_s AS asked_to_s
  FROM cut AS c
  UNION ALL
  SELECT
    c.identity AS identity,
    c.run AS run,
    c.node AS node,
    c.who_no AS who_no,
    'licence' AS kind,
    c.licences AS quantity,
    c.from_s AS asked_from_s,
    c.to_s AS asked_to_s
  FROM cut AS c
), owned AS (
  SELECT
    a.identity AS identity,
    a.kind AS kind,
    a.node AS node,
    a.run AS run,
    o.owner AS owner,
    o.team AS team,
    o.cost_centre AS cost_centre,
    a.quantity AS quantity,
    GREATEST(a.asked_from_s, o.from_s) AS owned_from_s,
    LEAST(a.asked_to_s, o.to_s) AS owned_to_s
  FROM asked AS a
  INNER JOIN owner_span AS o
    ON a.who_no = o.who_no AND o.from_s < a.asked_to_s AND o.to_s > a.asked_from_s
  WHERE
    a.quantity > 0 AND a.asked_from_s < a.asked_to_s
)
SELECT
  n.identity AS identity,
  n.kind AS kind,
  n.node AS node,
  n.run AS run,
  n.owner AS owner,
  n.team AS team,
  n.cost_centre AS cost_centre,
  n.quantity AS quantity,
  n.owned_from_s AS from_s,
  n.owned_to_s AS to_s
FROM owned AS n
