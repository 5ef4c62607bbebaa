-- Rendered by scripts/render from chargeback/models/share_part.yml for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.

-- No row: no key stands twice.
SELECT
  lane_no,
  from_s,
  taker_no
FROM share_part
GROUP BY
  lane_no,
  from_s,
  taker_no
HAVING
  toInt64(COUNT(*)) > 1
LIMIT 1;
