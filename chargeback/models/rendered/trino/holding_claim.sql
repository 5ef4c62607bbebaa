-- Rendered by scripts/render from chargeback/models/holding_claim.sql for Trino; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- holding_claim: what each holding claims, the version in force at the run's seq, cut to the run's window.
-- Grain: one fact in force. Keys: identity.
-- Units: claimed_ticks in ticks per second over all units of the fact (720720 = one whole lane); held_ticks is what its
-- share of a lane is weighed by, cap_ticks what that is divided by at least (0 = by what is held); from_s and to_s in
-- UTC seconds, cut where the cluster's sources are no longer known to be complete.
-- Time slices are equal among the holders there, or by the policy one of as many as there are replicas. MPS goes by the
-- percentage of threads where one is set, else equally. is_equal 1 is what a policy may weigh by use.
WITH ranked AS (
  SELECT
    h.identity AS identity,
    h.withdrawn AS withdrawn,
    h.start_s AS start_s,
    COALESCE(h.end_s, w.end_s) AS until_s,
    h.cluster AS cluster,
    h.run AS run,
    h.run_name AS run_name,
    h.run_no AS run_no,
    h.namespace AS namespace,
    h.account AS account,
    h.owner_key AS owner_key,
    h.labels AS labels,
    h.node AS node,
    h.slot AS slot,
    h.lane AS lane,
    h.device AS device,
    CONCAT(CAST(h.cluster AS VARCHAR), CAST('/' AS VARCHAR), CAST(h.node_group AS VARCHAR)) AS capacity_group,
    h.units AS units,
    h.share_mode AS share_mode,
    h.weight AS weight,
    h.weight_cap AS weight_cap,
    h.is_assumed AS is_assumed,
    h.model AS model,
    h.region AS region,
    CAST(ROW_NUMBER() OVER (PARTITION BY h.identity ORDER BY h.seq DESC) AS BIGINT) AS newest
  FROM source_holding AS h
  INNER JOIN run_window AS w
    ON h.seq <= w.seq
), cut AS (
  SELECT
    r.identity AS identity,
    r.cluster AS cluster,
    r.run AS run,
    r.run_name AS run_name,
    r.run_no AS run_no,
    q.who_no AS who_no,
    q.outcome_no AS outcome_no,
    r.owner_key AS owner_key,
    r.node AS node,
    r.slot AS slot,
    r.lane AS lane,
    r.device AS device,
    r.capacity_group AS capacity_group,
    r.share_mode AS share_mode,
    CASE WHEN r.share_mode = '' THEN CAST(1 AS BIGINT) ELSE CAST(0 AS BIGINT) END AS is_exclusive,
    CASE
      WHEN r.weight = 0 OR (
        r.share_mode = 'time_slicing' AND g.time_slicing <> 1
      )
      THEN CAST(1 AS BIGINT)
      ELSE CAST(0 AS BIGINT)
    END AS is_equal,
    CASE
      WHEN r.weight = 0
      THEN r.units * 720720
      ELSE r.units * (
        720720 * r.weight / r.weight_cap
      )
    END AS claimed_ticks,
    r.units AS units,
    r.is_assumed AS is_assumed,
    r.model AS model,
    r.region AS region,
    GREATEST(r.start_s, w.start_s) AS from_s,
    LEAST(r.until_s, w.end_s, COALESCE(t.through_s, w.end_s)) AS to_s
  FROM ranked AS r
  INNER JOIN run_window AS w
    ON r.start_s < w.end_s
  INNER JOIN who AS q
    ON r.cluster = q.cluster
    AND r.namespace = q.namespace
    AND r.account = q.account
    AND r.owner_key = q.owner_key
    AND r.labels = q.labels
  CROSS JOIN sharing AS g
  LEFT JOIN cluster_through AS t
    ON r.cluster = t.cluster
  WHERE
    r.newest = 1 AND r.withdrawn = 0 AND r.units > 0
)
SELECT
  c.identity AS identity,
  c.cluster AS cluster,
  c.run AS run,
  c.run_name AS run_name,
  c.run_no AS run_no,
  c.who_no AS who_no,
  c.outcome_no AS outcome_no,
  c.owner_key AS owner_key,
  c.node AS node,
  c.slot AS slot,
  c.lane AS lane,
  c.device AS device,
  c.capacity_group AS capacity_group,
  c.share_mode AS share_mode,
  c.is_exclusive AS is_exclusive,
  c.claimed_ticks AS claimed_ticks,
  CASE WHEN c.is_equal = 1 THEN c.units * 720720 ELSE c.claimed_ticks END AS held_ticks,
  CASE
    WHEN c.is_equal = 1 OR c.is_exclusive = 1
    THEN CAST(0 AS BIGINT)
    ELSE CAST(720720 AS BIGINT)
  END AS cap_ticks,
  c.is_equal AS is_equal,
  c.is_assumed AS is_assumed,
  c.model AS model,
  c.region AS region,
  c.from_s AS from_s,
  c.to_s AS to_s
FROM cut AS c
WHERE
  c.from_s < c.to_s
