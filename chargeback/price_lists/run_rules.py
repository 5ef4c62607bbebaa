"""How a run of a node is counted: started steps, a minimum, what is free, and who ended it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Final

from gpuledger.errors import InputError
from gpuledger.instants import SANE_END_S

__all__ = ["OPEN_END_S", "RunRules", "Span", "charged_spans", "read_rules", "write_rules"]

OPEN_END_S: Final = SANE_END_S
"""Where the last stretch of a run ends that goes on: Unix seconds, after all that can be held."""

PROVIDER: Final = "provider"

Span = tuple[int, int, Fraction]
"""A stretch `[from, to)` in Unix seconds, and the multiple of the rate that is charged over it."""

_ROUNDING: Final = ("up", "down")
_INTERRUPTED: Final = ("", "up", "down", "as_used")


@dataclass(frozen=True)
class RunRules:
    """The rules of counting one run of a node, in seconds; by default every second counts, and none is free.

    After `free_s` the run is counted in steps: the first is `minimum_s` long where there is a minimum, each
    other one `granularity_s`. A step that is begun and not ended is counted whole (`rounding` "up") or not
    at all ("down"), but a minimum always counts. Where the provider ends the run, `interrupted_rounding` says
    what becomes of that step, the minimum too: "up", "down", "as_used", or "" as if the user had ended it;
    and a run that it ends after at most `interrupted_free_s` costs nothing.
    """

    granularity_s: int = 1
    minimum_s: int = 0
    rounding: str = "up"
    free_s: int = 0
    interrupted_free_s: int = 0
    interrupted_rounding: str = ""

    def __post_init__(self) -> None:
        """Raise InputError for what cannot be a rule."""
        least = {"granularity_s": 1, "minimum_s": 0, "free_s": 0, "interrupted_free_s": 0}
        for name, bound in least.items():
            if getattr(self, name) < bound:
                raise InputError(f"{name} is {getattr(self, name)}", mend=f"write at least {bound}")
        for name, known in (("rounding", _ROUNDING), ("interrupted_rounding", _INTERRUPTED)):
            if getattr(self, name) not in known:
                raise InputError(
                    f"{name} is {getattr(self, name)!r}", mend=f"write {' or '.join(filter(None, known))}"
                )
        if 0 < self.minimum_s < self.granularity_s:
            raise InputError(
                f"a minimum of {self.minimum_s} s is shorter than a step of {self.granularity_s} s",
                mend="leave the minimum out: a started step is counted whole already",
            )


def read_rules(text: str) -> RunRules:
    """The rules of a price, from its JSON; "" is every second. Raises InputError for what is no rule."""
    try:
        said = json.loads(text) if text else {}
        known = {one.name: type(one.default) for one in fields(RunRules)}
        if not isinstance(said, dict) or any(
            type(value) is not known.get(key) for key, value in said.items()
        ):
            raise ValueError("no object of rules")
    except ValueError as error:
        raise InputError(
            f"{text[:80]!r} are no rules of counting a run",
            mend=f"write a JSON object of {', '.join(one.name for one in fields(RunRules))}",
        ) from error
    return RunRules(**said)


def write_rules(rules: RunRules) -> str:
    """The rules as canonical JSON, with the keys alone that say something; "" where none does.

    >>> write_rules(RunRules(minimum_s=60))
    '{"minimum_s":60}'
    """
    said = {
        one.name: getattr(rules, one.name) for one in fields(rules) if getattr(rules, one.name) != one.default
    }
    return json.dumps(said, sort_keys=True, separators=(",", ":")) if said else ""


def charged_spans(rules: RunRules, start_s: int, end_s: int | None, ended_by: str) -> list[Span]:
    """The stretches of a run over `[start_s, end_s)`, in order and without a gap, with what is charged.

    `end_s` None is still running: the last stretch ends at `OPEN_END_S`. An empty `ended_by` counts as if
    the user had ended it. Only the step that was begun last has a multiple other than 0 and 1, so what is
    before it never changes when a run goes on; a run that the provider ends early may still become free. A
    run of no length has no stretch, and so costs nothing.
    """
    until_s = OPEN_END_S if end_s is None else end_s
    interrupted = end_s is not None and ended_by == PROVIDER
    paid_s = min(start_s + rules.free_s, until_s)
    if interrupted and until_s - start_s <= rules.interrupted_free_s:
        paid_s = until_s
    spans = [(start_s, paid_s, Fraction(0))]
    if end_s is None:
        spans.append((paid_s, until_s, Fraction(1)))
    elif paid_s < end_s:
        begun_s, length_s = _last_step(rules, paid_s, end_s)
        multiple = _multiple(rules, length_s, end_s - begun_s, interrupted, begun_s == paid_s)
        spans += [(paid_s, begun_s, Fraction(1)), (begun_s, end_s, multiple)]
    return _merged(spans)


def _last_step(rules: RunRules, paid_s: int, end_s: int) -> tuple[int, int]:
    """When the step began in which the run ended, and how long that step is."""
    first_s = rules.minimum_s or rules.granularity_s
    if end_s - paid_s <= first_s:
        return paid_s, first_s
    whole = (end_s - paid_s - first_s - 1) // rules.granularity_s
    return paid_s + first_s + whole * rules.granularity_s, rules.granularity_s


def _multiple(rules: RunRules, length_s: int, used_s: int, interrupted: bool, is_first: bool) -> Fraction:
    """What of the rate is charged over the part of a step that was used."""
    rounding = "up" if rules.minimum_s and is_first else rules.rounding
    if interrupted and rules.interrupted_rounding:
        rounding = rules.interrupted_rounding
    if length_s == used_s or rounding == "as_used":
        return Fraction(1)
    return Fraction(length_s, used_s) if rounding == "up" else Fraction(0)


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Without the stretches of no length, and with neighbours of one multiple as one."""
    found: list[Span] = []
    for begin, end, multiple in spans:
        if begin == end:
            continue
        if found and found[-1][2] == multiple:
            found[-1] = (found[-1][0], end, multiple)
        else:
            found.append((begin, end, multiple))
    return found
