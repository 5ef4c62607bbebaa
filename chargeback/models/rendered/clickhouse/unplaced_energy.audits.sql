-- Rendered by scripts/render from chargeback/models/unplaced_energy.yml for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.

-- No row: no more energy is placed than was used.
SELECT
  cluster,
  joules
FROM unplaced_energy
WHERE
  joules < 0
LIMIT 1;
