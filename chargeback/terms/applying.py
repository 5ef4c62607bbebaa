"""Applying terms: what the folder says becomes versions, and what it no longer says is withdrawn."""

from __future__ import annotations

from collections.abc import Iterable

from chargeback.terms.in_force import Seqs, TermsInForce, terms_in_force
from gpuledger.errors import BooksError
from gpuledger.versions import (
    Commit,
    Database,
    put_bill_rules,
    put_commitments,
    put_entitlements,
    put_lots,
    put_policies,
    put_prices,
    put_rules,
    withdraw_bill_rules,
    withdraw_commitments,
    withdraw_entitlements,
    withdraw_lots,
    withdraw_policies,
    withdraw_prices,
    withdraw_rules,
)
from gpuledger.versions.facts import Fact

__all__ = ["keep_terms"]


def keep_terms(
    database: Database, agreed: TermsInForce, proposed: TermsInForce, *, at_s: int, note: str, actor: str
) -> int:
    """Make the proposed terms those in force, all in one commit; give its seq.

    `agreed` is what the proposal was held against. Raises BooksError where other terms are in force by now;
    nothing is stored then.
    """
    with database.commit("apply", at_s=at_s, note=note, actor=actor) as commit:
        if terms_in_force(commit.connection, Seqs.at(commit.seq)) != agreed:
            raise BooksError("the terms in force changed while these were compared", mend="apply again")
        _withdraw(commit, agreed, proposed)
        put_prices(commit, proposed.prices)
        put_rules(commit, proposed.rules)
        put_policies(commit, proposed.policies)
        put_entitlements(commit, proposed.entitlements)
        put_lots(commit, proposed.lots)
        put_commitments(commit, proposed.commitments)
        put_bill_rules(commit, proposed.bill_rules)
        return commit.seq


def _withdraw(commit: Commit, agreed: TermsInForce, proposed: TermsInForce) -> None:
    """Take back what is not proposed any more, so that what is put in its place overlaps with nothing."""
    withdraw_prices(commit, _no_longer(agreed.prices, proposed.prices))
    withdraw_rules(commit, _no_longer(agreed.rules, proposed.rules))
    withdraw_policies(commit, _no_longer(agreed.policies, proposed.policies))
    withdraw_entitlements(commit, _no_longer(agreed.entitlements, proposed.entitlements))
    withdraw_lots(commit, _no_longer(agreed.lots, proposed.lots))
    withdraw_commitments(commit, _no_longer(agreed.commitments, proposed.commitments))
    withdraw_bill_rules(commit, _no_longer(agreed.bill_rules, proposed.bill_rules))


def _no_longer(agreed: Iterable[Fact], proposed: Iterable[Fact]) -> set[str]:
    return {fact.identity for fact in agreed} - {fact.identity for fact in proposed}
