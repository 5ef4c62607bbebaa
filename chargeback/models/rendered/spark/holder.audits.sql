-- Rendered by scripts/render from chargeback/models/holder.yml for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.

-- No row: each stretch has a length.
SELECT
  run,
  from_s
FROM holder
WHERE
  to_s <= from_s
LIMIT 1;
