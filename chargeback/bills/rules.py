"""Rules for the lines of bills: the first that matches a line says what it is for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import translate
from functools import cache, cached_property
from typing import Any

from chargeback.bills.in_force import LineKey
from gpuledger.intervals import holds_at
from gpuledger.versions import BillRuleFact

__all__ = ["ATTRIBUTES", "LineRule", "edges_of", "first_rule", "line_rules", "matched_by"]

ATTRIBUTES = (
    "provider",
    "billing_account",
    "sub_account",
    "service",
    "service_category",
    "sku",
    "resource",
    "resource_name",
    "category",
    "description",
    "region",
)
"""What a line can be matched by, beside its tags."""


@dataclass(frozen=True)
class LineRule:
    """A rule with its patterns read: `action` is one of `pays_for`, `account`, `follows` and `leave_out`."""

    position: int
    start_s: int
    end_s: int | None
    matching: Mapping[str, Any]
    action: Mapping[str, Any]

    @cached_property
    def _tests(self) -> tuple[tuple[str, str, re.Pattern[str]], ...]:
        plain = [(name, "", _any(said)) for name, said in self.matching.items() if name != "tags"]
        tags = [("tags", name, _any(said)) for name, said in self.matching.get("tags", {}).items()]
        return (*plain, *tags)

    def matches(self, key: LineKey, tags: Mapping[str, str]) -> bool:
        """Whether a line says what the rule asks for: each attribute fits one of its patterns, by case."""
        for name, tag, fits in self._tests:
            said = tags.get(tag) if name == "tags" else getattr(key, name)
            if said is None or fits.match(said) is None:
                return False
        return True


def line_rules(facts: Iterable[BillRuleFact]) -> tuple[LineRule, ...]:
    """The rules in their order."""
    rules = [
        LineRule(fact.position, fact.start_s, fact.end_s, json.loads(fact.matching), json.loads(fact.action))
        for fact in facts
    ]
    return tuple(sorted(rules, key=lambda one: (one.position, one.start_s)))


def first_rule(
    rules: Sequence[LineRule], key: LineKey, tags: Mapping[str, str], at_s: int
) -> LineRule | None:
    """The rule that counts for lines whose charge period begins at an instant; None where none matches."""
    return next((rule for rule in rules if holds_at(rule, at_s) and rule.matches(key, tags)), None)


def matched_by(facts: Iterable[BillRuleFact]) -> tuple[str, ...]:
    """What any of the rules matches by: `read_bill_lines` has to tell lines apart by no more."""
    names = {name for fact in facts for name in json.loads(fact.matching)}
    return tuple(name for name in (*ATTRIBUTES, "tags") if name in names)


def edges_of(rules: Iterable[LineRule]) -> list[int]:
    """The instants at which a rule begins or ends to hold, in order."""
    return sorted({at_s for rule in rules for at_s in (rule.start_s, rule.end_s) if at_s})


@cache
def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(translate(pattern) for pattern in patterns))


def _any(patterns: Sequence[str]) -> re.Pattern[str]:
    return _any_of(tuple(patterns))
