"""A guess as the text of a map: YAML with a comment on each line that says why."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from collectors.imports.guess import Guess, Guessed, Wanted

__all__ = ["map_text"]

_PLAIN = re.compile(r"[A-Za-z0-9_](?:[\w./ -]*[\w./-])?", re.ASCII)
_ORDER = ("identity", "run", "zone", "time_unit", "nulls", "rows")


def map_text(guess: Guess, *, source: str, delimiter: str | None, heading: Iterable[str]) -> str:
    """The map as YAML; `heading` are lines of comment at its top. What is wanted is a line to fill in."""
    lines = [f"# {line}" for line in (*heading, *(f"Warning: {one}" for one in guess.warnings))]
    lines += [
        f"kind: {guess.kind}",
        f"source: {_scalar(source)}  # by the file's name: keep it from export to export",
    ]
    if delimiter is not None:
        lines.append(f"delimiter: {json.dumps(delimiter)}  # it parts the header's cells")
    wanted = {one.field: one for one in guess.wanted}
    if "identity" in wanted:
        lines.append(_to_fill_in(wanted.pop("identity"), guess.left))
    lines += _keys(guess)
    lines += ["columns:", *(f"  {_line(found)}" for found in guess.fields)]
    if guess.labels:
        lines += ["  labels:", *(f"    {_line(found)}" for found in guess.labels)]
    lines += [f"  {_to_fill_in(one, guess.left)}" for one in wanted.values()]
    if "node" in wanted and guess.kind == "holdings":
        lines.append("# capacity: assumed  # instead of node, if the file knows none: a slot per unit held")
    if guess.left:
        lines.append(f"# mapped nowhere: {', '.join(guess.left)}")
    return "\n".join(lines) + "\n"


def _keys(guess: Guess) -> Iterator[str]:
    for name in _ORDER:
        if name in guess.keys:
            value, why = guess.keys[name]
            if name == "rows":
                text = f'{{without: {{{_scalar(str(value))}: [""]}}}}'
            else:
                text = _scalar(value) if isinstance(value, str) else f"[{', '.join(map(_scalar, value))}]"
            yield f"{name}: {text}  # {why}"


def _line(found: Guessed) -> str:
    more = "".join(f", {key}: {_scalar(text)}" for key, text in found.more.items())
    column = _scalar(found.column)
    cell = f"{{column: {column}{more}}}" if more else column
    return f"{_scalar(found.field)}: {cell}  # column {found.column!r}: {found.why}"


def _to_fill_in(wanted: Wanted, left: list[str]) -> str:
    """A required line, behind a mark of comment until somebody knows better."""
    if wanted.column:
        epoch = "write that instant as epoch: above, and " if "counts from" in wanted.why else ""
        why = f"{wanted.why}; {epoch}take the first # away if it is right"
        return f"# {wanted.field}: {_scalar(wanted.column)}  # {why}"
    among = f"; columns left: {', '.join(left)}" if left else ""
    return f"# {wanted.field}:  # {wanted.why}{among}"


def _scalar(text: str) -> str:
    """The text as a scalar that YAML reads back as it is, in a list or mapping of one line too."""
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)
