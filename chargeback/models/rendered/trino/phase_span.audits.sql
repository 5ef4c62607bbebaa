-- Rendered by scripts/render from chargeback/models/phase_span.yml for Trino; not to be edited.
-- Untested: no test runs this text on an engine yet.

-- No row: no key stands twice.
SELECT
  run,
  from_s
FROM phase_span
GROUP BY
  run,
  from_s
HAVING
  CAST(COUNT(*) AS BIGINT) > 1
LIMIT 1;
