-- Rendered by scripts/render from chargeback/models/given_part.yml for Trino; not to be edited.
-- Untested: no test runs this text on an engine yet.

-- No row: no key stands twice.
SELECT
  lane_no,
  from_s,
  taker_no
FROM given_part
GROUP BY
  lane_no,
  from_s,
  taker_no
HAVING
  CAST(COUNT(*) AS BIGINT) > 1
LIMIT 1;
