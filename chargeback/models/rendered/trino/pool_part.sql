-- Rendered by scripts/render from chargeback/models/pool_part.sql for Trino; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- pool_part: how many slots of one size, on nodes with as many slots, stand at one price over one stretch of a piece. Small; Python turns it into money.
-- Grain: model x region x piece x price x slot size x slots of the node x stretch.
-- Keys: model, region, piece_s, price_record, slot_ticks, node_slots, from_s, to_s.
-- Units: slot_ticks in ticks per second; from_s, to_s and piece_s in UTC seconds.
WITH counted AS (
  SELECT
    m.pool_no AS pool_no,
    m.price_no AS price_no,
    m.slot_ticks AS slot_ticks,
    m.node_slots AS node_slots,
    m.piece_s AS piece_s,
    m.from_s AS from_s,
    m.to_s AS to_s,
    CAST(COUNT(m.life_no) AS BIGINT) AS slot_count
  FROM money_piece AS m
  WHERE
    m.price_no > 0
  GROUP BY
    m.pool_no,
    m.price_no,
    m.slot_ticks,
    m.node_slots,
    m.piece_s,
    m.from_s,
    m.to_s
), pool AS (
  SELECT DISTINCT
    l.pool_no AS pool_no,
    l.model AS model,
    l.region AS region
  FROM slot_life AS l
)
SELECT
  p.model AS model,
  p.region AS region,
  n.piece_s AS piece_s,
  c.utc_day AS utc_day,
  c.day AS day,
  r.price_record AS price_record,
  n.slot_ticks AS slot_ticks,
  n.node_slots AS node_slots,
  n.from_s AS from_s,
  n.to_s AS to_s,
  n.slot_count AS slot_count
FROM counted AS n
INNER JOIN pool AS p
  ON n.pool_no = p.pool_no
INNER JOIN calendar_piece AS c
  ON n.piece_s = c.start_s
INNER JOIN price_name AS r
  ON n.price_no = r.price_no
