-- Rendered by scripts/render from chargeback/models/time_part.sql for Trino; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- time_part: whose each slot's time is, in numbers: what `time_row` says in words.
-- Grain: money piece x taker. Keys: life_no, from_s, taker_no.
-- Units: ticks, in 1/720720 of a device-second; whole_ticks, the same for the whole money piece; UTC seconds.
WITH numbered AS (
  SELECT
    s.life_no AS life_no,
    s.from_s AS from_s,
    s.to_s AS to_s,
    s.share_ticks AS share_ticks,
    k.taker_no AS taker_no,
    k.claim_no AS claim_no
  FROM share AS s
  INNER JOIN taker AS k
    ON s.run = k.run
    AND s.owner = k.owner
    AND s.team = k.team
    AND s.cost_centre = k.cost_centre
    AND s.account = k.account
    AND s.state = k.state
)
SELECT
  m.life_no AS life_no,
  n.claim_no AS claim_no,
  n.taker_no AS taker_no,
  m.price_no AS price_no,
  m.piece_s AS piece_s,
  m.from_s AS from_s,
  m.to_s AS to_s,
  (
    m.to_s - m.from_s
  ) * m.slot_ticks AS whole_ticks,
  CAST(SUM((
    LEAST(m.to_s, n.to_s) - GREATEST(m.from_s, n.from_s)
  ) * n.share_ticks) AS BIGINT) AS ticks
FROM money_piece AS m
INNER JOIN numbered AS n
  ON m.life_no = n.life_no AND n.from_s < m.to_s AND n.to_s > m.from_s
GROUP BY
  m.life_no,
  n.claim_no,
  n.taker_no,
  m.price_no,
  m.piece_s,
  m.from_s,
  m.to_s,
  m.slot_ticks
