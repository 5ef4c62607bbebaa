-- Rendered by scripts/render from chargeback/models/given_part.sql for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.
-- given_part: each slot's time by whose share of its lanes it is, before what is known of held time is looked at.
-- Grain: money piece x lane x taker. Keys: lane_no, from_s, taker_no.
-- Units: given_ticks in 1/720720 of a device-second; held_s in seconds; whole_ticks, the time of the whole money piece.
SELECT
  m.life_no AS life_no,
  n.lane_no AS lane_no,
  n.claim_no AS claim_no,
  n.taker_no AS taker_no,
  n.is_held AS is_held,
  MIN(n.is_alike) AS all_alike,
  m.price_no AS price_no,
  m.piece_s AS piece_s,
  m.from_s AS from_s,
  m.to_s AS to_s,
  (
    m.to_s - m.from_s
  ) * m.slot_ticks AS whole_ticks,
  toInt64(SUM(LEAST(m.to_s, n.to_s) - GREATEST(m.from_s, n.from_s))) AS held_s,
  toInt64(SUM((
    LEAST(m.to_s, n.to_s) - GREATEST(m.from_s, n.from_s)
  ) * n.part_ticks)) AS given_ticks
FROM money_piece AS m
INNER JOIN share_part AS n
  ON m.life_no = n.life_no AND n.from_s < m.to_s AND n.to_s > m.from_s
GROUP BY
  m.life_no,
  n.lane_no,
  n.claim_no,
  n.taker_no,
  n.is_held,
  m.price_no,
  m.piece_s,
  m.from_s,
  m.to_s,
  m.slot_ticks
