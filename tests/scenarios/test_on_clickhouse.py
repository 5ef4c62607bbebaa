"""The models on ClickHouse's engine make the same integers of every scenario as on DuckDB.

Two scenarios of one seed, or all of them with up to three, as GPULEDGER_SEEDS says.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from clickhouse import ClickHouse
from recorded import recorded
from simulated import Fleet, type_in

from simulator.scenarios import SCENARIOS

pytestmark = pytest.mark.engine

SEEDS = min(3, int(os.environ.get("GPULEDGER_SEEDS", "1")))
NAMES = sorted(SCENARIOS) if "GPULEDGER_SEEDS" in os.environ else ["mig-repartition", "node-failure"]


@pytest.mark.parametrize("seed", range(1, SEEDS + 1))
@pytest.mark.parametrize("name", NAMES)
def test_a_scenario_comes_to_the_same_integers(
    clickhouse: ClickHouse, make: Callable[..., Fleet], name: str, seed: int
) -> None:
    fleet = make(name, seed, gpus=4)
    runs = [words for words in fleet.written.commands if words[0] == "run"][-len(fleet.world.months) :]
    fleet.keep_books([words for words in fleet.written.commands if words not in runs])
    with recorded() as passes:
        for words in runs:
            type_in(fleet.folder, *words)
    assert passes
    for one in passes:
        clickhouse.check(one)
