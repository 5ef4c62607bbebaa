-- Rendered by scripts/render from chargeback/models/phase_span.sql for Trino; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- phase_span: what each run was at, for runs of which a source says it: one phase at each instant of the run's window.
-- Grain: run x stretch of one phase. Keys: run, from_s.
-- Units: from_s and to_s in UTC seconds; phase '' where nothing is said. Of several at once the one that began last counts.
-- Where a holding ended in a loss (failed, preempted, timeout), what its run was at since its last checkpoint before is
-- lost_work; that a source says another phase than running goes before it. Without a checkpoint nothing is known lost.
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
), checkpoint AS (
  SELECT
    r.run AS run,
    r.start_s AS kept_s
  FROM ranked AS r
  WHERE
    r.newest = 1
    AND r.withdrawn = 0
    AND r.phase = 'checkpoint'
    AND r.start_s = r.until_s
), checked_run AS (
  SELECT DISTINCT
    c.run AS run
  FROM checkpoint AS c
), held AS (
  SELECT
    h.run AS run,
    h.withdrawn AS withdrawn,
    h.outcome AS outcome,
    COALESCE(h.end_s, CAST(0 AS BIGINT)) AS ended_s,
    CAST(ROW_NUMBER() OVER (PARTITION BY h.identity ORDER BY h.seq DESC) AS BIGINT) AS newest
  FROM source_holding AS h
  INNER JOIN checked_run AS c
    ON h.run = c.run
  INNER JOIN run_window AS w
    ON h.seq <= w.seq
), ended AS (
  SELECT DISTINCT
    h.run AS run,
    h.ended_s AS ended_s
  FROM held AS h
  WHERE
    h.newest = 1
    AND h.withdrawn = 0
    AND h.outcome IN ('failed', 'preempted', 'timeout')
), kept AS (
  SELECT
    e.run AS run,
    e.ended_s AS ended_s,
    MAX(c.kept_s) AS last_s
  FROM ended AS e
  INNER JOIN checkpoint AS c
    ON e.run = c.run AND c.kept_s <= e.ended_s
  GROUP BY
    e.run,
    e.ended_s
), lost AS (
  SELECT
    k.run AS run,
    GREATEST(k.last_s, w.start_s) AS from_s,
    LEAST(k.ended_s, w.end_s) AS to_s
  FROM kept AS k
  INNER JOIN run_window AS w
    ON k.last_s < w.end_s AND k.ended_s > w.start_s
  WHERE
    k.last_s < k.ended_s
), stated AS (
  SELECT
    s.run AS run,
    s.from_s AS from_s,
    s.to_s AS to_s
  FROM said AS s
  UNION ALL
  SELECT
    l.run AS run,
    l.from_s AS from_s,
    l.to_s AS to_s
  FROM lost AS l
), edge AS (
  SELECT
    s.run AS run,
    s.from_s AS at_s
  FROM stated AS s
  UNION
  SELECT
    s.run AS run,
    s.to_s AS at_s
  FROM stated AS s
  UNION
  SELECT
    s.run AS run,
    w.start_s AS at_s
  FROM stated AS s
  CROSS JOIN run_window AS w
  UNION
  SELECT
    s.run AS run,
    w.end_s AS at_s
  FROM stated AS s
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
), lost_in AS (
  SELECT DISTINCT
    c.run AS run,
    c.from_s AS from_s
  FROM chosen AS c
  INNER JOIN lost AS l
    ON c.run = l.run AND l.from_s <= c.from_s AND l.to_s >= c.to_s
  WHERE
    c.newest = 1 AND c.phase_then IN ('', 'running')
)
SELECT
  c.run AS run,
  CASE WHEN l.run IS NULL THEN c.phase_then ELSE 'lost_work' END AS phase,
  c.from_s AS from_s,
  c.to_s AS to_s
FROM chosen AS c
LEFT JOIN lost_in AS l
  ON c.run = l.run AND c.from_s = l.from_s
WHERE
  c.newest = 1
