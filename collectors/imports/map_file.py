"""Read a column map from YAML, and say in which line it is wrong.

Every scalar is taken as text, so that `no`, `1e3` and `2026-10-15` stay what was written. An unknown key, a
key given twice and a contradiction are a `ColumnMapError`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, ValidationError

from collectors.imports.column_map import ColumnMap
from gpuledger.errors import ColumnMapError, Place

__all__ = ["load_map", "read_map"]

M = TypeVar("M", bound=ColumnMap)

Loc = tuple[int | str, ...]


def read_map(path: Path, model: type[M]) -> M:
    """Read the map of one kind from a file; raises `ColumnMapError` with file and line."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ColumnMapError(
            f"the map cannot be read: {error}",
            place=Place(file=str(path)),
            mend="name a map of columns that you may read, as UTF-8 YAML, with --map",
        ) from error
    return load_map(text, model, file=str(path))


def load_map(text: str, model: type[M], *, file: str) -> M:
    """Read the map of one kind from YAML text; `file` is what errors name."""
    try:
        root = yaml.compose(text, Loader=yaml.BaseLoader)
        value = _plain(root, file)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise ColumnMapError(
            f"the map is no YAML: {error.problem}", place=Place(file, line=line), mend="mend that line"
        ) from error
    if not isinstance(value, dict):
        raise ColumnMapError(
            "the map is empty, or no mapping", place=Place(file), mend="begin it with kind: and columns:"
        )
    _check_kind(value, model, root, file)
    try:
        return model.model_validate(_with_constants(value, root, file))
    except ValidationError as error:
        raise _map_error(error, model, root, file) from error


def _plain(node: yaml.Node | None, file: str) -> Any:
    """The node as dicts, lists and text; a key that is given twice is an error, which PyYAML lets pass."""
    if isinstance(node, yaml.MappingNode):
        plain: dict[str, Any] = {}
        for key, item in node.value:
            name = str(_plain(key, file))
            if name in plain:
                raise ColumnMapError(
                    f"{name!r} is given twice", place=Place(file, line=_line(key)), mend="keep one of the two"
                )
            plain[name] = _plain(item, file)
        return plain
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item, file) for item in node.value]
    return None if node is None else node.value


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _check_kind(value: Mapping[str, Any], model: type[ColumnMap], root: yaml.Node | None, file: str) -> None:
    (asked,) = get_args(model.model_fields["kind"].annotation)
    said = value.get("kind")
    if said != asked:
        raise ColumnMapError(
            f"the map is of kind {said!r}" if said else "the map does not say its kind",
            place=Place(file, line=_line_of(root, ("kind",)) if said else None),
            mend=f"write kind: {asked}, or import the file with the command of its own kind",
        )


def _with_constants(value: Mapping[str, Any], root: yaml.Node | None, file: str) -> dict[str, Any]:
    """The map with each of its `constants` put among its columns."""
    constants, columns = value.get("constants") or {}, value.get("columns") or {}
    if not isinstance(constants, dict) or not isinstance(columns, dict):
        key = "columns" if isinstance(constants, dict) else "constants"
        raise ColumnMapError(
            f"{key} is no mapping", place=Place(file, line=_line_of(root, (key,))), mend="write field: column"
        )
    for field in constants:
        if field in columns:
            raise ColumnMapError(
                f"{field} is both a constant and a column",
                place=Place(file, line=_line_of(root, ("constants", field))),
                mend="keep one of the two; {column: …, missing: …} gives a constant to empty cells only",
            )
    cells = columns | {field: {"constant": text} for field, text in constants.items()}
    return {key: item for key, item in value.items() if key != "constants"} | {"columns": cells}


def _map_error(
    error: ValidationError, model: type[BaseModel], root: yaml.Node | None, file: str
) -> ColumnMapError:
    """The first thing that is wrong, in the words of the map."""
    first = error.errors(include_url=False)[0]
    loc: Loc = first["loc"]
    name = ".".join(str(part) for part in loc)
    if first["type"] == "extra_forbidden":
        message, mend = f"{name} is not a key of a map", _known_keys(str(loc[-1]), _model_at(model, loc[:-1]))
    elif first["type"] == "missing":
        message, mend = f"{name} is missing", "say which column it is; docs/import.md lists the fields"
    else:
        reason = first["msg"].removeprefix("Value error, ")
        message, mend = (
            f"{name}: {reason}" if name else reason,
            "docs/import.md shows each key with an example",
        )
    return ColumnMapError(message, place=Place(file, line=_line_of(root, loc)), mend=mend)


def _known_keys(key: str, model: type[BaseModel] | None) -> str:
    known = [] if model is None else list(model.model_fields)
    close = get_close_matches(key, known, n=1)
    return f"write {close[0]}" if close else "known here: " + ", ".join(known)


def _model_at(model: type[BaseModel], loc: Loc) -> type[BaseModel] | None:
    """The model that checks what stands at a place of the map, or None where that is no mapping of ours."""
    for part in loc:
        field = model.model_fields.get(str(part))
        inner = [] if field is None else list(_models_in(field.annotation))
        if not inner:
            return None
        model = inner[0]
    return model


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models_in(part)


def _line_of(root: yaml.Node | None, loc: Loc) -> int | None:
    """The line of the deepest part of a place that is written in the map."""
    node, line = root, None
    for part in loc:
        found = _child(node, part) or (_child(_child(root, "constants"), part) if line is not None else None)
        if found is None:
            break
        node, line = found, _key_line(node, part) or _line(found)
    return line


def _child(node: yaml.Node | None, part: int | str) -> yaml.Node | None:
    if isinstance(node, yaml.MappingNode):
        return next((item for key, item in node.value if key.value == str(part)), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        item: yaml.Node = node.value[part]
        return item
    return None


def _key_line(node: yaml.Node | None, part: int | str) -> int | None:
    if isinstance(node, yaml.MappingNode):
        return next((_line(key) for key, _ in node.value if key.value == str(part)), None)
    return None
