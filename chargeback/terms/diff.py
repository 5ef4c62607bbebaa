"""What a folder of terms would change of what is in force, in words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

from chargeback.commitments.details import read_details as read_commitment
from chargeback.commitments.words import words_of as commitment_words
from chargeback.lots.details import read_details
from chargeback.lots.words import words_of
from chargeback.terms.in_force import TermsInForce
from gpuledger.instants import format_utc
from gpuledger.versions import (
    BillRuleFact,
    CommitmentFact,
    EntitlementFact,
    LotFact,
    PolicyFact,
    PriceFact,
    RuleFact,
)

__all__ = ["Action", "Change", "Values", "compare", "counted"]

Values = Mapping[str, str | None]
"""What a term says, as text by the key that the files have for it; None is what an absent key means."""


class Action(StrEnum):
    """What happens to a term."""

    new = "new"
    changed = "changed"
    taken_over = "taken over"
    moved = "moved"
    withdrawn = "withdrawn"


@dataclass(frozen=True)
class Change:
    """One term that changes: `before` is None for a new one, `after` for one that is withdrawn."""

    kind: str
    action: Action
    name: str
    before: Values | None
    after: Values | None

    @property
    def differing(self) -> list[str]:
        """The keys whose values differ."""
        before, after = self.before or {}, self.after or {}
        return [key for key in {**before, **after} if before.get(key) != after.get(key)]


_Rule = RuleFact | BillRuleFact


@dataclass(frozen=True)
class _Said:
    """A term in words."""

    kind: str
    name: str
    values: Values


def compare(agreed: TermsInForce, proposed: TermsInForce) -> list[Change]:
    """All that differs: prices, lots, commitments, rules with their order, policies, entitlements."""
    return [
        *_changes(_prices(agreed.prices), _prices(proposed.prices)),
        *_changes(_lots(agreed.lots), _lots(proposed.lots)),
        *_changes(_commitments(agreed.commitments), _commitments(proposed.commitments)),
        *_changes(_rules(agreed.rules), _rules(proposed.rules)),
        *_moved("rule", agreed.rules, proposed.rules),
        *_changes(_bill_rules(agreed.bill_rules), _bill_rules(proposed.bill_rules)),
        *_moved("rule of bills", agreed.bill_rules, proposed.bill_rules),
        *_changes(_policies(agreed.policies), _policies(proposed.policies)),
        *_changes(_entitlements(agreed.entitlements), _entitlements(proposed.entitlements)),
    ]


def counted(changes: Sequence[Change]) -> str:
    """How many there are of each action, such as `2 new, 1 withdrawn`."""
    actions = [change.action for change in changes]
    return ", ".join(f"{actions.count(action)} {action}" for action in Action if action in actions)


def _changes(before: Mapping[str, _Said], after: Mapping[str, _Said]) -> Iterator[Change]:
    for identity in sorted({**before, **after}):
        old, new = before.get(identity), after.get(identity)
        said = new or old
        if said is not None and old != new:
            yield Change(
                kind=said.kind,
                action=_action(old, new),
                name=said.name,
                before=None if old is None else old.values,
                after=None if new is None else new.values,
            )


def _action(old: _Said | None, new: _Said | None) -> Action:
    if old is None:
        return Action.new
    if new is None:
        return Action.withdrawn
    told = {key for key, text in new.values.items() if text != old.values[key]}
    return Action.taken_over if "origin" in told and told <= {"origin", "source"} else Action.changed


def _prices(facts: Iterable[PriceFact]) -> dict[str, _Said]:
    return {
        fact.identity: _Said(
            "price",
            _price_name(fact),
            {
                "rate": fact.rate,
                "currency": fact.currency,
                "unit": None if fact.unit == "gpu_hour" else fact.unit,
                "month_rule": fact.month_rule or None,
                "rules": fact.rules or None,
                "status": None if fact.status == "final" else fact.status,
                **_times(fact),
                "source": fact.source,
                "origin": fact.origin,
            },
        )
        for fact in facts
    }


def _price_name(fact: PriceFact) -> str:
    parts = [f"{fact.selector_kind} {fact.selector}"]
    parts += [f"region {fact.region}"] if fact.region else []
    parts += [f"zone {fact.zone}"] if fact.zone else []
    parts += [f"purchase option {fact.purchase_option}"] if fact.purchase_option else []
    parts += [f"provider {fact.provider}"] if fact.provider else []
    return ", ".join(parts)


def _lots(facts: Iterable[LotFact]) -> dict[str, _Said]:
    return {fact.identity: _Said(fact.kind.replace("_", "-"), fact.lot, _lot_values(fact)) for fact in facts}


def _lot_values(fact: LotFact) -> Values:
    said = words_of(fact, read_details(fact.details, fact.lot))
    money = {"amount": fact.amount, "currency": fact.currency}
    return {key: text or None for key, text in {**money, **_times(fact), **said}.items()}


def _commitments(facts: Iterable[CommitmentFact]) -> dict[str, _Said]:
    return {fact.identity: _Said("commitment", fact.commitment, _commitment_values(fact)) for fact in facts}


def _commitment_values(fact: CommitmentFact) -> Values:
    said = commitment_words(fact, read_commitment(fact.details, fact.commitment))
    return {key: text or None for key, text in {**_times(fact), **said}.items()}


def _rules(facts: Iterable[RuleFact]) -> dict[str, _Said]:
    """The rules without their places: a rule before another one changes nothing that it says itself."""
    return {
        fact.identity: _Said(
            "rule",
            _rule_name(fact),
            {"team": fact.team, "cost_centre": fact.cost_centre, **_times(fact)},
        )
        for fact in facts
    }


def _bill_rules(facts: Iterable[BillRuleFact]) -> dict[str, _Said]:
    return {
        fact.identity: _Said("rule of bills", _rule_name(fact), {**_action_values(fact), **_times(fact)})
        for fact in facts
    }


def _action_values(fact: BillRuleFact) -> Values:
    """What the lines that a rule matches are for."""
    said = json.loads(fact.action)
    slots = said.get("pays_for", {})
    return {
        "pays_for": ", ".join(f"{key} {' or '.join(slots[key])}" for key in slots) or None,
        "beside": "true" if said.get("beside") else None,
        "account": said.get("account"),
        "follows": " or ".join(said.get("follows", ())) or None,
        "leave_out": said.get("leave_out"),
    }


_NAMED_BY = {"labels": "label", "tags": "tag"}


def _rule_name(fact: RuleFact | BillRuleFact) -> str:
    """The patterns in words, such as `namespace ml-* or nlp, label app web`."""
    parts: list[str] = []
    for attribute, patterns in json.loads(fact.matching).items():
        named = patterns if isinstance(patterns, dict) else {"": patterns}
        for label, kept in named.items():
            what = f"{_NAMED_BY[attribute]} {label}" if label else attribute
            parts.append(f"{what} {' or '.join(kept)}")
    return ", ".join(parts)


def _policies(facts: Iterable[PolicyFact]) -> dict[str, _Said]:
    return {
        fact.identity: _Said("policy", fact.policy, {"choice": fact.choice, **_times(fact)}) for fact in facts
    }


_KINDS = {"entitled": "entitlement", "lent": "lending", "pool": "pool owner"}


def _entitlements(facts: Iterable[EntitlementFact]) -> dict[str, _Said]:
    return {
        fact.identity: _Said(_KINDS[fact.kind], _entitlement_name(fact), _entitlement_values(fact))
        for fact in facts
    }


def _entitlement_name(fact: EntitlementFact) -> str:
    pool = f"model {fact.model}" + f", region {fact.region}" * bool(fact.region)
    teams = {"entitled": fact.team, "lent": f"{fact.team} to {fact.borrower}", "pool": ""}[fact.kind]
    return f"{teams}, {pool}" if teams else pool


def _entitlement_values(fact: EntitlementFact) -> Values:
    said = {"team": fact.team} if fact.kind == "pool" else {"units": str(fact.units)}
    return {**said, "cost_centre": fact.cost_centre, **_times(fact)}


def _times(
    fact: PriceFact | LotFact | CommitmentFact | _Rule | PolicyFact | EntitlementFact,
) -> dict[str, str | None]:
    return {
        "from": format_utc(fact.start_s) if fact.start_s else None,
        "to": None if fact.end_s is None else format_utc(fact.end_s),
    }


def _moved(kind: str, before: Iterable[_Rule], after: Iterable[_Rule]) -> Iterator[Change]:
    """The fewest rules that, taken out and put in elsewhere, make the old order the new one."""
    old, new = _ordered(before), _ordered(after)
    there = [identity for identity in old if identity in new]
    then = [identity for identity in new if identity in old]
    blocks = SequenceMatcher(None, there, then, autojunk=False).get_matching_blocks()
    still = {identity for block in blocks for identity in there[block.a : block.a + block.size]}
    moved = {
        (new[identity].position, _rule_name(new[identity]), old[identity].position): None
        for identity in then
        if identity not in still
    }
    for now, name, was in moved:
        yield Change(kind, Action.moved, name, {"place": str(was)}, {"place": str(now)})


def _ordered(facts: Iterable[_Rule]) -> dict[str, _Rule]:
    return {fact.identity: fact for fact in sorted(facts, key=lambda one: (one.position, one.identity))}
