-- Rendered by scripts/render from chargeback/models/lane_name.sql for Trino; not to be edited.
-- Untested: no test runs this text on an engine yet.
-- lane_name: what the numbers of lanes name, for the written views.
-- Grain: lane x stretch of one set of partitions. Keys: lane_no. Units: none, numbers and names only.
SELECT
  v.lane_no AS lane_no,
  v.lane AS lane
FROM lane_life AS v
