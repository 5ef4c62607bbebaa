-- Rendered by scripts/render from chargeback/models/taker.sql for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- taker: who or what a unit's time can go to, numbered, so that the large tables hold numbers only.
-- Grain: run x owner x account. Keys: taker_no.
-- Units: claim_no numbers (owner, team, cost centre, run) and taker_no each account in it, in the order of their keys.
WITH seen AS (
  SELECT DISTINCT
    s.owner AS owner,
    s.team AS team,
    s.cost_centre AS cost_centre,
    s.run AS run,
    s.account AS account,
    s.state AS state
  FROM share AS s
)
SELECT
  CAST(ROW_NUMBER() OVER (
    ORDER BY s.owner NULLS LAST, s.team NULLS LAST, s.cost_centre NULLS LAST, s.run NULLS LAST, s.account NULLS LAST, s.state NULLS LAST
  ) AS BIGINT) AS taker_no,
  CAST(DENSE_RANK() OVER (
    ORDER BY s.owner NULLS LAST, s.team NULLS LAST, s.cost_centre NULLS LAST, s.run NULLS LAST
  ) AS BIGINT) AS claim_no,
  s.owner AS owner,
  s.team AS team,
  s.cost_centre AS cost_centre,
  s.run AS run,
  '' AS phase,
  s.account AS account,
  s.state AS state
FROM seen AS s
