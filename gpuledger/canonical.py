"""Canonical JSON, and digests of it: one text for one value, on every machine and Python."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

__all__ = ["canonical_json", "file_digest", "text_digest"]


def canonical_json(value: Any) -> str:
    """The value as JSON with its keys in code-point order, without blanks, as UTF-8 text unescaped.

    Only whole numbers, text, true, false, null, lists and objects with text as keys; a float is a TypeError.
    """
    _refuse_floats(value)
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def text_digest(text: str) -> str:
    """SHA-256 of a text's UTF-8, as 64 hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def file_digest(path: Path) -> str:
    """SHA-256 of a file's bytes, as 64 hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _refuse_floats(value: Any) -> None:
    if isinstance(value, float):
        raise TypeError(f"{value!r} has no canonical text")
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _refuse_floats(part)
