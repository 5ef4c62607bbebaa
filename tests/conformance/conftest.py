"""Homes for worked examples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from house import House, make_house


@pytest.fixture
def new_house(tmp_path: Path) -> Iterator[Callable[[str], House]]:
    made: list[House] = []

    def make(charged: str) -> House:
        folder = tmp_path / f"home{len(made)}"
        folder.mkdir()
        made.append(make_house(folder, charged=charged))
        return made[-1]

    yield make
    for house in made:
        house.desk.database.close()
