"""What the tests of this room share: Alibaba's trace, read once and imported once."""

from __future__ import annotations

from pathlib import Path

import pytest
from alibaba import PRICES, Home, Imported, Instance, read_trace


@pytest.fixture(scope="session")
def trace(realdata: Path) -> Path:
    return realdata / "alibaba-gpu-v2025" / "disaggregated_DLRM_trace.csv.gz"


@pytest.fixture(scope="session")
def instances(trace: Path) -> list[Instance]:
    return read_trace(trace)


@pytest.fixture(scope="session")
def imported(trace: Path, tmp_path_factory: pytest.TempPathFactory) -> Imported:
    home = Home(tmp_path_factory.mktemp("alibaba"), trace)
    summary = home.bring_in()
    home.call("import", "prices", str(home.write("prices.csv", PRICES)))
    return Imported(home, summary)
