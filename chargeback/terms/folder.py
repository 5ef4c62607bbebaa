"""The folder of terms: its files, read whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from chargeback.terms.bills_file import read_bill_rules
from chargeback.terms.commitments_file import read_commitments
from chargeback.terms.entitlements_file import Placed, read_entitlements, unknown_teams
from chargeback.terms.entries import Faults
from chargeback.terms.in_force import TermsInForce
from chargeback.terms.lots_file import read_lots
from chargeback.terms.policies_file import read_policies
from chargeback.terms.prices_file import gaps, read_prices
from chargeback.terms.teams_file import Tenure, read_rules, read_tenures
from chargeback.terms.validity import Clock
from gpuledger.errors import InputError, Place
from gpuledger.versions import (
    BillRuleFact,
    CommitmentFact,
    EntitlementFact,
    LotFact,
    PolicyFact,
    PriceFact,
    RuleFact,
)
from gpuledger.yaml_files import Document, read_yaml_file

__all__ = ["FILES", "TermsFolder", "read_folder"]

TEAMS, PRICES, POLICIES, ENTITLEMENTS = "teams.yaml", "prices.yaml", "policies.yaml", "entitlements.yaml"
LOTS, COMMITMENTS, BILLS = "lots.yaml", "commitments.yaml", "bills.yaml"
FILES = (TEAMS, PRICES, POLICIES, ENTITLEMENTS, LOTS, COMMITMENTS, BILLS)
"""The files that a folder of terms may have."""


@dataclass(frozen=True)
class TermsFolder:
    """What a folder says: rules, prices of origin `terms`, policies and so on; None without a file.

    `warnings` are sentences about what is no error, `zone` where times without an offset were read.
    """

    rules: tuple[RuleFact, ...] | None
    prices: tuple[PriceFact, ...] | None
    policies: tuple[PolicyFact, ...] | None
    entitlements: tuple[EntitlementFact, ...] | None
    lots: tuple[LotFact, ...] | None
    commitments: tuple[CommitmentFact, ...] | None
    bill_rules: tuple[BillRuleFact, ...] | None
    warnings: tuple[str, ...]
    zone: str | None

    @property
    def absent(self) -> dict[str, str]:
        """The files that it has not, each with the kind of terms that stay as they are in force."""
        kinds = {"rules": TEAMS, "prices": PRICES, "policies": POLICIES, "entitlements": ENTITLEMENTS}
        kinds |= {"lots": LOTS, "commitments": COMMITMENTS, "bill_rules": BILLS}
        told = {"bill_rules": "rules of bills"}
        return {file: told.get(kind, kind) for kind, file in kinds.items() if getattr(self, kind) is None}

    def over(self, agreed: TermsInForce) -> TermsInForce:
        """What would be in force: the folder's terms in place of all that came from terms before."""
        return replace(
            agreed,
            rules=agreed.rules if self.rules is None else self.rules,
            prices=agreed.prices if self.prices is None else _prices_over(agreed.prices, self.prices),
            policies=agreed.policies if self.policies is None else self.policies,
            entitlements=agreed.entitlements if self.entitlements is None else self.entitlements,
            lots=agreed.lots if self.lots is None else self.lots,
            commitments=agreed.commitments if self.commitments is None else self.commitments,
            bill_rules=agreed.bill_rules if self.bill_rules is None else self.bill_rules,
        )


def read_folder(folder: Path, zone: str, agreed: TermsInForce) -> TermsFolder:
    """Read a folder; raises one `InputError` that says all that is wrong in it, with file and line.

    `zone` is that of the book, `agreed` what is in force: imported prices must not overlap with the folder's.
    """
    faults = Faults()
    documents = _documents(folder, faults)
    clock = Clock(lambda: zone)
    imported = [fact for fact in agreed.prices if fact.origin != "terms"]
    rules, prices, policies, entitlements, lots, bill_rules = None, None, None, None, None, None
    commitments = None
    tenures: list[Tenure] = []
    with faults.noted():
        if TEAMS in documents:
            rules = read_rules(documents[TEAMS], clock, faults)
            tenures = read_tenures(documents[TEAMS], clock)
    with faults.noted():
        prices = read_prices(documents[PRICES], clock, imported, faults) if PRICES in documents else None
    with faults.noted():
        policies = read_policies(documents[POLICIES], zone, faults) if POLICIES in documents else None
    with faults.noted():
        if ENTITLEMENTS in documents:
            entitlements = read_entitlements(documents[ENTITLEMENTS], clock, faults, tenures)
    with faults.noted():
        lots = read_lots(documents[LOTS], clock, faults) if LOTS in documents else None
    with faults.noted():
        if COMMITMENTS in documents:
            commitments = read_commitments(documents[COMMITMENTS], clock, faults)
    with faults.noted():
        bill_rules = read_bill_rules(documents[BILLS], clock, faults) if BILLS in documents else None
    faults.refuse(folder)
    return TermsFolder(
        rules=None if rules is None else tuple(rules),
        prices=None if prices is None else tuple(term.fact for term in prices),
        policies=None if policies is None else tuple(policies),
        entitlements=None if entitlements is None else tuple(fact for fact, _ in entitlements),
        lots=None if lots is None else tuple(sorted(lots, key=_identity)),
        commitments=None if commitments is None else tuple(sorted(commitments, key=_identity)),
        bill_rules=None if bill_rules is None else tuple(bill_rules),
        warnings=(*gaps(prices or ()), *_unknown_teams(entitlements or (), tenures, rules, agreed)),
        zone=clock.used,
    )


def _identity(fact: LotFact | CommitmentFact) -> str:
    return fact.identity


def _unknown_teams(
    placed: Iterable[Placed],
    tenures: Iterable[Tenure],
    rules: Iterable[RuleFact] | None,
    agreed: TermsInForce,
) -> Iterator[str]:
    """Warnings of teams that are entitled to something and that nothing else names."""
    named = {one.team for one in (agreed.rules if rules is None else rules)}
    named |= {one.team for one in tenures} | {one.team for one in agreed.owners}
    return unknown_teams(placed, named)


def _documents(folder: Path, faults: Faults) -> dict[str, Document]:
    """The files that can be read as YAML, by name; other files of YAML are noted as faults."""
    found = sorted(path for path in _listed(folder) if path.suffix in (".yaml", ".yml"))
    if not found:
        raise InputError(
            "the folder has no terms",
            place=Place(str(folder)),
            mend=f"`gpuledger init` writes {', '.join(FILES)}; or name the folder that has them with -f",
        )
    documents: dict[str, Document] = {}
    for path in found:
        with faults.noted():
            if path.name not in FILES:
                raise _unknown(path)
            documents[path.name] = read_yaml_file(path, noun=f"{path.stem} file")
    return documents


def _listed(folder: Path) -> list[Path]:
    """What is in a folder, without hidden files, such as those of an editor."""
    try:
        return [path for path in folder.iterdir() if not path.name.startswith(".")]
    except OSError as error:
        raise InputError(
            f"the folder cannot be read: {error.strerror}",
            place=Place(str(folder)),
            mend="`gpuledger init` makes one; or name another with -f",
        ) from error


def _unknown(path: Path) -> InputError:
    close = get_close_matches(path.name, FILES, n=1)
    mend = f"name it {close[0]}, or move it out" if close else "move it out of the folder"
    return InputError(
        f"{path.name} is no file of terms; they are {', '.join(FILES)}", place=Place(str(path)), mend=mend
    )


def _prices_over(agreed: Iterable[PriceFact], written: Iterable[PriceFact]) -> tuple[PriceFact, ...]:
    """Imported prices that the files do not have stay; the order is that of what is in force."""
    kept = {fact.identity: fact for fact in agreed if fact.origin != "terms"}
    kept |= {fact.identity: fact for fact in written}
    return tuple(kept[identity] for identity in sorted(kept))
