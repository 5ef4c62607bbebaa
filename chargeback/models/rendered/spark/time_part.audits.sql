-- Rendered by scripts/render from chargeback/models/time_part.yml for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.

-- No row: the time of a money piece is given out whole.
WITH given AS (
  SELECT
    life_no,
    from_s,
    SUM(ticks) AS ticks
  FROM time_part
  GROUP BY
    life_no,
    from_s
)
SELECT
  m.life_no,
  m.from_s
FROM money_piece AS m
LEFT JOIN given AS t
  ON m.life_no = t.life_no AND m.from_s = t.from_s
WHERE
  t.life_no IS NULL OR t.ticks <> (
    m.to_s - m.from_s
  ) * m.slot_ticks
LIMIT 1;

-- No row: no more is known than there is.
SELECT
  lane_no,
  from_s,
  taker_no
FROM time_part
WHERE
  observed_ticks < 0 OR observed_ticks > ticks OR ticks < 0
LIMIT 1;
