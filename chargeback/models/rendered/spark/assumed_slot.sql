-- Rendered by scripts/render from chargeback/models/assumed_slot.sql for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- assumed_slot: the slots that holdings without a node imply: one per unit held, `<group>/<run>/<k>`, while it is held.
-- Grain: slot x stretch of constant size and of what is said of the owner. Keys: slot, from_s.
-- A run that holds several models or regions at once counts k over all of them, in the order of their names.
-- who_no 0 is a run whose facts have different owners at once.
-- Units: slot_ticks in ticks per second (720720 = a whole device; less where only a fraction is claimed); UTC seconds.
WITH claim AS (
  SELECT
    h.cluster AS cluster,
    h.capacity_group AS capacity_group,
    h.run AS run,
    h.run_name AS run_name,
    h.run_no AS run_no,
    h.who_no AS who_no,
    h.outcome_no AS outcome_no,
    h.model AS model,
    h.region AS region,
    h.claimed_ticks AS claimed_ticks,
    h.from_s AS from_s,
    h.to_s AS to_s
  FROM holding_claim AS h
  WHERE
    h.is_assumed = 1
), edge AS (
  SELECT
    c.capacity_group AS capacity_group,
    c.run AS run,
    c.from_s AS at_s
  FROM claim AS c
  UNION
  SELECT
    c.capacity_group AS capacity_group,
    c.run AS run,
    c.to_s AS at_s
  FROM claim AS c
), stretch AS (
  SELECT
    e.capacity_group AS capacity_group,
    e.run AS run,
    e.at_s AS from_s,
    LEAD(e.at_s) OVER (PARTITION BY e.capacity_group, e.run ORDER BY e.at_s NULLS LAST) AS to_s,
    LEAD(e.run) OVER (PARTITION BY e.capacity_group, e.run ORDER BY e.at_s NULLS LAST) AS next_run
  FROM edge AS e
), level AS (
  SELECT
    s.capacity_group AS capacity_group,
    s.run AS run,
    c.model AS model,
    c.region AS region,
    s.from_s AS from_s,
    s.to_s AS to_s,
    c.cluster AS cluster,
    c.run_name AS run_name,
    c.run_no AS run_no,
    CASE
      WHEN MIN(c.outcome_no) = MAX(c.outcome_no)
      THEN MIN(c.who_no)
      ELSE CAST(0 AS BIGINT)
    END AS level_who_no,
    CAST(SUM(c.claimed_ticks) AS BIGINT) AS level_ticks
  FROM stretch AS s
  INNER JOIN claim AS c
    ON s.capacity_group = c.capacity_group
    AND s.run = c.run
    AND c.from_s <= s.from_s
    AND c.to_s >= s.to_s
  WHERE
    s.next_run = s.run
  GROUP BY
    s.capacity_group,
    s.run,
    c.model,
    c.region,
    s.from_s,
    s.to_s,
    c.cluster,
    c.run_name,
    c.run_no
), counted AS (
  SELECT
    l.cluster AS cluster,
    l.capacity_group AS capacity_group,
    l.run AS run,
    l.run_name AS run_name,
    l.run_no AS run_no,
    l.level_who_no AS who_no,
    l.model AS model,
    l.region AS region,
    l.level_ticks AS level_ticks,
    l.from_s AS from_s,
    l.to_s AS to_s,
    (
      l.level_ticks + 720719
    ) DIV 720720 AS slot_count,
    CAST(SUM((
      l.level_ticks + 720719
    ) DIV 720720) OVER (
      PARTITION BY l.capacity_group, l.run, l.from_s
      ORDER BY l.model NULLS LAST, l.region NULLS LAST
      rows BETWEEN UNBOUNDED preceding AND CURRENT ROW
    ) AS BIGINT) AS reached_count
  FROM level AS l
)
SELECT
  c.cluster AS cluster,
  c.capacity_group || '/' || c.run || '/' || CAST(c.reached_count - c.slot_count + n.k AS STRING) AS slot,
  (
    c.run_no + c.reached_count - c.slot_count + n.k
  ) % CAST(65536 AS BIGINT) AS slot_no,
  c.run AS run,
  c.run_name AS run_name,
  c.who_no AS who_no,
  c.model AS model,
  c.region AS region,
  LEAST(CAST(720720 AS BIGINT), c.level_ticks - n.k * 720720) AS slot_ticks,
  c.from_s AS from_s,
  c.to_s AS to_s
FROM counted AS c
INNER JOIN counting AS n
  ON n.k * 720720 < c.level_ticks
