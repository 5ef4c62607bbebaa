-- Rendered by scripts/render from chargeback/models/slot_amount.sql for Trino; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- slot_amount: the money of each slot's money piece under the layer that is charged.
-- Grain: slot x money piece x lot or pool. Keys: price_no, life_no, from_s.
-- Units: amount in the currency's quanta; price_no 0 is the slot's pool, else the meter;
-- share_no the part of the pool that the slot is in. Pooled: the part's amount by
-- running differences of whole seconds over its slots in key order, phase by hour; recognised: the meter's own amount.
WITH part AS (
  SELECT DISTINCT
    p.share_no AS share_no,
    l.pool_no AS pool_no,
    p.piece_s AS piece_s,
    p.slot_ticks AS slot_ticks,
    p.slot_seconds AS whole,
    p.amount AS part_amount,
    p.piece_s / 3600 * CAST(2654435761 AS BIGINT) % p.slot_seconds AS phase
  FROM pool_share AS p
  INNER JOIN slot_life AS l
    ON p.model = l.model AND p.region = l.region
), pooled AS (
  SELECT
    p.share_no AS share_no,
    m.life_no AS life_no,
    m.from_s AS from_s,
    m.to_s - m.from_s AS seconds,
    p.part_amount AS part_amount,
    p.whole AS whole,
    p.phase AS phase,
    CAST(SUM(m.to_s - m.from_s) OVER (
      PARTITION BY p.share_no
      ORDER BY m.life_no, m.from_s
      rows BETWEEN UNBOUNDED preceding AND CURRENT ROW
    ) AS BIGINT) AS reached
  FROM money_piece AS m
  INNER JOIN part AS p
    ON m.pool_no = p.pool_no AND m.piece_s = p.piece_s AND m.slot_ticks = p.slot_ticks
  WHERE
    m.price_no > 0
)
SELECT
  CAST(0 AS BIGINT) AS price_no,
  p.share_no AS share_no,
  p.life_no AS life_no,
  p.from_s AS from_s,
  p.part_amount / p.whole * p.seconds + (
    p.part_amount % p.whole * p.reached + p.phase
  ) / p.whole - (
    p.part_amount % p.whole * (
      p.reached - p.seconds
    ) + p.phase
  ) / p.whole AS amount
FROM pooled AS p
UNION ALL
SELECT
  m.price_no AS price_no,
  CAST(0 AS BIGINT) AS share_no,
  m.life_no AS life_no,
  m.from_s AS from_s,
  a.amount AS amount
FROM money_piece AS m
INNER JOIN meter_amount AS a
  ON m.price_no = a.price_no
  AND m.slot_ticks = a.slot_ticks
  AND m.from_s = a.from_s
  AND m.to_s = a.to_s
