-- Rendered by scripts/render from chargeback/models/energy_part.yml for Trino; not to be edited.
-- Untested: no test runs this text on an engine yet.

-- No row: the energy of a lane is given out whole.
WITH given AS (
  SELECT
    lane_no,
    from_s,
    SUM(joules) AS joules
  FROM energy_part
  GROUP BY
    lane_no,
    from_s
), had AS (
  SELECT
    lane_no,
    from_s,
    SUM(joules) AS joules
  FROM energy_share
  GROUP BY
    lane_no,
    from_s
)
SELECT
  h.lane_no,
  h.from_s
FROM had AS h
LEFT JOIN given AS g
  ON h.lane_no = g.lane_no AND h.from_s = g.from_s
WHERE
  g.lane_no IS NULL OR g.joules <> h.joules
LIMIT 1;

-- No row: energy is known of no more time than there is.
SELECT
  e.lane_no,
  e.from_s,
  e.taker_no
FROM energy_part AS e
LEFT JOIN time_part AS t
  ON e.lane_no = t.lane_no AND e.from_s = t.from_s AND e.taker_no = t.taker_no
WHERE
  t.lane_no IS NULL OR e.known_ticks < 0 OR e.known_ticks > t.ticks OR e.joules < 0
LIMIT 1;
