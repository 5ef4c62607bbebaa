-- Rendered by scripts/render from chargeback/models/energy.yml for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.

-- No row: no key stands twice.
SELECT
  device,
  hour_s
FROM energy
GROUP BY
  device,
  hour_s
HAVING
  CAST(COUNT(*) AS BIGINT) > 1
LIMIT 1;
