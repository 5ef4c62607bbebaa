-- Rendered by scripts/render from chargeback/models/slot_amount.yml for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.

-- No row: a pool part's slot-seconds squared stay below 2^63, so that shares are exact.
SELECT
  pool,
  piece_s
FROM pool_share
WHERE
  slot_seconds <= 0 OR slot_seconds > 3037000499
LIMIT 1;

-- No row: the slots of a pool carry exactly its amount, piece by piece.
WITH given AS (
  SELECT
    share_no,
    SUM(amount) AS amount
  FROM slot_amount
  WHERE
    charge_no = 0
  GROUP BY
    share_no
)
SELECT
  p.pool,
  p.piece_s
FROM pool_share AS p
LEFT JOIN given AS g
  ON p.share_no = g.share_no
WHERE
  g.share_no IS NULL OR g.amount <> p.amount
LIMIT 1;

-- No row: the slot-seconds that a lot pays for squared stay below 2^63, so that shares are exact.
SELECT
  charge_no,
  piece_s
FROM lot_share
WHERE
  slot_seconds <= 0 OR slot_seconds > 3037000499
LIMIT 1;

-- No row: the slots that a lot pays for carry exactly its amount, piece by piece.
WITH given AS (
  SELECT
    share_no,
    SUM(amount) AS amount
  FROM slot_amount
  WHERE
    charge_no > 0 AND share_no > 0
  GROUP BY
    share_no
)
SELECT
  q.charge_no,
  q.piece_s
FROM lot_share AS q
LEFT JOIN given AS g
  ON q.share_no = g.share_no
WHERE
  g.share_no IS NULL OR g.amount <> q.amount
LIMIT 1;
