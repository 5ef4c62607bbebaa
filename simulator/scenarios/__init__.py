"""The scenarios: each a small file that changes the fleet that all begin with, found by being here.

A file registers a function by name and sentence; the command's help and the users' page come from that.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from simulator.scenarios.registry import MONEY, SCENARIOS, Scenario, make_world, names, scenario

__all__ = ["MONEY", "SCENARIOS", "Scenario", "make_world", "names", "scenario"]

for _found in iter_modules(__path__):
    import_module(f"{__name__}.{_found.name}")
