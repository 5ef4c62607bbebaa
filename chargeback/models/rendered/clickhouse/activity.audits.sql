-- Rendered by scripts/render from chargeback/models/activity.yml for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.

-- No row: a subject is busy or not, and not both at once.
WITH next AS (
  SELECT
    subject,
    hour_s,
    start_s,
    lag(end_s) OVER (PARTITION BY subject, hour_s ORDER BY start_s) AS before_s
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
