-- Rendered by scripts/render from chargeback/models/share.sql for ClickHouse; not to be edited.
-- Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.
-- share: how a slot's time is divided over a segment: its holders, the claims on its node's free slots, and what is left.
-- Grain: segment x run (or none) x owner x account. Keys: life_no, from_s, run, owner, team, cost_centre, account, state.
-- Units: share_ticks in ticks per second; the shares of one segment add up to its slot_ticks.
-- A run that claims a slot twice holds it once; two whole holders of one slot are contested (`__conflict__`).
-- Free slots are taken by running differences over the node, so U units take exactly U slots' time.
WITH placed AS (
  SELECT
    g.node AS node,
    g.slot AS slot,
    g.from_s AS from_s,
    g.to_s AS to_s,
    g.slot_ticks AS slot_ticks,
    h.run AS run,
    h.owner AS owner,
    h.team AS team,
    h.cost_centre AS cost_centre,
    MAX(h.held_ticks) AS most_ticks,
    MAX(h.cap_ticks) AS most_cap_ticks,
    MAX(h.is_exclusive) AS any_whole
  FROM segment AS g
  INNER JOIN holder AS h
    ON g.slot = h.slot AND h.from_s <= g.from_s AND h.to_s >= g.to_s
  GROUP BY
    g.node,
    g.slot,
    g.from_s,
    g.to_s,
    g.slot_ticks,
    h.run,
    h.owner,
    h.team,
    h.cost_centre
), measured AS (
  SELECT
    p.node AS node,
    p.slot AS slot,
    p.from_s AS from_s,
    p.to_s AS to_s,
    p.slot_ticks AS slot_ticks,
    p.run AS run,
    p.owner AS owner,
    p.team AS team,
    p.cost_centre AS cost_centre,
    p.most_ticks AS held_ticks,
    toInt64(
      SUM(p.most_ticks) OVER (
        PARTITION BY p.slot, p.from_s
        ORDER BY p.run, p.owner, p.team, p.cost_centre
        rows BETWEEN UNBOUNDED preceding AND CURRENT ROW
      )
    ) AS reached_ticks,
    GREATEST(
      toInt64(SUM(p.most_ticks) OVER (PARTITION BY p.slot, p.from_s)),
      MAX(p.most_cap_ticks) OVER (PARTITION BY p.slot, p.from_s)
    ) AS whole_ticks,
    MAX(p.any_whole) OVER (PARTITION BY p.slot, p.from_s) AS any_exclusive,
    toInt64(COUNT(p.run) OVER (PARTITION BY p.slot, p.from_s)) AS holder_count
  FROM placed AS p
), held AS (
  SELECT
    m.node AS node,
    m.slot AS slot,
    m.from_s AS from_s,
    m.to_s AS to_s,
    m.run AS run,
    m.owner AS owner,
    m.team AS team,
    m.cost_centre AS cost_centre,
    CASE
      WHEN m.any_exclusive = 1 AND m.holder_count > 1
      THEN toInt64(1)
      ELSE toInt64(0)
    END AS is_contested,
    intDiv(toInt64(m.slot_ticks * m.reached_ticks), toInt64(m.whole_ticks)) - intDiv(
      toInt64(m.slot_ticks * (
        m.reached_ticks - m.held_ticks
      )),
      toInt64(m.whole_ticks)
    ) AS share_ticks
  FROM measured AS m
), placed_count AS (
  SELECT
    h.slot AS slot,
    h.from_s AS from_s,
    toInt64(COUNT(h.run)) AS holder_count
  FROM held AS h
  GROUP BY
    h.slot,
    h.from_s
), free AS (
  SELECT
    g.node AS node,
    g.slot AS slot,
    g.from_s AS from_s,
    g.to_s AS to_s,
    toInt64(ROW_NUMBER() OVER (PARTITION BY g.node, g.from_s ORDER BY g.slot)) - 1 AS place,
    toInt64(COUNT(g.slot) OVER (PARTITION BY g.node, g.from_s)) AS free_count
  FROM segment AS g
  LEFT JOIN placed_count AS c
    ON g.slot = c.slot AND g.from_s = c.from_s
  WHERE
    c.slot IS NULL AND g.state = 'available'
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
    h.owner AS owner,
    h.team AS team,
    h.cost_centre AS cost_centre,
    toInt64(SUM(h.held_ticks)) AS node_ticks
  FROM node_segment AS n
  INNER JOIN holder AS h
    ON n.node = h.node AND h.from_s <= n.from_s AND h.to_s >= n.to_s
  WHERE
    h.slot = ''
  GROUP BY
    n.node,
    n.from_s,
    n.node_free_count,
    h.run,
    h.owner,
    h.team,
    h.cost_centre
), queued AS (
  SELECT
    c.node AS node,
    c.from_s AS from_s,
    c.free_count AS free_count,
    c.run AS run,
    c.owner AS owner,
    c.team AS team,
    c.cost_centre AS cost_centre,
    c.node_ticks AS held_ticks,
    toInt64(
      SUM(c.node_ticks) OVER (
        PARTITION BY c.node, c.from_s
        ORDER BY c.run, c.owner, c.team, c.cost_centre
        rows BETWEEN UNBOUNDED preceding AND CURRENT ROW
      )
    ) AS reached_ticks,
    toInt64(SUM(c.node_ticks) OVER (PARTITION BY c.node, c.from_s)) AS whole_ticks
  FROM claimed AS c
), fitted AS (
  SELECT
    q.node AS node,
    q.from_s AS from_s,
    q.free_count AS free_count,
    q.run AS run,
    q.owner AS owner,
    q.team AS team,
    q.cost_centre AS cost_centre,
    CASE WHEN q.whole_ticks > q.free_count * 720720 THEN toInt64(1) ELSE toInt64(0) END AS is_contested,
    CASE
      WHEN q.whole_ticks > q.free_count * 720720
      THEN intDiv(
        toInt64((
          q.reached_ticks - q.held_ticks
        ) * (
          q.free_count * 720720
        )),
        toInt64(q.whole_ticks)
      )
      ELSE q.reached_ticks - q.held_ticks
    END AS before_ticks,
    CASE
      WHEN q.whole_ticks > q.free_count * 720720
      THEN intDiv(toInt64(q.reached_ticks * (
        q.free_count * 720720
      )), toInt64(q.whole_ticks))
      ELSE q.reached_ticks
    END AS after_ticks
  FROM queued AS q
), unplaced AS (
  SELECT
    f.node AS node,
    f.slot AS slot,
    f.from_s AS from_s,
    f.to_s AS to_s,
    t.run AS run,
    t.owner AS owner,
    t.team AS team,
    t.cost_centre AS cost_centre,
    t.is_contested AS is_contested,
    (
      intDiv(toInt64(t.after_ticks * (
        f.place + 1
      )), toInt64(f.free_count)) - intDiv(toInt64(t.after_ticks * f.place), toInt64(f.free_count))
    ) - (
      intDiv(toInt64(t.before_ticks * (
        f.place + 1
      )), toInt64(f.free_count)) - intDiv(toInt64(t.before_ticks * f.place), toInt64(f.free_count))
    ) AS share_ticks
  FROM free AS f
  INNER JOIN fitted AS t
    ON f.node = t.node AND f.from_s = t.from_s
), taken AS (
  SELECT
    h.slot AS slot,
    h.from_s AS from_s,
    h.to_s AS to_s,
    h.run AS run,
    h.owner AS taker,
    h.team AS taker_team,
    h.cost_centre AS taker_cost_centre,
    h.is_contested AS is_contested,
    h.share_ticks AS share_ticks
  FROM held AS h
  UNION ALL
  SELECT
    u.slot AS slot,
    u.from_s AS from_s,
    u.to_s AS to_s,
    u.run AS run,
    u.owner AS taker,
    u.team AS taker_team,
    u.cost_centre AS taker_cost_centre,
    u.is_contested AS is_contested,
    u.share_ticks AS share_ticks
  FROM unplaced AS u
), taken_sum AS (
  SELECT
    t.slot AS slot,
    t.from_s AS from_s,
    toInt64(SUM(t.share_ticks)) AS taken_ticks
  FROM taken AS t
  GROUP BY
    t.slot,
    t.from_s
), left_over AS (
  SELECT
    g.slot AS slot,
    g.from_s AS from_s,
    g.to_s AS to_s,
    CASE WHEN g.state = 'available' THEN 'idle_free' ELSE 'overhead' END AS account,
    CASE WHEN g.state = 'available' THEN '' ELSE g.state END AS state_then,
    g.slot_ticks - COALESCE(s.taken_ticks, toInt64(0)) AS share_ticks
  FROM segment AS g
  LEFT JOIN taken_sum AS s
    ON g.slot = s.slot AND g.from_s = s.from_s
  WHERE
    s.slot IS NULL OR s.taken_ticks < g.slot_ticks
), given AS (
  SELECT
    t.slot AS slot,
    t.from_s AS from_s,
    t.to_s AS to_s,
    t.run AS run,
    CASE WHEN t.is_contested = 1 THEN '__conflict__' ELSE t.taker END AS owner,
    CASE WHEN t.is_contested = 1 THEN '__conflict__' ELSE t.taker_team END AS team,
    CASE WHEN t.is_contested = 1 THEN '' ELSE t.taker_cost_centre END AS cost_centre,
    'held_unobserved' AS account,
    '' AS state,
    t.share_ticks AS share_ticks
  FROM taken AS t
  WHERE
    t.share_ticks > 0
  UNION ALL
  SELECT
    l.slot AS slot,
    l.from_s AS from_s,
    l.to_s AS to_s,
    '' AS run,
    '__account__' AS owner,
    '__account__' AS team,
    '' AS cost_centre,
    l.account AS account,
    l.state_then AS state,
    l.share_ticks AS share_ticks
  FROM left_over AS l
)
SELECT
  s.life_no AS life_no,
  g.from_s AS from_s,
  g.to_s AS to_s,
  g.run AS run,
  g.owner AS owner,
  g.team AS team,
  g.cost_centre AS cost_centre,
  g.account AS account,
  g.state AS state,
  g.share_ticks AS share_ticks
FROM given AS g
INNER JOIN segment AS s
  ON g.slot = s.slot AND g.from_s = s.from_s
