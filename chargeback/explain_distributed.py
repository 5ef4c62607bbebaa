"""The steps from a line to what was posted to it: what was distributed to and from it, and by which terms."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import Connection

from chargeback.explain_ground import Ground, picked_totals
from chargeback.explain_pick import key_sql
from chargeback.explanation import Row, Step, told
from chargeback.layers import DISTRIBUTED
from chargeback.ledger import Result
from gpuledger.instants import format_utc
from gpuledger.versions import EntitlementFact
from gpuledger.versions.facts import rows_in_force
from gpuledger.versions.tables import entitlement_version

__all__ = ["distributed_steps"]

_LABELS = ["what", "account", "state", "pool", "policy"]


def distributed_steps(connection: Connection, ground: Ground, result: Result) -> tuple[Ground, list[Step]]:
    """What was distributed to and from a line, with what was posted to it; and the ground below it.

    Below it only what was posted is explained. Nothing where the period distributes nothing.
    """
    if not any(row.layer == DISTRIBUTED for row in result.entries):
        return ground, []
    posted = picked_totals(ground.bench, "picked")["unrounded"]
    below = replace(ground, wanted=ground.wanted | {"unrounded": posted})
    return below, [_moved(ground, posted), *_entitlements(connection, ground)]


def _moved(ground: Ground, posted: int) -> Step:
    query = f"""
        with side as (
            select 'taken' as what, to_owner as owner, team, cost_centre, to_account as account, state, pool,
                model, cluster, policy, amount
            from kept_distributed
            union all
            select 'left', '__account__', '__account__', '', from_account, state, pool, model, cluster,
                policy, -amount
            from kept_distributed
        )
        select 'posted' as what, '' as account, '' as state, '' as pool, '' as policy,
            {posted} as unrounded
        union all
        select what, account, state, pool, policy, sum(amount)
        from side where {key_sql(ground.asked.by)} = $key
        group by all
    """
    says = "what was posted, and what nobody held: the pieces of a pool by what its policy goes by"
    return ground.step("distributed", says, query, _LABELS, ("unrounded",), values={"key": ground.asked.key})


def _entitlements(connection: Connection, ground: Ground) -> list[Step]:
    """The versions of entitlements of the teams that took something; no figure goes through them."""
    taken = "(select *, to_owner as owner, to_account as account from kept_distributed)"
    teams = ground.bench.rows(
        f"select distinct team from {taken} where {key_sql(ground.asked.by)} = $key",
        {"key": ground.asked.key},
    )
    agreed = ground.terms.distribution
    known = agreed.entitlements if agreed else ()
    seqs = {row.identity: row.seq for row in rows_in_force(connection, entitlement_version, ground.terms.seq)}
    rows = [_row(fact, seqs[fact.identity]) for fact in known if (fact.team,) in teams]
    if not rows:
        return []
    labels = ["identity", "says", "seq", "start", "end"]
    says = "the versions of entitlements, lendings and owners of pools of these teams"
    return [told("entitlement rows", says, rows, labels=labels, figures=[], wanted={}, most=ground.most)]


def _row(fact: EntitlementFact, seq: int) -> Row:
    pool = f"{fact.model}/{fact.region}"
    said = {
        "entitled": f"{fact.team} may use {fact.units} of {pool}",
        "lent": f"{fact.team} lends {fact.borrower} {fact.units} of {pool}",
        "pool": f"{pool} is {fact.team}'s",
    }[fact.kind]
    end = "open" if fact.end_s is None else format_utc(fact.end_s)
    labels = {"identity": fact.identity, "says": said, "seq": str(seq)}
    return Row(labels | {"start": format_utc(fact.start_s), "end": end}, {})
