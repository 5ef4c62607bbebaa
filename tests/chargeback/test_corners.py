"""Corners of the books that random fleets found (tests/property), each as the smallest case that shows it."""

from __future__ import annotations

from house import House, at

DAY = at("2026-10-05T00:00Z")
HOUR = 3600


def test_a_run_that_holds_two_models_without_a_node_has_a_slot_for_each_unit(house: House) -> None:
    house.price("1", 0, model="H100")
    house.price("3", 0, model="A100")
    house.holding("j", DAY, DAY + 2 * HOUR, "a", units=2, model="H100", identity="j/h100")
    house.holding("j", DAY + HOUR, DAY + 3 * HOUR, "a", units=1, model="A100", identity="j/a100")
    house.keep()
    assert house.hours() == {"a": "6.000000"}
    assert house.amounts() == {"a": 400 + 600}
    together = {row["slot"] for row in house.rows_of("time_row") if row["from_s"] == DAY + HOUR}
    assert together == {"c//c/j/0", "c//c/j/1", "c//c/j/2"}


def test_a_device_that_is_not_on_the_holdings_node_is_not_held(house: House) -> None:
    for node in ("n1", "n2"):
        house.slot(node, 0, DAY, DAY + 4 * HOUR)
    house.device("n1", 0, "GPU-1", DAY, DAY + HOUR)
    house.device("n2", 0, "GPU-1", DAY + HOUR, None)
    house.price("3", 0)
    house.holding("j", DAY, DAY + 4 * HOUR, "a", node="n1", device="GPU-1")
    house.keep()
    found = house.statement()
    assert {line["key"]: line["gpu_hours"] for line in found["lines"]}["a"] == "1.000000"
    assert found["orphaned_gpu_hours"] == "3.000000"


def test_contested_and_shared_time_is_not_orphaned(house: House) -> None:
    for index in range(2):
        house.slot("n1", index, DAY, DAY + 4 * HOUR)
    house.price("3", 0)
    for run in ("x", "y"):
        house.holding(run, DAY, DAY + HOUR, run, node="n1", slot="n1/0")
    for run in ("p", "q"):
        half = {"share_mode": "fraction", "weight": 3, "weight_cap": 4}
        house.holding(run, DAY + HOUR, DAY + 2 * HOUR, run, node="n1", slot="n1/0", **half)
    house.keep()
    found = house.statement()
    assert (found["contested_gpu_hours"], found["orphaned_gpu_hours"]) == ("1.000000", "0.000000")


def test_the_line_of_an_account_is_within_a_cent_of_its_exact_amount(house: House) -> None:
    """Cents go to accounts before clusters: five clusters' 0.45 and 0.40 cents are 2.25 and 2.00."""
    for cluster in ("c0", "c1", "c2", "c3", "c4"):
        for index, seconds in ((0, 45), (1, 40)):
            house.slot("n1", index, DAY, DAY + seconds, cluster=cluster, identity=f"{cluster}/{index}")
        house.fact("state", cluster, DAY, None, cluster=cluster, node="n1", slot="n1/1", state="failed")
    house.price("0.36", 0)
    house.keep()
    assert house.amounts() == {"__idle_free__": 2, "__overhead__": 2}
