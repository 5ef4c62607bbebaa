"""A home in a folder for each test of this room."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from house import House, make_house


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = make_house(tmp_path)
    yield made
    made.desk.database.close()
