"""`gpuledger apply`: what it says, what it stores, and what it leaves as it is."""

from __future__ import annotations

import json
import shutil
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from desktop import JOBS, MAP, PRICES, Desktop, filled
from house import House

from chargeback.terms.applying import keep_terms
from chargeback.terms.in_force import Seqs, TermsInForce, terms_in_force
from gpuledger.errors import BooksError
from gpuledger.versions import Database, PolicyFact, PriceFact, put_policies

pytestmark = pytest.mark.books

TEAMS = """\
teams:
- {team: language}
- {team: vision}
rules:
- {match: {owner_key: ml}, team: vision}
- {match: {owner_key: nlp}, team: language}
"""
PRICE = "{model: H100, rate: 2.0, currency: USD, from: '2026-01-01T00:00Z'}"


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two owners with 12 and 7 GPU-hours at 2 USD, each a team by a rule; books of October."""
    desktop = Desktop(tmp_path_factory.mktemp("made"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(desktop.folder)
        for name, text in {"jobs.csv": JOBS, "map.yaml": MAP, "prices.csv": PRICES}.items():
            desktop.write(name, text)
        filled(desktop)
        (desktop.folder / "terms").mkdir()
        desktop.write("terms/teams.yaml", TEAMS)
        assert desktop.type("apply")[0] == 0
        assert desktop.type("run")[0] == 0
    return desktop.folder


@pytest.fixture
def applied(made_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desktop:
    shutil.copytree(made_once, tmp_path / "desktop")
    monkeypatch.chdir(tmp_path / "desktop")
    return Desktop(tmp_path / "desktop")


def stored(desktop: Desktop) -> list[str]:
    """All that the database holds."""
    with sqlite3.connect(desktop.folder / "home" / "gpuledger.db") as connection:
        lines = list(connection.iterdump())
    connection.close()
    return lines


def in_force(desktop: Desktop) -> TermsInForce:
    database = Database.open(f"sqlite:///{desktop.folder / 'home' / 'gpuledger.db'}")
    with database.read() as connection:
        found = terms_in_force(connection, Seqs.at(10_000))
    database.close()
    return found


def said(desktop: Desktop, *words: str) -> list[str]:
    code, out, err = desktop.type("apply", *words)
    assert code == 0, err
    return out.splitlines()


def document(desktop: Desktop, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads("\n".join(said(desktop, "--format", "json", *words)))
    return found


def amounts(desktop: Desktop) -> dict[str, int | None]:
    made = desktop.type("statement", "--month", "2026-10", "--by", "team", "--format", "json")[1]
    return {line["key"]: line["amount"] for line in json.loads(made)["lines"]}


def test_renamed_team_moves_its_money(applied: Desktop) -> None:
    applied.write("terms/teams.yaml", TEAMS.replace("vision", "images"))
    assert said(applied) == [
        "~ rule owner_key ml: team vision → images",
        "2026-10 would move 24.00 USD from vision to images",
        "applied at seq 5: 1 changed",
        "`gpuledger run` computes the open months with them",
    ]
    assert applied.type("run")[0] == 0
    assert amounts(applied) == {"images": 2400, "language": 1400}


def test_dry_run_says_the_same_and_stores_nothing(applied: Desktop) -> None:
    applied.write("terms/teams.yaml", TEAMS.replace("vision", "images"))
    before = stored(applied)
    assert said(applied, "--dry-run")[1:] == [
        "2026-10 would move 24.00 USD from vision to images",
        "nothing is stored: 1 changed against seq 4",
    ]
    assert stored(applied) == before
    assert list((applied.folder / "home" / "scratch").iterdir()) == []


def test_dry_run_begins_no_book(desktop: Desktop) -> None:
    filled(desktop)
    assert desktop.type("init")[0] == 0
    before = stored(desktop)
    assert "__unknown_owner__" in "\n".join(said(desktop, "--dry-run"))
    assert stored(desktop) == before


def test_applying_twice_changes_nothing(applied: Desktop) -> None:
    before = stored(applied)
    assert said(applied) == ["nothing changes: the terms are those in force at seq 4"]
    assert stored(applied) == before


def test_books_in_force_are_not_computed_again(applied: Desktop) -> None:
    applied.write("terms/teams.yaml", TEAMS.replace("vision", "images"))
    err = applied.type("apply", "--dry-run")[2]
    assert "as proposed" in err and "as agreed" not in err
    applied.write("more.csv", "model,rate,currency,from,to\nA100,1,USD,2026-01-01T00:00Z,\n")
    assert applied.type("import", "prices", "more.csv")[0] == 0
    assert "as agreed" in applied.type("apply", "--dry-run")[2]


def test_change_that_comes_to_the_same_is_not_computed(applied: Desktop) -> None:
    applied.write("terms/teams.yaml", TEAMS.replace("owner_key: nlp", "owner_key: [nlp, none]"))
    code, out, err = applied.type("apply")
    assert code == 0 and "no month with facts would change" in out
    assert "books of" not in err


def test_amounts_that_move_otherwise_are_a_table(applied: Desktop) -> None:
    applied.write("terms/teams.yaml", TEAMS.replace("vision", "a").replace("language", "b"))
    table = "\n".join(said(applied))
    assert "2026-10 would change, in USD" in table
    assert "│ a        │        │ 24.00 │     +24.00 │" in table
    assert "│ vision   │  24.00 │       │     -24.00 │" in table
    assert "│ total    │  38.00 │ 38.00 │       0.00 │" in table


def test_rule_that_is_gone_is_withdrawn(applied: Desktop) -> None:
    applied.write("terms/teams.yaml", "".join(TEAMS.splitlines(keepends=True)[:-1]))
    assert said(applied)[:2] == [
        "- rule owner_key nlp: team language",
        "2026-10 would move 14.00 USD from language to nlp",
    ]
    assert [rule.team for rule in in_force(applied).rules] == ["vision"]


def test_order_of_rules_decides_and_is_kept(applied: Desktop) -> None:
    rules = TEAMS + "- {match: {owner_key: '*'}, team: language}\n"
    applied.write("terms/teams.yaml", rules)
    assert said(applied)[0] == "+ rule owner_key *: team language"
    head, first, second, last = rules[: rules.index("- {match")], *rules.splitlines()[4:]
    applied.write("terms/teams.yaml", f"{head}{second}\n{last}\n")
    assert "2026-10 would move 24.00 USD from vision to language" in said(applied)
    applied.write("terms/teams.yaml", f"{head}{second}\n{first}\n{last}\n")
    assert said(applied)[:2] == [
        "+ rule owner_key ml: team vision",
        "2026-10 would move 24.00 USD from language to vision",
    ]
    assert [rule.position for rule in in_force(applied).rules] == [3, 2, 1]


def test_imported_price_is_taken_over_and_then_belongs_to_the_folder(applied: Desktop) -> None:
    applied.write("terms/prices.yaml", f"prices: [{PRICE}]\n")
    assert said(applied)[:2] == [
        "= price model H100: taken over from prices, which was imported",
        "no month with facts would change",
    ]
    assert [(price.origin, price.rate) for price in in_force(applied).prices] == [("terms", "2")]
    assert applied.type("import", "prices", "prices.csv")[0] == 0
    assert [price.origin for price in in_force(applied).prices] == ["terms"]
    applied.write("terms/prices.yaml", "prices: []\n")
    lines = said(applied)
    assert lines[0].startswith("- price model H100: rate 2, currency USD")
    assert "2026-10 would have 19.00 unpriced GPU-hours, and has 0.00" in lines
    assert in_force(applied).prices == ()


def test_imported_prices_stay_beside_those_of_the_folder(applied: Desktop) -> None:
    applied.write("terms/prices.yaml", f"prices: [{PRICE.replace('H100', 'A100')}]\n")
    said(applied)
    applied.write("terms/prices.yaml", "prices: []\n")
    said(applied)
    assert [(price.selector, price.origin) for price in in_force(applied).prices] == [("H100", "import")]


def test_price_that_overlaps_with_an_imported_one_is_an_error_that_names_it(applied: Desktop) -> None:
    applied.write("terms/prices.yaml", f"prices:\n- {PRICE.replace('2026-01', '2026-10')}\n")
    code, _, err = applied.type("apply")
    assert code == 3
    assert "the record in force (model/H100///2026-01-01T00:00:00Z until open)" in err
    assert "prices.yaml, line 2" in err


def test_absent_file_leaves_its_kind_alone(applied: Desktop) -> None:
    (applied.folder / "terms" / "teams.yaml").unlink()
    applied.write("terms/policies.yaml", "policies: []\n")
    code, out, err = applied.type("apply")
    assert code == 0 and "nothing changes" in out
    assert "there is no teams.yaml: the rules in force stay" in err
    assert "there is no prices.yaml: the prices in force stay" in err
    assert len(in_force(applied).rules) == 2


def test_failed_apply_leaves_nothing(applied: Desktop) -> None:
    before = stored(applied)
    applied.write("terms/teams.yaml", TEAMS.replace("team: vision}\nrules", "team: visoin}\nrules"))
    applied.write(
        "terms/prices.yaml", "prices:\n- {model: H100, rate: '2,5', currency: USD, from: 2026-10-01}\n"
    )
    code, out, err = applied.type("apply")
    assert (code, out) == (3, "")
    assert "2 things are wrong" in err
    assert "teams.yaml, line 5: vision is not among the teams" in err and "do: write visoin" in err
    assert "prices.yaml, line 2: '2,5' is not an amount" in err
    assert stored(applied) == before


def test_price_in_a_currency_without_exchange_rates_is_refused_before_it_is_stored(applied: Desktop) -> None:
    applied.write("terms/prices.yaml", f"prices: [{PRICE.replace('USD', 'EUR')}]\n")
    before = stored(applied)
    code, _, err = applied.type("apply")
    assert code == 6 and "no exchange rate of EUR in USD is known for 2026-10-" in err
    assert stored(applied) == before


def test_terms_that_cannot_be_computed_can_be_mended(desktop: Desktop) -> None:
    desktop.write("prices.csv", "model,rate,currency,from,to\nH100,2,EUR,2026-01-01T00:00Z,\n")
    filled(desktop)
    (desktop.folder / "terms").mkdir()
    desktop.write("terms/prices.yaml", f"prices: [{PRICE}]\n")
    lines = said(desktop)
    assert "2026-10 would come to 38.00 USD" in lines
    assert any("cannot be compared: with the terms in force it cannot be computed" in line for line in lines)
    assert desktop.type("run")[0] == 0


def test_gap_between_prices_is_a_warning(applied: Desktop) -> None:
    prices = [PRICE.replace("}", ", to: '2026-02-01T00:00Z'}"), PRICE.replace("2026-01", "2026-03")]
    applied.write("terms/prices.yaml", "prices:\n- " + "\n- ".join(prices) + "\n")
    code, _, err = applied.type("apply")
    assert code == 0
    assert "warning: terms/prices.yaml: between lines 2 and 3 nothing holds from 2026-02-01T00:00:00Z" in err


def test_unmatched_owner_goes_where_the_policy_says(applied: Desktop) -> None:
    applied.write("terms/teams.yaml", "teams: []\nrules: []\n")
    applied.write(
        "terms/policies.yaml", "policies: [{policy: unmatched_owner, choice: unknown/1, from: 2026-10}]\n"
    )
    assert "+ policy unmatched_owner: choice unknown/1, from 2026-10-01T00:00:00Z" in said(applied)
    assert applied.type("run")[0] == 0
    assert amounts(applied) == {"__unknown_owner__": 3800}
    applied.write("terms/policies.yaml", "policies: []\n")
    said(applied)
    assert applied.type("run")[0] == 0
    assert amounts(applied) == {"ml": 2400, "nlp": 1400}


def test_entitlements_are_told_in_words_and_move_money_once_a_policy_goes_by_them(applied: Desktop) -> None:
    slots = "cluster,node,slot,model,from\nc,spare,0,H100,2026-10-01T00:00:00Z\n"
    applied.write("slots.csv", slots)
    applied.write(
        "slots.yaml",
        "kind: inventory\nsource: assets\ncolumns: {cluster: cluster, node: node, slot: slot, model: model,\n"
        "  start: from, end: {constant: '2026-10-01T10:00:00Z'}}\n",
    )
    assert applied.type("import", "inventory", "slots.csv", "--map", "slots.yaml")[0] == 0
    entitlements = (
        "entitlements:\n- {team: vision, model: H100, units: 9}\n- {team: nobody, model: H100, units: 1}\n"
        "lending: []\npools: []\n"
    )
    applied.write("terms/entitlements.yaml", entitlements)
    code, out, err = applied.type("apply")
    assert code == 0 and "+ entitlement vision, model H100: units 9" in out
    assert "no month with facts would change" in out
    assert "entitlements.yaml, line 3: nothing else names the team nobody" in err
    applied.write(
        "terms/policies.yaml", "policies: [{policy: distribute_idle_free, choice: unused_entitlement/1}]\n"
    )
    code, out, _ = applied.type("apply")
    assert code == 0 and "2026-10 would change, in USD" in out and "│ __idle_free__ │" in out
    applied.write("terms/entitlements.yaml", "entitlements: []\nlending: []\npools: []\n")
    code, out, _ = applied.type("apply")
    assert code == 0 and "- entitlement vision, model H100: units 9" in out


def test_cost_centre_changes_within_a_month(applied: Desktop) -> None:
    text = TEAMS.replace(
        "- {team: vision}",
        "- {team: vision, cost_centre: CC-1, to: '2026-10-05T02:00Z'}\n"
        "- {team: vision, cost_centre: CC-2, from: '2026-10-05T02:00Z'}",
    )
    applied.write("terms/teams.yaml", text)
    assert said(applied)[:2] == [
        "~ rule owner_key ml: cost centre none → CC-1, to open → 2026-10-05T02:00:00Z",
        "+ rule owner_key ml: team vision, cost centre CC-2, from 2026-10-05T02:00:00Z",
    ]
    assert applied.type("run")[0] == 0
    made = applied.type("statement", "--month", "2026-10", "--by", "cost_centre", "--format", "json")[1]
    lines = {line["key"]: line["amount"] for line in json.loads(made)["lines"]}
    assert lines == {"CC-1": 800, "CC-2": 1600, "__no_cost_centre__": 1400}


def test_team_named_like_a_formula_is_kept_and_guarded_in_csv(applied: Desktop) -> None:
    applied.write("terms/teams.yaml", TEAMS.replace("vision", '"=cmd()"'))
    assert "2026-10 would move 24.00 USD from vision to =cmd()" in said(applied)
    assert applied.type("run")[0] == 0
    assert amounts(applied)["=cmd()"] == 2400
    table = applied.type("statement", "--month", "2026-10", "--by", "team", "--format", "csv")[1]
    assert "2026-10,'=cmd(),12.000000,24.00,USD" in table


def test_json_has_whole_minor_units(applied: Desktop) -> None:
    applied.write("terms/teams.yaml", TEAMS.replace("vision", "images"))
    found = document(applied, "--dry-run")
    assert (found["dry_run"], found["seq"], found["currency"]) == (True, 4, "USD")
    (change,) = found["changes"]
    assert (change["kind"], change["action"], change["name"]) == ("rule", "changed", "owner_key ml")
    assert change["before"] == {"team": "vision", "cost_centre": None, "from": None, "to": None}
    (month,) = found["months"]
    assert month["total"] == {"before": 3800, "after": 3800}
    assert month["teams"] == [
        {"team": "images", "before": None, "after": 2400, "difference": 2400},
        {"team": "vision", "before": 2400, "after": None, "difference": -2400},
    ]
    assert document(applied)["seq"] == 5
    assert document(applied)["changes"] == document(applied)["months"] == []


def test_money_can_be_left_out(applied: Desktop) -> None:
    applied.write("terms/teams.yaml", TEAMS.replace("vision", "images"))
    assert document(applied, "--dry-run", "--no-money")["months"] is None
    assert not [line for line in said(applied, "--no-money") if "2026-10" in line]


def test_log_names_folder_counts_and_actor(applied: Desktop) -> None:
    applied.write("terms/teams.yaml", TEAMS.replace("vision", "images"))
    said(applied, "-f", "terms/", "--actor", "ann")
    with sqlite3.connect(applied.folder / "home" / "gpuledger.db") as connection:
        row = connection.execute("select action, actor, detail from audit_log order by id desc").fetchone()
    connection.close()
    assert row == ("apply", "ann", "terms: 1 changed")
    assert applied.type("apply", "--actor", "a\nb")[0] == 3


def test_closed_month_is_marked(desktop: Desktop) -> None:
    filled(desktop, "2026-12-01T00:00Z")
    desktop.clock = datetime(2026, 12, 3, tzinfo=UTC).timestamp()
    assert desktop.type("run")[0] == 0
    code, _, err = desktop.type("close", "--month", "2026-10")
    assert code == 0, err
    (desktop.folder / "terms").mkdir()
    desktop.write("terms/teams.yaml", TEAMS)
    lines = said(desktop, "--dry-run")
    marked = "closed: `gpuledger restate --month 2026-10` carries the difference into an open month"
    assert f"2026-10 is {marked}" in lines
    assert not [line for line in lines if line.startswith("2026-11 is")]
    months = {month["month"]: month["closed"] for month in document(desktop, "--dry-run")["months"]}
    assert months == {"2026-10": True, "2026-11": False}


def test_home_without_facts_takes_terms(desktop: Desktop) -> None:
    (desktop.folder / "terms").mkdir()
    desktop.write("terms/teams.yaml", TEAMS)
    assert said(desktop)[2:4] == ["no month with facts would change", "applied at seq 2: 2 new"]


def test_terms_that_changed_while_they_were_compared_are_not_overwritten(house: House) -> None:
    database = house.desk.database
    choice = PolicyFact("u", 0, None, "unmatched_owner", "unknown/1")
    with database.commit("apply", at_s=0) as commit:
        put_policies(commit, [choice])
    proposed = TermsInForce(prices=(PriceFact("p", 0, None, "model", "*", "", "", "1", "USD", "x", "terms"),))
    with pytest.raises(BooksError, match="changed while these were compared"):
        keep_terms(database, TermsInForce(), proposed, at_s=0, note="", actor="ann")
    assert database.latest_seq() == commit.seq
    agreed = TermsInForce(policies=(choice,))
    assert keep_terms(database, agreed, proposed, at_s=0, note="", actor="ann") == commit.seq + 1
    with database.read() as connection:
        assert terms_in_force(connection, Seqs.at(commit.seq + 1)) == proposed


def test_lots_and_rules_of_bills_are_kept_changed_and_withdrawn(applied: Desktop) -> None:
    fee = "{lot: rack, kind: fee, every: month, amount: %s, currency: USD, from: 2026-10-01, account: shared}"
    applied.write("terms/lots.yaml", f"lots: [{fee % 31}]\nassets: []\nenergy: []\n")
    applied.write("terms/bills.yaml", "rules: [{match: {category: Tax}, account: shared}]\n")
    assert said(applied, "--no-money")[-2].endswith("2 new")
    applied.write("terms/lots.yaml", f"lots: [{fee % 32}]\nassets: []\nenergy: []\n")
    assert "amount 31 → 32" in said(applied, "--no-money")[0]
    (kept,) = in_force(applied).lots
    assert (kept.lot, kept.kind, kept.amount) == ("rack", "fee", "32")
    assert said(applied, "--no-money") == [
        f"nothing changes: the terms are those in force at seq {document(applied, '--no-money')['seq']}"
    ]
    applied.write("terms/lots.yaml", "lots: []\nassets: []\nenergy: []\n")
    applied.write("terms/bills.yaml", "rules: []\n")
    assert said(applied, "--no-money")[-2].endswith("2 withdrawn")
    assert (in_force(applied).lots, in_force(applied).bill_rules) == ((), ())


def test_commitments_are_kept_changed_and_withdrawn(applied: Desktop) -> None:
    node = "{commitment: r, kind: reserved_nodes, covers: {node: r}, quantity: %s, each_hour: 2, "
    term = "currency: USD, from: 2026-10-01, to: 2027-10-01}"
    applied.write("terms/commitments.yaml", f"commitments: [{node % 4}{term}]\n")
    new = said(applied, "--no-money")[0]
    assert new.startswith("+ commitment r: from 2026-10-01") and "quantity 4, each hour 2" in new
    applied.write("terms/commitments.yaml", f"commitments: [{node % 6}{term}]\n")
    assert "quantity 4 → 6" in said(applied, "--no-money")[0]
    (kept,) = in_force(applied).commitments
    assert (kept.commitment, kept.kind) == ("r", "reserved_nodes")
    applied.write("terms/commitments.yaml", "commitments: []\n")
    assert said(applied, "--no-money")[-2].endswith("1 withdrawn")
    assert in_force(applied).commitments == ()
