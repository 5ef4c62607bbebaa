-- Rendered by scripts/render from chargeback/models/holding_claim.yml for Trino; not to be edited.
-- Untested: no test runs this text on an engine yet.

-- No row: every claim is of a sane size and time, so that no sum can overflow.
SELECT
  identity,
  claimed_ticks,
  from_s,
  to_s
FROM holding_claim
WHERE
  claimed_ticks <= 0
  OR claimed_ticks > 720720000000
  OR from_s < 946684800
  OR to_s > 4102444800
LIMIT 1;
