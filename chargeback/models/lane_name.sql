-- lane_name: what the numbers of lanes name, for the written views.
-- Grain: lane x stretch of one set of partitions. Keys: lane_no. Units: none, numbers and names only.
select v.lane_no as lane_no, v.lane as lane
from lane_life as v
