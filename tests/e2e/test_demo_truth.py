"""The demo's books are what the simulator knows to be true, in every view, in more than one zone."""

from __future__ import annotations

import io
import json
from collections import defaultdict
from contextlib import redirect_stdout
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from gpuledger.cli import invoke
from gpuledger.session import Edge
from simulator import Truth, compute_truth, generate, sum_by
from simulator.comparison import UNOWNED, compare

pytestmark = pytest.mark.e2e

SEED = 7


@dataclass(frozen=True)
class Demo:
    """A demo that ran: what it printed, its folder, and the truth of its fleet."""

    printed: str
    folder: Path
    zone: str

    def truth(self, month: str = "2026-10") -> Truth:
        return compute_truth(generate(SEED, zone=self.zone), month=month)

    def read(self, *words: str) -> dict[str, Any]:
        code, printed = command(*words, edge=Edge(environ={}, cwd=self.folder))
        assert code == 0
        read: dict[str, Any] = json.loads(printed)
        return read

    def statement(self, view: str, month: str = "2026-10") -> dict[str, Any]:
        return self.read("statement", "--month", month, "--by", view, "--format", "json")


def line_of(statement: dict[str, Any], key: str) -> dict[str, Any]:
    found: dict[str, Any] = next(line for line in statement["lines"] if line["key"] == key)
    return found


def owned(statement: dict[str, Any]) -> list[dict[str, Any]]:
    return [line for line in statement["lines"] if line["key"] != UNOWNED]


def command(*words: str, edge: Edge | None = None) -> tuple[int, str]:
    with redirect_stdout(io.StringIO()) as printed:
        code = invoke(words, edge=edge)
    return code, printed.getvalue()


@pytest.fixture(scope="module", params=["UTC", "Asia/Kolkata"])
def demo(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Demo:
    folder = tmp_path_factory.mktemp("demo") / "kept"
    users_home = folder.with_name("users-home")
    edge = Edge(environ={"GPULEDGER_HOME": str(users_home), "GPULEDGER_CURRENCY": "EUR"}, cwd=folder.parent)
    words = ("demo", "--seed", str(SEED), "--zone", request.param, "--keep", str(folder))
    code, printed = command(*words, edge=edge)
    assert code == 0, printed
    assert not users_home.exists(), "the demo never touches the user's home"
    return Demo(printed, folder, request.param)


def test_the_demo_prints_each_command_the_statement_and_that_it_agrees_with_the_truth(demo: Demo) -> None:
    for shown in (
        "$ gpuledger import inventory",
        "$ gpuledger run",
        "$ gpuledger statement",
        "$ gpuledger verify",
    ):
        assert shown in demo.printed
    assert "robotics" in demo.printed
    assert "They agree" in demo.printed


@pytest.mark.parametrize("view", ["team", "owner"])
def test_owners_have_exactly_the_time_and_to_the_cent_the_money_that_they_should(
    demo: Demo, view: str
) -> None:
    found = compare(demo.statement(view), demo.truth(), view="owner_key" if view == "owner" else "team")
    assert found.differing == []


@pytest.mark.parametrize("view", ["model", "cluster"])
def test_every_other_view_has_the_same_total_and_lines_near_their_exact_money(demo: Demo, view: str) -> None:
    statement, truth = demo.statement(view), demo.truth()
    amounts = sum_by(truth.cells, view)
    assert sum(line["amount"] for line in statement["lines"]) == statement["total"]
    for line in statement["lines"]:
        exact = amounts[line["key"]].pooled * 100
        assert abs(line["amount"] - exact) < len(truth.cells)
        assert abs(Fraction(line["unrounded"]) * 100 - exact) < Fraction(1, 100)


def test_the_statement_holds_every_gpu_second_and_the_exact_total(demo: Demo) -> None:
    statement, truth = demo.statement("team"), demo.truth()
    assert statement["gpu_microseconds"] == sum(truth.capacity.values()) * 10**6
    assert statement["idle_free_gpu_hours"] == line_of(statement, UNOWNED)["gpu_hours"]
    exact = sum(Fraction(pool["exact"]) for pool in statement["rounding_pools"])
    assert exact == sum(cell.traced for cell in truth.cells)
    assert sum(line["amount"] for line in statement["lines"]) == statement["total"]


def test_work_over_the_months_end_goes_on_in_november(demo: Demo) -> None:
    code, _ = command("run", "--month", "2026-11", edge=Edge(environ={}, cwd=demo.folder))
    assert code == 0
    november = demo.statement("team", "2026-11")
    fleet = generate(SEED, zone=demo.zone)
    seconds: dict[str, int] = defaultdict(int)
    for work in fleet.workloads:
        team = next(owner.team for owner in fleet.owners if owner.owner_key == work.owner_key)
        known_s = min(work.end_s, fleet.exported_s) - max(work.start_s, fleet.end_s)
        seconds[team] += len(work.gpus) * max(0, known_s)
    hours = {team: round(Fraction(count, 3600), 6) for team, count in seconds.items()}
    assert {line["key"]: Fraction(line["gpu_hours"]) for line in owned(november)} == hours


def test_the_same_demo_prints_the_same_again(demo: Demo, tmp_path: Path) -> None:
    words = ("demo", "--seed", str(SEED), "--zone", demo.zone, "--keep", str(tmp_path / "again"))
    code, printed = command(*words, edge=Edge(environ={}, cwd=tmp_path))
    assert code == 0
    assert printed.splitlines()[3:] == demo.printed.splitlines()[3:], "all but the folder's name"


def test_a_book_that_charges_what_was_recognised_agrees_with_the_traced_truth(tmp_path: Path) -> None:
    words = ("--charged", "recognised", "demo", "--seed", str(SEED), "--keep", str(tmp_path / "kept"))
    code, printed = command(*words, edge=Edge(environ={}, cwd=tmp_path))
    assert code == 0
    assert "They agree" in printed
    statement = Demo(printed, tmp_path / "kept", "UTC").statement("owner")
    truth = compute_truth(generate(SEED))
    assert compare(statement, truth, view="owner_key", pooled=False).differing == []
    assert "robotics" in compare(statement, truth, view="owner_key", pooled=True).differing
