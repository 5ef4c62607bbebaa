-- Rendered by scripts/render from chargeback/models/entry_day.yml for Trino; not to be edited.
-- Untested: no test runs this text on an engine yet.

-- No row: entries name accounts of the plan.
SELECT
  layer,
  account
FROM entry_day
WHERE
  NOT account IN (
    'clearing',
    'used',
    'idle_held',
    'held_unobserved',
    'idle_free',
    'stranded',
    'overhead'
  )
LIMIT 1;
