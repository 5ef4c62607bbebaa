-- time_row: whose each slot's time is, with or without a price. GPU time and coverage come from here only.
-- Grain: money piece x slot x lane x run (or none) x owner x phase x account (and its state).
-- Keys: slot, from_s, lane, run, owner, team, cost_centre, phase, account, state.
-- Units: ticks, observed_ticks (of which activity is known) and energy_ticks (of which energy is known), in 1/720720 of a
-- device-second; joules in J, both null where no energy is known; from_s, to_s and piece_s in UTC seconds.
select
    c.utc_day as utc_day,
    c.day as day,
    t.piece_s as piece_s,
    t.from_s as from_s,
    t.to_s as to_s,
    l.cluster as cluster,
    l.node as node,
    l.model as model,
    l.region as region,
    l.slot as slot,
    l.slot_ticks as slot_ticks,
    v.lane as lane,
    l.is_assumed as is_assumed,
    p.price_record as price_record,
    k.run as run,
    k.owner as owner,
    k.team as team,
    k.cost_centre as cost_centre,
    k.phase as phase,
    k.account as account,
    k.state as state,
    t.ticks as ticks,
    t.observed_ticks as observed_ticks,
    e.joules as joules,
    e.known_ticks as energy_ticks
from time_part as t
inner join slot_life as l on t.life_no = l.life_no
inner join lane_name as v on t.lane_no = v.lane_no
inner join taker as k on t.taker_no = k.taker_no
inner join calendar_piece as c on t.piece_s = c.start_s
inner join price_name as p on t.price_no = p.price_no
left join energy_part as e on t.lane_no = e.lane_no and t.from_s = e.from_s and t.taker_no = e.taker_no
