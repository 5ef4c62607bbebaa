"""Every scenario's books beside what the simulator knows: time to the tick, money to the quantum, and use.

GPULEDGER_SEEDS says how many seeds there are of each. A tick is 1/720720 s: where a lane's time cannot be
divided among its holders without remainder, the rule gives the remainder by key, and a row may be a tick off
in each of its seconds; whatever can be divided is exact.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction

import pytest
from simulated import Fleet, type_in

from simulator.truths import TimeRow
from simulator.truths.moments import CONFLICT, TICKS

pytestmark = pytest.mark.books

HELD = ("used", "idle_held", "held_unobserved")
SPLITS = 3
"""A pool's money goes to slots, to claims, and to accounts: each moves an amount by less than a quantum."""


def test_time_agrees_with_the_truth(kept: Fleet) -> None:
    for month in kept.world.months:
        truth, rows = kept.truth(month), kept.time_rows(month)
        assert rows.keys() == truth.rows.keys()
        for key, row in rows.items():
            true = truth.rows[key]
            assert row["to_s"] == truth.pieces[key.start_s, key.slot][2]
            for said, exact in ((row["ticks"], true.ticks), (row["observed_ticks"], true.observed)):
                assert said == exact if true.whole else abs(said - exact) <= true.seconds, key


def test_money_agrees_to_the_quantum_and_each_pool_exactly(kept: Fleet) -> None:
    for month in kept.world.months:
        truth, rows, entries = kept.truth(month), kept.time_rows(month), kept.entries(month)
        assert entries.keys() <= rows.keys()
        charged: Counter[tuple[str, int]] = Counter()
        for key, row in rows.items():
            pool, hour_s, _ = truth.pieces[key.start_s, key.slot]
            money = truth.pools[pool, hour_s]
            exact = Fraction(money.quanta * row["ticks"], TICKS * money.seconds)
            amount = entries[key]["amount"] if key in entries else 0
            assert abs(amount - exact) < SPLITS, key
            charged[pool, hour_s] += amount
        assert charged == {key: money.quanta for key, money in truth.pools.items()}


def test_use_by_the_cell_rule_is_true_within_a_step_for_each_transition(kept: Fleet) -> None:
    """Beside the seconds in which nothing was sampled, and a wrong clock's seconds for each transition."""
    sampling = kept.world.sampling
    off_s = sampling.step_s + max([0, *sampling.skews.values()])
    looked_at = 0
    for month in kept.world.months:
        for key, use in kept.truth(month).use.items():
            unseen_s = use.held_s - use.known_s + use.carried_s
            assert abs(use.busy_s - use.truly_busy_s) <= off_s * use.transitions + unseen_s, key
            looked_at += use.known_s > 600
    assert looked_at > 20


def test_what_must_always_hold_holds(kept: Fleet) -> None:
    """Invariants 2, 3, 5 and 11 of the design, by sums over the rows of the books; 9 by the way."""
    for month in kept.world.months:
        type_in(kept.folder, "verify", "--month", month)
        truth, rows, entries = kept.truth(month), kept.time_rows(month), kept.entries(month)
        slots: Counter[tuple[int, str]] = Counter()
        held: dict[TimeRow, Counter[str]] = defaultdict(Counter)
        for key, row in rows.items():
            slots[key.start_s, key.slot] += row["ticks"]
            if key.taker.account in HELD:
                whose = key._replace(taker=key.taker._replace(account=""))
                held[whose][key.taker.account] += row["ticks"]
                held[whose]["known"] += row["observed_ticks"]
            assert row["price_record"]
        assert slots == {
            (start_s, slot): (end_s - start_s) * TICKS
            for (start_s, slot), (_, _, end_s) in truth.pieces.items()
        }
        for one in held.values():
            told_apart = one["used"] + one["idle_held"]
            assert told_apart == 0 or one["known"] * 10 >= 9 * (told_apart + one["held_unobserved"])
        pooled: Counter[tuple[str, int]] = Counter()
        for entry in entries.values():
            pooled[entry["pool"], entry["piece_s"]] += entry["amount"]
            assert (entry["from_account"], entry["from_owner"]) == ("clearing", "")
        assert pooled == kept.recognised(month), "clearing is 0 in each pool and piece"


def test_contested_time_is_nobodys_and_only_where_clocks_are_wrong(kept: Fleet) -> None:
    contested = [
        (key, row["ticks"])
        for month in kept.world.months
        for key, row in kept.time_rows(month).items()
        if key.taker.owner == CONFLICT
    ]
    assert bool(contested) == (kept.world.scenario == "clock-skew")
    assert all(key.taker.account == "held_unobserved" for key, _ in contested)
