"""What every test may ask for: reasons to skip, real data, profiles of Hypothesis."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from clickhouse import ClickHouse

settings.register_profile("fast", deadline=None, derandomize=True)
settings.register_profile("soak", deadline=None, max_examples=5_000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))


def require_or_skip(kind: str, message: str) -> NoReturn:
    """Skip because of `kind` (`apt`, `engine`, `realdata`), or fail where GPULEDGER_REQUIRE lists it."""
    required = os.environ.get("GPULEDGER_REQUIRE", "").split(",")
    if kind in required:
        pytest.fail(f"{kind} is required here: {message}", pytrace=False)
    pytest.skip(f"{kind}: {message}")


@pytest.fixture(scope="session")
def require() -> Callable[[str, str], NoReturn]:
    """The function `require(kind, message)`: a skip, or a failure where that kind is required."""
    return require_or_skip


@pytest.fixture(scope="session")
def clickhouse(
    require: Callable[[str, str], NoReturn], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ClickHouse]:
    """ClickHouse's engine; a process can have one session of it."""
    if find_spec("chdb") is None:
        require("engine", "chdb is not installed: make setup")
    from clickhouse import opened

    with opened(tmp_path_factory.mktemp("chdb")) as engine:
        yield engine


@pytest.fixture(scope="session")
def realdata() -> Path:
    """The folder of real data."""
    named = os.environ.get("GPULEDGER_REALDATA", "")
    if not named:
        require_or_skip("realdata", "GPULEDGER_REALDATA names no folder")
    folder = Path(named)
    if not folder.is_dir():
        require_or_skip("realdata", f"{folder} is no folder")
    return folder


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """One line that lists the skips by reason."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(str(report.longrepr[2]).removeprefix("Skipped: ") for report in skipped)
    listed = "; ".join(f"{count} × {reason}" for reason, count in sorted(reasons.items()))
    terminalreporter.write_line(f"skips: {listed or 'none'}")
