-- Rendered by scripts/render from chargeback/models/slot_amount.sql for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- slot_amount: the money of each slot's money piece under the layer that is charged.
-- Grain: slot x money piece x lot or pool. Keys: charge_no, life_no, from_s.
-- Units: amount in the currency's quanta; charge_no 0 is the slot's pool, else the lot or meter, from one account;
-- share_no the part of the pool, or of what the lot pays for, that the slot is in. Of a part the amount goes by
-- running differences of whole seconds over its slots in key order, phase by hour; a meter's is its own amount.
WITH part AS (
  SELECT DISTINCT
    p.share_no AS share_no,
    l.pool_no AS pool_no,
    p.piece_s AS piece_s,
    p.slot_ticks AS slot_ticks,
    p.slot_seconds AS whole,
    CAST(ABS(p.amount) AS BIGINT) AS part_amount,
    CASE WHEN p.amount < 0 THEN -CAST(1 AS BIGINT) ELSE CAST(1 AS BIGINT) END AS sign,
    p.piece_s DIV 3600 * CAST(2654435761 AS BIGINT) % p.slot_seconds AS phase
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
    p.sign AS sign,
    p.whole AS whole,
    p.phase AS phase,
    CAST(SUM(m.to_s - m.from_s) OVER (
      PARTITION BY p.share_no
      ORDER BY m.life_no NULLS LAST, m.from_s NULLS LAST
      rows BETWEEN UNBOUNDED preceding AND CURRENT ROW
    ) AS BIGINT) AS reached
  FROM money_piece AS m
  INNER JOIN part AS p
    ON m.pool_no = p.pool_no AND m.piece_s = p.piece_s AND m.slot_ticks = p.slot_ticks
  WHERE
    m.price_no > 0
), lot_part AS (
  SELECT DISTINCT
    q.share_no AS share_no,
    q.charge_no AS charge_no,
    q.price_no AS price_no,
    l.pool_no AS pool_no,
    q.piece_s AS piece_s,
    q.slot_ticks AS slot_ticks,
    q.slot_seconds AS whole,
    CAST(ABS(q.amount) AS BIGINT) AS part_amount,
    CASE WHEN q.amount < 0 THEN -CAST(1 AS BIGINT) ELSE CAST(1 AS BIGINT) END AS sign,
    q.piece_s DIV 3600 * CAST(2654435761 AS BIGINT) % q.slot_seconds AS phase
  FROM lot_share AS q
  INNER JOIN slot_life AS l
    ON q.model = l.model AND q.region = l.region
), by_lot AS (
  SELECT
    p.share_no AS share_no,
    p.charge_no AS charge_no,
    m.life_no AS life_no,
    m.from_s AS from_s,
    m.to_s - m.from_s AS seconds,
    p.part_amount AS part_amount,
    p.sign AS sign,
    p.whole AS whole,
    p.phase AS phase,
    CAST(SUM(m.to_s - m.from_s) OVER (
      PARTITION BY p.share_no
      ORDER BY m.life_no NULLS LAST, m.from_s NULLS LAST
      rows BETWEEN UNBOUNDED preceding AND CURRENT ROW
    ) AS BIGINT) AS reached
  FROM money_piece AS m
  INNER JOIN lot_part AS p
    ON m.price_no = p.price_no
    AND m.pool_no = p.pool_no
    AND m.piece_s = p.piece_s
    AND m.slot_ticks = p.slot_ticks
)
SELECT
  CAST(0 AS BIGINT) AS charge_no,
  p.share_no AS share_no,
  p.life_no AS life_no,
  p.from_s AS from_s,
  p.sign * (
    p.part_amount DIV p.whole * p.seconds + (
      p.part_amount % p.whole * p.reached + p.phase
    ) DIV p.whole - (
      p.part_amount % p.whole * (
        p.reached - p.seconds
      ) + p.phase
    ) DIV p.whole
  ) AS amount
FROM pooled AS p
UNION ALL
SELECT
  q.charge_no AS charge_no,
  q.share_no AS share_no,
  q.life_no AS life_no,
  q.from_s AS from_s,
  q.sign * (
    q.part_amount DIV q.whole * q.seconds + (
      q.part_amount % q.whole * q.reached + q.phase
    ) DIV q.whole - (
      q.part_amount % q.whole * (
        q.reached - q.seconds
      ) + q.phase
    ) DIV q.whole
  ) AS amount
FROM by_lot AS q
UNION ALL
SELECT
  a.charge_no AS charge_no,
  CAST(0 AS BIGINT) AS share_no,
  m.life_no AS life_no,
  m.from_s AS from_s,
  a.amount AS amount
FROM money_piece AS m
INNER JOIN meter_amount AS a
  ON m.price_no = a.price_no
  AND m.slot_ticks = a.slot_ticks
  AND m.node_slots = a.node_slots
  AND m.from_s = a.from_s
  AND m.to_s = a.to_s
