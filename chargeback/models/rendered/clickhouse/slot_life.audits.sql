-- Rendered by scripts/render from chargeback/models/slot_life.yml for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.

-- No row: a slot has one set of attributes at a time.
WITH next AS (
  SELECT
    slot,
    from_s,
    lag(to_s) OVER (PARTITION BY slot ORDER BY from_s) AS before_s
  FROM slot_life
)
SELECT
  slot,
  from_s,
  before_s
FROM next
WHERE
  before_s > from_s
LIMIT 1;

-- No row: a device has slices of both kinds.
SELECT
  slot,
  compute_total,
  memory_total
FROM slot_life
WHERE
  compute_total < 1 OR memory_total < 1 OR compute_total > 64 OR memory_total > 64
LIMIT 1;
