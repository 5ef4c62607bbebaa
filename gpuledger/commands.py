"""The command table: every command of every room, named as a string and imported when it runs.

Adding a command is one row here and one function there. The function takes `ctx: typer.Context` first, then
its arguments and options annotated for Typer, and opens its session with `Session.of(ctx)`.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass

from gpuledger.errors import MissingExtra

__all__ = ["COMMANDS", "EXTRAS", "GROUPS", "Command", "missing_extra"]


@dataclass(frozen=True)
class Command:
    """One command: the words that call it, its function, a sentence of help, the extra it needs."""

    path: tuple[str, ...]
    target: str
    help: str
    extra: str | None = None

    @property
    def name(self) -> str:
        return " ".join(self.path)


GROUPS: dict[str, str] = {
    "audit": "Look after the audit log.",
    "import": "Bring facts and terms in from files.",
    "lake": "Look after the tables of the lake.",
}

COMMANDS: tuple[Command, ...] = (
    Command(
        ("demo",),
        "simulator.demo:demo",
        "Make a small fleet, run its books and print the statement.",
        "engine",
    ),
    Command(
        ("simulate",),
        "simulator.simulate:simulate",
        "Write what the sources of a fleet in trouble would write, and beside it the truth.",
        "engine",
    ),
    Command(
        ("import", "holdings"),
        "collectors.imports.commands:holdings",
        "Import who held what, and when, from CSV or Parquet through a map of columns.",
        "engine",
    ),
    Command(
        ("import", "inventory"),
        "collectors.imports.commands:inventory",
        "Import nodes, slots and devices from CSV or Parquet through a map of columns.",
        "engine",
    ),
    Command(
        ("import", "capacity"),
        "collectors.imports.commands:capacity",
        "Import counts over time of the units there are, and of the units held.",
        "engine",
    ),
    Command(
        ("import", "states"),
        "collectors.imports.commands:states",
        "Import what nodes or slots were good for: available, drained, failed and the like.",
        "engine",
    ),
    Command(
        ("import", "partitions"),
        "collectors.imports.commands:partitions",
        "Import how devices were cut into partitions, such as MIG instances.",
        "engine",
    ),
    Command(
        ("import", "phases"),
        "collectors.imports.commands:phases",
        "Import what workloads' runs were at: waiting, warming up, running and the like.",
        "engine",
    ),
    Command(
        ("import", "checkpoints"),
        "collectors.imports.commands:checkpoints",
        "Import when the work of workloads' runs was kept, after which it may be lost.",
        "engine",
    ),
    Command(
        ("import", "samples"),
        "collectors.samples.commands:samples",
        "Import what devices reported, and make the activity of the days it touches.",
        "engine",
    ),
    Command(
        ("import", "map"),
        "collectors.imports.guess_commands:draft",
        "Guess the map of a file's columns from its header, as a draft to read and to mend.",
        "engine",
    ),
    Command(
        ("import", "prices"),
        "chargeback.terms.commands:prices",
        "Import prices of GPUs and nodes, from our own CSV or a list of a provider.",
        "engine",
    ),
    Command(
        ("import", "bill"),
        "chargeback.bills.commands:import_bill",
        "Import bills: FOCUS, or AWS cost and usage reports, each whole or not at all.",
        "engine",
    ),
    Command(
        ("whatif",),
        "chargeback.terms.whatif_commands:whatif",
        "Price months by other terms and say who would pay what; nothing is kept.",
        "engine",
    ),
    Command(
        ("lots",),
        "chargeback.lot_commands:lots",
        "List lots: what each recognises in a month, and what of it is invoiced, prepaid or accrued.",
        "engine",
    ),
    Command(
        ("commitments",),
        "chargeback.commitments.commands:commitments",
        "List commitments: how much of each is used, by which teams, what is lost and what it costs.",
        "engine",
    ),
    Command(
        ("bills",),
        "chargeback.bills.commands:bills",
        "List bills: how whole each is, what its lines are for, and what was rated against what was billed.",
        "engine",
    ),
    Command(
        ("import", "fx"),
        "chargeback.terms.fx_commands:fx",
        "Import exchange rates by day: date, base, quote, rate, or the European Central Bank's table.",
        "engine",
    ),
    Command(
        ("import", "owners"),
        "chargeback.terms.commands:owners",
        "Import from CSV which team and cost centre an owner key belongs to.",
        "engine",
    ),
    Command(
        ("init",),
        "chargeback.terms.init_commands:init",
        "Write a folder of terms to begin with: teams, prices and policies.",
        "engine",
    ),
    Command(
        ("apply",),
        "chargeback.terms.apply_commands:apply",
        "Make the terms of a folder those in force, and say what that moves.",
        "engine",
    ),
    Command(
        ("run",), "chargeback.commands:run", "Run the books of a period: measure, price, post.", "engine"
    ),
    Command(
        ("statement",),
        "chargeback.commands:statement",
        "Print what a month cost, by owner, team, model or cluster.",
        "engine",
    ),
    Command(
        ("usage",),
        "chargeback.usage_commands:usage",
        "Print a month's GPU-hours by account and owner, energy, and who holds devices that stand idle.",
        "engine",
    ),
    Command(
        ("explain",),
        "chargeback.explain_commands:explain",
        "Explain a line of a statement down to its source rows, or a holding up to its lines.",
        "engine",
    ),
    Command(("verify",), "chargeback.commands:verify", "Check what must always hold of the books.", "engine"),
    Command(
        ("close",),
        "chargeback.close_commands:close",
        "Close the books of a month: freeze them and their statement.",
        "engine",
    ),
    Command(
        ("books",),
        "chargeback.close_commands:books",
        "List the months: open, provisional or closed, and what stands in the way of a close.",
        "engine",
    ),
    Command(
        ("restate",),
        "chargeback.restate_commands:restate",
        "Carry what became known of a closed month into the next open one, by cause.",
        "engine",
    ),
    Command(
        ("reopen",),
        "chargeback.restate_commands:reopen",
        "Take up a closed month again: each run restates it, with a reason.",
        "engine",
    ),
    Command(
        ("diff",),
        "chargeback.restate_commands:diff",
        "Print what changed in a month between two states of knowledge, by cause.",
        "engine",
    ),
    Command(
        ("audit", "verify"),
        "gpuledger.versions.commands:verify_audit",
        "Check that no row of the audit log was changed or is gone.",
        "engine",
    ),
    Command(
        ("lake", "verify"),
        "gpuledger.lake.commands:verify",
        "Check that each file of the lake is there and is what its row says.",
        "engine",
    ),
    Command(
        ("lake", "compact"),
        "gpuledger.lake.commands:compact",
        "Put the many files of a table into one per shard.",
        "engine",
    ),
    Command(
        ("lake", "sweep"),
        "gpuledger.lake.commands:sweep",
        "Delete files that were replaced, or never published, more than a day ago.",
        "engine",
    ),
    Command(
        ("lake", "repair"),
        "gpuledger.lake.commands:repair",
        "Find files again that the database has lost, from the copy of its list beside the lake.",
        "engine",
    ),
    Command(
        ("lake", "rebuild-activity"),
        "collectors.activity.commands:rebuild_activity",
        "Make activity and energy anew from the samples that are known.",
        "engine",
    ),
    Command(
        ("upgrade",),
        "gpuledger.versions.commands:upgrade",
        "Bring the database to this version's schema.",
        "engine",
    ),
    Command(
        ("settings",), "gpuledger.show:settings", "Print each setting, its value and where it comes from."
    ),
    Command(("metrics",), "gpuledger.show:metrics", "Print the metric catalogue."),
)

EXTRAS: dict[str, frozenset[str]] = {
    "engine": frozenset({"alembic", "duckdb", "numpy", "pyarrow", "sqlalchemy"}),
    "postgres": frozenset({"psycopg"}),
}
"""The modules that each extra brings, by the names they are imported under."""

# Which driver a command of the engine needs is up to the address of the database.
_ALONGSIDE = {"engine": ("postgres",)}


def missing_extra(command: Command | None, error: ModuleNotFoundError) -> MissingExtra | None:
    """The error to show when the command's extra is absent; None when the import failed otherwise."""
    if command is None or command.extra is None:
        return None
    module = (error.name or "").partition(".")[0]
    extras = (command.extra, *_ALONGSIDE.get(command.extra, ()))
    extra = next((extra for extra in extras if module in EXTRAS[extra]), None)
    if extra is None or importlib.util.find_spec(module) is not None:
        return None
    return MissingExtra(f"needs: pip install 'gpuledger[{extra}]'")
