-- Rendered by scripts/render from chargeback/models/slot_state.yml for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.

-- No row: every state is one that gpuledger knows.
SELECT
  slot,
  state,
  from_s
FROM slot_state
WHERE
  state = 'unknown'
LIMIT 1;

-- No row: no key stands twice.
SELECT
  slot,
  from_s
FROM slot_state
GROUP BY
  slot,
  from_s
HAVING
  toInt64(COUNT(*)) > 1
LIMIT 1;
