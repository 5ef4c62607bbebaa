-- Rendered by scripts/render from chargeback/models/time_row.sql for Spark; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- time_row: whose each slot's time is, with or without a price. GPU time and coverage come from here only.
-- Grain: money piece x slot x lane x run (or none) x owner x phase x account (and its state).
-- Keys: slot, from_s, lane, run, owner, team, cost_centre, phase, account, state.
-- Units: ticks, observed_ticks (of which activity is known) and energy_ticks (of which energy is known), in 1/720720 of a
-- device-second; joules in J, both null where no energy is known; from_s, to_s and piece_s in UTC seconds.
SELECT
  c.utc_day AS utc_day,
  c.day AS day,
  t.piece_s AS piece_s,
  t.from_s AS from_s,
  t.to_s AS to_s,
  l.cluster AS cluster,
  l.node AS node,
  l.model AS model,
  l.region AS region,
  l.slot AS slot,
  l.slot_ticks AS slot_ticks,
  v.lane AS lane,
  l.is_assumed AS is_assumed,
  p.price_record AS price_record,
  k.run AS run,
  k.owner AS owner,
  k.team AS team,
  k.cost_centre AS cost_centre,
  k.phase AS phase,
  k.account AS account,
  k.state AS state,
  t.ticks AS ticks,
  t.observed_ticks AS observed_ticks,
  e.joules AS joules,
  e.known_ticks AS energy_ticks
FROM time_part AS t
INNER JOIN slot_life AS l
  ON t.life_no = l.life_no
INNER JOIN lane_name AS v
  ON t.lane_no = v.lane_no
INNER JOIN taker AS k
  ON t.taker_no = k.taker_no
INNER JOIN calendar_piece AS c
  ON t.piece_s = c.start_s
INNER JOIN price_name AS p
  ON t.price_no = p.price_no
LEFT JOIN energy_part AS e
  ON t.lane_no = e.lane_no AND t.from_s = e.from_s AND t.taker_no = e.taker_no
