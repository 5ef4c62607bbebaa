"""What a node's price is for: by resource it is for CPUs, memory and licences too, by who asked for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from house import House, at, make_house

from chargeback.closing import Asked as AskedToClose
from chargeback.closing import close_period
from chargeback.explain import explain
from chargeback.explain_pick import Asked
from chargeback.ledger import Result
from chargeback.node_cost import GPU, NodeQuantity, NodeResources, Resources, weights_of
from chargeback.restated import as_restated
from chargeback.restating import AskedAgain, ground_of, restate
from chargeback.statement import By, state_statement
from chargeback.verify import verify_period

DAY, HOUR = at("2026-10-05T00:00Z"), 3600
GIB = 2**30
USD = 10**9

books = pytest.mark.books


@pytest.fixture(params=["recognised", "pooled"])
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    house = make_house(tmp_path, charged=request.param)
    yield house
    house.desk.database.close()


def has(
    house: House, node: str, start: int, end: int | None, cpus: int = 10, gib: int = 0, lic: int = 0
) -> None:
    for resource, quantity, unit in (
        ("cpu", cpus * 1000, "milli"),
        ("memory", gib * GIB, "bytes"),
        ("licence", lic, "1"),
    ):
        if quantity:
            given = {"node": node, "resource": resource, "quantity": quantity, "unit": unit}
            house.fact("node_resource", f"{node}/{resource}@{start}", start, end, **given)


def node_of(house: House, hours: int = 1, node: str = "n1", cpus: int = 10) -> int:
    """One GPU and ten CPUs, which weigh 9 each together, at 18 an hour: 9 are for the GPU, 9 for the CPUs."""
    end = DAY + hours * HOUR
    house.slot(node, 0, DAY, end)
    if cpus:
        has(house, node, DAY, None, cpus)
    return end


def by_resource(house: House, rate: str = "18", **values: str) -> Result:
    house.price(rate, 0, unit="node_hour", **values)
    house.policy("node_cost", "by_resource/1")
    house.keep()
    return house.books()


def money(house: House) -> dict[tuple[str, str, str], int]:
    """Quanta by kind, owner and account; `gpu` is what slots have."""
    found: dict[tuple[str, str, str], int] = defaultdict(int)
    for row in house.rows_of("entry"):
        kind = "gpu" if row["slot"] else row["lane"].rpartition("/")[2]
        found[kind, row["to_owner"], row["to_account"]] += row["amount"]
    return dict(found)


def charged(house: House) -> int:
    return sum(row["amount"] for row in house.rows_of("entry"))


def ticks(house: House) -> dict[tuple[str, str], int]:
    found: dict[tuple[str, str], int] = defaultdict(int)
    for row in house.rows_of("time_row"):
        found[row["slot"], row["run"]] += row["ticks"]
    return dict(found)


def all_in_order(house: House, result: Result) -> None:
    checks = verify_period(house.desk, "2026-10", result)
    assert not [check for check in checks if check.status == "failed"], checks


def test_a_node_without_gpus_pays_for_none() -> None:
    assert GPU not in weights_of("aws_split/1", 0, Resources(cpu=64_000, memory=GIB))
    assert weights_of("gpu_only/1", 8, Resources(cpu=64_000)) == {GPU: 8}


def test_weights_are_whole_numbers_in_the_ratio_of_weight_times_quantity() -> None:
    assert weights_of("aws_split/1", 8, Resources(cpu=64_000, memory=488 * GIB)) == {
        GPU: 360,
        "cpu": 288,
        "memory": 244,
    }
    assert weights_of("aws_split/1", 1, Resources(licence=5)) == {GPU: 9}


def test_what_a_node_has_changes_in_time() -> None:
    known = NodeResources([NodeQuantity("c/n", 0, 10, "cpu", 5), NodeQuantity("c/n", 10, None, "cpu", 7)])
    assert [known.at("c/n", at_s).cpu for at_s in (0, 9, 10)] == [5, 5, 7]
    assert known.at("c/m", 0) == Resources()
    assert known.edges("c/n") == {0, 10}


def test_what_a_node_has_is_told_in_its_units() -> None:
    assert str(Resources(64_000, 488 * GIB, 2)) == " over 64 cpu, 488 GiB, 2 licence"
    assert str(Resources(1500)) == " over 1 1/2 cpu"
    assert not str(Resources())


@books
def test_half_of_the_cpus_go_to_a_pod_without_a_gpu_and_half_to_nobody(house: House) -> None:
    end = node_of(house)
    house.holding("g", DAY, end, "a", node="n1")
    house.holding("p", DAY, end, "b", node="n1", units=0, cpus_milli=5000)
    result = by_resource(house)
    assert money(house) == {
        ("gpu", "a", "held_unobserved"): 9 * USD,
        ("cpu", "b", "held_unobserved"): 9 * USD // 2,
        ("cpu", "__account__", "idle_free"): 9 * USD // 2,
    }
    assert [row["run"] for row in house.rows_of("time_row")] == ["c/g"]
    all_in_order(house, result)


@books
def test_who_asks_for_part_of_an_hour_pays_for_that_part(house: House) -> None:
    end = node_of(house)
    house.holding("p", DAY + 900, DAY + 1800, "b", node="n1", units=0, cpus_milli=10_000)
    by_resource(house)
    found = money(house)
    assert found["cpu", "b", "held_unobserved"] == 9 * USD // 4
    assert found["cpu", "__account__", "idle_free"] == 9 * USD // 4 * 3
    assert end == DAY + HOUR


@books
def test_more_requested_than_there_is_goes_by_what_each_asks_for(house: House) -> None:
    end = node_of(house)
    house.holding("p", DAY, end, "b", node="n1", units=0, cpus_milli=15_000)
    house.holding("q", DAY, end, "d", node="n1", units=0, cpus_milli=5_000)
    result = by_resource(house)
    found = money(house)
    assert found["cpu", "b", "held_unobserved"] == 9 * USD // 4 * 3
    assert found["cpu", "d", "held_unobserved"] == 9 * USD // 4
    assert ("cpu", "__account__", "idle_free") not in found
    all_in_order(house, result)


@books
def test_a_node_of_which_nothing_is_known_costs_as_by_gpu_and_is_named(house: House) -> None:
    end = node_of(house, cpus=0)
    house.holding("p", DAY, end, "b", node="n1", units=0, cpus_milli=5000)
    result = by_resource(house)
    assert money(house) == {("gpu", "__account__", "idle_free"): 18 * USD}
    assert result.summary["nodes_without_resources"] == ["c/n1"]


@books
def test_a_node_is_named_where_nothing_says_what_it_has_while_it_runs(house: House) -> None:
    for node in ("n1", "n2", "n3"):
        node_of(house, node=node, cpus=0)
        house.node(node, DAY, None)
    has(house, "n1", DAY, None)
    has(house, "n2", DAY + 1800, None)
    result = by_resource(house)
    assert result.summary["nodes_without_resources"] == ["c/n2", "c/n3"]
    assert money(house)["cpu", "__account__", "idle_free"] == 9 * USD + 9 * USD // 2


@books
def test_a_gpu_price_and_an_owned_node_stay_with_the_gpus(house: House) -> None:
    end = node_of(house)
    house.holding("p", DAY, end, "b", node="n1", units=0, cpus_milli=5000)
    house.price("18", 0)
    house.policy("node_cost", "by_resource/1")
    house.keep()
    result = house.books()
    assert money(house) == {("gpu", "__account__", "idle_free"): 18 * USD}
    assert "nodes_without_resources" not in result.summary


@books
def test_no_total_of_a_meter_changes_whatever_is_odd(house: House) -> None:
    start, end = DAY, DAY + 7 * HOUR + 1234
    for index in range(3):
        house.slot("n1", index, start, end)
    house.slot("n2", 0, start + 77, end)
    has(house, "n1", start - 5000, start + 4001, 7, 13, 3)
    has(house, "n1", start + 4001, None, 9, 13)
    has(house, "n2", start, None, 3, 1)
    for number in range(6):
        given = {"cpus_milli": 1100 + number, "memory_bytes": number * 777_777_777, "units": number % 2}
        house.holding(
            f"r{number}", start + 611 * number, end - 97 * number, f"o{number % 3}", node="n1", **given
        )
    result = by_resource(house, "98.3217")
    all_in_order(house, result)
    found = [(charged(house), ticks(house), sum(result.exact.values()))]
    house.policy("node_cost", "gpu/1")
    house.keep()
    plain = house.books()
    found.append((charged(house), ticks(house), sum(plain.exact.values())))
    assert found[0] == found[1]


@books
def test_idle_cpus_are_distributed_by_what_owners_paid_for_theirs(house: House) -> None:
    end = node_of(house)
    house.holding("g", DAY, end, "a", node="n1")
    house.holding("p", DAY, end, "b", node="n1", units=0, cpus_milli=3000)
    house.holding("q", DAY, end, "d", node="n1", units=0, cpus_milli=1000)
    house.policy("distribute_idle_free", "proportional/1")
    result = by_resource(house)
    made = {line.key: line.quanta for line in state_statement(house.desk.book, result, By.owner).lines}
    assert {key: value for key, value in made.items() if value} == {
        "a": 9 * USD,
        "b": 9 * USD * 3 // 4,
        "d": 9 * USD // 4,
    }
    all_in_order(house, result)


@books
def test_every_line_by_any_view_is_explained_to_the_quantum(house: House) -> None:
    end = node_of(house, 3)
    house.holding("g", DAY, end - 100, "a", node="n1", cpus_milli=1234)
    house.holding("p", DAY, end, "b", node="n1", units=0, cpus_milli=3000)
    result = by_resource(house)
    keys = set()
    for by in (By.owner, By.model, By.cluster):
        for line in state_statement(house.desk.book, result, by).lines:
            keys.add(line.key)
            made = explain(house.desk, result, Asked("line", line.key, by))
            assert not made.apart, line.key
    assert keys >= {"a", "b", "__idle_free__", "__no_device__", "H100", "c"}
    for run in ("g", "p"):
        made = explain(house.desk, result, Asked("holding", run))
        assert not made.apart, run


@books
def test_what_is_learnt_of_a_node_after_the_close_is_restated_to_a_fresh_computation(house: House) -> None:
    end = node_of(house, 3)
    house.holding("g", DAY, end - 100, "a", node="n1")
    house.holding("p", DAY, end, "b", node="n1", units=0, cpus_milli=3000)
    house.through(at("2027-01-01T00:00Z"))
    result = by_resource(house)
    period, now = "2026-10", at("2027-02-01T00:00Z")
    close_period(house.desk, period, AskedToClose("ann", now), "c1")
    has(house, "n1", DAY, None, cpus=20)
    house.keep()
    difference = restate(house.desk, ground_of(house.desk, period), AskedAgain(actor="ann", at_s=now), "r1")
    assert {step.cause for step in difference.steps if step.entries} == {"usage"}
    fresh = house.books_aside(period)
    for by in (By.owner, By.model, By.cluster):
        with house.desk.database.read() as connection:
            restated = as_restated(connection, ground_of(house.desk, period), by)
        wanted = state_statement(house.desk.book, fresh, by)
        assert {line.key: line.quanta for line in restated.lines} == {
            line.key: line.quanta for line in wanted.lines
        }
    all_in_order(house, result)
