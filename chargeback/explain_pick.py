"""What is asked to be explained, and the time rows and entries that it is made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

from chargeback.desk import Desk
from chargeback.ledger import Result
from chargeback.post import DISTRIBUTED_ENTRY, has_file
from chargeback.statement import NO_DEVICE, By, Line, Statement, state_statement
from chargeback.workbench import Workbench
from gpuledger.engine import files_sql
from gpuledger.errors import InputError

__all__ = ["Asked", "find_line", "key_sql", "named_here", "open_books", "pick", "picked_where"]


@dataclass(frozen=True)
class Asked:
    """What is explained: a line of a statement by `by`, or what a holding, a device or a slot came to."""

    kind: Literal["line", "holding", "device", "slot"]
    key: str
    by: By = By.owner


_SINCE = {
    "time_row": " union all by name "
    "select cast(null as bigint) as joules, cast(null as bigint) as energy_ticks where false"
}
"""The columns that files of older books lack, by file: they are null there."""


def open_books(bench: Workbench, folders: Iterable[Path]) -> None:
    """Make views `kept_time`, `kept_entry` and `kept_recognised` over a run's files.

    Where something was distributed there is `kept_distributed` too.
    """
    kept = list(folders)
    for view, name in (
        ("kept_time", "time_row"),
        ("kept_entry", "entry"),
        ("kept_recognised", "recognised_entry"),
        ("kept_distributed", DISTRIBUTED_ENTRY),
    ):
        files = [folder / f"{name}.parquet" for folder in kept if has_file(folder, name)]
        if files:
            rows = f"select * from read_parquet({files_sql(files)}, hive_partitioning = false)"
            bench.connection.execute(f"create or replace view {view} as {rows}{_SINCE.get(name, '')}")


def find_line(desk: Desk, result: Result, asked: Asked) -> tuple[Statement, Line]:
    """The line of that key; InputError names the views that have it, or the nearest keys."""
    made = state_statement(desk.book, result, asked.by)
    for line in made.lines:
        if line.key == asked.key:
            return made, line
    views = [
        by.value
        for by in By
        if any(line.key == asked.key for line in state_statement(desk.book, result, by).lines)
    ]
    keys = [line.key for line in made.lines]
    mend = f"give --by {' or '.join(views)}" if views else _nearest(asked.key, keys)
    raise InputError(f"{result.period} has no line {asked.key!r} by {asked.by.value}", mend=mend)


def _nearest(key: str, names: list[str]) -> str:
    lower = {name.lower(): name for name in names}
    close = [lower[name] for name in get_close_matches(key.lower(), list(lower), n=5, cutoff=0.6)]
    close += [name for name in names if key.lower() in name.lower() and name not in close][:3]
    if close:
        return f"nearest: {', '.join(close)}"
    return f"there are {', '.join(names[:10])}{' and more' if len(names) > 10 else ''}" if names else ""


_NAMES = {
    "holding": "select run as name from holding_claim union distinct "
    "select run as name from kept_time where run <> '' union distinct "
    "select run as name from kept_entry where run <> ''",
    "device": "select device as name from device_life",
    "slot": "select slot as name from kept_time",
}


def named_here(bench: Workbench, asked: Asked, period: str) -> str:
    """The full name of a holding, device or slot of this month; its cluster may be left out.

    InputError where there is none, with the nearest names, or where several clusters have one.
    """
    names = f"select distinct name from ({_NAMES[asked.kind]})"
    found = bench.rows(
        f"select name from ({names}) where name = $key or ends_with(name, '/' || $key) order by name",
        {"key": asked.key},
    )
    exact = [name for (name,) in found if name == asked.key] or [name for (name,) in found]
    if len(exact) == 1:
        return str(exact[0])
    if exact:
        raise InputError(
            f"several are named {asked.key!r}: {', '.join(exact[:5])}", mend="give the name with its cluster"
        )
    known = [name for (name,) in bench.rows(f"select name from ({names}) order by name limit 20000")]
    raise InputError(f"{period} has no {asked.kind} {asked.key!r}", mend=_nearest(asked.key, known))


def key_sql(by: By) -> str:
    """A row's key on a statement, from its columns owner, team, cost_centre, account, model and cluster."""
    if by in (By.model, By.cluster):
        unknown = f"case when cluster = '' then '{NO_DEVICE}' else '__unknown_{by.value}__' end"
        return f"case when {by.value} = '' then {unknown} else {by.value} end"
    named = (
        "case when cost_centre = '' then '__no_cost_centre__' else cost_centre end"
        if by is By.cost_centre
        else by.value
    )
    return f"case when owner = '__account__' then '__' || account || '__' else {named} end"


_KEYS = "slot, lane, from_s, run, owner, team, cost_centre, phase, account, state"

_PICKED = """
create or replace table picked as
select
    lot, pool, piece_s, from_s, cluster, model, slot, lane, run, owner, team, cost_centre, phase, account,
    state, amount
from (
    select *, to_owner as owner, to_account as account from kept_entry where layer <> 'billed'
)
where {where}
"""

_PART = f"""
create or replace table part as
with money as (
    select {_KEYS}, cast(sum(amount) as bigint) as amount from picked group by {_KEYS}
),
time as (
    select * from kept_time where {{where}}
)
select
    row_number() over (order by {_KEYS}) as part_no,
    slot, lane, node, cluster, model, region, piece_s, from_s, to_s, run, owner, team, cost_centre, phase,
    account, case when run <> '' then 'held' else account end as claimed_as, state,
    price_record, ticks, coalesce(m.amount, 0) as amount,
    case when run <> '' then 'holding' when account = 'overhead' then 'state' else 'slot' end as kind
from time left join money as m using ({_KEYS})
"""

_BEFORE = """
cast(sum(case
    when least(p.to_s, a.to_s, {until}) > greatest(p.from_s, a.from_s)
        then a.share_ticks * (least(p.to_s, a.to_s, {until}) - greatest(p.from_s, a.from_s))
    else 0
end) as bigint)
"""

_IN_DEVICE = f"""
create or replace table part as
with cut as (
    select
        p.part_no as part_no, greatest(p.from_s, d.from_s) as from_s, least(p.to_s, d.to_s) as to_s,
        {_BEFORE.format(until="d.from_s")} as low, {_BEFORE.format(until="d.to_s")} as high,
        {_BEFORE.format(until="p.to_s")} as whole
    from part as p
    inner join device_life as d
        on p.slot = d.slot and d.device = $key and d.from_s < p.to_s and d.to_s > p.from_s
    inner join atom as a
        on p.lane = a.lane and p.run = a.run and p.owner = a.owner and p.team = a.team
        and p.cost_centre = a.cost_centre and p.phase = a.phase and p.claimed_as = a.account
        and p.state = a.state and a.from_s < p.to_s and a.to_s > p.from_s
    group by p.part_no, p.from_s, p.to_s, d.from_s, d.to_s
)
select
    p.* replace (
        row_number() over (order by {_KEYS.replace("from_s", "c.from_s")}) as part_no,
        c.from_s as from_s, c.to_s as to_s,
        cast(
            cast(ticks as hugeint) * high // whole - cast(ticks as hugeint) * low // whole as bigint
        ) as ticks,
        cast(sign(amount) * (
            cast(abs(amount) as hugeint) * high // whole - cast(abs(amount) as hugeint) * low // whole
        ) as bigint) as amount
    )
from part as p inner join cut as c on p.part_no = c.part_no
where high > low
"""


def picked_where(asked: Asked) -> str:
    """Which time rows and entries are picked, by `$key`."""
    return {
        "line": f"{key_sql(asked.by)} = $key",
        "holding": "run = $key",
        "slot": "slot = $key",
        "device": "slot in (select slot from device_life where device = $key)",
    }[asked.kind]


def pick(bench: Workbench, asked: Asked) -> None:
    """Stage `part` (time rows with their money) and `picked` (entries) of what is asked.

    Of an hour in which a device came or went it has what its atoms have; `atom` must be staged for that.
    """
    for query in (_PICKED, _PART):
        bench.connection.execute(query.format(where=picked_where(asked)), {"key": asked.key})
    if asked.kind == "device":
        bench.connection.execute(_IN_DEVICE, {"key": asked.key})
