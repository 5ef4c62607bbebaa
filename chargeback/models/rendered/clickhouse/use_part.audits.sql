-- Rendered by scripts/render from chargeback/models/use_part.yml for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.

-- No row: nothing is busy that is not observed.
SELECT
  lane_no,
  from_s,
  taker_no
FROM use_part
WHERE
  busy_ticks < 0 OR busy_ticks > observed_ticks
LIMIT 1;
