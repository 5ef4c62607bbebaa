"""Every line of the demo, in every view and under both layers, ends in source rows that re-add to it."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from gpuledger.cli import invoke
from gpuledger.session import Edge
from gpuledger.versions import Database, owners_in_force, prices_in_force
from simulator import generate

pytestmark = pytest.mark.e2e

SEED = 7
VIEWS = ("owner", "team", "cost_centre", "model", "cluster")


@dataclass(frozen=True)
class Demo:
    """The folder of a demo that ran, and the layer that its book charges."""

    folder: Path
    charged: str

    def type(self, *words: str) -> tuple[int, str, str]:
        with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
            code = invoke(words, edge=Edge(environ={}, cwd=self.folder))
        return code, out.getvalue(), err.getvalue()

    def read(self, *words: str) -> dict[str, Any]:
        code, out, err = self.type(*words, "--month", "2026-10", "--format", "json")
        assert code == 0, err
        found: dict[str, Any] = json.loads(out)
        return found

    def lines(self) -> Iterator[tuple[str, dict[str, Any]]]:
        for view in VIEWS if self.charged == "pooled" else VIEWS[1:2]:
            yield from ((view, line) for line in self.read("statement", "--by", view)["lines"])


@pytest.fixture(scope="module", params=["pooled", "recognised"])
def demo(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Demo:
    folder = tmp_path_factory.mktemp(request.param) / "kept"
    made = Demo(folder, request.param)
    words = ("--charged", request.param, "demo", "--seed", str(SEED), "--keep", str(folder))
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        assert invoke(words, edge=Edge(environ={}, cwd=folder.parent)) == 0
    return made


def step(made: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in made["steps"] if one["step"] == name)
    return found


def test_every_line_ends_in_source_rows_whose_figures_re_add_to_it(demo: Demo) -> None:
    explained = 0
    for view, line in demo.lines():
        made = demo.read("explain", line["key"], "--by", view, "--most", "1000000")
        assert made["adds_up"], (view, line["key"])
        for name in ("source rows", "price rows", "owner rows"):
            rows = step(made, name)["rows"]
            assert step(made, name)["more"] is None
            money = sum((Fraction(row["unrounded"]) for row in rows), Fraction(0))
            ticks = sum(row["time_ticks"] for row in rows)
            assert money == Fraction(line["unrounded"]), (view, line["key"], name)
            assert round(Fraction(ticks, 720720 * 3600), 6) == Fraction(line["gpu_hours"])
            booked, rounding = (Fraction(row["unrounded"]) for row in step(made, "line")["rows"])
            assert (booked, (booked + rounding) * 100) == (money, line["amount"])
        explained += 1
    assert explained >= (25 if demo.charged == "pooled" else 6)


def test_source_rows_are_rows_of_the_lake_and_of_the_terms(demo: Demo) -> None:
    made = demo.read("explain", "vision", "--by", "team", "--most", "1000000")
    works = {work.owner_key for work in generate(SEED).workloads}
    assert {row["owner_key"] for row in step(made, "holdings")["rows"]} <= works
    home = demo.folder / ".gpuledger"
    assert all((home / "lake" / row["file"]).is_file() for row in step(made, "source rows")["rows"])
    database = Database.open(f"sqlite:///{home / 'gpuledger.db'}")
    with database.read() as connection:
        prices = {fact.identity for fact in prices_in_force(connection, made["seq"])}
        owners = {fact.identity for fact in owners_in_force(connection, made["seq"])}
    database.close()
    assert {row["identity"] for row in step(made, "price rows")["rows"]} <= prices
    assert {row["identity"] for row in step(made, "owner rows")["rows"]} <= owners


def test_a_holding_and_a_device_of_the_demo_go_up_to_their_lines(demo: Demo) -> None:
    holdings = step(demo.read("explain", "vision", "--by", "team"), "holdings")["rows"]
    run = holdings[0]["holding"]
    made = demo.read("explain", "--holding", run, "--by", "team")
    assert made["adds_up"] and [row["line"] for row in step(made, "lines")["rows"]] == ["vision"]
    assert step(made, "lines")["total"]["unrounded"] == holdings[0]["unrounded"]
    device = generate(SEED).nodes[0].gpus[0].uuid
    made = demo.read("explain", "--device", device)
    assert made["adds_up"] and step(made, "lines")["total"]["time_gpu_hours"] == "744.000000"


def test_what_cannot_be_explained_is_refused_with_what_can(demo: Demo) -> None:
    for words, said in (
        (("visoin", "--by", "team"), "nearest: vision"),
        (("CC-2500",), "give --by cost_centre"),
        (("--device", "GPU-0"), "has no device 'GPU-0'"),
        ((), "give the key of a LINE"),
        (("vision", "--device", "GPU-0"), "several things"),
    ):
        code, _, err = demo.type("explain", *words, "--month", "2026-10")
        assert code == 3 and said in err, err
    code, _, err = demo.type("explain", "vision", "--month", "2026-09")
    assert code == 6 and "no books of 2026-09" in err
