-- Rendered by scripts/render from chargeback/models/device_seat.yml for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.

-- No row: a device sits in one slot at a time.
WITH next AS (
  SELECT
    device,
    from_s,
    LAG(to_s) OVER (PARTITION BY device ORDER BY from_s NULLS LAST) AS before_s
  FROM device_seat
)
SELECT
  device,
  from_s,
  before_s
FROM next
WHERE
  before_s > from_s
LIMIT 1;
