-- Rendered by scripts/render from chargeback/models/taker.yml for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.

-- No row: no key stands twice.
SELECT
  owner,
  team,
  cost_centre,
  run,
  phase,
  account,
  state
FROM taker
GROUP BY
  owner,
  team,
  cost_centre,
  run,
  phase,
  account,
  state
HAVING
  CAST(COUNT(*) AS BIGINT) > 1
LIMIT 1;
