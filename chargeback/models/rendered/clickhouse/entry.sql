-- Rendered by scripts/render from chargeback/models/entry.sql for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.
-- entry: what is charged. One row moves an amount from (from_account, from_owner) to (to_account, to_owner).
-- Grain: lot or pool x money piece x slot x lane x run x owner x phase x account.
-- Units: amount in the currency's quanta; piece_s and from_s in UTC seconds. An empty text means "none".
-- Charged by pool: clearing to the owners, the lot empty. Charged as recognised: accrued or prepaid to the owners,
-- by lot.
SELECT
  b.charged AS layer,
  n.lot AS lot,
  l.pool AS pool,
  c.utc_day AS utc_day,
  c.day AS day,
  p.piece_s AS piece_s,
  p.from_s AS from_s,
  l.cluster AS cluster,
  l.model AS model,
  l.slot AS slot,
  v.lane AS lane,
  k.run AS run,
  k.phase AS phase,
  n.from_account AS from_account,
  b.from_owner AS from_owner,
  k.account AS to_account,
  k.owner AS to_owner,
  k.team AS team,
  k.cost_centre AS cost_centre,
  k.state AS state,
  p.amount AS amount,
  b.policy AS policy,
  b.cause AS cause,
  b.service_period AS service_period,
  b.booking_period AS booking_period
FROM posted AS p
INNER JOIN slot_life AS l
  ON p.life_no = l.life_no
INNER JOIN lane_name AS v
  ON p.lane_no = v.lane_no
INNER JOIN taker AS k
  ON p.taker_no = k.taker_no
INNER JOIN calendar_piece AS c
  ON p.piece_s = c.start_s
INNER JOIN charge_name AS n
  ON p.charge_no = n.charge_no
CROSS JOIN book_terms AS b
WHERE
  p.amount <> 0
