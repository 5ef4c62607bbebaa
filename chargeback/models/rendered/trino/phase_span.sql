-- Rendered by scripts/render from chargeback/models/phase_span.sql for Trino; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- phase_span: what each run was at, for runs of which a source says it: one phase at each instant of the run's window.
-- Grain: run x stretch of one phase. Keys: run, from_s.
-- Units: from_s and to_s in UTC seconds; phase '' where nothing is said. Of several at once the one that began last counts.
WITH ranked AS (
  SELECT
    p.withdrawn AS withdrawn,
    p.start_s AS start_s,
    COALESCE(p.end_s, w.end_s) AS until_s,
    p.run AS run,
    p.phase AS phase,
    CAST(ROW_NUMBER() OVER (PARTITION BY p.identity ORDER BY p.seq DESC) AS BIGINT) AS newest
  FROM source_phase AS p
  INNER JOIN run_window AS w
    ON p.seq <= w.seq
), said AS (
  SELECT
    r.run AS run,
    r.phase AS phase,
    r.start_s AS began_s,
    GREATEST(r.start_s, w.start_s) AS from_s,
    LEAST(r.until_s, w.end_s) AS to_s
  FROM ranked AS r
  INNER JOIN run_window AS w
    ON r.start_s < w.end_s AND r.until_s > w.start_s
  WHERE
    r.newest = 1 AND r.withdrawn = 0 AND r.start_s < r.until_s
), edge AS (
  SELECT
    s.run AS run,
    s.from_s AS at_s
  FROM said AS s
  UNION
  SELECT
    s.run AS run,
    s.to_s AS at_s
  FROM said AS s
  UNION
  SELECT
    s.run AS run,
    w.start_s AS at_s
  FROM said AS s
  CROSS JOIN run_window AS w
  UNION
  SELECT
    s.run AS run,
    w.end_s AS at_s
  FROM said AS s
  CROSS JOIN run_window AS w
), stretch AS (
  SELECT
    e.run AS run,
    e.at_s AS from_s,
    LEAD(e.at_s) OVER (PARTITION BY e.run ORDER BY e.at_s) AS to_s,
    LEAD(e.run) OVER (PARTITION BY e.run ORDER BY e.at_s) AS next_run
  FROM edge AS e
), chosen AS (
  SELECT
    x.run AS run,
    x.from_s AS from_s,
    x.to_s AS to_s,
    CASE WHEN s.run IS NULL THEN '' ELSE s.phase END AS phase_then,
    CAST(ROW_NUMBER() OVER (PARTITION BY x.run, x.from_s ORDER BY s.began_s DESC, s.phase) AS BIGINT) AS newest
  FROM stretch AS x
  LEFT JOIN said AS s
    ON x.run = s.run AND s.from_s <= x.from_s AND s.to_s >= x.to_s
  WHERE
    x.next_run = x.run
)
SELECT
  c.run AS run,
  c.phase_then AS phase,
  c.from_s AS from_s,
  c.to_s AS to_s
FROM chosen AS c
WHERE
  c.newest = 1
