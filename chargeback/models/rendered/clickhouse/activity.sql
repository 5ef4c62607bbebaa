-- Rendered by scripts/render from chargeback/models/activity.sql for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.
-- activity: what was reported of devices, partitions and processes in the unit's window: busy or not.
-- Grain: subject x stretch of one band in an hour. Keys: subject, start_s.
-- Units: start_s and end_s in UTC seconds; is_busy 1 from the idle threshold on. What no row is about is not known.
SELECT
  a.subject AS subject,
  a.hour_s AS hour_s,
  a.start_s AS start_s,
  a.end_s AS end_s,
  toInt64(CASE WHEN a.band >= s.idle_band THEN toInt64(1) ELSE toInt64(0) END) AS is_busy
FROM source_activity AS a
INNER JOIN run_window AS w
  ON a.start_s < w.end_s AND a.end_s > w.start_s
CROSS JOIN sharing AS s
