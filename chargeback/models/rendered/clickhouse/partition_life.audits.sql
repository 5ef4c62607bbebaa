-- Rendered by scripts/render from chargeback/models/partition_life.yml for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.

-- No row: a partition has one set of slices at a time.
WITH next AS (
  SELECT
    lane,
    from_s,
    lag(to_s) OVER (PARTITION BY lane ORDER BY from_s) AS before_s
  FROM partition_life
)
SELECT
  lane,
  from_s,
  before_s
FROM next
WHERE
  before_s > from_s
LIMIT 1;

-- No row: a partition has slices of both kinds.
SELECT
  lane,
  compute_slices,
  memory_slices
FROM partition_life
WHERE
  compute_slices < 1
  OR memory_slices < 1
  OR compute_slices > 64
  OR memory_slices > 64
LIMIT 1;
