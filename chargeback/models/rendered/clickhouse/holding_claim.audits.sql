-- Rendered by scripts/render from chargeback/models/holding_claim.yml for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.

-- No row: every claim is of a sane size and time, so that no sum can overflow.
SELECT
  identity,
  claimed_ticks,
  from_s,
  to_s
FROM holding_claim
WHERE
  claimed_ticks <= 0
  OR claimed_ticks > 720720000000
  OR from_s < 946684800
  OR to_s > 4102444800
LIMIT 1;
