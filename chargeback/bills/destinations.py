"""What the lines of a bill are for: slots, an account, other lots, nothing of the fleet, or not known."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from glob import escape
from typing import Literal

from chargeback.bills.in_force import LineKey
from chargeback.bills.instances import Instances
from chargeback.bills.rules import LineRule, first_rule
from chargeback.lots.lot import Target
from gpuledger.canonical import canonical_json

__all__ = ["UNKNOWN", "Destination", "destination_of", "target_of"]

Kind = Literal["slots", "account", "follows", "rest", "left_out", "unknown"]

UNKNOWN = "reconciliation"
"""The account of what nothing knows."""


@dataclass(frozen=True, order=True)
class Destination:
    """Where money of lines goes.

    `what` is its name inside a bill. `slots` is canonical JSON of patterns, `account` an account, `lots`
    patterns of names; `kind` "rest" follows the other lines of the bill, of one `service` where it is named.
    `is_beside` is true for what is no price of its slots. `reason` says why lines are left out or not known.
    """

    kind: Kind
    what: str
    slots: str = ""
    account: str = ""
    lots: tuple[str, ...] = ()
    service: str = ""
    is_beside: bool = False
    reason: str = ""


def destination_of(key: LineKey, rules: Sequence[LineRule], instances: Instances, at_s: int) -> Destination:
    """Where lines of a key go whose charge period begins at an instant.

    The first rule that matches says it. Else a line about a node's instance pays for that node, a tax follows
    the other lines of its bill, a credit those of its service, and nothing is known of the others.
    """
    rule = first_rule(rules, key, _tags(key.tags), at_s)
    if rule is not None:
        return _by_rule(canonical_json(dict(rule.action)))
    found = instances.find(key.resource)
    if found is not None and found.ambiguous:
        nodes = ", ".join(found.ambiguous)
        return Destination("unknown", "unknown", account=UNKNOWN, reason=f"{nodes} have this id at once")
    if found is not None:
        return _instance(found.instance)
    if key.category == "Tax":
        return Destination("rest", "rest")
    if key.category == "Credit":
        return Destination("rest", f"rest of {key.service}" if key.service else "rest", service=key.service)
    return Destination("unknown", "unknown", account=UNKNOWN, reason="no rule, and no node with this id")


def target_of(destination: Destination, followed: Sequence[str] = ()) -> Target:
    """The target of a lot; `followed` are the names of the lots that a destination of kind "rest" follows."""
    if destination.kind == "slots":
        return Target(slots=json.loads(destination.slots), account="overhead")
    if destination.kind == "follows":
        return Target(lots=destination.lots, account=UNKNOWN)
    if destination.kind == "rest" and followed:
        return Target(lots=tuple(followed), account=UNKNOWN)
    return Target(account=destination.account or UNKNOWN)


@cache
def _instance(instance: str) -> Destination:
    return Destination("slots", instance, slots=canonical_json({"instance": [escape(instance)]}))


@cache
def _by_rule(action: str) -> Destination:
    said = json.loads(action)
    if "leave_out" in said:
        return Destination("left_out", "left out", reason=said["leave_out"])
    if "account" in said:
        return Destination("account", said["account"], account=said["account"])
    if "follows" in said:
        return Destination("follows", f"as {', '.join(said['follows'])}", lots=tuple(said["follows"]))
    slots = said["pays_for"]
    beside = bool(said.get("beside"))
    if list(slots) == ["instance"] and not beside and (one := _plain(slots["instance"])):
        return _instance(one)
    what = ", ".join(f"{name}={'|'.join(patterns)}" for name, patterns in sorted(slots.items()))
    return Destination("slots", what, slots=canonical_json(slots), is_beside=beside)


def _plain(patterns: Sequence[str]) -> str:
    """The text that a single pattern without wild parts stands for; '' for other patterns."""
    return patterns[0] if len(patterns) == 1 and escape(patterns[0]) == patterns[0] else ""


@cache
def _tags(text: str) -> Mapping[str, str]:
    return json.loads(text) if text else {}
