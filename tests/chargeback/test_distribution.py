"""Who pays for devices that nobody holds: by each policy, to the quantum, and no total changes."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from house import House, at, make_house

from chargeback.cents import UNOWNED
from chargeback.checks import FAILED
from chargeback.closing import Asked, close_period
from chargeback.explain import explain
from chargeback.explain_pick import Asked as AskedFor
from chargeback.explanation import Explanation
from chargeback.ledger import Result
from chargeback.policies import CHOICES, DISTRIBUTABLE, distributing
from chargeback.printing import as_csv, as_json, notes
from chargeback.restated import as_restated
from chargeback.restating import AskedAgain, ground_of, restate
from chargeback.statement import By, state_statement
from chargeback.verify import verify_period
from gpuledger.versions import PolicyFact

pytestmark = pytest.mark.books

DAY, HOUR = at("2026-10-05T00:00Z"), 3600
WHOLE = 10**9
NOW = at("2027-01-01T00:00Z")


def fleet(house: House, hours: int = 1, gpus: int = 8, rate: str = "1.00") -> None:
    """GPUs of one node at a dollar an hour."""
    for index in range(gpus):
        house.slot("n1", index, DAY, DAY + hours * HOUR)
    house.price(rate, 0)
    house.through(DAY + 48 * HOUR)


def held(
    house: House, owner: str, units: int, start: int = DAY, end: int = DAY + HOUR, run: str = ""
) -> None:
    house.holding(run or owner, start, end, owner, node="n1", units=units)


def taken(house: House) -> dict[tuple[str, str], int]:
    """What was distributed in the last run, by team and account, in quanta."""
    found: Counter[tuple[str, str]] = Counter()
    for row in house.rows_of("distributed_entry"):
        assert (row["from_owner"], row["from_account"]) == (UNOWNED, row["to_account"])
        found[row["team"], row["to_account"]] += row["amount"]
    return dict(found)


def idle(house: House) -> dict[str, int]:
    """What of free devices each team took, in thousandths of a dollar."""
    house.keep()
    house.books()
    return {team: round(Fraction(amount, 10**6)) for (team, _), amount in taken(house).items()}


def test_nothing_is_distributed_where_nothing_is_chosen(house: House) -> None:
    fleet(house)
    held(house, "a", 4)
    house.entitlement("a", 8)
    assert idle(house) == {}
    assert house.amounts() == {"a": 400, "__idle_free__": 400}


def test_proportional_goes_by_what_teams_were_charged_with_unknown_owners_and_without_conflicts(
    house: House,
) -> None:
    fleet(house, gpus=10)
    held(house, "a", 3)
    held(house, "", 1, run="stray")
    for run in ("one", "other"):
        house.holding(run, DAY, DAY + HOUR, run, node="n1", slot="n1/9")
    house.policy("distribute_idle_free", "proportional/1")
    assert idle(house) == {"a": 3750, "__unknown_owner__": 1250}


def test_inside_a_team_it_goes_to_owner_keys_by_what_they_were_charged(house: House) -> None:
    fleet(house)
    held(house, "a1", 3)
    held(house, "a2", 1)
    held(house, "b", 2)
    for key in ("a1", "a2"):
        house.owner(key, "a")
    house.policy("distribute_idle_free", "even/1")
    house.keep()
    assert house.amounts() == {"__idle_free__": 0, "a1": 375, "a2": 125, "b": 300}
    assert house.amounts(by=By.team) == {"__idle_free__": 0, "a": 500, "b": 300}


def test_unused_entitlement_is_what_a_team_may_use_less_what_it_holds_and_lends(house: House) -> None:
    fleet(house)
    held(house, "a", 3)
    held(house, "b", 1)
    house.entitlement("a", 4)
    house.entitlement("b", 2, DAY, DAY + HOUR // 2)
    house.entitlement("c", 5)
    house.lending("c", "b", 3)
    house.policy("distribute_idle_free", "unused_entitlement/1")
    # of four free: a has 4 - 3 unused, b 2 of half an hour - 1 and so none, c 5 - 3
    assert idle(house) == {"a": 1333, "c": 2667}


def test_who_borrows_pays_what_it_holds_and_who_lends_no_idle_time(house: House) -> None:
    fleet(house)
    held(house, "borrower", 6)
    house.entitlement("lender", 6)
    house.entitlement("other", 2)
    house.lending("lender", "borrower", 6)
    house.policy("distribute_idle_free", "unused_entitlement/1")
    house.keep()
    assert house.amounts() == {"__idle_free__": 0, "borrower": 600, "other": 200}


def test_owner_of_a_pool_takes_it_under_its_own_name_and_cost_centre(house: House) -> None:
    fleet(house)
    held(house, "a", 6)
    house.rule(1, "platform", namespace=["infra"])
    house.rules[-1] = replace(house.rules[-1], cost_centre="CC-9")
    house.pool_owner("platform")
    house.policy("distribute_idle_free", "pool_owner/1")
    house.keep()
    assert house.amounts(by=By.cost_centre) == {"CC-9": 200, "__idle_free__": 0, "__no_cost_centre__": 600}
    assert house.amounts() == {"__idle_free__": 0, "a": 600, "platform": 200}


def test_owner_of_a_pool_changes_within_a_piece_by_the_second(house: House) -> None:
    fleet(house)
    house.pool_owner("old", 0, DAY + 900)
    house.pool_owner("new", DAY + 900)
    house.policy("distribute_idle_free", "pool_owner/1")
    assert idle(house) == {"old": 2000, "new": 6000}


def test_each_account_goes_by_its_own_policy_over_one_base(house: House) -> None:
    fleet(house)
    house.slot("n2", 0, DAY, DAY + HOUR, compute_slices=7, memory_slices=8)
    house.partition("n2", 0, 1, (3, 4), DAY, DAY + HOUR)
    house.partition("n2", 0, 2, (3, 4), DAY, DAY + HOUR)
    held(house, "a", 3)
    held(house, "b", 1)
    house.state("n1", 7, "failed", DAY, DAY + HOUR)
    house.policy("distribute_overhead", "proportional/1")
    house.policy("distribute_idle_free", "even/1")
    house.keep()
    house.books()
    found = taken(house)
    assert found["a", "overhead"] == 3 * found["b", "overhead"] == Fraction(3, 4) * WHOLE
    assert found["a", "idle_free"] == found["b", "idle_free"]
    assert {account for _, account in found} == {"overhead", "idle_free"}


def test_without_weights_the_fallback_counts_and_is_named_and_without_these_it_stays(house: House) -> None:
    fleet(house, hours=3)
    held(house, "a", 4, DAY, DAY + HOUR)
    house.entitlement("b", 2, DAY + HOUR, DAY + 2 * HOUR)
    house.policy("distribute_idle_free", "unused_entitlement/1")
    house.policy("distribution_fallback", "proportional/1")
    assert idle(house) == {"a": 4000, "b": 8000}
    assert {row["team"]: row["policy"] for row in house.rows_of("distributed_entry")} == {
        "a": "distribute_idle_free=unused_entitlement/1 distribution_fallback=proportional/1",
        "b": "distribute_idle_free=unused_entitlement/1",
    }
    assert house.amounts() == {"__idle_free__": 800, "a": 800, "b": 800}


@pytest.mark.parametrize("known", [True, False], ids=["there for a while", "known for a while"])
def test_what_a_team_may_use_counts_only_while_the_pool_is_there_and_known(house: House, known: bool) -> None:
    for index in range(8):
        house.slot("n1", index, DAY, DAY + (600 if known else HOUR))
    house.price("1.00", 0)
    house.through(DAY + (48 * HOUR if known else 600))
    held(house, "a", 6)
    house.entitlement("a", 6)
    house.entitlement("b", 2)
    house.policy("distribute_idle_free", "unused_entitlement/1")
    assert idle(house) == {"b": 333}


def test_team_that_takes_less_than_a_cent_has_a_line(house: House) -> None:
    for index in range(2):
        house.slot("n1", index, DAY, DAY + 20)
    house.price("0.60", 0)
    held(house, "a", 1, DAY, DAY + 20)
    house.pool_owner("platform")
    house.policy("distribute_idle_free", "pool_owner/1")
    house.through(DAY + HOUR)
    house.keep()
    made = state_statement(house.desk.book, house.books(), By.owner)
    assert {line.key: line.quanta for line in made.lines} == {
        "__idle_free__": 0,
        "a": 3_333_333,
        "platform": 3_333_333,
    }


def test_entitlement_of_another_pool_says_nothing_here(house: House) -> None:
    fleet(house)
    house.entitlement("a", 4)
    house.entitlements[-1] = replace(house.entitlements[-1], region="eu-west")
    house.policy("distribute_idle_free", "unused_entitlement/1")
    assert idle(house) == {}
    said = notes(state_statement(house.desk.book, house.books(), By.owner))
    assert "ASTRAY: entitlements name pools without a slot: H100/eu-west" in said


def test_windows_are_pieces_so_that_who_was_there_in_an_hour_pays_for_that_hour(house: House) -> None:
    fleet(house, hours=2)
    held(house, "a", 4, DAY, DAY + HOUR)
    held(house, "b", 1, DAY + HOUR, DAY + 2 * HOUR)
    house.policy("distribute_idle_free", "even/1")
    assert idle(house) == {"a": 4000, "b": 7000}


def test_policy_holds_from_its_month(house: House) -> None:
    fleet(house)
    held(house, "a", 4)
    house.policy("distribute_idle_free", "even/1", at("2026-11-01T00:00Z"))
    assert idle(house) == {}


@pytest.mark.parametrize("charged", ["pooled", "recognised"])
def test_no_total_of_a_lot_a_pool_or_an_account_changes_by_any_policy(tmp_path: Path, charged: str) -> None:
    totals = []
    for number, choice in enumerate(CHOICES["distribute_idle_free"]):
        (tmp_path / str(number)).mkdir()
        house = make_house(tmp_path / str(number), charged=charged, shards=2)
        several_hours(house)
        for account in DISTRIBUTABLE:
            house.policy(distributing(account), choice)
        house.keep()
        result = house.books()
        totals.append(accounts_of(result))
        assert not [check for check in verify_period(house.desk, "2026-10", result) if check.status == FAILED]
        assert sum(row.amount for row in result.entries if row.layer == "distributed") == 0
        assert (choice == "none/1") == (not taken(house))
        house.desk.database.close()
    assert all(found == totals[0] for found in totals)


def accounts_of(result: Result) -> dict[tuple[str, ...], int]:
    """The cost accounts by lot, model, cluster and state, in quanta, whoever owns them."""
    found: Counter[tuple[str, ...]] = Counter()
    for row in result.entries:
        if row.account != "clearing":
            found[row.lot, row.model, row.cluster, row.account, row.state] += row.amount
    return dict(found)


def several_hours(house: House) -> None:
    """Two nodes, a price that changes inside an hour, odd seconds, a failed slot and entitlements."""
    for node in ("n1", "n2"):
        for index in range(4):
            house.slot(node, index, DAY, DAY + 5 * HOUR + 7)
    house.price("2.744705", 0, DAY + HOUR + 61)
    house.price("1.374205", DAY + HOUR + 61)
    house.holding("a", DAY + 11, DAY + 3 * HOUR + 7, "a", node="n1", units=3)
    house.holding("b", DAY + 77, DAY + 4 * HOUR, "b", node="n2", units=1)
    house.state("n2", 3, "failed", DAY + 100, DAY + 2 * HOUR)
    house.entitlement("a", 5)
    house.entitlement("b", 2, DAY + 300)
    house.pool_owner("platform")
    house.policy("distribution_fallback", "pool_owner/1")
    house.through(DAY + 48 * HOUR)


def test_several_workers_distribute_the_same(tmp_path: Path) -> None:
    rows = []
    for workers in (1, 2):
        (tmp_path / str(workers)).mkdir()
        house = make_house(tmp_path / str(workers), shards=2)
        several_hours(house)
        house.policy("distribute_idle_free", "proportional/1")
        house.keep()
        house.books(workers=workers)
        rows.append(house.rows_of("distributed_entry"))
        house.desk.database.close()
    assert rows[0] == rows[1] and rows[0]


def test_statement_tells_how_much_of_a_line_is_distributed_and_by_what(house: House) -> None:
    fleet(house)
    held(house, "a", 6)
    house.policy("distribute_idle_free", "even/1")
    house.keep()
    made = state_statement(house.desk.book, house.books(), By.owner)
    assert {line.key: line.distributed for line in made.lines} == {"__idle_free__": 0, "a": 200}
    assert as_csv(made).splitlines()[0].endswith(",unrounded,distributed")
    assert '"distributed": 200' in as_json(made)
    house.policy("distribute_idle_free", "none/1")
    house.keep()
    assert "distributed" not in as_csv(state_statement(house.desk.book, house.books(), By.owner))


def explained(house: House, result: Result, key: str, by: By = By.owner) -> Explanation:
    return explain(house.desk, result, AskedFor("line", key, by))


@pytest.mark.parametrize("by", By)
def test_every_line_of_a_distributed_month_is_explained_to_the_quantum(house: House, by: By) -> None:
    several_hours(house)
    for account in DISTRIBUTABLE:
        house.policy(distributing(account), "unused_entitlement/1")
    house.keep()
    result = house.books()
    for line in state_statement(house.desk.book, result, by).lines:
        told = explained(house, result, line.key, by)
        assert told.apart == []
        assert "distributed" in [step.name for step in told.steps]
    (rows,) = [step.rows for step in explained(house, result, "a").steps if step.name == "entitlement rows"]
    assert [row.labels["says"] for row in rows] == ["a may use 5 of H100/"]


def test_what_was_distributed_cannot_be_changed_unseen(house: House) -> None:
    several_hours(house)
    house.policy("distribute_idle_free", "even/1")
    house.keep()
    result = house.books()
    path = next(house.desk.books.rglob("distributed_entry.parquet"))
    shutil.copy(path.with_name("entry.parquet"), path)
    failed = [check.says for check in verify_period(house.desk, "2026-10", result) if check.status == FAILED]
    assert failed == ["no file of the books has changed"]
    path.unlink()
    failed = [check.says for check in verify_period(house.desk, "2026-10", result) if check.status == FAILED]
    assert failed == ["no file of the books has changed"]


def test_policy_that_comes_after_a_close_is_restated_and_moves_nothing_but_owners(house: House) -> None:
    fleet(house)
    held(house, "a", 6)
    house.through(NOW)
    house.keep()
    house.books()
    close_period(house.desk, "2026-10", Asked("ann", NOW, reason="october"), "close")
    house.policies.append(PolicyFact("distribute_idle_free@0", 0, None, "distribute_idle_free", "even/1"))
    house.keep()
    found = restate(house.desk, ground_of(house.desk, "2026-10"), AskedAgain("ann", NOW), "again")
    (step,) = found.steps
    assert step.cause == "policy" and found.exact == 0
    moved: Any = {(row.layer, row.owner): row.amount for row in step.entries}
    assert moved == {("distributed", UNOWNED): -2 * WHOLE, ("distributed", "a"): 2 * WHOLE}
    with house.desk.database.read() as connection:
        made = as_restated(connection, ground_of(house.desk, "2026-10"), By.owner)
    assert {line.key: (line.minor, line.distributed) for line in made.lines} == {
        "__idle_free__": (0, 0),
        "a": (800, 200),
    }
    assert "distributed: idle_free by even/1" in notes(made)
