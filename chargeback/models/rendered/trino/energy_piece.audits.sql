-- Rendered by scripts/render from chargeback/models/energy_piece.yml for Trino; not to be edited.
-- Untested: no test runs this text on an engine yet.

-- No row: no more is known than there is, and the time squared stays below 2^63, so that shares are exact.
SELECT
  cut_no,
  device,
  hour_s
FROM energy_piece
WHERE
  seat_ticks <= 0
  OR seat_ticks > 3037000499
  OR known_ticks < 0
  OR known_ticks > seat_ticks
  OR joules < 0
LIMIT 1;

-- No row: what a device used is placed once, and whole where it sat in a slot all the time.
WITH given AS (
  SELECT
    device,
    hour_s,
    SUM(joules) AS joules,
    SUM(sit_to_s - sit_from_s) AS seconds
  FROM energy_piece
  GROUP BY
    device,
    hour_s
)
SELECT
  e.device,
  e.hour_s
FROM energy AS e
INNER JOIN given AS g
  ON e.device = g.device AND e.hour_s = g.hour_s
WHERE
  g.joules > e.cut_joules
  OR g.seconds > e.to_s - e.from_s
  OR (
    g.seconds = e.to_s - e.from_s AND g.joules <> e.cut_joules
  )
LIMIT 1;
