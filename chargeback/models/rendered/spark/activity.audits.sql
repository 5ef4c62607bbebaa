-- Rendered by scripts/render from chargeback/models/activity.yml for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.

-- No row: a subject is busy or not, and not both at once.
WITH next AS (
  SELECT
    subject,
    hour_s,
    start_s,
    LAG(end_s) OVER (PARTITION BY subject, hour_s ORDER BY start_s NULLS LAST) AS before_s
  FROM activity
)
SELECT
  subject,
  start_s,
  before_s
FROM next
WHERE
  before_s > start_s
LIMIT 1;
