"""A home in a folder for each test of this room."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from desktop import JOBS, MAP, PRICES, Desktop
from house import House, make_house


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = make_house(tmp_path)
    yield made
    made.desk.database.close()


@pytest.fixture
def desktop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desktop:
    monkeypatch.chdir(tmp_path)
    made = Desktop(tmp_path)
    made.write("jobs.csv", JOBS)
    made.write("map.yaml", MAP)
    made.write("prices.csv", PRICES)
    return made
