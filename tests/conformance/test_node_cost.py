"""The worked example about a node's price by resource: AWS split cost allocation, out of the books."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from house import House, at, make_house

from chargeback.node_cost import WEIGHTS

pytestmark = pytest.mark.books

EXAMPLES = Path(__file__).with_name("examples.json")
START = at("2026-10-05T10:00Z")
QUANTUM = 10**9


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = make_house(tmp_path, charged="recognised")
    yield house
    house.desk.database.close()


def e38() -> dict[str, Any]:
    found: list[dict[str, Any]] = json.loads(EXAMPLES.read_text("utf-8"))["examples"]
    return next(one for one in found if one["id"] == "E38")


def test_the_weights_are_those_of_the_example() -> None:
    weights = e38()["inputs"]["weights"]
    names = {"gpu": "gpu", "vcpu": "cpu", "gib": "memory"}
    assert {name: Fraction(Decimal(str(weight))) for name, weight in weights.items()} == {
        name: WEIGHTS["aws_split/1"][kind] for name, kind in names.items()
    }


def test_e38_an_instance_hour_is_for_gpus_cpus_and_memory(house: House) -> None:
    inputs, (wanted,) = e38()["inputs"], e38()["expected"]["variants"]
    cpus, memory = inputs["vcpu"] * 1000, inputs["gib"] * 2**30
    end = START + 3600
    for index in range(inputs["gpu"]):
        house.slot("n1", index, START, end)
    for resource, quantity, unit in (("cpu", cpus, "milli"), ("memory", memory, "bytes")):
        given = {"node": "n1", "resource": resource, "quantity": quantity, "unit": unit}
        house.fact("node_resource", resource, START, None, **given)
    house.holding("g", START, end, "gpu", node="n1", units=inputs["gpu"])
    house.holding("c", START, end, "vcpu", node="n1", units=0, cpus_milli=cpus)
    house.holding("m", START, end, "memory", node="n1", units=0, memory_bytes=memory)
    house.price(inputs["instance_hour_usd"], 0, unit="node_hour")
    house.policy("node_cost", "by_resource/1")
    house.keep()
    made = house.statement()
    cents = {owner: int(Decimal(text) * 100) for owner, text in wanted["lines"].items()}
    assert {line["key"]: line["amount"] for line in made["lines"] if line["amount"]} == cents
    assert sum(cents.values()) == Decimal(wanted["total"]) * 100
    rows = house.rows_of("entry")
    assert Counter(row["to_owner"] for row in rows) == {"gpu": inputs["gpu"], "vcpu": 1, "memory": 1}
    for owner, text in wanted["exact"].items():
        found = sum(row["amount"] for row in rows if row["to_owner"] == owner)
        assert abs(found - Fraction(text) * QUANTUM) <= inputs["gpu"], owner
    assert sum(row["amount"] for row in rows) == Decimal(inputs["instance_hour_usd"]) * QUANTUM
