"""The models keep to the subset that every engine reads alike, and their papers say what they yield."""

from __future__ import annotations

from importlib.resources import files

import duckdb
import pytest
import sqlglot
from portable_subset import departures

from chargeback.model_files import MODELS, model


@pytest.mark.parametrize("name", MODELS)
def test_model_keeps_to_the_portable_subset(name: str) -> None:
    assert departures(model(name).sql) == []


@pytest.mark.parametrize("name", MODELS)
def test_audits_read(name: str) -> None:
    for audit in model(name).audits:
        sqlglot.parse_one(audit.sql, dialect="duckdb")


@pytest.mark.parametrize(
    ("sql", "departure"),
    [
        ("select t.a / t.b as c from t as t", "division with /"),
        ("select * from t as t", "select *"),
        ("select cast(t.a as double) as c from t as t", "type DOUBLE"),
        ("select t.a as c from t as t union select u.a as c from u as u", "a union that does not say"),
        ("select sum(t.a) as c from t as t", "a sum without a cast"),
        ("select t.a + 3000000000 as c from t as t", "a literal above 2^31"),
        ("select t.a + 1 as a from t as t", "an alias that equals an input column: a"),
        ("select t.a as a from t as t inner join u as u on t.x < u.y", "a join without an equality key"),
        ("select lead(t.a) over (partition by t.k order by t.a) as n from t as t", "a lead whose end"),
        ("select t.a as a from t as t asof join u as u on t.k = u.k and t.a >= u.a", "asof join"),
        ("select t.a as a from t as t group by all", "group by all"),
        ("select list(t.a order by t.b) as l from t as t", "an ordered list"),
        ("select now() as n", "function now"),
        ("select t.a & 1 as n from t as t", "a bit operator"),
    ],
)
def test_departures_are_seen(sql: str, departure: str) -> None:
    assert any(found.startswith(departure) for found in departures(sql)), departures(sql)


def test_every_model_file_is_run() -> None:
    folder = files("chargeback") / "models"
    names = {entry.name.removesuffix(".sql") for entry in folder.iterdir() if entry.name.endswith(".sql")}
    assert names == set(MODELS)


def test_every_model_begins_with_its_grain_and_units() -> None:
    for name in MODELS:
        head = model(name).sql.split("\n\n")[0]
        assert head.startswith(f"-- {name}: "), name
        assert "Grain:" in head and "Units:" in head, name
        assert model(name).sql == model(name).sql.lower() or "--" in head, name


def test_duckdb_is_the_engine_that_is_meant() -> None:
    assert int(duckdb.__version__.split(".")[0]) >= 2
