-- Rendered by scripts/render from chargeback/models/device_life.sql for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.
-- device_life: which device is in which slot when, the version in force, cut to the run's window.
-- Grain: device x fact in force. Units: from_s and to_s in UTC seconds.
WITH ranked AS (
  SELECT
    d.withdrawn AS withdrawn,
    d.start_s AS start_s,
    COALESCE(d.end_s, w.end_s) AS until_s,
    d.cluster AS cluster,
    d.node AS node,
    d.slot AS slot,
    d.device AS device,
    toInt64(ROW_NUMBER() OVER (PARTITION BY d.identity ORDER BY d.seq DESC)) AS newest
  FROM source_device AS d
  INNER JOIN run_window AS w
    ON d.seq <= w.seq
), cut AS (
  SELECT
    r.cluster AS cluster,
    r.node AS node,
    r.slot AS slot,
    r.device AS device,
    GREATEST(r.start_s, w.start_s) AS from_s,
    LEAST(r.until_s, w.end_s) AS to_s
  FROM ranked AS r
  INNER JOIN run_window AS w
    ON r.start_s < w.end_s
  WHERE
    r.newest = 1 AND r.withdrawn = 0
)
SELECT
  c.cluster AS cluster,
  c.node AS node,
  c.slot AS slot,
  c.device AS device,
  c.from_s AS from_s,
  c.to_s AS to_s
FROM cut AS c
WHERE
  c.from_s < c.to_s
