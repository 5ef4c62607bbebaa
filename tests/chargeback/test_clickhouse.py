"""The rendered models on ClickHouse's engine: from the same inputs the same rows, integer for integer."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import duckdb
import pytest
from clickhouse import ClickHouse, ordered
from deliveries import corrected, deliver
from energies import of_the_rich_day, put, used_in
from house import House, make_house
from hypothesis import Phase, given, settings
from months import Month, few, home_of, months, of_the_same_months, random_of, several
from recorded import Pass, recorded
from rendering import ENGINES, rendered
from rich_day import DAY, HOUR, rich, rich_in_lanes

from chargeback.model_files import MODELS, RESOURCE_ENTRY, RESOURCE_PIECE, RESOURCES, RESOURCES_POSTED
from chargeback.workbench import FACT_SOURCES
from gpuledger.lake.arrow import pa

pytestmark = pytest.mark.engine

BUSY = months().filter(lambda month: len(month.fleet.holdings) > 9)
WHOLE = (Phase.explicit, Phase.generate)
"""To make a failing fleet smaller would take minutes on two engines: look for a smaller one on one."""

EXTREMES = {
    "k": ["", "Z", "a", "a b", "a/10", "a/9", "é", "～", "😀"],
    "a": [0, 1, 720719, 2**31, 2**53 - 1, 2**53 + 1, 2**62 + 1, 2**63 - 2, 2**63 - 1],
    "b": [1, 2, 720720, 3600, 3, 7, 3037000499, 2654435761, 2**63 - 1],
    "n": [0, -1, 1, -(2**31), 2**31, -(2**53) - 1, 2**53 + 1, -(2**62), 1 - 2**63],
    "o": [None, 1, None, 2**53 + 1, None, -7, 0, None, 2**63 - 1],
}
"""Text in an order that only its bytes have, whole numbers around every width, signs, and what is missing."""

EXPRESSIONS = (
    "t.a // t.b",
    "t.a // 3 * 2 + t.a % 3",
    "t.a % t.b",
    "t.a % 65536",
    "abs(t.n)",
    "abs(t.n) % t.b",
    "case when t.n < 0 then -1 else 1 end * abs(t.n)",
    "case when t.o is null then 0 else t.o end",
    "coalesce(t.o, 0)",
    "least(720720, t.a)",
    "least(t.a, t.o)",
    "greatest(t.o, t.n)",
    "greatest(t.n, count(t.k) over (partition by t.b))",
    "row_number() over (order by t.k) - 10",
    "dense_rank() over (order by t.k) * (t.n % 1000)",
    "count(t.o) over (order by t.k rows between unbounded preceding and current row) - 10",
    "cast(sum(t.b % 1000) over (order by t.k rows between unbounded preceding and current row) as bigint)",
    "cast(sum(t.b % 1000) over () as bigint) * 720720",
    "cast(t.n as varchar) || '/' || t.k",
    "case when t.k < 'a/9' then 1 else 0 end",
    "t.a // 4294967296 * cast(2654435761 as bigint) % 1000003",
)

WEIGHED = {*RESOURCES, *RESOURCES_POSTED, RESOURCE_PIECE, RESOURCE_ENTRY}
"""The models of what nodes have besides GPUs: made where a price is for that too."""


@pytest.mark.parametrize("charged", ["pooled", "recognised"])
def test_a_day_of_everything_is_the_same(clickhouse: ClickHouse, tmp_path: Path, charged: str) -> None:
    house = make_house(tmp_path, charged=charged)
    rich(house)
    check(clickhouse, passes_of(house))


@pytest.mark.parametrize("choice", ["equal/1", "per_replica/1", "by_use_apart/1", "by_use_spread/1"])
def test_a_day_of_lanes_phases_and_samples_is_the_same(
    clickhouse: ClickHouse, house: House, choice: str
) -> None:
    house.policy("time_slicing", choice)
    of_the_rich_day(house)
    rich_in_lanes(house)
    check(clickhouse, passes_of(house))


def test_a_table_that_says_of_no_column_that_it_has_no_null_is_read_alike(
    clickhouse: ClickHouse, house: House
) -> None:
    rich(house)
    check(clickhouse, passes_of(house), nullable=True)


def test_a_month_with_nothing_but_a_slot_is_the_same(clickhouse: ClickHouse, house: House) -> None:
    house.slot("n1", 0, DAY, None)
    house.keep()
    check(clickhouse, passes_of(house))


def test_what_nodes_have_besides_gpus_is_the_same(clickhouse: ClickHouse, house: House) -> None:
    """Two nodes at a price per node: asked for in part, in full, by too many, by pods without a GPU."""
    for node, quantity in (("n1", 7000), ("n2", 3000)):
        given = {"node": node, "resource": "cpu", "quantity": quantity, "unit": "milli"}
        house.fact("node_resource", f"{node}/cpu", DAY, None, **given)
        given = {"node": node, "resource": "memory", "quantity": 13 * 2**30 + 1, "unit": "bytes"}
        house.fact("node_resource", f"{node}/memory", DAY + 1234, None, **given)
        house.slot(node, 0, DAY, DAY + 3 * HOUR)
        house.slot(node, 1, DAY + 77, DAY + 3 * HOUR)
    for number in range(5):
        asked = {"cpus_milli": 1700 + number, "memory_bytes": number * 777_777_777, "units": number % 2}
        place = {"node": f"n{1 + number % 2}", "identity": f"r{number}"}
        house.holding(f"r{number}", DAY + 611 * number, DAY + 2 * HOUR, f"ns-{number % 3}", **asked, **place)
    house.price("98.3217", 0, unit="node_hour")
    house.policy("node_cost", "by_resource/1")
    house.keep()
    passes = passes_of(house)
    assert {name for one in passes for name in one.models} >= WEIGHED
    check(clickhouse, passes)


def test_facts_from_many_files_at_many_seqs_are_the_same(clickhouse: ClickHouse, tmp_path: Path) -> None:
    """Versions, withdrawals, an older seq, compacted files whose rows carry their own seq, and two shards."""
    house = make_house(tmp_path, zone="Asia/Kathmandu", shards=2)
    rich(house)
    house.holding("free", DAY + 100, DAY + 5 * HOUR, "ns-b", node="n1", device="GPU-1", identity="free")
    house.slot("n1", 4, DAY, DAY + HOUR)
    house.keep()
    for table in FACT_SOURCES:
        house.desk.lake.compact(table, 0, at_s=0)
    house.holding("free", DAY, DAY + HOUR, "ns-a", node="n1", units=2, identity="free")
    seq = house.keep()
    house.slot("n1", 4, DAY, DAY + HOUR)
    house.withdraw("slot", f"n1/4@{DAY}")
    house.keep()
    passes = [*passes_of(house), *passes_of(house, seq=seq)]
    assert max(len(one.files or ()) for one in passes) > 4
    check(clickhouse, passes)


@of_the_same_months
@settings(several, phases=WHOLE)
@given(BUSY)
def test_random_fleets_are_the_same(clickhouse: ClickHouse, month: Month) -> None:
    with home_of(month) as house:
        put(house, used_in(month.fleet, random_of(month)))
        deliver(house, month.fleet)
        check(clickhouse, passes_of(house, month.name))


@of_the_same_months
@settings(few, phases=WHOLE)
@given(BUSY)
def test_random_fleets_that_are_corrected_are_the_same(clickhouse: ClickHouse, month: Month) -> None:
    later = corrected(month.fleet, random_of(month))
    with home_of(month, shards=2) as house:
        deliver(house, month.fleet)
        deliver(house, later.versions)
        deliver(house, later.withdrawn, withdrawn=True)
        check(clickhouse, passes_of(house, month.name))


def test_every_way_to_say_a_number_is_the_same(clickhouse: ClickHouse) -> None:
    columns = ", ".join(f"{said} as e{number}" for number, said in enumerate(EXPRESSIONS))
    both = rows_of_both(clickhouse, f"select t.k as k, {columns} from t as t")
    assert both[0] == both[1]


@pytest.mark.parametrize(
    "query",
    [
        pytest.param(
            "select cast(sum(t.a) as bigint) as total from t as t",
            marks=pytest.mark.xfail(
                raises=AssertionError,
                reason="ClickHouse wraps a sum above 2^63: the audits of ranges forbid it",
            ),
        ),
        pytest.param(
            "select t.a * 2 as twice from t as t",
            marks=pytest.mark.xfail(
                raises=AssertionError, reason="ClickHouse wraps a product above 2^63: the audits forbid it"
            ),
        ),
        pytest.param(
            "select t.k as k, lead(t.a) over (order by t.k) as next_a from t as t",
            marks=pytest.mark.xfail(
                raises=AssertionError, reason="past the end ClickHouse's lead is 0 or '': models test a key"
            ),
        ),
        pytest.param(
            "select t.k as k, t.a // (t.b - t.b) as never from t as t",
            marks=pytest.mark.xfail(
                raises=AssertionError,
                reason="ClickHouse refuses to divide by 0: models divide by what is there",
            ),
        ),
    ],
)
def test_what_no_model_may_lean_on(clickhouse: ClickHouse, query: str) -> None:
    both = rows_of_both(clickhouse, query)
    assert both[0] == both[1]


def passes_of(house: House, period: str = "2026-10", seq: int | None = None) -> list[Pass]:
    """What the passes of a month's books do on DuckDB, free devices distributed as far as that is known."""
    if seq is None:
        house.policy("distribute_idle_free", "even/1")
        house.keep()
    with recorded() as passes:
        house.books(period, seq)
    return passes


def check(clickhouse: ClickHouse, passes: Iterable[Pass], *, nullable: bool = False) -> None:
    """Each pass makes the same on ClickHouse, and together they make every model."""
    seen = {name for one in passes for name in clickhouse.check(one, nullable=nullable)}
    assert seen >= set(MODELS) - WEIGHED


def rows_of_both(clickhouse: ClickHouse, query: str) -> tuple[object, object]:
    """What DuckDB and ClickHouse say to a query over the extremes: rows, or that they refuse it."""
    table = pa.table(EXTREMES)
    clickhouse.do("drop table if exists t")
    clickhouse.stage("t", table)
    found: list[object] = []
    for ask in (
        lambda: duckdb.connect().register("t", table).sql(query).to_arrow_table(),
        lambda: clickhouse.rows(rendered(query, ENGINES[0])),
    ):
        try:
            found.append(ordered(ask()))
        except (duckdb.Error, RuntimeError) as error:
            found.append(type(error))
    return found[0], found[1]
