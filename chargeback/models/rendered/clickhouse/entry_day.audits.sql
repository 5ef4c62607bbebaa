-- Rendered by scripts/render from chargeback/models/entry_day.yml for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.

-- No row: entries name accounts of the plan.
SELECT
  layer,
  account
FROM entry_day
WHERE
  NOT (
    account IN (
      'clearing',
      'used',
      'idle_held',
      'held_unobserved',
      'idle_free',
      'stranded',
      'overhead'
    )
  )
LIMIT 1;
