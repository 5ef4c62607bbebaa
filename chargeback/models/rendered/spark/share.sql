-- Rendered by scripts/render from chargeback/models/share.sql for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- share: how a lane's time is divided over a segment: its holders, the claims on its node's free slots, and what is left.
-- Grain: segment x run (or none) x owner x account. Keys: lane_no, from_s, run, owner, team, cost_centre, phase, account,
-- state. The account `held` becomes used, idle_held or held_unobserved by what is known of the time.
-- Units: share_ticks in ticks per second; the shares of one segment add up to its lane_ticks. is_sole 1 is a holder that
-- has the lane for itself, is_timed 1 one that shares it equally and that a policy may weigh by use.
-- A run that claims a lane twice holds it once; two whole holders of one lane are contested (`__conflict__`).
-- Free slots are taken by running differences over the node, so U units take exactly U slots' time; who alone has all of
-- a node's free slots has each of them for itself, though nothing names them.
WITH placed AS (
  SELECT
    g.lane_no AS lane_no,
    g.from_s AS from_s,
    g.to_s AS to_s,
    g.lane_ticks AS lane_ticks,
    h.run AS run,
    h.run_name AS run_name,
    h.owner AS owner,
    h.team AS team,
    h.cost_centre AS cost_centre,
    h.phase AS phase,
    MAX(h.held_ticks) AS most_ticks,
    MAX(h.cap_ticks) AS most_cap_ticks,
    MAX(h.is_exclusive) AS any_whole,
    MIN(h.is_equal) AS all_equal
  FROM segment AS g
  INNER JOIN holder AS h
    ON g.lane_no = h.lane_no AND h.from_s <= g.from_s AND h.to_s >= g.to_s
  GROUP BY
    g.lane_no,
    g.from_s,
    g.to_s,
    g.lane_ticks,
    h.run,
    h.run_name,
    h.owner,
    h.team,
    h.cost_centre,
    h.phase
), measured AS (
  SELECT
    p.lane_no AS lane_no,
    p.from_s AS from_s,
    p.to_s AS to_s,
    p.lane_ticks AS lane_ticks,
    p.run AS run,
    p.run_name AS run_name,
    p.owner AS owner,
    p.team AS team,
    p.cost_centre AS cost_centre,
    p.phase AS phase,
    p.most_ticks AS held_ticks,
    CAST(SUM(p.most_ticks) OVER (
      PARTITION BY p.lane_no, p.from_s
      ORDER BY p.run NULLS LAST, p.owner NULLS LAST, p.team NULLS LAST, p.cost_centre NULLS LAST, p.phase NULLS LAST
      rows BETWEEN UNBOUNDED preceding AND CURRENT ROW
    ) AS BIGINT) AS reached_ticks,
    GREATEST(
      CAST(SUM(p.most_ticks) OVER (PARTITION BY p.lane_no, p.from_s) AS BIGINT),
      MAX(p.most_cap_ticks) OVER (PARTITION BY p.lane_no, p.from_s)
    ) AS whole_ticks,
    MAX(p.any_whole) OVER (PARTITION BY p.lane_no, p.from_s) AS any_exclusive,
    MIN(p.all_equal) OVER (PARTITION BY p.lane_no, p.from_s) AS is_alike,
    CAST(COUNT(p.run) OVER (PARTITION BY p.lane_no, p.from_s) AS BIGINT) AS holder_count
  FROM placed AS p
), held AS (
  SELECT
    m.lane_no AS lane_no,
    m.from_s AS from_s,
    m.to_s AS to_s,
    m.run AS run,
    m.run_name AS run_name,
    m.owner AS owner,
    m.team AS team,
    m.cost_centre AS cost_centre,
    m.phase AS phase,
    CASE
      WHEN m.any_exclusive = 1 AND m.holder_count > 1
      THEN CAST(1 AS BIGINT)
      ELSE CAST(0 AS BIGINT)
    END AS is_contested,
    CASE
      WHEN m.any_exclusive = 1 AND m.holder_count = 1
      THEN CAST(1 AS BIGINT)
      ELSE CAST(0 AS BIGINT)
    END AS has_it_all,
    m.is_alike AS is_alike,
    m.lane_ticks * m.reached_ticks DIV m.whole_ticks - m.lane_ticks * (
      m.reached_ticks - m.held_ticks
    ) DIV m.whole_ticks AS share_ticks
  FROM measured AS m
), placed_count AS (
  SELECT
    h.lane_no AS lane_no,
    h.from_s AS from_s,
    CAST(COUNT(h.run) AS BIGINT) AS holder_count
  FROM held AS h
  GROUP BY
    h.lane_no,
    h.from_s
), free AS (
  SELECT
    g.node AS node,
    g.lane_no AS lane_no,
    g.from_s AS from_s,
    g.to_s AS to_s,
    CAST(ROW_NUMBER() OVER (PARTITION BY g.node, g.from_s ORDER BY g.slot NULLS LAST) AS BIGINT) - 1 AS place,
    CAST(COUNT(g.slot) OVER (PARTITION BY g.node, g.from_s) AS BIGINT) AS free_count
  FROM segment AS g
  LEFT JOIN placed_count AS c
    ON g.lane_no = c.lane_no AND g.from_s = c.from_s
  WHERE
    c.lane_no IS NULL AND g.state = 'available' AND g.is_whole = 1
), node_segment AS (
  SELECT
    f.node AS node,
    f.from_s AS from_s,
    f.to_s AS to_s,
    MAX(f.free_count) AS node_free_count
  FROM free AS f
  GROUP BY
    f.node,
    f.from_s,
    f.to_s
), claimed AS (
  SELECT
    n.node AS node,
    n.from_s AS from_s,
    n.node_free_count AS free_count,
    h.run AS run,
    h.run_name AS run_name,
    h.owner AS owner,
    h.team AS team,
    h.cost_centre AS cost_centre,
    h.phase AS phase,
    CAST(SUM(h.held_ticks) AS BIGINT) AS node_ticks
  FROM node_segment AS n
  INNER JOIN holder AS h
    ON n.node = h.node AND h.from_s <= n.from_s AND h.to_s >= n.to_s
  WHERE
    h.lane_no = 0
  GROUP BY
    n.node,
    n.from_s,
    n.node_free_count,
    h.run,
    h.run_name,
    h.owner,
    h.team,
    h.cost_centre,
    h.phase
), queued AS (
  SELECT
    c.node AS node,
    c.from_s AS from_s,
    c.free_count AS free_count,
    c.run AS run,
    c.run_name AS run_name,
    c.owner AS owner,
    c.team AS team,
    c.cost_centre AS cost_centre,
    c.phase AS phase,
    c.node_ticks AS held_ticks,
    CAST(SUM(c.node_ticks) OVER (
      PARTITION BY c.node, c.from_s
      ORDER BY c.run NULLS LAST, c.owner NULLS LAST, c.team NULLS LAST, c.cost_centre NULLS LAST, c.phase NULLS LAST
      rows BETWEEN UNBOUNDED preceding AND CURRENT ROW
    ) AS BIGINT) AS reached_ticks,
    CAST(SUM(c.node_ticks) OVER (PARTITION BY c.node, c.from_s) AS BIGINT) AS whole_ticks
  FROM claimed AS c
), fitted AS (
  SELECT
    q.node AS node,
    q.from_s AS from_s,
    q.free_count AS free_count,
    q.run AS run,
    q.run_name AS run_name,
    q.owner AS owner,
    q.team AS team,
    q.cost_centre AS cost_centre,
    q.phase AS phase,
    CASE
      WHEN q.whole_ticks > q.free_count * 720720
      THEN CAST(1 AS BIGINT)
      ELSE CAST(0 AS BIGINT)
    END AS is_contested,
    CASE
      WHEN q.held_ticks = q.whole_ticks AND q.whole_ticks = q.free_count * 720720
      THEN CAST(1 AS BIGINT)
      ELSE CAST(0 AS BIGINT)
    END AS has_all,
    CASE
      WHEN q.whole_ticks > q.free_count * 720720
      THEN (
        q.reached_ticks - q.held_ticks
      ) * (
        q.free_count * 720720
      ) DIV q.whole_ticks
      ELSE q.reached_ticks - q.held_ticks
    END AS before_ticks,
    CASE
      WHEN q.whole_ticks > q.free_count * 720720
      THEN q.reached_ticks * (
        q.free_count * 720720
      ) DIV q.whole_ticks
      ELSE q.reached_ticks
    END AS after_ticks
  FROM queued AS q
), unplaced AS (
  SELECT
    f.lane_no AS lane_no,
    f.from_s AS from_s,
    f.to_s AS to_s,
    t.run AS run,
    t.run_name AS run_name,
    t.owner AS owner,
    t.team AS team,
    t.cost_centre AS cost_centre,
    t.phase AS phase,
    t.is_contested AS is_contested,
    t.has_all AS has_all,
    (
      t.after_ticks * (
        f.place + 1
      ) DIV f.free_count - t.after_ticks * f.place DIV f.free_count
    ) - (
      t.before_ticks * (
        f.place + 1
      ) DIV f.free_count - t.before_ticks * f.place DIV f.free_count
    ) AS share_ticks
  FROM free AS f
  INNER JOIN fitted AS t
    ON f.node = t.node AND f.from_s = t.from_s
), taken AS (
  SELECT
    h.lane_no AS lane_no,
    h.from_s AS from_s,
    h.to_s AS to_s,
    h.run AS run,
    h.run_name AS run_name,
    h.owner AS taker,
    h.team AS taker_team,
    h.cost_centre AS taker_cost_centre,
    h.phase AS phase,
    h.is_contested AS is_contested,
    h.has_it_all AS has_it_all,
    h.is_alike AS is_alike,
    h.share_ticks AS share_ticks
  FROM held AS h
  UNION ALL
  SELECT
    u.lane_no AS lane_no,
    u.from_s AS from_s,
    u.to_s AS to_s,
    u.run AS run,
    u.run_name AS run_name,
    u.owner AS taker,
    u.team AS taker_team,
    u.cost_centre AS taker_cost_centre,
    u.phase AS phase,
    u.is_contested AS is_contested,
    u.has_all AS has_it_all,
    CAST(0 AS BIGINT) AS is_alike,
    u.share_ticks AS share_ticks
  FROM unplaced AS u
), taken_sum AS (
  SELECT
    t.lane_no AS lane_no,
    t.from_s AS from_s,
    CAST(SUM(t.share_ticks) AS BIGINT) AS taken_ticks
  FROM taken AS t
  GROUP BY
    t.lane_no,
    t.from_s
), left_over AS (
  SELECT
    g.lane_no AS lane_no,
    g.from_s AS from_s,
    g.to_s AS to_s,
    CASE WHEN g.state = 'available' THEN g.free_account ELSE 'overhead' END AS account,
    CASE WHEN g.state = 'available' THEN '' ELSE g.state END AS state_then,
    g.lane_ticks - COALESCE(s.taken_ticks, CAST(0 AS BIGINT)) AS share_ticks
  FROM segment AS g
  LEFT JOIN taken_sum AS s
    ON g.lane_no = s.lane_no AND g.from_s = s.from_s
  WHERE
    s.lane_no IS NULL OR s.taken_ticks < g.lane_ticks
), given AS (
  SELECT
    t.lane_no AS lane_no,
    t.from_s AS from_s,
    t.to_s AS to_s,
    t.run AS run,
    t.run_name AS run_name,
    CASE WHEN t.is_contested = 1 THEN '__conflict__' ELSE t.taker END AS owner,
    CASE WHEN t.is_contested = 1 THEN '__conflict__' ELSE t.taker_team END AS team,
    CASE WHEN t.is_contested = 1 THEN '' ELSE t.taker_cost_centre END AS cost_centre,
    t.phase AS phase,
    'held' AS account,
    '' AS state,
    CAST(t.has_it_all AS BIGINT) AS is_sole,
    CAST(t.is_alike AS BIGINT) AS is_timed,
    t.share_ticks AS share_ticks
  FROM taken AS t
  WHERE
    t.share_ticks > 0
  UNION ALL
  SELECT
    l.lane_no AS lane_no,
    l.from_s AS from_s,
    l.to_s AS to_s,
    '' AS run,
    '' AS run_name,
    '__account__' AS owner,
    '__account__' AS team,
    '' AS cost_centre,
    '' AS phase,
    l.account AS account,
    l.state_then AS state,
    CAST(0 AS BIGINT) AS is_sole,
    CAST(0 AS BIGINT) AS is_timed,
    l.share_ticks AS share_ticks
  FROM left_over AS l
)
SELECT
  s.life_no AS life_no,
  g.lane_no AS lane_no,
  g.from_s AS from_s,
  g.to_s AS to_s,
  g.run AS run,
  g.run_name AS run_name,
  g.owner AS owner,
  g.team AS team,
  g.cost_centre AS cost_centre,
  g.phase AS phase,
  g.account AS account,
  g.state AS state,
  g.is_sole AS is_sole,
  g.is_timed AS is_timed,
  g.share_ticks AS share_ticks
FROM given AS g
INNER JOIN segment AS s
  ON g.lane_no = s.lane_no AND g.from_s = s.from_s
