-- Rendered by scripts/render from chargeback/models/resource_entry.sql for Trino; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- resource_entry: what is charged of what nodes have besides GPUs: from accrued to the owners, by meter. It stands in the
-- file of entries.
-- Grain: meter x node x money piece x kind x run x owner x account. Keys: lot, lane, from_s, run, to_owner, team,
-- cost_centre, to_account.
-- Units: amount in the currency's quanta; piece_s and from_s in UTC seconds. An empty text means "none"; the lane is the
-- kind of the node, and no slot's.
SELECT
  'recognised' AS layer,
  n.lot AS lot,
  '' AS pool,
  c.utc_day AS utc_day,
  c.day AS day,
  p.piece_s AS piece_s,
  p.from_s AS from_s,
  p.cluster AS cluster,
  '__no_device__' AS model,
  '' AS slot,
  CONCAT(CAST(p.node AS VARCHAR), CAST('/' AS VARCHAR), CAST(p.kind AS VARCHAR)) AS lane,
  p.run AS run,
  '' AS phase,
  n.from_account AS from_account,
  b.from_owner AS from_owner,
  p.account AS to_account,
  p.owner AS to_owner,
  p.team AS team,
  p.cost_centre AS cost_centre,
  '' AS state,
  p.amount AS amount,
  b.policy AS policy,
  b.cause AS cause,
  b.service_period AS service_period,
  b.booking_period AS booking_period
FROM resource_posted AS p
INNER JOIN calendar_piece AS c
  ON p.piece_s = c.start_s
INNER JOIN charge_name AS n
  ON p.charge_no = n.charge_no
CROSS JOIN book_terms AS b
WHERE
  p.amount <> 0
