-- Rendered by scripts/render from chargeback/models/recognised_entry.sql for Trino; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- recognised_entry: what each lot recognises, where a pool is charged: accrued or prepaid to clearing.
-- Grain: lot x pool x calendar piece x the account that it comes from. Keys: lot, pool, piece_s, from_account.
-- Units: amount in the currency's quanta; piece_s in UTC seconds. An empty text means "none".
SELECT
  'recognised' AS layer,
  r.lot AS lot,
  r.pool AS pool,
  r.utc_day AS utc_day,
  r.day AS day,
  r.piece_s AS piece_s,
  r.piece_s AS from_s,
  '' AS cluster,
  r.model AS model,
  '' AS slot,
  '' AS lane,
  '' AS run,
  '' AS phase,
  r.from_account AS from_account,
  '' AS from_owner,
  'clearing' AS to_account,
  '' AS to_owner,
  '' AS team,
  '' AS cost_centre,
  '' AS state,
  r.amount AS amount,
  b.policy AS policy,
  b.cause AS cause,
  b.service_period AS service_period,
  b.booking_period AS booking_period
FROM recognised_part AS r
CROSS JOIN book_terms AS b
WHERE
  r.amount <> 0
