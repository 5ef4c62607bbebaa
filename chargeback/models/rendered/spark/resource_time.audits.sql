-- Rendered by scripts/render from chargeback/models/resource_time.yml for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.

-- No row: no key stands twice.
SELECT
  node,
  kind,
  from_s,
  run,
  owner,
  team,
  cost_centre,
  account
FROM resource_time
GROUP BY
  node,
  kind,
  from_s,
  run,
  owner,
  team,
  cost_centre,
  account
HAVING
  CAST(COUNT(*) AS BIGINT) > 1
LIMIT 1;

-- No row: each kind of a node is given out exactly once, whoever asks for more.
SELECT
  node,
  kind,
  from_s
FROM resource_time
GROUP BY
  node,
  kind,
  from_s
HAVING
  CAST(SUM(ticks) AS BIGINT) <> MAX(whole_ticks) OR MIN(ticks) <= 0
LIMIT 1;
