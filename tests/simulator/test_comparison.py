"""The books beside the truth: agreement is exact time, a cent per rounding pool, and the total."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from gpuledger.console import make_console
from gpuledger.errors import BooksError
from simulator import Truth, compute_truth, generate, sum_by
from simulator.comparison import UNOWNED, compare, show


@pytest.fixture(scope="module")
def truth() -> Truth:
    return compute_truth(generate(2))


@pytest.fixture
def statement(truth: Truth) -> dict[str, Any]:
    """A statement that is right: each line rounded, and what is left of the total on the unowned line."""
    sums = sum_by(truth.cells, "team")
    cents = {key: half_up(amount.pooled * 100) for key, amount in sums.items()}
    total = sum(half_up(amount.pooled * 100) for amount in sum_by(truth.cells, "model").values())
    cents[None] += total - sum(cents.values())
    lines = [
        {
            "key": key or UNOWNED,
            "gpu_hours": f"{(amount.gpu_seconds * 10**6 + 1800) // 3600 / 10**6:.6f}",
            "amount": cents[key],
            "unrounded": f"{int(amount.pooled * 10**9)}e-9",
        }
        for key, amount in sums.items()
    ]
    return {"total": total, "lines": lines}


def half_up(value: Fraction) -> int:
    return int(value + Fraction(1, 2))


def line(statement: dict[str, Any], key: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in statement["lines"] if one["key"] == key)
    return found


def test_books_that_are_right_agree(
    statement: dict[str, Any], truth: Truth, capsys: pytest.CaptureFixture[str]
) -> None:
    found = compare(statement, truth)
    assert (len(found.lines), found.pools) == (6, 2)
    assert found.differing == []
    show(make_console(), found)
    printed = capsys.readouterr().out
    assert "They agree" in printed
    assert "robotics" in printed


def test_a_microhour_too_much_differs(statement: dict[str, Any], truth: Truth) -> None:
    vision = line(statement, "vision")
    vision["gpu_hours"] = f"{float(vision['gpu_hours']) + 0.000001:.6f}"
    assert "vision" in compare(statement, truth).differing


def test_money_that_is_wrong_by_more_than_rounding_differs(statement: dict[str, Any], truth: Truth) -> None:
    line(statement, "search")["amount"] += 5
    line(statement, "robotics")["unrounded"] = "1.0"
    assert {"search", "robotics"} <= set(compare(statement, truth).differing)


def test_the_traced_reading_differs_from_pooled_books(statement: dict[str, Any], truth: Truth) -> None:
    assert "robotics" in compare(statement, truth, pooled=False).differing


def test_a_line_that_is_missing_or_too_many_differs(statement: dict[str, Any], truth: Truth) -> None:
    line(statement, "platform")["key"] = "nobody"
    assert {"platform", "nobody"} <= set(compare(statement, truth).differing)


def test_a_difference_is_an_error_that_names_the_line(statement: dict[str, Any], truth: Truth) -> None:
    statement["total"] += 1
    with pytest.raises(BooksError, match="total"):
        show(make_console(), compare(statement, truth))
