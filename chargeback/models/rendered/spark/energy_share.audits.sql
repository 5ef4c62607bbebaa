-- Rendered by scripts/render from chargeback/models/energy_share.yml for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.

-- No row: what a device used in a money piece is shared out whole.
WITH given AS (
  SELECT
    v.life_no,
    s.from_s,
    SUM(s.joules) AS joules,
    SUM(s.known_ticks) AS ticks
  FROM energy_share AS s
  INNER JOIN lane_life AS v
    ON s.lane_no = v.lane_no
  GROUP BY
    v.life_no,
    s.from_s
), had AS (
  SELECT
    life_no,
    from_s,
    SUM(joules) AS joules,
    SUM(known_ticks) AS ticks
  FROM energy_piece
  GROUP BY
    life_no,
    from_s
)
SELECT
  h.life_no,
  h.from_s
FROM had AS h
LEFT JOIN given AS g
  ON h.life_no = g.life_no AND h.from_s = g.from_s
WHERE
  g.life_no IS NULL OR g.joules <> h.joules OR g.ticks <> h.ticks
LIMIT 1;
