-- posted: each slot's money by whose time it was: first over claims (lane, run, owner), then inside each over accounts.
-- Grain: lot or pool x money piece x lane x taker. Keys: charge_no, lane_no, from_s, taker_no.
-- Units: amount in the currency's quanta; weights in ticks. Splits are running differences with the phase
-- (hour + 7919 * slot number) * 2654435761 mod W, so that no key is favoured; samples never move an owner's money.
-- A row that has all of its money piece takes all of the amount: that is what both splits give it.
with shared as (
    select
        t.life_no as life_no,
        t.lane_no as lane_no,
        t.claim_no as claim_no,
        t.taker_no as taker_no,
        t.piece_s as piece_s,
        t.from_s as from_s,
        t.ticks as ticks,
        t.whole_ticks as whole,
        (t.piece_s // 3600 + 7919 * l.slot_no) * cast(2654435761 as bigint) as spread
    from time_part as t
    inner join slot_life as l on t.life_no = l.life_no
    where t.ticks < t.whole_ticks
),

claim_time as (
    select
        s.life_no as life_no,
        s.lane_no as lane_no,
        s.claim_no as claim_no,
        s.from_s as from_s,
        s.whole as whole,
        s.spread as spread,
        cast(sum(s.ticks) as bigint) as weight
    from shared as s
    group by s.life_no, s.lane_no, s.claim_no, s.from_s, s.whole, s.spread
),

first_running as (
    select
        a.charge_no as charge_no,
        h.life_no as life_no,
        h.lane_no as lane_no,
        h.claim_no as claim_no,
        h.from_s as from_s,
        h.whole as whole,
        h.spread as spread,
        h.weight as weight,
        case when a.amount < 0 then -1 else 1 end as sign,
        abs(a.amount) as part_amount,
        cast(
            sum(h.weight) over (
                partition by a.charge_no, h.life_no, h.from_s order by h.lane_no, h.claim_no
                rows between unbounded preceding and current row
            ) as bigint
        ) as reached
    from slot_amount as a
    inner join claim_time as h on a.life_no = h.life_no and a.from_s = h.from_s
),

first_split as (
    select
        r.charge_no as charge_no,
        r.life_no as life_no,
        r.lane_no as lane_no,
        r.claim_no as claim_no,
        r.from_s as from_s,
        r.spread as spread,
        r.sign as sign,
        r.weight as weight,
        r.part_amount // r.whole * r.weight
        + (r.part_amount % r.whole * r.reached + r.spread % r.whole) // r.whole
        - (r.part_amount % r.whole * (r.reached - r.weight) + r.spread % r.whole) // r.whole as amount
    from first_running as r
),

second_running as (
    select
        f.charge_no as charge_no,
        f.sign as sign,
        f.amount as part_amount,
        f.weight as whole,
        f.spread as spread,
        s.life_no as life_no,
        s.lane_no as lane_no,
        s.taker_no as taker_no,
        s.piece_s as piece_s,
        s.from_s as from_s,
        s.ticks as weight,
        cast(
            sum(s.ticks) over (
                partition by f.charge_no, s.life_no, s.from_s, s.lane_no, s.claim_no order by s.taker_no
                rows between unbounded preceding and current row
            ) as bigint
        ) as reached
    from first_split as f
    inner join shared as s
        on
            f.life_no = s.life_no and f.from_s = s.from_s and f.lane_no = s.lane_no
            and f.claim_no = s.claim_no
)

select
    a.charge_no as charge_no,
    t.life_no as life_no,
    t.lane_no as lane_no,
    t.taker_no as taker_no,
    t.piece_s as piece_s,
    t.from_s as from_s,
    a.amount as amount
from time_part as t
inner join slot_amount as a on t.life_no = a.life_no and t.from_s = a.from_s
where t.ticks = t.whole_ticks
union all
select
    r.charge_no as charge_no,
    r.life_no as life_no,
    r.lane_no as lane_no,
    r.taker_no as taker_no,
    r.piece_s as piece_s,
    r.from_s as from_s,
    r.sign * (
        r.part_amount // r.whole * r.weight
        + (r.part_amount % r.whole * r.reached + r.spread % r.whole) // r.whole
        - (r.part_amount % r.whole * (r.reached - r.weight) + r.spread % r.whole) // r.whole
    ) as amount
from second_running as r
