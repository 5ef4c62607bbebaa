"""A folder of terms is read whole or not at all, and all that is wrong in it is said at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from chargeback.terms.folder import read_folder
from chargeback.terms.in_force import TermsInForce
from gpuledger.errors import InputError
from gpuledger.versions import PriceFact

PRICE = PriceFact("p", 0, None, "model", "H100", "", "", "2", "USD", "list")
NOTHING = TermsInForce()
EMPTY = {
    "teams.yaml": "teams: []\nrules: []\n",
    "prices.yaml": "prices: []\n",
    "policies.yaml": "policies: []\n",
    "entitlements.yaml": "entitlements: []\nlending: []\npools: []\n",
    "lots.yaml": "lots: []\nassets: []\nenergy: []\n",
    "commitments.yaml": "commitments: []\n",
    "bills.yaml": "rules: []\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in EMPTY.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def refused(folder: Path) -> InputError:
    with pytest.raises(InputError) as caught:
        read_folder(folder, "UTC", NOTHING)
    return caught.value


def test_empty_list_says_that_nothing_holds_and_an_absent_file_says_nothing(folder: Path) -> None:
    agreed = TermsInForce(prices=(replace(PRICE, origin="terms"), replace(PRICE, identity="i")))
    assert [fact.identity for fact in read_folder(folder, "UTC", agreed).over(agreed).prices] == ["i"]
    (folder / "prices.yaml").unlink()
    read = read_folder(folder, "UTC", agreed)
    assert read.over(agreed) == agreed
    assert read.absent == {"prices.yaml": "prices"}


def test_mistakes_of_all_files_are_said_at_once(folder: Path) -> None:
    (folder / "teams.yaml").write_text("teams: []\nrules:\n- {match: {account: a}, team: x}\n")
    (folder / "prices.yaml").write_text("prices:\n\t- {}\n")
    (folder / "price.yml").write_text("")
    message = refused(folder).message
    assert message.startswith("3 things are wrong:")
    assert f"{folder / 'teams.yaml'}, line 3: x is not among the teams\n    do: add it to teams" in message
    assert f"{folder / 'prices.yaml'}, line 2: the prices file is no YAML: a tab" in message
    assert f"{folder / 'price.yml'}: price.yml is no file of terms; they are teams.yaml, prices" in message


def test_one_mistake_is_an_error_of_its_own(folder: Path) -> None:
    (folder / "policies.yaml").write_text("policies:\n- {policy: x, choice: y}\n")
    assert str(refused(folder).place) == f"{folder / 'policies.yaml'}, line 2"


def test_file_that_is_not_utf_8_or_is_a_folder_is_an_error(folder: Path) -> None:
    (folder / "policies.yaml").write_bytes(b"policies: [\xff]")
    assert "cannot be read" in refused(folder).message
    (folder / "policies.yaml").unlink()
    (folder / "policies.yaml").mkdir()
    assert "cannot be read" in refused(folder).message


def test_folder_without_terms_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("terms")
    (tmp_path / ".teams.yaml").write_text("left by an editor")
    assert "`gpuledger init` writes teams.yaml" in refused(tmp_path).mend
    assert "the folder cannot be read" in refused(tmp_path / "absent").message


def test_zone_is_said_only_where_a_time_needed_it(folder: Path) -> None:
    assert read_folder(folder, "Asia/Tokyo", NOTHING).zone is None
    (folder / "teams.yaml").write_text("teams: [{team: a, from: 2026-10-01}]\nrules: []\n")
    assert read_folder(folder, "Asia/Tokyo", NOTHING).zone == "Asia/Tokyo"


FEE = "{lot: rack, kind: fee, every: month, amount: 1, currency: USD, from: 2026-10-01, account: shared}"


NODES = (
    "{commitment: r, kind: reserved_nodes, covers: {node: r-*}, quantity: 4, each_hour: 2, currency: USD, "
)


def test_commitments_are_read_and_an_absent_file_leaves_those_in_force(folder: Path) -> None:
    text = f"commitments:\n- {NODES}from: 2026-01-01, to: 2027-01-01}}\n"
    (folder / "commitments.yaml").write_text(text)
    agreed = read_folder(folder, "UTC", NOTHING).over(NOTHING)
    assert [fact.commitment for fact in agreed.commitments] == ["r"]
    (folder / "commitments.yaml").unlink()
    read = read_folder(folder, "UTC", agreed)
    assert read.over(agreed) == agreed and read.absent == {"commitments.yaml": "commitments"}
    (folder / "commitments.yaml").write_text("commitments: []\n")
    assert not read_folder(folder, "UTC", agreed).over(agreed).commitments


def test_lots_and_rules_of_bills_are_read_and_an_absent_file_leaves_those_in_force(folder: Path) -> None:
    (folder / "lots.yaml").write_text(f"lots: [{FEE}]\nassets: []\nenergy: []\n")
    (folder / "bills.yaml").write_text("rules: [{match: {category: Tax}, account: shared}]\n")
    agreed = read_folder(folder, "UTC", NOTHING).over(NOTHING)
    assert [fact.lot for fact in agreed.lots] == ["rack"]
    assert [fact.matching for fact in agreed.bill_rules] == ['{"category":["Tax"]}']
    (folder / "lots.yaml").unlink()
    (folder / "bills.yaml").unlink()
    read = read_folder(folder, "UTC", agreed)
    assert read.over(agreed) == agreed
    assert read.absent == {"lots.yaml": "lots", "bills.yaml": "rules of bills"}


def test_mistakes_of_lots_and_bills_are_said_with_the_others(folder: Path) -> None:
    (folder / "lots.yaml").write_text(f"lots: [{FEE}, {FEE}]\nassets: []\nenergy: []\n")
    (folder / "bills.yaml").write_text("rules:\n- {match: {category: Tax}}\n")
    message = refused(folder).message
    assert f"{folder / 'lots.yaml'}, line 1: lines 1 and 1 both say what rack is at the same time" in message
    assert f"{folder / 'bills.yaml'}, line 2: the rule says nothing of what its lines are for" in message
