-- Rendered by scripts/render from chargeback/models/unplaced_energy.yml for Trino; not to be edited.
-- Untested: no test runs this text on an engine yet.

-- No row: no more energy is placed than was used.
SELECT
  cluster,
  joules
FROM unplaced_energy
WHERE
  joules < 0
LIMIT 1;
