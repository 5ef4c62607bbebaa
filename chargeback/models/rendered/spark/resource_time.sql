-- Rendered by scripts/render from chargeback/models/resource_time.sql for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- resource_time: who has asked for how much of each kind of a node over a money piece, and what nobody asked for.
-- Grain: node x money piece x kind x run (or none) x owner x account. Keys: node, kind, from_s, run, owner, team,
-- cost_centre, account.
-- Units: ticks, of which a second of the whole kind has 720720; whole_ticks, those of the whole money piece; UTC seconds.
-- At each instant a holder has its quantity of what there is, or of what all ask for where that is more; the remainder
-- by key. Samples say nothing of CPUs, memory and licences: what is asked for is held_unobserved.
WITH kind_piece AS (
  SELECT
    n.node AS node,
    n.cluster AS cluster,
    r.kind AS kind,
    n.piece_s AS piece_s,
    n.from_s AS from_s,
    n.to_s AS to_s,
    MAX(r.quantity) AS there
  FROM node_part AS n
  INNER JOIN tariff_resource AS r
    ON n.price_no = r.price_no
  GROUP BY
    n.node,
    n.cluster,
    r.kind,
    n.piece_s,
    n.from_s,
    n.to_s
), met AS (
  SELECT
    k.node AS node,
    k.kind AS kind,
    k.from_s AS part_from_s,
    k.there AS there,
    c.run AS run,
    c.owner AS owner,
    c.team AS team,
    c.cost_centre AS cost_centre,
    c.quantity AS quantity,
    GREATEST(c.from_s, k.from_s) AS met_from_s,
    LEAST(c.to_s, k.to_s) AS met_to_s
  FROM kind_piece AS k
  INNER JOIN resource_claim AS c
    ON k.node = c.node AND k.kind = c.kind AND c.from_s < k.to_s AND c.to_s > k.from_s
), edge AS (
  SELECT
    m.node AS node,
    m.kind AS kind,
    m.part_from_s AS part_from_s,
    m.met_from_s AS at_s
  FROM met AS m
  UNION
  SELECT
    m.node AS node,
    m.kind AS kind,
    m.part_from_s AS part_from_s,
    m.met_to_s AS at_s
  FROM met AS m
), stretch AS (
  SELECT
    e.node AS node,
    e.kind AS kind,
    e.part_from_s AS part_from_s,
    e.at_s AS from_s,
    LEAD(e.at_s) OVER (PARTITION BY e.node, e.kind, e.part_from_s ORDER BY e.at_s NULLS LAST) AS to_s,
    LEAD(e.node) OVER (PARTITION BY e.node, e.kind, e.part_from_s ORDER BY e.at_s NULLS LAST) AS next_node
  FROM edge AS e
), asked AS (
  SELECT
    s.node AS node,
    s.kind AS kind,
    s.part_from_s AS part_from_s,
    s.from_s AS from_s,
    720720 * (
      s.to_s - s.from_s
    ) AS stretch_ticks,
    m.there AS there,
    m.run AS run,
    m.owner AS owner,
    m.team AS team,
    m.cost_centre AS cost_centre,
    CAST(SUM(m.quantity) AS BIGINT) AS asked_quantity
  FROM stretch AS s
  INNER JOIN met AS m
    ON s.node = m.node
    AND s.kind = m.kind
    AND s.part_from_s = m.part_from_s
    AND m.met_from_s <= s.from_s
    AND m.met_to_s >= s.to_s
  WHERE
    s.next_node = s.node
  GROUP BY
    s.node,
    s.kind,
    s.part_from_s,
    s.from_s,
    s.to_s,
    m.there,
    m.run,
    m.owner,
    m.team,
    m.cost_centre
), running AS (
  SELECT
    a.node AS node,
    a.kind AS kind,
    a.part_from_s AS part_from_s,
    a.run AS run,
    a.owner AS owner,
    a.team AS team,
    a.cost_centre AS cost_centre,
    a.stretch_ticks AS stretch_ticks,
    a.asked_quantity AS quantity,
    CAST(SUM(a.asked_quantity) OVER (
      PARTITION BY a.node, a.kind, a.part_from_s, a.from_s
      ORDER BY a.run NULLS LAST, a.owner NULLS LAST, a.team NULLS LAST, a.cost_centre NULLS LAST
      rows BETWEEN UNBOUNDED preceding AND CURRENT ROW
    ) AS BIGINT) AS reached,
    GREATEST(
      a.there,
      CAST(SUM(a.asked_quantity) OVER (PARTITION BY a.node, a.kind, a.part_from_s, a.from_s) AS BIGINT)
    ) AS whole
  FROM asked AS a
), given AS (
  SELECT
    r.node AS node,
    r.kind AS kind,
    r.part_from_s AS part_from_s,
    r.run AS run,
    r.owner AS owner,
    r.team AS team,
    r.cost_centre AS cost_centre,
    r.stretch_ticks DIV r.whole * r.quantity + r.stretch_ticks % r.whole * r.reached DIV r.whole - r.stretch_ticks % r.whole * (
      r.reached - r.quantity
    ) DIV r.whole AS given_ticks
  FROM running AS r
), held AS (
  SELECT
    g.node AS node,
    g.kind AS kind,
    g.part_from_s AS part_from_s,
    g.run AS run,
    g.owner AS owner,
    g.team AS team,
    g.cost_centre AS cost_centre,
    CAST(SUM(g.given_ticks) AS BIGINT) AS held_ticks
  FROM given AS g
  GROUP BY
    g.node,
    g.kind,
    g.part_from_s,
    g.run,
    g.owner,
    g.team,
    g.cost_centre
), taken AS (
  SELECT
    h.node AS node,
    h.kind AS kind,
    h.part_from_s AS part_from_s,
    CAST(SUM(h.held_ticks) AS BIGINT) AS taken_ticks
  FROM held AS h
  GROUP BY
    h.node,
    h.kind,
    h.part_from_s
)
SELECT
  k.node AS node,
  k.cluster AS cluster,
  k.kind AS kind,
  k.piece_s AS piece_s,
  k.from_s AS from_s,
  h.run AS run,
  h.owner AS owner,
  h.team AS team,
  h.cost_centre AS cost_centre,
  'held_unobserved' AS account,
  h.held_ticks AS ticks,
  720720 * (
    k.to_s - k.from_s
  ) AS whole_ticks
FROM held AS h
INNER JOIN kind_piece AS k
  ON h.node = k.node AND h.kind = k.kind AND h.part_from_s = k.from_s
WHERE
  h.held_ticks > 0
UNION ALL
SELECT
  k.node AS node,
  k.cluster AS cluster,
  k.kind AS kind,
  k.piece_s AS piece_s,
  k.from_s AS from_s,
  '' AS run,
  '__account__' AS owner,
  '__account__' AS team,
  '' AS cost_centre,
  'idle_free' AS account,
  720720 * (
    k.to_s - k.from_s
  ) - COALESCE(t.taken_ticks, CAST(0 AS BIGINT)) AS ticks,
  720720 * (
    k.to_s - k.from_s
  ) AS whole_ticks
FROM kind_piece AS k
LEFT JOIN taken AS t
  ON k.node = t.node AND k.kind = t.kind AND k.from_s = t.part_from_s
WHERE
  t.node IS NULL OR t.taken_ticks < 720720 * (
    k.to_s - k.from_s
  )
