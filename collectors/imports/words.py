"""The words of a source in ours, as a map gives them: globs, in whatever case, of which the first counts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fnmatch import translate
from functools import lru_cache

__all__ = ["words_of"]

_REMEMBERED = 1 << 12


def words_of(said: Mapping[str, str]) -> Callable[[str], str | None]:
    """A function that gives our word for one of the source's, None where no glob fits it.

    >>> words_of({"DRAIN*": "drained", "*": "available"})("draining")
    'drained'
    """
    globs = [(re.compile(translate(glob), re.IGNORECASE), word) for glob, word in said.items()]

    @lru_cache(_REMEMBERED)
    def word(text: str) -> str | None:
        return next((word for glob, word in globs if glob.fullmatch(text)), None)

    return word
