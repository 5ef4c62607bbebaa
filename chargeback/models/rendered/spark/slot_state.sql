-- Rendered by scripts/render from chargeback/models/slot_state.sql for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- slot_state: the state of each slot where a source says one, cut to the run's window: one at each instant.
-- Grain: slot x longest stretch of one state. Keys: slot, from_s.
-- Units: from_s and to_s in UTC seconds. A slot without a row is available. What is said of a node holds for each of its
-- slots. Where several states are said at once, the gravest counts: absent, failed, drained, maintenance, system,
-- provisioning; so the order and the number of the sources say nothing.
WITH ranked AS (
  SELECT
    s.withdrawn AS withdrawn,
    s.start_s AS start_s,
    COALESCE(s.end_s, w.end_s) AS until_s,
    s.node AS node,
    s.slot AS slot,
    s.state AS state,
    CAST(ROW_NUMBER() OVER (PARTITION BY s.identity ORDER BY s.seq DESC) AS BIGINT) AS newest
  FROM source_state AS s
  INNER JOIN run_window AS w
    ON s.seq <= w.seq
), cut AS (
  SELECT
    r.node AS node,
    r.slot AS slot,
    CASE
      WHEN r.state = 'absent'
      THEN CAST(6 AS BIGINT)
      WHEN r.state = 'failed'
      THEN CAST(5 AS BIGINT)
      WHEN r.state = 'drained'
      THEN CAST(4 AS BIGINT)
      WHEN r.state = 'maintenance'
      THEN CAST(3 AS BIGINT)
      WHEN r.state = 'system'
      THEN CAST(2 AS BIGINT)
      WHEN r.state = 'provisioning'
      THEN CAST(1 AS BIGINT)
      ELSE CAST(0 AS BIGINT)
    END AS grade,
    GREATEST(r.start_s, w.start_s) AS from_s,
    LEAST(r.until_s, w.end_s) AS to_s
  FROM ranked AS r
  INNER JOIN run_window AS w
    ON r.start_s < w.end_s
  WHERE
    r.newest = 1 AND r.withdrawn = 0 AND r.state <> 'available'
), node_slot AS (
  SELECT DISTINCT
    s.node AS node,
    s.slot AS slot
  FROM source_slot AS s
), said AS (
  SELECT
    c.slot AS slot,
    c.grade AS grade,
    c.from_s AS from_s,
    c.to_s AS to_s
  FROM cut AS c
  WHERE
    c.slot <> '' AND c.from_s < c.to_s
  UNION ALL
  SELECT
    n.slot AS slot,
    c.grade AS grade,
    c.from_s AS from_s,
    c.to_s AS to_s
  FROM cut AS c
  INNER JOIN node_slot AS n
    ON c.node = n.node
  WHERE
    c.slot = '' AND c.from_s < c.to_s
), edge AS (
  SELECT
    s.slot AS slot,
    s.from_s AS at_s
  FROM said AS s
  UNION
  SELECT
    s.slot AS slot,
    s.to_s AS at_s
  FROM said AS s
), stretch AS (
  SELECT
    e.slot AS slot,
    e.at_s AS from_s,
    LEAD(e.at_s) OVER (PARTITION BY e.slot ORDER BY e.at_s NULLS LAST) AS to_s,
    LEAD(e.slot) OVER (PARTITION BY e.slot ORDER BY e.at_s NULLS LAST) AS next_slot
  FROM edge AS e
), graded AS (
  SELECT
    x.slot AS slot,
    x.from_s AS from_s,
    x.to_s AS to_s,
    MAX(s.grade) AS gravest
  FROM stretch AS x
  INNER JOIN said AS s
    ON x.slot = s.slot AND s.from_s <= x.from_s AND s.to_s >= x.to_s
  WHERE
    x.next_slot = x.slot
  GROUP BY
    x.slot,
    x.from_s,
    x.to_s
), opened AS (
  SELECT
    g.slot AS slot,
    g.gravest AS gravest,
    g.from_s AS part_from_s,
    g.to_s AS part_to_s,
    LAG(g.to_s) OVER (PARTITION BY g.slot, g.gravest ORDER BY g.from_s NULLS LAST) AS before_s
  FROM graded AS g
), island AS (
  SELECT
    o.slot AS slot,
    o.gravest AS gravest,
    o.part_from_s AS part_from_s,
    o.part_to_s AS part_to_s,
    SUM(
      CASE
        WHEN o.before_s = o.part_from_s
        THEN CAST(0 AS BIGINT)
        ELSE CAST(1 AS BIGINT)
      END
    ) OVER (
      PARTITION BY o.slot, o.gravest
      ORDER BY o.part_from_s NULLS LAST
      rows BETWEEN UNBOUNDED preceding AND CURRENT ROW
    ) AS island_no
  FROM opened AS o
)
SELECT
  i.slot AS slot,
  CASE
    WHEN i.gravest = 6
    THEN 'absent'
    WHEN i.gravest = 5
    THEN 'failed'
    WHEN i.gravest = 4
    THEN 'drained'
    WHEN i.gravest = 3
    THEN 'maintenance'
    WHEN i.gravest = 2
    THEN 'system'
    WHEN i.gravest = 1
    THEN 'provisioning'
    ELSE 'unknown'
  END AS state,
  MIN(i.part_from_s) AS from_s,
  MAX(i.part_to_s) AS to_s
FROM island AS i
GROUP BY
  i.slot,
  i.gravest,
  i.island_no
