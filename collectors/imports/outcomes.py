"""The words of Slurm and Kubernetes for how a run ended, in ours; docs/import.md gives the reasons.

A word that no table knows is no reason to lose a holding: how it ended is then not known, and the import
says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Literal

from collectors.imports.words import words_of

__all__ = ["LOSSES", "OUTCOMES", "WORDS", "Outcome", "Outcomes"]

Outcome = Literal["completed", "failed", "preempted", "timeout", "cancelled"]
OUTCOMES: tuple[str, ...] = ("completed", "failed", "preempted", "timeout", "cancelled")
"""How a run may have ended."""

LOSSES = ("failed", "preempted", "timeout")
"""Those that lose what was not kept: nobody who works with the run meant it to end there."""

_SAYING = {
    "completed": "completed cd succeeded",
    "failed": "failed f node_fail nf boot_fail bf out_of_memory oom special_exit se launch_failed lf error"
    " oomkilled containercannotrun",
    "preempted": "preempted pr requeued rq evicted preempting terminationbykubelet nodelost nodeshutdown"
    " shutdown",
    "timeout": "timeout to deadline dl deadlineexceeded",
    "cancelled": "cancelled ca revoked rv",
}
_NOT_OVER = (
    "pending pd running r suspended s completing cg configuring cf resizing rs stopped st signaling si"
    " stage_out so requeue_hold rh requeue_fed rf crashloopbackoff"
)
WORDS: dict[str, str] = {
    **{word: outcome for outcome, words in _SAYING.items() for word in words.split()},
    **{outcome: outcome for outcome in OUTCOMES},
    **dict.fromkeys(_NOT_OVER.split(), ""),
}
"""A word, small, to our outcome; '' says that the run is not over."""


class Outcomes:
    """Reads outcomes; `said` is what the map says of the source's words, which goes first."""

    def __init__(self, said: Mapping[str, str]) -> None:
        self._own = words_of(said)
        self.not_known: Counter[str] = Counter()
        """The words that nobody knows, with how often they came."""

    def read(self, text: str) -> str | None:
        """Our word for how a run ended; None where it is not over, or not known."""
        if not text:
            return None
        if (own := self._own(text)) is not None:
            return own
        found = WORDS.get(_base(text))
        if found is None:
            self.not_known[text] += 1
        return found or None


def _base(text: str) -> str:
    """The word without who did it (`CANCELLED by 1001`), or the sign that it was cut off (`CANCELLED+`)."""
    return text.lower().split()[0].removesuffix("+")
