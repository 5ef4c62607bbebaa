"""The models in other engines' words: committed is what rendering gives; what cannot be said is refused."""

from __future__ import annotations

import shutil
from pathlib import Path
from string import Template

import pytest
import rendering
import sqlglot
from rendering import ENGINES, FOLDER, Engine, rendered
from sqlglot.errors import UnsupportedError

from chargeback.model_files import MODELS, model
from chargeback.workbench import SOURCES

CLICKHOUSE, SPARK, TRINO = ENGINES
NAMES = [engine.name for engine in ENGINES]


def test_committed_texts_are_what_rendering_gives(capsys: pytest.CaptureFixture[str]) -> None:
    assert rendering.main(["--check"]) == 0, capsys.readouterr().err


@pytest.mark.parametrize("engine", ENGINES, ids=NAMES)
def test_every_model_and_every_audit_is_there_for_each_engine(engine: Engine) -> None:
    for name in MODELS:
        text = (FOLDER / "rendered" / engine.name / f"{name}.sql").read_text("utf-8")
        assert text.startswith(
            f"-- Rendered by scripts/render from chargeback/models/{name}.sql for {engine.title};"
        )
        assert ("Untested" in text) == (engine is not CLICKHOUSE)
        assert f"\n-- {name}: " in text, "the model's own head comes along"
        audits = FOLDER / "rendered" / engine.name / f"{name}.audits.sql"
        held = audits.read_text("utf-8").count("-- No row: ") if audits.exists() else 0
        assert held == len(model(name).audits)


@pytest.mark.parametrize(
    ("sql", "clickhouse", "spark", "trino"),
    [
        ("t.a // t.b", "intDiv(toInt64(t.a), toInt64(t.b))", "t.a DIV t.b", "t.a / t.b"),
        (
            "t.a * (t.b // 7)",
            "t.a * (intDiv(toInt64(t.b), toInt64(7)))",
            "t.a * (t.b DIV 7)",
            "t.a * (t.b / 7)",
        ),
        ("t.a % 7", "t.a % toInt64(7)", "t.a % CAST(7 AS BIGINT)", "t.a % CAST(7 AS BIGINT)"),
        ("cast(t.a as bigint)", "toInt64(t.a)", "CAST(t.a AS BIGINT)", "CAST(t.a AS BIGINT)"),
        ("cast(t.a as varchar)", "toString(t.a)", "CAST(t.a AS STRING)", "CAST(t.a AS VARCHAR)"),
        ("abs(t.a)", "toInt64(ABS(t.a))", "CAST(ABS(t.a) AS BIGINT)", "CAST(ABS(t.a) AS BIGINT)"),
        ("count(t.a)", "toInt64(COUNT(t.a))", "CAST(COUNT(t.a) AS BIGINT)", "CAST(COUNT(t.a) AS BIGINT)"),
        ("1", "toInt64(1)", "CAST(1 AS BIGINT)", "CAST(1 AS BIGINT)"),
        ("-1", "-toInt64(1)", "-CAST(1 AS BIGINT)", "-CAST(1 AS BIGINT)"),
        ("t.a + 1", "t.a + 1", "t.a + 1", "t.a + 1"),
    ],
)
def test_integers_stay_integers_of_64_bits(sql: str, clickhouse: str, spark: str, trino: str) -> None:
    for engine, said in ((CLICKHOUSE, clickhouse), (SPARK, spark), (TRINO, trino)):
        text = rendered(f"select {sql} as c from t as t", engine)
        assert (
            " ".join(text.split()).replace("( ", "(").replace(" )", ")") == f"SELECT {said} AS c FROM t AS t"
        )


@pytest.mark.parametrize("engine", ENGINES, ids=NAMES)
@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("select length(t.a) as c from t as t", "length"),
        ("select strange(t.a) as c from t as t", "strange"),
        ("select cast(t.a as double) as c from t as t", "type double"),
        ("select cast(t.a as integer) as c from t as t", "type int"),
        ("select list(t.a) as c from t as t", "array_agg"),
    ],
)
def test_what_is_not_known_to_be_alike_is_refused(engine: Engine, sql: str, why: str) -> None:
    with pytest.raises(UnsupportedError, match=f"not known to be alike on every engine: {why}"):
        rendered(sql, engine)


@pytest.mark.books
def test_stale_and_left_over_texts_fail_the_check_and_are_mended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(FOLDER, tmp_path / "models")
    monkeypatch.setattr(rendering, "FOLDER", tmp_path / "models")
    assert rendering.main([]) == 0
    source, texts = tmp_path / "models" / "taker.sql", tmp_path / "models" / "rendered"
    source.write_text(source.read_text("utf-8").replace("claim_no", "claim_number"), "utf-8")
    (texts / "trino" / "gone.sql").write_text("select 1", "utf-8")
    (texts / "spark" / "entry.sql").unlink()
    assert rendering.main(["--check"]) == 1
    stale = "clickhouse/taker.sql, spark/entry.sql, spark/taker.sql, trino/gone.sql, trino/taker.sql"
    assert capsys.readouterr().err == f"render: stale: {stale}; run scripts/render\n"
    assert rendering.main([]) == 0
    assert rendering.main(["--check"]) == 0
    source.write_text("select length(t.a) as c from t as t", "utf-8")
    assert rendering.main([]) == 1
    assert (
        "taker.sql for ClickHouse: not known to be alike on every engine: length" in capsys.readouterr().err
    )


@pytest.mark.parametrize("engine", ["clickhouse"])
def test_source_views_have_the_columns_of_duckdbs(engine: str) -> None:
    assert source_columns(engine) == source_columns("duckdb")


def source_columns(engine: str) -> dict[str, list[str]]:
    """The columns of each source view of an engine."""
    text = (FOLDER / "sources" / f"{engine}.sql").read_text("utf-8")
    plain = Template(text).substitute({f"{name}_files": f"{name}_files" for name in SOURCES})
    views = [view for view in sqlglot.parse(plain, dialect=engine) if isinstance(view, sqlglot.exp.Create)]
    return {view.this.name: view.expression.named_selects for view in views}
