-- Rendered by scripts/render from chargeback/models/slot_state.yml for Trino; not to be edited.
-- Untested: no test runs this text on an engine yet.

-- No row: every state is one that gpuledger knows.
SELECT
  slot,
  state,
  from_s
FROM slot_state
WHERE
  state = 'unknown'
LIMIT 1;

-- No row: no key stands twice.
SELECT
  slot,
  from_s
FROM slot_state
GROUP BY
  slot,
  from_s
HAVING
  CAST(COUNT(*) AS BIGINT) > 1
LIMIT 1;
