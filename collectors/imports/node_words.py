"""The words of Slurm and Kubernetes for the state of a node, in ours; docs/import.md gives the reasons.

Slurm joins a base state and flags (`IDLE+DRAIN`, `DOWN*+DRAIN`), in sinfo a flag is a sign after the word
(`idle~`); kubectl joins with commas (`Ready,SchedulingDisabled`). UNKNOWN is no word here: it says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from collectors.imports.rows import refuse
from collectors.imports.track_maps import STATES

__all__ = ["FLAGS", "WORDS", "state_of"]

_FIRST = ("absent", "provisioning", "maintenance", "drained", "failed", "system", "available")
"""Which of several counts: no machine, then what somebody decided, then what has befallen it."""

_SAYING = {
    "available": "idle mixed mix allocated alloc completing comp planned plnd reserved resv perfctrs npc"
    " blocked reboot_requested ready",
    "provisioning": "powering_up power_up pow_up powering_down power_down pow_dn",
    "maintenance": "maint maintenance reboot reboot_issued boot",
    "drained": "drain drained draining drng schedulingdisabled unschedulable cordoned",
    "failed": "down fail failing failg error inval invalid_reg not_responding notready",
    "absent": "powered_down future futr",
}
WORDS: dict[str, str | None] = {
    **{word: state for state, words in _SAYING.items() for word in words.split()},
    **{state: state for state in STATES},
    **dict.fromkeys(("cloud", "dynamic_norm")),
}
"""A word, small, to our state; None says something else about a node."""

FLAGS: dict[str, str | None] = {
    "*": "failed",
    "$": "maintenance",
    "^": "maintenance",
    "~": "absent",
    "#": "provisioning",
    "%": "provisioning",
    "!": None,
    "@": None,
    "-": None,
}
"""A sign after a word of sinfo to our state; None leaves the word as it is."""

_WORD = re.compile(r"([A-Za-z_]+)([*$^~#%!@-]*)", re.ASCII)
_REMEMBERED = 1 << 12
_MEND = "give it a meaning under states in the map"


def state_of(own: Callable[[str], str | None]) -> Callable[[str], str]:
    """A function that gives our state for a source's text; `own` is what the map says, which goes first.

    The whole text is asked for first, then each of its words: of several the first by `_FIRST` counts.
    """

    @lru_cache(_REMEMBERED)
    def state(text: str) -> str:
        if not text:
            refuse("state is empty")
        if (whole := own(text)) is not None:
            return whole
        found = [said for word in re.split("[+,]", text) for said in _said(word.strip(), text, own)]
        if not found:
            refuse("state is not known", f"{text}: {_MEND}")
        return min(found, key=_FIRST.index)

    return state


def _said(word: str, text: str, own: Callable[[str], str | None]) -> list[str]:
    """The states that one word of a text speaks of."""
    if not word:
        return []
    if (said := own(word)) is not None:
        return [said]
    parts = _WORD.fullmatch(word)
    base, signs = (parts[1], parts[2]) if parts else (word, "")
    if (said := own(base)) is None:
        if base.lower() not in WORDS:
            where = text if text == base else f"{base} in {text}"
            refuse("state is not known", f"{where}: {_MEND}")
        said = WORDS[base.lower()]
    return [one for one in (said, *(FLAGS[sign] for sign in signs)) if one is not None]
