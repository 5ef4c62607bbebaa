"""Desks at which bills are brought in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from bill_desk import BillDesk


@pytest.fixture
def bill_desk(tmp_path: Path) -> Iterator[BillDesk]:
    made = BillDesk(tmp_path)
    yield made
    made.database.close()


@pytest.fixture
def sharded(tmp_path: Path) -> Iterator[BillDesk]:
    """A desk whose lake is cut into four."""
    made = BillDesk(tmp_path, shards=4)
    yield made
    made.database.close()
