-- Rendered by scripts/render from chargeback/models/unplaced_energy.sql for Trino; not to be edited.
-- Untested: no test runs this text on an engine yet.
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
  CAST(SUM(b.part_joules) AS BIGINT) AS joules
FROM balance AS b
GROUP BY
  b.cluster
