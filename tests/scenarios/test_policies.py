"""Policies of sharing and distribution move time and money as they say, and change no total (invariant 5).

Two scenarios of one seed, or all of them with as many seeds as GPULEDGER_SEEDS says.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from simulated import Fleet, type_in

from chargeback.policies import DISTRIBUTABLE, FALLBACK, distributing
from simulator.scenarios import SCENARIOS
from simulator.truths.moments import Policies
from simulator.world import REGION

pytestmark = pytest.mark.books

SEEDS = int(os.environ.get("GPULEDGER_SEEDS", "1"))
NAMES = sorted(SCENARIOS) if "GPULEDGER_SEEDS" in os.environ else ["mig-repartition", "time-slicing"]
DISTRIBUTED = sorted(SCENARIOS) if "GPULEDGER_SEEDS" in os.environ else ["node-failure"]
KNOWN = (
    Policies("compute", "apart", "per_replica"),
    Policies("memory", "absorbed", "equal"),
)
"""Choices of which the simulator knows the truth; weighing by use it does not."""


@pytest.mark.parametrize("seed", range(1, SEEDS + 1))
@pytest.mark.parametrize("name", NAMES)
def test_policies_of_sharing_do_as_they_say_and_change_no_total(
    make: Callable[..., Fleet], name: str, seed: int
) -> None:
    kept = make(name, seed).keep_books()
    totals = {month: totals_of(kept, month) for month in kept.world.months}
    accounts: Counter[str] = Counter()
    for policies in KNOWN:
        choose(kept, policies.mig_share, policies.stranded, policies.time_slicing)
        for month in kept.world.months:
            truth, rows = kept.truth(month, policies), kept.time_rows(month)
            assert rows.keys() == truth.rows.keys()
            for key, row in rows.items():
                true = truth.rows[key]
                assert row["ticks"] == true.ticks or abs(row["ticks"] - true.ticks) <= true.seconds, key
                accounts[key.taker.account] += row["ticks"]
            assert totals_of(kept, month) == totals[month]
    assert accounts["stranded"] or name != "mig-repartition"
    for choice in ("by_use_apart", "by_use_spread"):
        choose(kept, "dominant", "apart", choice)
        for month in kept.world.months:
            assert totals_of(kept, month) == totals[month]


@pytest.mark.parametrize("seed", range(1, SEEDS + 1))
@pytest.mark.parametrize("name", DISTRIBUTED)
def test_distribution_changes_owners_and_no_total(make: Callable[..., Fleet], name: str, seed: int) -> None:
    kept = make(name, seed).keep_books()
    before = {month: statement_of(kept, month) for month in kept.world.months}
    totals = {month: totals_of(kept, month) for month in kept.world.months}
    models = sorted({machine.model for machine in kept.world.machines})
    pools = [f"  - {{team: platform, model: {model}, region: {REGION}}}" for model in models]
    entitled = [f"  - {{team: robotics, model: {model}, region: {REGION}, units: 3}}" for model in models]
    lines = ["entitlements:", *entitled, "lending: []", "pools:", *pools, ""]
    (kept.folder / "terms").mkdir()
    (kept.folder / "terms" / "entitlements.yaml").write_text("\n".join(lines), "utf-8")
    for way in ("proportional", "even", "unused_entitlement", "pool_owner"):
        chosen = {distributing(account): way for account in DISTRIBUTABLE}
        apply(kept, chosen | {FALLBACK: "pool_owner"})
        for month in kept.world.months:
            type_in(kept.folder, "verify", "--month", month)
            after = statement_of(kept, month)
            assert totals_of(kept, month) == totals[month]
            assert (
                after["total"] == before[month]["total"] and after["gpu_hours"] == before[month]["gpu_hours"]
            )
            nobody = {line["key"]: line["unrounded"] for line in after["lines"] if line["key"][:2] == "__"}
            assert {float(nobody[key]) for key in nobody if key != "__conflict__"} == {0}


def choose(kept: Fleet, mig_share: str, stranded: str, time_slicing: str) -> None:
    """Choose these policies of sharing, and run the books anew."""
    apply(kept, {"mig_share": mig_share, "stranded": stranded, "time_slicing": time_slicing})


def apply(kept: Fleet, chosen: dict[str, str]) -> None:
    """Apply these policies, and run the books anew."""
    folder = kept.folder / "terms"
    folder.mkdir(exist_ok=True)
    lines = [f"  - {{policy: {policy}, choice: {choice}/1}}" for policy, choice in chosen.items()]
    (folder / "policies.yaml").write_text("\n".join(["policies:", *lines, ""]), "utf-8")
    type_in(kept.folder, "apply", "-f", "terms", "--no-money")
    for month in kept.world.months:
        type_in(kept.folder, "run", "--month", month)


def statement_of(kept: Fleet, month: str) -> dict[str, Any]:
    """A month's statement by team."""
    words = ("statement", "--month", month, "--by", "team", "--format", "json")
    found: dict[str, Any] = json.loads(type_in(kept.folder, *words))
    return found


def totals_of(kept: Fleet, month: str) -> tuple[Counter[tuple[str, int]], Counter[str]]:
    """A month's money by pool and piece, and its ticks by slot."""
    money: Counter[tuple[str, int]] = Counter()
    for entry in kept.entries(month).values():
        money[entry["pool"], entry["piece_s"]] += entry["amount"]
    time: Counter[str] = Counter()
    for key, row in kept.time_rows(month).items():
        time[key.slot] += row["ticks"]
    return money, time
