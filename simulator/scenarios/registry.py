"""What scenarios there are, and the worlds that they make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gpuledger.errors import InputError
from simulator.base_world import Plan
from simulator.world import World

__all__ = ["MONEY", "SCENARIOS", "Scenario", "make_world", "names", "scenario"]

LEAST_GPUS = 4
MONEY = "money"
"""A year of money, which `simulator.money` makes: it has no samples and a fleet of its own."""
_MOST_STEP_S = 900


@dataclass(frozen=True)
class Scenario:
    """One scenario: its name, what happens in it, what makes its world, and the days that it needs."""

    name: str
    sentence: str
    make: Callable[[Plan], World]
    least_days: int = 1


SCENARIOS: dict[str, Scenario] = {}
"""All scenarios by name."""


def scenario(
    name: str, sentence: str, *, least_days: int = 1
) -> Callable[[Callable[[Plan], World]], Callable[[Plan], World]]:
    """Register the function below as what makes a scenario's world."""

    def register(make: Callable[[Plan], World]) -> Callable[[Plan], World]:
        SCENARIOS[name] = Scenario(name, sentence, make, least_days)
        return make

    return register


def names() -> str:
    """The names of all scenarios, money among them, as help and errors list them."""
    return ", ".join(sorted([*SCENARIOS, MONEY]))


def make_world(name: str, plan: Plan) -> World:
    """The world of a scenario; InputError for one that is not there, or for less than it needs."""
    if name not in SCENARIOS:
        raise InputError(f"there is no scenario {name!r}", mend=f"choose one of {names()}")
    chosen = SCENARIOS[name]
    if plan.gpus < LEAST_GPUS:
        raise InputError(
            f"{plan.gpus} GPUs are too few: each kind of node needs one", mend=f"ask for {LEAST_GPUS} or more"
        )
    if plan.days < chosen.least_days:
        raise InputError(
            f"{name} needs {chosen.least_days} days, not {plan.days}", mend=f"give --days {chosen.least_days}"
        )
    if plan.step_s < 1 or _MOST_STEP_S % plan.step_s:
        raise InputError(
            f"{plan.step_s} s is no divisor of {_MOST_STEP_S} s: cells would straddle an hour",
            mend="give --step 15, 30 or 60",
        )
    return chosen.make(plan)
