"""A home in a folder for each test of this room."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from desktop import JOBS, MAP, PRICES, Desktop
from house import House, at, make_house
from lot_books import NewHouse


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = make_house(tmp_path)
    yield made
    made.desk.database.close()


@pytest.fixture
def new_house(tmp_path: Path) -> Iterator[NewHouse]:
    """Makes homes by their settings, each complete up to 2030."""
    made: list[House] = []

    def make(**settings: Any) -> House:
        folder = tmp_path / f"home{len(made)}"
        folder.mkdir()
        made.append(make_house(folder, **settings))
        made[-1].through(at("2030-01-01T00:00Z"))
        return made[-1]

    yield make
    for house in made:
        house.desk.database.close()


@pytest.fixture
def desktop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desktop:
    monkeypatch.chdir(tmp_path)
    made = Desktop(tmp_path)
    made.write("jobs.csv", JOBS)
    made.write("map.yaml", MAP)
    made.write("prices.csv", PRICES)
    return made
