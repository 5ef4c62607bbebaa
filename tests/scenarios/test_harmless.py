"""What changes no integer of any scenario's books (invariant 6): cuts, order, deliveries and exporters.

One scenario of one seed, or all of them with as many seeds as GPULEDGER_SEEDS says.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from deliver_harmlessly import cut, shuffle_files, tell_pods_by_start, twice_and_by_another_exporter
from simulated import Fleet

from simulator.scenarios import SCENARIOS

pytestmark = pytest.mark.books

SEEDS = int(os.environ.get("GPULEDGER_SEEDS", "1"))
NAMES = sorted(SCENARIOS) if "GPULEDGER_SEEDS" in os.environ else ["mig-repartition"]


@pytest.mark.parametrize("seed", range(1, SEEDS + 1))
@pytest.mark.parametrize("name", NAMES)
def test_cuts_order_double_delivery_and_a_second_exporter_change_no_integer(
    make: Callable[..., Fleet], name: str, seed: int
) -> None:
    plain = make(name, seed, folder="plain").keep_books()
    other = make(name, seed, folder="other", change=cut)
    tell_pods_by_start(other.folder)
    shuffle_files(other)
    other.keep_books(list(twice_and_by_another_exporter(other)))
    for month in plain.world.months:
        assert plain.everything(month), month
        assert other.everything(month) == plain.everything(month)
