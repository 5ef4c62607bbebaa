"""Explanations: every figure of a month comes down to its source rows, and each step adds up."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from house import House, make_house
from rich_day import DAY, HOUR, rich

from chargeback.explain import OpenBooks, explain, opened
from chargeback.explain_pick import Asked
from chargeback.explain_print import as_json, print_steps
from chargeback.explanation import Explanation, Row, told
from chargeback.ledger import Result
from chargeback.statement import By, Line, state_statement
from gpuledger.console import make_console
from gpuledger.errors import InputError
from gpuledger.money import currency, format_quanta

pytestmark = pytest.mark.books

GOLDEN = Path(__file__).with_name("golden")


@dataclass(frozen=True)
class Kept:
    """Books of the rich day, opened once for all tests that only read them; each layer tells other views."""

    house: House
    result: Result
    books: OpenBooks

    @property
    def charged(self) -> str:
        return self.house.desk.book.charged

    def explain(self, kind: str, key: str, by: By = By.owner, slot: str = "", most: int = 100) -> Explanation:
        made = self.books.explain(Asked(kind, key, by), slot=slot, most=most)  # type: ignore[arg-type]
        assert not apart(made), (key, apart(made))
        return made

    def lines(self) -> Iterator[tuple[By, Line]]:
        views = (By.owner, By.model, By.cluster) if self.charged == "pooled" else (By.team, By.cost_centre)
        for by in views:
            made = state_statement(self.house.desk.book, self.result, by)
            yield from ((by, line) for line in made.lines)

    @cached_property
    def explained(self) -> list[tuple[By, Line, Explanation]]:
        """Every line of every view, with only the largest rows of each step."""
        return [(by, line, self.explain("line", line.key, by, most=2)) for by, line in self.lines()]


@pytest.fixture(scope="module", params=[("pooled", 1), ("recognised", 3)], ids=["pooled", "recognised"])
def kept(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    charged, shards = request.param
    made = make_house(tmp_path_factory.mktemp(charged), charged=charged, shards=shards)
    rich(made)
    result = made.books()
    with opened(made.desk, result) as books:
        yield Kept(made, result, books)
    made.desk.database.close()


def read(made: Explanation) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(as_json(made))
    return found


def step(made: Explanation, name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in read(made)["steps"] if one["step"] == name)
    return found


def apart(made: Explanation) -> dict[str, dict[str, int]]:
    return {one.name: one.differences for one in made.steps if one.differences}


def test_every_line_of_every_view_comes_down_to_source_rows_that_add_up(kept: Kept) -> None:
    for _, line, made in kept.explained:
        for name in ("time rows", "holdings", "prices", "source rows", "price rows", "owner rows"):
            total = next(one for one in made.steps if one.name == name).total
            assert (total["time"], total["unrounded"]) == (line.ticks, line.quanta or 0), (line.key, name)


def test_what_is_not_shown_is_one_row_and_adds_up_too(kept: Kept) -> None:
    hidden = 0
    for _, _, made in kept.explained:
        for one in made.steps:
            rest = one.more[1] if one.more else {}
            hidden += bool(rest)
            for figure, total in one.total.items():
                assert sum(row.figures[figure] for row in one.rows) + rest.get(figure, 0) == total
    assert hidden > 10


def test_the_cent_of_rounding_is_a_row_of_its_own(kept: Kept) -> None:
    per_cent = currency("USD").quanta_per_minor
    for _, line, made in kept.explained:
        booked, rounding = made.steps[0].rows
        assert (booked.labels["what"], rounding.labels["what"]) == ("as booked", "rounding")
        assert booked.figures["unrounded"] == (line.quanta or 0)
        amount = booked.figures["unrounded"] + rounding.figures["unrounded"]
        assert amount == (line.minor or 0) * per_cent
        assert made.steps[1].total.get("rounding", 0) == rounding.figures["unrounded"]


def test_facts_of_each_kind_say_what_they_made(kept: Kept) -> None:
    made = {
        key: {row["identity"]: row for row in step(made, "source rows")["rows"]}
        for key in ("ns-b", "ns-c", "__idle_free__", "__overhead__", "__conflict__")
        for made in [kept.explain("line", key)]
    }
    assert {row["kind"] for row in made["__idle_free__"].values()} == {"slot"}
    assert [(key, row["says"]) for key, row in made["__overhead__"].items()] == [("s1", "failed")]
    assert made["__overhead__"]["s1"]["time_gpu_hours"] == "1.000000"
    assert {key.partition("@")[0] for key in made["__conflict__"]} == {"one", "other"}
    assert made["ns-b"]["more"]["says"] == "2 on assumed"
    assert made["ns-b"][f"assumed@{DAY}"]["time_gpu_hours"] == "9.000000"
    third = made["ns-b"][f"third@{DAY}"]
    assert (third["says"], third["time_gpu_hours"]) == ("240240/720720 on c/n1/2", "3.000000")
    assert made["ns-c"][f"board@{DAY}"]["time_gpu_hours"] == "4.166667", "GPU-1 left at 04:10"
    assert made["ns-c"][f"board@{DAY + 6 * HOUR}"]["says"] == "1 on GPU-2"
    assert {row["seq"] for rows in made.values() for row in rows.values()} == {"2"}
    assert all(row["file"].endswith(".parquet") for rows in made.values() for row in rows.values())


def test_an_owner_that_changed_teams_names_the_row_that_gave_each(kept: Kept) -> None:
    before = step(kept.explain("line", "search", By.team), "owner rows")["rows"]
    after = step(kept.explain("line", "vision", By.team), "owner rows")["rows"]
    assert [(row["identity"], row["says"]) for row in before] == [("ns-a@0", "search / CC-1")]
    assert [(row["identity"], row["says"]) for row in after] == [(f"ns-a@{DAY + 3 * HOUR + 7}", "vision")]
    own = step(kept.explain("line", "ns-b"), "owner rows")["rows"]
    assert [row["says"] for row in own] == ["no rule and no row: the key is its own team"]


def test_prices_are_told_by_record_and_by_the_version_that_held(kept: Kept) -> None:
    made = kept.explain("line", "ns-b")
    records = {row["rate"]: row for row in step(made, "prices")["rows"]}
    assert set(records) == {"3.1 USD", "3.3 USD"}
    assert records["3.1 USD"]["to"] == "2026-10-05T01:20:00Z"
    versions = {row["start"]: row for row in step(made, "price rows")["rows"]}
    assert len(versions) == 3, "two of them are one record at one rate"
    unpriced = step(kept.explain("line", "B200", By.model), "price rows")["rows"]
    assert [row["says"] for row in unpriced] == ["unpriced"]


def test_what_a_pool_took_in_comes_out_of_it(kept: Kept) -> None:
    made = kept.explain("line", "ns-b")
    if kept.charged == "recognised":
        assert "pools" not in [one.name for one in made.steps]
        return
    assert [row["lot"] for row in step(made, "pools")["rows"]] == ["meter:model:H100:*:*:USD"]
    (row,) = step(made, "pool shares")["rows"]
    assert row["unrounded"] == step(made, "entries")["total"]["unrounded"]
    assert abs(float(row["odd_quanta"])) < 1e-6


def test_a_slots_atoms_add_up_to_its_time_rows(kept: Kept) -> None:
    for slot in ("c/n1/3", "c//c/assumed/1"):
        kept.explain("slot", slot)
    made = kept.explain("line", "ns-b", slot="c/n1/2")
    shares = {row["share"] for row in step(made, "atoms")["rows"] if row["holding"] == "c/third"}
    assert shares == {"240240/720720"}
    atoms = sorted(step(kept.explain("slot", "c/n3/0"), "atoms")["rows"], key=lambda row: row["start"])
    assert [(row["device"], row["holding"]) for row in atoms] == [
        ("GPU-1", "c/board"),
        ("GPU-2", ""),
        ("GPU-2", "c/board"),
    ]


def test_a_holding_goes_up_to_the_lines_and_entries_that_it_ended_in(kept: Kept) -> None:
    for run in ("c/requeued", "c/half", "c/assumed"):
        kept.explain("holding", run)
    made = kept.explain("holding", "placed", By.team)
    assert made.subject == {"holding": "c/placed"}
    assert {row["line"] for row in step(made, "lines")["rows"]} == {"search", "vision"}
    assert step(made, "claims")["total"]["claimed_gpu_hours"] == "5.001944"
    contested = kept.explain("holding", "one")
    assert {row["line"] for row in step(contested, "lines")["rows"]} == {"__conflict__", "ns-a"}
    late = step(kept.explain("holding", "late"), "claims")["rows"]
    assert [row["claimed_gpu_hours"] for row in late] == ["1.000000"], "cut where the sources end"


def test_a_device_has_what_its_slot_came_to_while_it_was_there(kept: Kept) -> None:
    whole = kept.explain("slot", "c/n3/0")
    parts = [kept.explain("device", uuid) for uuid in ("GPU-1", "GPU-2")]
    totals = [next(one for one in made.steps if one.name == "lines").total for made in (*parts, whole)]
    assert totals[0]["time"] == (4 * HOUR + 600) * 720720
    for figure in ("time", "unrounded"):
        assert totals[0][figure] + totals[1][figure] == totals[2][figure]


def test_a_line_that_is_not_there_names_what_is(kept: Kept) -> None:
    for asked, said, mend in (
        (Asked("line", "serch", By.team), "no line 'serch' by team", "nearest: search"),
        (Asked("line", "search"), "no line 'search' by owner", "give --by team"),
        (Asked("holding", "plaecd"), "no holding 'plaecd'", "nearest: c/placed"),
        (Asked("device", "GPU-9"), "no device 'GPU-9'", "GPU-1"),
        (Asked("slot", "n9/0"), "no slot 'n9/0'", "c/n1/0"),
    ):
        with pytest.raises(InputError, match=said) as error:
            kept.books.explain(asked)
        assert mend in error.value.mend
    with pytest.raises(InputError, match="no slot 'n9/0'"):
        kept.books.explain(Asked("line", "ns-b"), slot="n9/0")


def test_facts_known_later_are_not_in_the_explanation_of_an_earlier_run(house: House) -> None:
    rich(house)
    result = house.books()
    before = as_json(explain(house.desk, result, Asked("line", "ns-b")))
    house.holding("free", DAY + 200, DAY + 4 * HOUR, "ns-b", node="n1", units=1, identity=f"free@{DAY + 100}")
    house.owner("ns-b", "newcomers")
    house.keep()
    assert as_json(explain(house.desk, result, Asked("line", "ns-b"))) == before
    house.desk.lake.compact("holding", 0, 1)
    after = as_json(explain(house.desk, result, Asked("line", "ns-b")))
    assert without_files(after) == without_files(before), "compaction moves rows to another file"
    later = explain(house.desk, house.books(), Asked("line", "ns-b"))
    assert not apart(later)
    assert [row["says"] for row in step(later, "owner rows")["rows"]] == ["newcomers"]


def test_a_figure_that_does_not_add_up_says_by_how_much() -> None:
    rows = [Row({"what": "a"}, {"unrounded": 7}), Row({"what": "b"}, {"unrounded": 5})]
    made = told("s", "", rows, labels=["what"], figures=["unrounded"], wanted={"unrounded": 13}, most=1)
    assert made.differences == {"unrounded": -1}
    assert made.more == (1, {"unrounded": 5})
    explanation = Explanation({}, "2026-10", "UTC", "USD", 1, "r", "pooled", (made,))
    assert explanation.apart == ["s"]
    assert read(explanation)["steps"][0]["differences"] == {"unrounded": "-0.000000001"}
    console = make_console()
    with console.capture() as printed:
        print_steps(explanation, console)
    assert "DOES NOT ADD UP: unrounded by -0.000000001" in printed.get()
    assert "and 1 more" in printed.get()


def test_the_explanation_of_a_line_is_the_golden_one(kept: Kept) -> None:
    made = kept.explain("line", "ns-b", slot="n1/2", most=3)
    golden = GOLDEN / f"explain_{kept.charged}"
    assert without_files(as_json(made)) == golden.with_suffix(".json").read_text("utf-8")
    console = make_console()
    with console.capture() as printed:
        print_steps(made, console)
    assert without_files(printed.get()) == golden.with_suffix(".txt").read_text("utf-8")


def without_files(text: str) -> str:
    """The text without the parts of files' names that chance makes."""
    return re.sub(r"[0-9a-f]{32}(?=\.parquet)", "FILE", text)


def test_money_is_told_as_decimal_text_and_never_as_a_float(kept: Kept) -> None:
    def floats(value: Any) -> bool:
        if isinstance(value, dict):
            return any(map(floats, value.values()))
        return any(map(floats, value)) if isinstance(value, list) else isinstance(value, float)

    for _, line, made in kept.explained:
        assert not floats(read(made))
        booked = format_quanta(line.quanta or 0, currency("USD"))
        assert step(made, "entries")["total"]["unrounded"] == booked
