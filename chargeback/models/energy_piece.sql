-- energy_piece: each device's energy cut by the slots that it sat in and by their money pieces.
-- Grain: device x hour x money piece x stretch in the slot. Keys: cut_no.
-- Units: cut_no numbers the unit's rows in the order of their keys; joules in J, and known_ticks, the time for which they are
-- known, in 1/720720 of a device-second, each the difference of what there was up to the end and up to the begin of the stretch;
-- seat_ticks, the time of the stretch; spread says where a split begins, so that no key is favoured. UTC seconds.
-- Energy of seconds in which a device sat in no slot that is there is in no row: see unplaced_energy.
with part as (
    select
        e.device as device,
        e.hour_s as hour_s,
        e.start_s as start_s,
        e.end_s - e.start_s as length_s,
        e.known_s as known_s,
        e.joules as hour_joules,
        l.life_no as life_no,
        l.slot_ticks as slot_ticks,
        (m.piece_s // 3600 + 7919 * l.slot_no) * cast(2654435761 as bigint) as spread,
        m.from_s as piece_from_s,
        greatest(e.from_s, s.from_s, m.from_s) - e.start_s as after_s,
        least(e.to_s, s.to_s, m.to_s) - e.start_s as until_s
    from energy as e
    inner join device_seat as s on e.device = s.device and s.from_s < e.to_s and s.to_s > e.from_s
    inner join slot_life as l on s.slot = l.slot and l.from_s < e.to_s and l.to_s > e.from_s
    inner join money_piece as m on l.life_no = m.life_no and e.hour_s = m.piece_s // 3600 * 3600
)

select
    row_number() over (order by p.life_no, p.piece_from_s, p.start_s + p.after_s, p.device) as cut_no,
    p.device as device,
    p.hour_s as hour_s,
    p.life_no as life_no,
    p.piece_from_s as from_s,
    p.start_s + p.after_s as sit_from_s,
    p.start_s + p.until_s as sit_to_s,
    p.spread as spread,
    (p.until_s - p.after_s) * p.slot_ticks as seat_ticks,
    p.known_s * p.slot_ticks * p.until_s // p.length_s - p.known_s * p.slot_ticks * p.after_s // p.length_s as known_ticks,
    p.hour_joules * p.until_s // p.length_s - p.hour_joules * p.after_s // p.length_s as joules
from part as p
where p.until_s > p.after_s
