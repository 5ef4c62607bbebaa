-- Rendered by scripts/render from chargeback/models/orphaned_time.yml for Trino; not to be edited.
-- Untested: no test runs this text on an engine yet.

-- No row: no more is found than is claimed.
SELECT
  cluster,
  ticks
FROM orphaned_time
WHERE
  ticks < 0
LIMIT 1;
