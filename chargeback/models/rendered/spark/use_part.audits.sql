-- Rendered by scripts/render from chargeback/models/use_part.yml for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.

-- No row: nothing is busy that is not observed.
SELECT
  lane_no,
  from_s,
  taker_no
FROM use_part
WHERE
  busy_ticks < 0 OR busy_ticks > observed_ticks
LIMIT 1;
