"""Read a column map from YAML, and say in which line it is wrong.

An unknown key, a key given twice and a contradiction are a `ColumnMapError`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import ValidationError

from collectors.imports.column_map import ColumnMap
from gpuledger.errors import ColumnMapError
from gpuledger.yaml_files import Document, Loc, explained, read_yaml, read_yaml_file

__all__ = ["load_map", "read_map"]

M = TypeVar("M", bound=ColumnMap)


def read_map(path: Path, model: type[M]) -> M:
    """Read the map of one kind from a file; raises `ColumnMapError` with file and line."""
    mend = "name a map of columns that you may read, as UTF-8 YAML, with --map"
    return _checked(read_yaml_file(path, noun="map", error=ColumnMapError, mend=mend), model)


def load_map(text: str, model: type[M], *, file: str) -> M:
    """Read the map of one kind from YAML text; `file` is what errors name."""
    return _checked(read_yaml(text, file, noun="map", error=ColumnMapError), model)


def _checked(document: Document, model: type[M]) -> M:
    if not isinstance(document.value, dict):
        raise document.wrong("the map is empty, or no mapping", mend="begin it with kind: and columns:")
    _check_kind(document, model)
    value = _with_constants(document)
    try:
        column_map = model.model_validate(value)
        column_map._read_from = document.file
        return column_map
    except ValidationError as error:
        raise explained(
            error,
            model,
            document,
            written=lambda loc: _written(document, loc),
            missing="say which column it is; docs/import.md lists the fields",
            other="docs/import.md shows each key with an example",
        ) from error


def _check_kind(document: Document, model: type[ColumnMap]) -> None:
    (asked,) = get_args(model.model_fields["kind"].annotation)
    said = document.value.get("kind")
    if said != asked:
        raise document.wrong(
            f"the map is of kind {said!r}" if said else "the map does not say its kind",
            ("kind",),
            mend=f"write kind: {asked}, or import the file with the command of its own kind",
        )


def _with_constants(document: Document) -> dict[str, Any]:
    """The map with each of its `constants` put among its columns."""
    value = document.value
    constants, columns = value.get("constants") or {}, value.get("columns") or {}
    if not isinstance(constants, dict) or not isinstance(columns, dict):
        key = "columns" if isinstance(constants, dict) else "constants"
        raise document.wrong(f"{key} is no mapping", (key,), mend="write field: column")
    if "labels" in constants:
        raise document.wrong(
            "labels is no constant: each label is a cell of its own",
            ("constants", "labels"),
            mend="write labels: {name: {constant: text}} under columns",
        )
    for name in constants:
        if name in columns:
            raise document.wrong(
                f"{name} is both a constant and a column",
                ("constants", name),
                mend="keep one of the two; {column: …, missing: …} gives a constant to empty cells only",
            )
    cells = columns | {name: {"constant": text} for name, text in constants.items()}
    return {key: item for key, item in value.items() if key != "constants"} | {"columns": cells}


def _written(document: Document, loc: Loc) -> Loc:
    """Where a field stands: a constant was put among the columns."""
    constants = document.value.get("constants") or {}
    return ("constants", *loc[1:]) if loc[:1] == ("columns",) and loc[1:2] and loc[1] in constants else loc
