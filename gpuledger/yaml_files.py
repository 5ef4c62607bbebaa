"""Read YAML that people write, and say in which line it is wrong.

Every scalar is taken as text, so that `no`, `1e3` and `2026-10-15` stay what was written: what a text means
is up to the model that checks it. A key given twice, which PyYAML lets pass, is an error.

>>> document = read_yaml("zone: Asia/Tokyo\\nrates: [1, 2]\\n", "site.yaml")
>>> document.value
{'zone': 'Asia/Tokyo', 'rates': ['1', '2']}
>>> document.line(("rates", 1))
2
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, get_args, get_origin

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from gpuledger.errors import InputError, Place
from gpuledger.text_files import read_text

__all__ = ["Document", "Loc", "explained", "read_yaml", "read_yaml_file"]

Loc = tuple[int | str, ...]
"""A place inside a document: keys and numbers of items (from 0), from the outside in."""

_UNKEPT = re.compile("[\\0\\ud800-\\udfff]")
_TAB = "found character '\\t'"


@dataclass(frozen=True)
class Document:
    """What a file of YAML says: `value` as dicts, lists and text, and the line of each part of it.

    An empty scalar is the empty text, an empty file None. `noun` is what errors call it, `error` their kind.
    """

    file: str
    noun: str
    error: type[InputError]
    value: Any
    _root: yaml.Node | None = field(repr=False)

    def line(self, loc: Loc) -> int | None:
        """The line of the deepest part of a place that is written; None where no part of it is."""
        node, line = self._root, None
        for part in loc:
            if (found := _child(node, part)) is not None:
                node, line = found[1], _line(found[0])
        return line

    def wrong(self, message: str, loc: Loc = (), *, mend: str) -> InputError:
        """The error that says what is wrong at a place, to be raised."""
        return self.error(message, place=Place(self.file, line=self.line(loc)), mend=mend)


def read_yaml_file(
    path: Path, *, noun: str = "file", error: type[InputError] = InputError, mend: str = ""
) -> Document:
    """Read a file of YAML; raises `error` where it cannot be read, with this mend, or is no YAML."""
    mend = mend or f"name a {noun} that you may read, as UTF-8 YAML"
    text = read_text(path, noun=noun, error=error, mend=mend)
    return read_yaml(text, str(path), noun=noun, error=error)


def read_yaml(text: str, file: str, *, noun: str = "file", error: type[InputError] = InputError) -> Document:
    """Read YAML text; `file` is what errors name. Raises `error` for no YAML, and for a key given twice."""

    def refuse(message: str, line: int | None, mend: str) -> InputError:
        return error(message, place=Place(file, line=line), mend=mend)

    try:
        root = yaml.compose(text, Loader=yaml.BaseLoader)
        return Document(file, noun, error, _plain(root), root)
    except yaml.MarkedYAMLError as raised:
        raise refuse(*_no_yaml(raised, noun)) from raised
    except yaml.reader.ReaderError as raised:
        line = text.count("\n", 0, raised.position) + 1
        raise refuse(f"the {noun} is no YAML: {raised.reason}", line, "mend that line") from raised
    except _Twice as raised:
        raise refuse(f"{raised} is given twice", raised.line, "keep one of the two") from raised
    except _Unkept as raised:
        raise refuse(
            f"{raised} is no text that can be kept", raised.line, "leave that escape out"
        ) from raised
    except RecursionError as raised:
        raise refuse(
            f"the {noun} is nested too deeply, or in itself", None, "write it without anchors"
        ) from raised


def explained(
    error: ValidationError,
    model: type[BaseModel],
    document: Document,
    *,
    written: Callable[[Loc], Loc] = lambda loc: loc,
    missing: str = "write it",
    other: str = "",
) -> InputError:
    """The first thing that is wrong by a model, in the document's words: what, in which line, what to write.

    A key that the model does not know comes first, since a misspelt key is a missing one as well. `written`
    tells where a place of the model stands in the document, if elsewhere; `missing` and `other` are the mends
    for a key that is not there and for a value that is wrong.
    """
    found = error.errors(include_url=False)
    first = next((one for one in found if one["type"] == "extra_forbidden"), found[0])
    message, mend = _said(first, model, document.noun, missing, other)
    return document.wrong(message, written(first["loc"]), mend=mend)


class _Written(Exception):
    """What is written in a line cannot be."""

    def __init__(self, text: str, line: int) -> None:
        super().__init__(repr(text))
        self.line = line


class _Twice(_Written):
    """A key is given twice."""


class _Unkept(_Written):
    """An escape stands for a NUL or for half a character, which no database keeps."""


def _no_yaml(raised: yaml.MarkedYAMLError, noun: str) -> tuple[str, int | None, str]:
    """What is wrong with text that is no YAML, in which line, and the mend."""
    line = raised.problem_mark.line + 1 if raised.problem_mark else None
    if (raised.problem or "").startswith(_TAB):
        return f"the {noun} is no YAML: a tab", line, "YAML is indented with blanks: write blanks for the tab"
    return f"the {noun} is no YAML: {raised.problem}", line, "mend that line"


def _plain(node: yaml.Node | None) -> Any:
    """The node as dicts, lists and text."""
    if isinstance(node, yaml.MappingNode):
        plain: dict[str, Any] = {}
        for key, item in node.value:
            name = str(_plain(key))
            if name in plain:
                raise _Twice(name, _line(key))
            plain[name] = _plain(item)
        return plain
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item) for item in node.value]
    if isinstance(node, yaml.ScalarNode) and _UNKEPT.search(node.value):
        raise _Unkept(node.value, _line(node))
    return None if node is None else node.value


def _child(node: yaml.Node | None, part: int | str) -> tuple[yaml.Node, yaml.Node] | None:
    """The node at a key or number, after the node whose line is its own: its key, or an item itself."""
    if isinstance(node, yaml.MappingNode):
        return next(((key, item) for key, item in node.value if key.value == str(part)), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part], node.value[part]
    return None


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _said(
    first: ErrorDetails, model: type[BaseModel], noun: str, missing: str, other: str
) -> tuple[str, str]:
    """The message and the mend of one error of a model."""
    loc = first["loc"]
    name = ".".join(str(part) for part in loc)
    if first["type"] == "extra_forbidden":
        return f"{name} is not a key of a {noun}", _known_keys(str(loc[-1]), _models_at(model, loc[:-1]))
    if first["type"] == "missing":
        return f"{name} is missing", missing
    reason = first["msg"].removeprefix("Value error, ")
    return f"{name}: {reason}" if name else reason, other


def _known_keys(key: str, models: Sequence[type[BaseModel]]) -> str:
    known = list(dict.fromkeys(name for model in models for name in _fields(model)))
    close = get_close_matches(key, known, n=1)
    return f"write {close[0]}" if close else "known here: " + ", ".join(known)


def _models_at(model: type[BaseModel], loc: Loc) -> list[type[BaseModel]]:
    """The models that may check what stands at a place; a part that names a choice of a union is passed."""
    annotations: list[Any] = [model]
    for part in loc:
        inner = [one for annotation in annotations for one in _inside(annotation, part)]
        annotations = inner or annotations
    return [found for annotation in annotations for found in _models_in(annotation)]


def _inside(annotation: Any, part: int | str) -> Iterator[Any]:
    """What checks the part of this key or number in a value that the annotation checks."""
    if _is_model(annotation):
        if (inner := _fields(annotation).get(str(part))) is not None:
            yield inner
    elif isinstance(origin := get_origin(annotation), type) and issubclass(origin, Mapping):
        yield get_args(annotation)[1]
    elif isinstance(origin, type) and issubclass(origin, Sequence):
        if isinstance(part, int):
            yield from (one for one in get_args(annotation) if one is not ...)
    else:
        for one in get_args(annotation):
            yield from _inside(one, part)


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if _is_model(annotation):
        yield annotation
    for one in get_args(annotation):
        yield from _models_in(one)


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _fields(model: type[BaseModel]) -> dict[str, Any]:
    """The annotation of each key of a model, under the name by which it is written."""
    return {found.alias or name: found.annotation for name, found in model.model_fields.items()}
