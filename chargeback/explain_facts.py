"""The facts behind time rows: what was in force at the run's seq, and whose each tick and quantum is.

A time row lasts an hour at most. Where several facts of one run meet in one, they share it by what they claim
there; otherwise each row has one fact of a kind. Everything is in integers and nothing is lost: running
differences, as in the books.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sqlalchemy import Connection

from chargeback.desk import Desk
from chargeback.measure import stage_inputs
from chargeback.meters import record_name
from chargeback.outline import Outline
from chargeback.units import Terms, Unit
from chargeback.workbench import FACT_SOURCES, SourceFile, Workbench
from gpuledger.engine import files_sql
from gpuledger.lake.arrow import pa
from gpuledger.versions import (
    OwnerFact,
    PriceFact,
    RuleFact,
    owners_in_force,
    prices_in_force,
    rules_in_force,
)
from gpuledger.versions.facts import rows_in_force
from gpuledger.versions.tables import owner_rule_version, owner_version, price_version

__all__ = ["give_out", "stage_facts", "whole_period"]


@dataclass(frozen=True)
class _Version:
    """A version of a term: `matched` is the price record that it makes, `said` what it says."""

    kind: str
    identity: str
    source: str
    seq: int
    matched: str
    said: str
    from_s: int
    to_s: int
    start_s: int
    end_s: int


_TABLES = (("price", price_version), ("owner", owner_version), ("owner", owner_rule_version))

_OPEN = 2**62
"""The end of a version that is still open."""

_IN_FORCE = """
select
    '{table}' as kind, t.identity as identity, t.source as source, coalesce(t.seq, f.added_seq) as seq,
    t.start_s as start_s, t.end_s as end_s, n.name as file
from read_parquet({paths}, filename = true, hive_partitioning = false) as t
inner join lake_file as f on t.filename = f.path
inner join lake_name as n on t.filename = n.path
inner join run_window as w on coalesce(t.seq, f.added_seq) <= w.seq
qualify row_number() over (
    partition by t.identity order by coalesce(t.seq, f.added_seq) desc, t.withdrawn
) = 1
"""

_EMPTY = """
select '' as kind, '' as identity, '' as source, cast(0 as bigint) as seq, cast(0 as bigint) as start_s,
    cast(0 as bigint) as end_s, '' as file
where false
"""

_CLAIMS = """
create or replace table claim as
select
    'holding' as kind, identity, run, who_no, owner_key, slot, lane, node, '' as prefix, '' as model,
    '' as region,
    '' as device, claimed_ticks as weight, from_s, to_s
from holding_claim where is_assumed = 0 and device = ''
union all
select
    'holding', h.identity, h.run, h.who_no, h.owner_key, d.slot, '', h.node, '', '', '', h.device,
    h.claimed_ticks,
    greatest(h.from_s, d.from_s), least(h.to_s, d.to_s)
from holding_claim as h
inner join device_life as d
    on h.device = d.device and h.node = d.node and d.from_s < h.to_s and d.to_s > h.from_s
where h.is_assumed = 0
union all
select
    'holding', h.identity, h.run, h.who_no, h.owner_key, p.slot, p.lane, h.node, '', '', '', h.device,
    h.claimed_ticks,
    greatest(h.from_s, p.from_s), least(h.to_s, p.to_s)
from holding_claim as h
inner join partition_life as p
    on h.device = p.device and h.node = p.node and p.from_s < h.to_s and p.to_s > h.from_s
where h.is_assumed = 0 and h.device <> ''
union all
select
    'holding', identity, run, who_no, owner_key, '', '', '', capacity_group || '/' || run || '/', model,
    region, '', claimed_ticks, from_s, to_s
from holding_claim where is_assumed = 1
union all
select
    s.kind, s.identity, '', 0, '', s.slot, '', s.state, '', '', '', '', 1,
    greatest(s.start_s, w.start_s), least(coalesce(s.end_s, w.end_s), w.end_s)
from stated as s cross join run_window as w
"""

_STATED = """
create or replace table stated as
with ranked as (
    select s.*, row_number() over (
        partition by s.kind, s.identity, s.slot order by s.seq desc, s.withdrawn
    ) as newest
    from (
        select 'slot' as kind, identity, seq, withdrawn, start_s, end_s, slot, '' as state from source_slot
        union all
        select 'state', identity, seq, withdrawn, start_s, end_s, slot, state
        from source_state where slot <> ''
        union all
        select 'state', t.identity, t.seq, t.withdrawn, t.start_s, t.end_s, n.slot, t.state
        from source_state as t
        inner join (select distinct node, slot from source_slot) as n on t.node = n.node
        where t.slot = ''
    ) as s
    inner join run_window as w on s.seq <= w.seq
)
select kind, identity, slot, state, start_s, end_s from ranked where newest = 1 and withdrawn = 0
"""


_FOUND = """
create or replace table found as
with ranked as (
    select h.identity, h.owner_from, row_number() over (
        partition by h.identity order by h.seq desc, h.withdrawn
    ) as newest
    from source_holding as h inner join run_window as w on h.seq <= w.seq
)
select identity, owner_from from ranked where newest = 1 and owner_from <> ''
"""


def whole_period(desk: Desk, terms: Terms, known: Outline) -> Unit:
    """The whole period and every shard as one unit; nothing is written of it."""
    files = tuple(file for shard in known.shards for file in shard.files)
    folder = desk.books / desk.book.name / terms.period
    return Unit(0, terms.start_s, terms.end_s, files, folder, desk.scratch, "", desk.limits)


def stage_facts(bench: Workbench, desk: Desk, terms: Terms, unit: Unit) -> None:
    """Stage the models up to `holding_claim` for the whole period, and what else facts are told by.

    Tables: `fact` (kind, identity, source, seq, start_s, end_s, file), `claim` (what each fact claims: a run
    or nobody's, a slot, a node's free slots, or assumed slots), `found` (where owner keys were found),
    `term` (versions of prices and owners) and `owned` (which of these gave a run its owner when).
    """
    stage_inputs(bench, terms, unit)
    bench.run(["slot_state", "device_life", "partition_life", "holding_claim"])
    _stage_names(bench, desk, terms)
    known = [_in_force(table, unit.files) for table in FACT_SOURCES]
    facts = " union all ".join([_EMPTY, *filter(None, known)])
    bench.connection.execute(f"create or replace table fact as {facts}")
    bench.connection.execute(_STATED)
    bench.connection.execute(_CLAIMS)
    bench.connection.execute(_OWNED_BY)
    bench.connection.execute(_FOUND)
    with desk.database.read() as connection:
        bench.stage_rows("term", _Version, _versions(connection, terms))


def _stage_names(bench: Workbench, desk: Desk, terms: Terms) -> None:
    """The names that files have in the lake, wherever the home lies."""
    files = [file for table in FACT_SOURCES for file in desk.lake.files(table, terms.seq)]
    names = {"path": [desk.lake.local_path(file) for file in files], "name": [file.path for file in files]}
    bench.stage("lake_name", pa.table({key: pa.array(column, pa.string()) for key, column in names.items()}))


def _in_force(table: str, files: Iterable[SourceFile]) -> str:
    paths = [file.path for file in files if file.table == table]
    return _IN_FORCE.format(table=table, paths=files_sql(paths)) if paths else ""


def _versions(connection: Connection, terms: Terms) -> Iterator[_Version]:
    seqs = {
        (kind, row.identity): row.seq
        for kind, table in _TABLES
        for row in rows_in_force(connection, table, terms.seq)
    }
    records: dict[str, list[str]] = defaultdict(list)
    for record, tariff in terms.tariffs.records.items():
        if tariff.meter is not None:
            records[tariff.meter.listed].append(record)
    for price in prices_in_force(connection, terms.seq):
        said = f"{price.rate} {price.currency}"
        for record in records.get(record_name(price), ()):
            yield _version("price", price, price.source, seqs, record, said)
    for owner in owners_in_force(connection, terms.seq):
        yield _version("owner", owner, "", seqs, "", _team(owner))
    for rule in rules_in_force(connection, terms.seq):
        said = f"rule {rule.position}: {rule.matching}: {_team(rule)}"
        yield _version("owner", rule, "", seqs, "", said)


def _team(fact: OwnerFact | RuleFact) -> str:
    return f"{fact.team} / {fact.cost_centre}" if fact.cost_centre else fact.team


def _version(
    kind: str,
    fact: OwnerFact | PriceFact | RuleFact,
    source: str,
    seqs: dict[tuple[str, str], int],
    matched: str,
    said: str,
) -> _Version:
    end_s = _OPEN if fact.end_s is None else fact.end_s
    seq = seqs[kind, fact.identity]
    return _Version(kind, fact.identity, source, seq, matched, said, fact.start_s, end_s, fact.start_s, end_s)


_OWNED = """
    (
        p.owner = '__conflict__'
        or exists (
            select 1 from owner_span as o
            where o.who_no = c.who_no and o.owner = p.owner and o.from_s < p.to_s and o.to_s > p.from_s
        )
    )
"""
_MET = {
    "fact": (
        f"p.run = c.run and p.slot = c.slot and c.lane = '' and c.kind = 'holding' and {_OWNED}",
        f"p.run = c.run and p.lane = c.lane and c.lane <> '' and {_OWNED}",
        f"p.run = c.run and p.node = c.node and c.slot = '' and c.lane = '' and c.prefix = '' and {_OWNED}",
        "p.run = c.run and c.prefix <> '' and starts_with(p.slot, c.prefix) "
        f"and p.model = c.model and p.region = c.region and {_OWNED}",
        "p.slot = c.slot and p.kind = c.kind and c.kind <> 'holding' and p.state = c.node",
    ),
    "price": ("c.kind = 'price' and c.matched = p.price_record",),
    "owner": ("c.run = p.run and c.owner = p.owner and c.team = p.team and c.cost_centre = p.cost_centre",),
}
"""How a time row finds its facts, a join for each way."""

_GIVEN_BY = {"fact": ("claim", "c.weight"), "price": ("term", "1"), "owner": ("owned", "1")}
"""Where its facts are, and by what they share a row."""

_OWNED_BY = """
create or replace table owned as
select distinct
    'owner' as kind, o.term as identity, c.run, o.owner, o.team, o.cost_centre, o.from_s, o.to_s
from claim as c inner join owner_span as o on c.who_no = o.who_no
where c.kind = 'holding' and o.term <> ''
"""

_GIVEN = """
create or replace table given_{name} as
with met as ({joins}),
running as (
    select
        *, sum(weight) over (partition by part_no) as whole,
        sum(weight) over (
            partition by part_no order by identity, from_s rows between unbounded preceding and current row
        ) as reached
    from met
)
select
    part_no, kind, identity,
    cast(ticks * reached // whole - ticks * (reached - weight) // whole as bigint) as ticks,
    cast(
        sign(amount) * (abs(amount) * reached // whole - abs(amount) * (reached - weight) // whole) as bigint
    ) as amount
from running
"""


_JOIN = """
select
    p.part_no, c.kind, c.identity, p.ticks, p.amount, c.from_s,
    cast(greatest({weight}, 1) as hugeint) * (least(p.to_s, c.to_s) - greatest(p.from_s, c.from_s)) as weight
from part as p
inner join {table} as c on {match} and c.from_s < p.to_s and c.to_s > p.from_s
"""


def give_out(bench: Workbench) -> None:
    """Give each time row of `part` to the facts, prices and owners that made it.

    Tables `given_fact`, `given_price`, `given_owner`: part_no, kind, identity, ticks, amount. A row that no
    price or owner is about is in none of theirs.
    """
    for name, matches in _MET.items():
        table, weight = _GIVEN_BY[name]
        joins = [_JOIN.format(table=table, weight=weight, match=match) for match in matches]
        bench.connection.execute(_GIVEN.format(name=name, joins=" union all ".join(joins)))
