"""`gpuledger simulate --scenario money`: a year of money and its truth, and what it comes to in words."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from rich.table import Table

from gpuledger.session import Session
from simulator.exports import utc
from simulator.money.flow import QUANTA
from simulator.money.truth import MoneyTruth, truth_of_money
from simulator.money.truth_files import write_money_truth
from simulator.money.written import set_up_money, write_money
from simulator.money.year import make_year
from simulator.scenarios import MONEY

__all__ = ["simulate_money"]


def simulate_money(session: Session, seed: int, folder: Path) -> None:
    """Write a year of money into an empty folder, with the layer charged that is set, and say what it is."""
    world = make_year(seed)
    set_up_money(folder, world, session.settings.charged)
    written = write_money(world, folder)
    truths = {
        charged: truth_of_money(world, pooled=charged == "pooled") for charged in ("pooled", "recognised")
    }
    files = written.rows | write_money_truth(world, truths, folder / "truth")
    session.console.print(
        f"Scenario {MONEY}, seed {seed}: {len({run.node for run in world.runs})} nodes, "
        f"{len(world.holds):,} holdings, {len(world.money.bills)} bills, {utc(world.start_s)} to "
        f"{utc(world.end_s)}, billed in {world.zone}.",
        soft_wrap=True,
    )
    session.console.print(_table(truths[session.settings.charged]))
    for name, rows in files.items():
        session.console.print(f"{name}: {rows:,} rows", soft_wrap=True)
    session.say(f"next: cd {folder} and type the lines of commands.txt, in order (sh commands.txt)")


def _table(truth: MoneyTruth) -> Table:
    table = Table(title="What the books must come to in the year", title_justify="left")
    table.add_column("key")
    table.add_column("USD", justify="right")
    for key in sorted({key for _, key in truth.owners}):
        total = sum((some for (_, one), some in truth.owners.items() if one == key), Fraction(0))
        cents = round(total * 100 / QUANTA)
        table.add_row(key, f"{'-' * (cents < 0)}{abs(cents) // 100:,}.{abs(cents) % 100:02d}")
    return table
