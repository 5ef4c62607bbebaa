"""Which scenarios and seeds the books are held against: one seed each, or as many as GPULEDGER_SEEDS says."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from simulated import Fleet, made

from simulator.scenarios import SCENARIOS

SEEDS = range(1, 1 + int(os.environ.get("GPULEDGER_SEEDS", "1")))
ALL = [pytest.param((name, seed), id=f"{name}-{seed}") for seed in SEEDS for name in sorted(SCENARIOS)]


@pytest.fixture(scope="package", params=ALL)
def kept(request: pytest.FixtureRequest) -> Iterator[Fleet]:
    """A scenario's fleet, with its books kept."""
    name, seed = request.param
    with TemporaryDirectory() as folder:
        yield made(Path(folder), name, seed, days=SCENARIOS[name].least_days).keep_books()


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Fleet]:
    """Make a fleet in a folder of the test's own."""

    def make(scenario: str, seed: int = 1, folder: str = "fleet", **more: Any) -> Fleet:
        (tmp_path / folder).mkdir()
        return made(tmp_path / folder, scenario, seed, **{"days": SCENARIOS[scenario].least_days, **more})

    return make
