"""`gpuledger simulate`: write what the sources of a fleet in trouble would write, and beside it the truth."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from gpuledger.errors import InputError, Place
from gpuledger.session import Session
from simulator.base_world import Plan
from simulator.exports import utc
from simulator.into_lake import fill_lake
from simulator.money.command import simulate_money
from simulator.scenarios import MONEY, make_world, names
from simulator.sources import Written, readings_of, write_sources
from simulator.sources.samples import DAY_S
from simulator.truths import Truth, truth_by_node
from simulator.truths.moments import TICKS
from simulator.truths.written import write_truth
from simulator.world import CLUSTER, World

__all__ = ["set_up", "simulate"]

_MOST_IN_FILES = 10_000_000
_LISTED = names()


def simulate(
    ctx: typer.Context,
    out: Annotated[Path, typer.Option(help="New or empty folder to write into.", metavar="DIR")],
    scenario: Annotated[
        str, typer.Option(help=f"What happens to the fleet: {_LISTED}.", metavar="NAME")
    ] = "steady",
    seed: Annotated[int, typer.Option(help="Number that the fleet is made from.", metavar="NUMBER")] = 7,
    gpus: Annotated[
        int, typer.Option(help="How many GPUs there are; money has its own.", metavar="COUNT")
    ] = 16,
    days: Annotated[int, typer.Option(help="Over how many days; money is a year.", metavar="COUNT")] = 2,
    step: Annotated[
        int, typer.Option(help="Seconds from sample to sample, a divisor of 900.", metavar="SECONDS")
    ] = 30,
    lake: Annotated[
        bool,
        typer.Option(
            "--lake",
            help="Put the samples straight into the lake of the folder's own home, without a file of them "
            "and without the truth of use.",
        ),
    ] = False,
) -> None:
    """Simulate the sources of a fleet, and write beside them what the books must come to.

    The folder has a home and settings of its own: type the commands of its commands.txt there.
    """
    session = Session.of(ctx)
    if scenario == MONEY:
        simulate_money(session, seed, _folder(out))
        return
    world = make_world(scenario, Plan(seed, gpus, days, step))
    if not lake and gpus * days * DAY_S // step > _MOST_IN_FILES:
        raise InputError(
            f"{gpus * days * DAY_S // step:,} samples or more are too many for files and their truth",
            mend="add --lake, ask for fewer GPUs or days, or for a longer --step",
        )
    folder = _folder(out)
    set_up(folder, world, session.settings.shards)
    written = write_sources(world, folder, with_samples=not lake)
    sampled = sum(table.num_rows for _, _, table in written.samples)
    if lake:
        sampled = fill_lake(
            world, folder / ".gpuledger", session.settings.shards, session.now(), session.progress
        )
    hours: dict[str, Fraction] = defaultdict(Fraction)
    files = written.rows | write_truth(_truths(world, written, hours), folder / "truth")
    _say(session, world, hours, files, sampled, out)


def _folder(out: Path) -> Path:
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(
            f"{out} is not an empty folder", place=Place(file=str(out)), mend="name a new folder with --out"
        )
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{out} cannot be made: {error}", mend="name another folder with --out") from error
    return out


def set_up(folder: Path, world: World, shards: int = 1) -> None:
    """The folder's own home, which commands that are typed in the folder find by themselves."""
    (folder / ".gpuledger").mkdir()
    lines = [f'zone = "{world.zone}"', f'cluster = "{CLUSTER}"', f'now = "{utc(world.end_s + 3600)}"']
    lines += [f"shards = {shards}"] if shards > 1 else []
    (folder / ".gpuledger" / "gpuledger.toml").write_text("\n".join([*lines, ""]), encoding="utf-8")


def _truths(world: World, written: Written, hours: dict[str, Fraction]) -> Iterator[Truth]:
    """The truth of each month, node by node; meanwhile the GPU-hours of each account are added up."""
    for month in world.months:
        readings = (one for part in written.samples for one in readings_of(*part))
        for truth in truth_by_node(world, month, readings):
            for row, one in truth.rows.items():
                state = row.taker.state
                hours[f"{row.taker.account}{state and ' (' + state + ')'}"] += Fraction(
                    one.ticks, TICKS * 3600
                )
            yield truth


def _say(
    session: Session,
    world: World,
    hours: Mapping[str, Fraction],
    files: Mapping[str, int],
    sampled: int,
    out: Path,
) -> None:
    """What was made, in numbers, and what to type next."""
    table = Table(title="What the books must come to", title_justify="left")
    table.add_column("account")
    table.add_column("GPU-hours", justify="right")
    for account, total in sorted(hours.items()):
        table.add_row(account, f"{round(total * 1000) / 1000:,.3f}")
    boards, holdings = len(world.facts.boards), len(world.facts.holdings)
    session.console.print(
        f"Scenario {world.scenario}, seed {world.seed}: {len(world.machines)} nodes, {boards} boards, "
        f"{holdings:,} holdings, {sampled:,} samples, {utc(world.start_s)} to {utc(world.end_s)}, "
        f"billed in {world.zone}.",
        soft_wrap=True,
    )
    session.console.print(table)
    for name, rows in files.items():
        session.console.print(f"{name}: {rows:,} rows", soft_wrap=True)
    session.say(f"next: cd {out} and type the lines of commands.txt, in order (sh commands.txt)")
