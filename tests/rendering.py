"""The SQL models in the words of other engines (DESIGN.md section 7): a part of the build, never of a run.

scripts/render            writes chargeback/models/rendered/<engine>/<model>.sql and <model>.audits.sql
scripts/render --check    writes nothing; exits 1 when a text is not what its model renders to
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlglot
import yaml
from sqlglot import exp
from sqlglot.dialects import ClickHouse, Spark, Trino
from sqlglot.errors import UnsupportedError

__all__ = ["ENGINES", "FOLDER", "Engine", "main", "rendered", "texts"]

FOLDER = Path(__file__).parents[1] / "chargeback" / "models"

_TYPES = {exp.DataType.Type.BIGINT, exp.DataType.Type.TEXT, exp.DataType.Type.VARCHAR}
_ALIKE = (
    exp.Abs,
    exp.Case,
    exp.Cast,
    exp.Coalesce,
    exp.Connector,
    exp.Count,
    exp.DenseRank,
    exp.Exists,
    exp.Greatest,
    exp.If,
    exp.Lag,
    exp.Lead,
    exp.Least,
    exp.Max,
    exp.Min,
    exp.RowNumber,
    exp.Sum,
)
"""The functions that all engines were seen to read alike."""

_NARROW = (exp.Abs, exp.Count, exp.DenseRank, exp.RowNumber)
"""Functions whose result is another integer type elsewhere: unsigned in ClickHouse, of 32 bits in Spark."""

_VALUES = (exp.Alias, exp.Case, exp.Coalesce, exp.Greatest, exp.If, exp.Least, exp.Mod, exp.Neg)
"""Where a bare number gives its own type to what comes out; beside a column, the column's is wider."""


class _ClickHouse(ClickHouse):
    class Generator(ClickHouse.Generator):
        """Casts as functions, so that null stays what it is, and a division of integers that is one."""

        def intdiv_sql(self, node: exp.IntDiv) -> str:
            return self.func("intDiv", self._int64(node.this), self._int64(node.expression))

        def _int64(self, node: exp.Expression) -> exp.Expression:
            return exp.Anonymous(this="toInt64", expressions=[node.unnest()])

        def cast_sql(self, node: exp.Cast, safe_prefix: str | None = None) -> str:
            name = "toInt64" if node.to.this == exp.DataType.Type.BIGINT else "toString"
            return self.func(name, node.this.unnest())

        TRANSFORMS = {**ClickHouse.Generator.TRANSFORMS}  # noqa: RUF012
        TRANSFORMS.pop(exp.IntDiv, None)
        TRANSFORMS.pop(exp.Cast, None)


class _Trino(Trino):
    class Generator(Trino.Generator):
        """Its `/` of two integers is the division that is meant; by way of DOUBLE it loses ticks."""

        TRANSFORMS = {**Trino.Generator.TRANSFORMS}  # noqa: RUF012
        TRANSFORMS[exp.IntDiv] = lambda self, node: self.binary(node, "/")


@dataclass(frozen=True)
class Engine:
    """An engine that the models are rendered for; `note` says in each text how far it is to be trusted."""

    name: str
    title: str
    dialect: type[sqlglot.Dialect]
    note: str


ENGINES = (
    Engine(
        "clickhouse",
        "ClickHouse",
        _ClickHouse,
        "Tested with chDB against DuckDB, in a session that sets what sources/clickhouse.sql sets first.",
    ),
    Engine("spark", "Spark", Spark, "Untested: no test runs this text on an engine yet."),
    Engine("trino", "Trino", _Trino, "Untested: no test runs this text on an engine yet."),
)


def rendered(sql: str, engine: Engine) -> str:
    """A model's or an audit's query in an engine's words; UnsupportedError names what cannot be said."""
    tree = sqlglot.parse_one(sql, dialect="duckdb")
    refused = sorted(set(_refused(tree)))
    if refused:
        raise UnsupportedError(f"not known to be alike on every engine: {', '.join(refused)}")
    return engine.dialect().generate(
        _widened(tree),
        copy=False,
        comments=False,
        pretty=True,
        unsupported_level=sqlglot.ErrorLevel.RAISE,
    )


def texts() -> dict[Path, str]:
    """What there is to be, by its path: for each engine each model's text, and that of its audits."""
    found: dict[Path, str] = {}
    for engine in ENGINES:
        folder = FOLDER / "rendered" / engine.name
        for path in sorted(FOLDER.glob("*.sql")):
            found[folder / path.name] = _model(path, engine)
            audits: list[dict[str, str]] = yaml.safe_load(path.with_suffix(".yml").read_text("utf-8"))[
                "audits"
            ]
            if audits:
                found[folder / f"{path.stem}.audits.sql"] = _audits(path.with_suffix(".yml"), audits, engine)
    return found


def _model(path: Path, engine: Engine) -> str:
    sql = path.read_text("utf-8")
    return "\n".join([*_origin(path, engine), *_head(sql), _said(path, sql, engine), ""])


def _audits(path: Path, audits: Iterable[dict[str, str]], engine: Engine) -> str:
    parts = [f"\n-- No row: {audit['holds']}.\n{_said(path, audit['sql'], engine)};" for audit in audits]
    return "\n".join([*_origin(path, engine), *parts, ""])


def _said(path: Path, sql: str, engine: Engine) -> str:
    try:
        return rendered(sql, engine)
    except UnsupportedError as error:
        raise UnsupportedError(f"{path.name} for {engine.title}: {error}") from error


def _origin(path: Path, engine: Engine) -> list[str]:
    origin = f"chargeback/models/{path.name} for {engine.title}"
    return [f"-- Rendered by scripts/render from {origin}; not to be edited.", f"-- {engine.note}"]


def _head(sql: str) -> Iterator[str]:
    """The comment that a model begins with: its grain, keys and units."""
    for line in sql.splitlines():
        if not line.startswith("--"):
            return
        yield line


def _refused(tree: exp.Expression) -> Iterator[str]:
    for node in tree.walk():
        if isinstance(node, exp.Func) and not isinstance(node, _ALIKE):
            yield node.name.lower() if isinstance(node, exp.Anonymous) else node.sql_name().lower()
        if isinstance(node, exp.DataType) and node.this not in _TYPES:
            yield f"type {node.sql().lower()}"


def _widened(tree: exp.Expression) -> exp.Expression:
    """The same tree with each integer said to be of 64 bits, where an engine would choose for itself."""

    def widen(node: exp.Expression) -> exp.Expression:
        bare = isinstance(node, exp.Literal) and node.is_int and isinstance(node.parent, _VALUES)
        narrow = isinstance(node.this if isinstance(node, exp.Window) else node, _NARROW)
        inside = isinstance(node.parent, exp.Window) or _is_bigint(node.parent)
        return exp.cast(node.copy(), "bigint") if (bare or narrow) and not inside else node

    # From the leaves up, for a node that is put inside another one would be found again.
    for node in reversed(list(tree.walk())):
        wide = widen(node)
        if wide is not node:
            node.replace(wide)
    return tree


def _is_bigint(node: Any) -> bool:
    return isinstance(node, exp.Cast) and node.to.this == exp.DataType.Type.BIGINT


def main(arguments: Sequence[str]) -> int:
    """Write the texts, or with --check say which are stale; the exit code."""
    try:
        wanted = texts()
    except UnsupportedError as error:
        sys.stderr.write(f"render: {error}\n")
        return 1
    found = {path: path.read_text("utf-8") for path in sorted((FOLDER / "rendered").rglob("*.sql"))}
    stale = sorted(path for path in wanted.keys() | found.keys() if wanted.get(path) != found.get(path))
    if "--check" in arguments:
        names = ", ".join(str(path.relative_to(FOLDER / "rendered")) for path in stale)
        sys.stderr.write(f"render: stale: {names}; run scripts/render\n" if stale else "")
        return 1 if stale else 0
    for path in stale:
        if path in wanted:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted[path], "utf-8")
        else:
            path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
