-- Rendered by scripts/render from chargeback/models/energy_piece.sql for Trino; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- energy_piece: each device's energy cut by the slots that it sat in and by their money pieces.
-- Grain: device x hour x money piece x stretch in the slot. Keys: cut_no.
-- Units: cut_no numbers the unit's rows in the order of their keys; joules in J, and known_ticks, the time for which they are
-- known, in 1/720720 of a device-second, each the difference of what there was up to the end and up to the begin of the stretch;
-- seat_ticks, the time of the stretch; spread says where a split begins, so that no key is favoured. UTC seconds.
-- Energy of seconds in which a device sat in no slot that is there is in no row: see unplaced_energy.
WITH part AS (
  SELECT
    e.device AS device,
    e.hour_s AS hour_s,
    e.start_s AS start_s,
    e.end_s - e.start_s AS length_s,
    e.known_s AS known_s,
    e.joules AS hour_joules,
    l.life_no AS life_no,
    l.slot_ticks AS slot_ticks,
    (
      m.piece_s / 3600 + 7919 * l.slot_no
    ) * CAST(2654435761 AS BIGINT) AS spread,
    m.from_s AS piece_from_s,
    GREATEST(e.from_s, s.from_s, m.from_s) - e.start_s AS after_s,
    LEAST(e.to_s, s.to_s, m.to_s) - e.start_s AS until_s
  FROM energy AS e
  INNER JOIN device_seat AS s
    ON e.device = s.device AND s.from_s < e.to_s AND s.to_s > e.from_s
  INNER JOIN slot_life AS l
    ON s.slot = l.slot AND l.from_s < e.to_s AND l.to_s > e.from_s
  INNER JOIN money_piece AS m
    ON l.life_no = m.life_no AND e.hour_s = m.piece_s / 3600 * 3600
)
SELECT
  CAST(ROW_NUMBER() OVER (ORDER BY p.life_no, p.piece_from_s, p.start_s + p.after_s, p.device) AS BIGINT) AS cut_no,
  p.device AS device,
  p.hour_s AS hour_s,
  p.life_no AS life_no,
  p.piece_from_s AS from_s,
  p.start_s + p.after_s AS sit_from_s,
  p.start_s + p.until_s AS sit_to_s,
  p.spread AS spread,
  (
    p.until_s - p.after_s
  ) * p.slot_ticks AS seat_ticks,
  p.known_s * p.slot_ticks * p.until_s / p.length_s - p.known_s * p.slot_ticks * p.after_s / p.length_s AS known_ticks,
  p.hour_joules * p.until_s / p.length_s - p.hour_joules * p.after_s / p.length_s AS joules
FROM part AS p
WHERE
  p.until_s > p.after_s
