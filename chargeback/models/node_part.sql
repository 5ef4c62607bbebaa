-- node_part: the slots of a node that one tariff pays for over a money piece, where its price is for more than GPUs.
-- Grain: node x money piece x tariff. Keys: node, from_s, price_no.
-- Units: from_s, to_s and piece_s in UTC seconds; node_slots counts all slots of the node that are there, slot_count
-- those at this tariff; node_no is where the node begins its running splits.
with weighed as (
    select distinct r.price_no as price_no from tariff_resource as r
)

select
    l.node as node,
    l.cluster as cluster,
    m.price_no as price_no,
    m.piece_s as piece_s,
    m.from_s as from_s,
    m.to_s as to_s,
    m.node_slots as node_slots,
    cast(count(m.life_no) as bigint) as slot_count,
    min(l.slot_no) as node_no
from money_piece as m
inner join weighed as w on m.price_no = w.price_no
inner join slot_life as l on m.life_no = l.life_no
group by l.node, l.cluster, m.price_no, m.piece_s, m.from_s, m.to_s, m.node_slots
