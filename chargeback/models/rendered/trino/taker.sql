-- Rendered by scripts/render from chargeback/models/taker.sql for Trino; not to be edited.
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
  CAST(ROW_NUMBER() OVER (ORDER BY s.owner, s.team, s.cost_centre, s.run, s.account, s.state) AS BIGINT) AS taker_no,
  CAST(DENSE_RANK() OVER (ORDER BY s.owner, s.team, s.cost_centre, s.run) AS BIGINT) AS claim_no,
  s.owner AS owner,
  s.team AS team,
  s.cost_centre AS cost_centre,
  s.run AS run,
  '' AS phase,
  s.account AS account,
  s.state AS state
FROM seen AS s
