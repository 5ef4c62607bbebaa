"""The file of bills: what their lines pay for, by rules of which the first that matches a line counts."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from chargeback.terms.entries import Dated, Entry, Faults, Name, checked, place_of, record_of
from chargeback.terms.lot_entries import PaysFor
from chargeback.terms.records import join_identity
from chargeback.terms.rule_order import Matching, Rule, note_ambiguous
from chargeback.terms.validity import Clock
from gpuledger.canonical import canonical_json
from gpuledger.instants import format_utc
from gpuledger.versions import BillRuleFact
from gpuledger.yaml_files import Document

__all__ = ["ACCOUNTS", "read_bill_rules"]

ACCOUNTS = ("shared", "commitment_unused", "unusable", "overhead", "tax_recoverable")
"""The accounts that lines may go to when they pay for nothing physical."""


def _listed(value: object) -> object:
    """One pattern as a list of it."""
    return [value] if isinstance(value, str) else value


Patterns = Annotated[list[Name], Field(min_length=1), BeforeValidator(_listed)]


class _Match(Entry):
    provider: Patterns | None = None
    billing_account: Patterns | None = None
    sub_account: Patterns | None = None
    service: Patterns | None = None
    service_category: Patterns | None = None
    sku: Patterns | None = None
    resource: Patterns | None = None
    resource_name: Patterns | None = None
    category: Patterns | None = None
    description: Patterns | None = None
    region: Patterns | None = None
    tags: Annotated[dict[Name, Patterns], Field(min_length=1)] | None = None


class _RuleEntry(Dated):
    match: _Match
    pays_for: PaysFor | None = None
    beside: Name | None = None
    account: Name | None = None
    follows: Patterns | None = None
    leave_out: Name | None = None


class _Bills(Entry):
    rules: list[_RuleEntry]


_ACTIONS = ("pays_for", "account", "follows", "leave_out")


def read_bill_rules(document: Document, clock: Clock, faults: Faults) -> list[BillRuleFact]:
    """The rules of a file, in their order; a rule holds for lines whose charge period begins in its time.

    What is wrong in the file is noted in `faults`; the rules are then not to be used.
    """
    file = checked(document, _Bills)
    rules: list[tuple[Rule, str]] = []
    for number, entry in enumerate(file.rules):
        with faults.noted():
            rules.append(_rule(document, number, entry, clock))
    note_ambiguous([rule for rule, _ in rules], faults)
    return [_fact(rule, action) for rule, action in rules]


def _rule(document: Document, number: int, entry: _RuleEntry, clock: Clock) -> tuple[Rule, str]:
    loc = ("rules", number)
    matching = _patterns(entry.match)
    if not matching:
        raise document.wrong(
            "match says nothing to match by",
            (*loc, "match"),
            mend=f"give one or more of {', '.join(_Match.model_fields)}; category '*' matches every line",
        )
    action = canonical_json(_action(document, number, entry))
    start_s, end_s = clock.interval(record_of(document, loc, entry), always=True)
    return Rule(place_of(document, loc), start_s, end_s, number + 1, matching, action), action


def _action(document: Document, number: int, entry: _RuleEntry) -> dict[str, Any]:
    """The one thing that a rule says of its lines."""
    loc = ("rules", number)
    said = [name for name in _ACTIONS if getattr(entry, name) is not None]
    if len(said) != 1:
        raise document.wrong(
            f"the rule says {' and '.join(said) if said else 'nothing of what its lines are for'}",
            (*loc, said[1]) if said else loc,
            mend=f"say one of {', '.join(_ACTIONS)}",
        )
    if entry.beside is not None and (entry.pays_for is None or entry.beside not in ("true", "false")):
        raise document.wrong(
            f"beside is {entry.beside}, in a rule that says {said[0]}",
            (*loc, "beside"),
            mend="beside is true where pays_for names slots whose own price stays in force",
        )
    if entry.pays_for is not None:
        return _slots(document, number, entry.pays_for, is_beside=entry.beside == "true")
    if entry.account is not None and entry.account not in ACCOUNTS:
        raise document.wrong(
            f"{entry.account} is no account that lines of a bill may go to",
            (*loc, "account"),
            mend=f"write one of {', '.join(ACCOUNTS)}",
        )
    return {said[0]: getattr(entry, said[0])}


def _slots(document: Document, number: int, slots: PaysFor, *, is_beside: bool) -> dict[str, Any]:
    patterns = _patterns(slots)
    if not patterns:
        raise document.wrong(
            "pays_for names no slots",
            ("rules", number, "pays_for"),
            mend=f"give one or more of {', '.join(PaysFor.model_fields)}",
        )
    return {"pays_for": patterns} | ({"beside": True} if is_beside else {})


def _patterns(said: Entry) -> Matching:
    """The patterns that are given, each list in order and without what comes twice."""
    given = said.model_dump(exclude_none=True)
    tags = given.pop("tags", {})
    kept = {name: sorted(set(patterns)) for name, patterns in given.items()}
    by_tag = {name: sorted(set(patterns)) for name, patterns in tags.items()}
    return kept | ({"tags": by_tag} if by_tag else {})


def _fact(rule: Rule, action: str) -> BillRuleFact:
    matching = canonical_json(rule.matching)
    return BillRuleFact(
        identity=join_identity([matching, format_utc(rule.start_s)]),
        start_s=rule.start_s,
        end_s=rule.end_s,
        position=rule.position,
        matching=matching,
        action=action,
    )
