"""Lists of nodes as Slurm writes them: `n[01-03,7],gpu-a` is five nodes."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import product

from collectors.imports.rows import refuse

__all__ = ["hosts"]

_MOST = 100_000
_REMEMBERED = 1 << 12
_NAME = re.compile(r"(?:[^\[\],\s]|\[[0-9,-]+\])+", re.ASCII)
_PIECE = re.compile(r"\[([0-9,-]+)\]|([^\[\],\s]+)", re.ASCII)
_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?", re.ASCII)


@lru_cache(_REMEMBERED)
def hosts(text: str) -> tuple[str, ...]:
    """The nodes that a list names, each once, in its order; raises `BadRow` for what is no list.

    >>> hosts("n[09-11,3],gpu-a")
    ('n09', 'n10', 'n11', 'n3', 'gpu-a')
    """
    found: list[str] = []
    at = 0
    while at < len(text):
        name = _NAME.match(text, at)
        if name is None or text[name.end() : name.end() + 1] not in ("", ","):
            refuse("nodes is no list of nodes", text[:80])
        choices = [_choices(numbers, fixed, text) for numbers, fixed in _PIECE.findall(name[0])]
        found += ("".join(parts) for parts in product(*choices))
        if len(found) > _MOST:
            refuse(f"nodes names more than {_MOST:,} nodes", text[:80])
        at = name.end() + 1
    return tuple(dict.fromkeys(found))


def _choices(numbers: str, fixed: str, text: str) -> list[str]:
    """What one piece of a name may be: itself, or each number of its brackets with their leading zeros."""
    if not numbers:
        return [fixed]
    found: list[str] = []
    for part in numbers.split(","):
        span = _RANGE.fullmatch(part)
        first, last = (span[1], span[2] or span[1]) if span else ("1", "0")
        if int(last) < int(first) or int(last) - int(first) >= _MOST:
            refuse("nodes is no list of nodes", text[:80])
        found += (str(number).zfill(len(first)) for number in range(int(first), int(last) + 1))
    return found
