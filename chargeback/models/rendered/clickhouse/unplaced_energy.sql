-- Rendered by scripts/render from chargeback/models/unplaced_energy.sql for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.
-- unplaced_energy: what devices used while no inventory says in which slot they sat, or while that slot is not there.
-- Grain: cluster. Keys: cluster. Units: joules, in J. It is told, and given to nobody.
WITH balance AS (
  SELECT
    e.cluster AS cluster,
    e.cut_joules AS part_joules
  FROM energy AS e
  UNION ALL
  SELECT
    e.cluster AS cluster,
    0 - p.joules AS part_joules
  FROM energy_piece AS p
  INNER JOIN energy AS e
    ON p.device = e.device AND p.hour_s = e.hour_s
)
SELECT
  b.cluster AS cluster,
  toInt64(SUM(b.part_joules)) AS joules
FROM balance AS b
GROUP BY
  b.cluster
