"""The file of lots: what is wrong in it is said with its line and its mend, the rest is kept whole."""

from __future__ import annotations

import json

import pytest
from lots_said import read

from chargeback.lots.details import read_details, written_details
from chargeback.places import MATCHED_BY
from chargeback.terms.entries import Faults
from chargeback.terms.lot_entries import PaysFor
from chargeback.terms.lots_file import read_lots
from chargeback.terms.validity import Clock
from gpuledger.errors import BooksError, InputError
from gpuledger.instants import format_utc
from gpuledger.yaml_files import read_yaml

REST = "lot: a, currency: USD, from: 2026-01-01"
PURCHASE = f"{REST}, to: 2027-01-01, kind: purchase, amount: 12"
FEE = f"{REST}, kind: fee, every: month, amount: 12, account: shared"
MINIMUM = f"{REST}, kind: minimum, every: month, amount: 12"
CREDIT = f"{REST}, to: 2027-01-01, kind: credit, amount: -12"


def refused(*entries: str) -> InputError:
    """The one thing that is wrong with these entries, the first of which stands in line 2."""
    _, faults = read(lots="".join(f"\n- {{{entry}}}" for entry in entries))
    (found,) = faults
    return found


@pytest.mark.parametrize(
    ("entry", "message", "mend"),
    [
        (PURCHASE, "a: nothing says what it pays for", "write one of pays_for (slots), follows"),
        (f"{FEE}, pays_for: {{node: n}}", "a: pays_for and account are given", "write one of pays_for"),
        (f"{PURCHASE}, pays_for: {{}}", "a: pays_for names nothing", "such as node"),
        (f"{PURCHASE}, pays_for: {{node: []}}", "at least 1 item", "docs/terms.md"),
        (f"{PURCHASE}, pays_for: {{nod: n}}", "lots.0.pays_for.nod is not a key", "write node"),
        (f"{PURCHASE}, account: idle_free", "Input should be 'shared'", "docs/terms.md"),
        (
            f"{PURCHASE}, account: shared, covers: true",
            "only a purchase, a fee or an asset",
            "leave covers out",
        ),
        (f"{CREDIT}, pays_for: {{node: n}}, covers: true", "only a purchase, a fee or", "leave covers out"),
        (
            f"{CREDIT}, follows: b",
            "a follows lot:b, which is no other lot of this file",
            "name a lot of this file",
        ),
        (f"{CREDIT}, follows: a", "a follows lot:a, which is no other lot", "name a lot of this file"),
        (f"{CREDIT}, follows: '*'", "a follows lot:*, which is no other lot", "name a lot of this file"),
        (
            f"{CREDIT}, account: shared, recoverable: true",
            "account and recoverable are given",
            "write one of",
        ),
        (f"{CREDIT}, recoverable: true", "a: a credit is not recoverable", "make its kind tax"),
        (FEE.replace("every: month, ", ""), "a: a fee needs every", "every: month"),
        (
            f"{MINIMUM}, follows: 'meter:*'".replace("every: month, ", ""),
            "a: a minimum needs every",
            "every: month",
        ),
        (f"{MINIMUM}, account: shared", "a: a minimum needs follows", "what counts towards it"),
        (f"{MINIMUM}, follows: 'meter:*', invoiced: in_arrears", "is known when its month is over", "leave"),
        (f"{MINIMUM}, follows: 'meter:*'".replace("12", "-12"), "a: a minimum of -12 is below 0", "credit"),
        (
            FEE.replace("every: month", "every: week"),
            "lots.0.every: Input should be 'month'",
            "docs/terms.md",
        ),
        (f"{PURCHASE}, account: shared, every: month", "a: a purchase comes once", "make its kind fee"),
        (
            PURCHASE.replace(", to: 2027-01-01", "") + ", account: shared",
            "a: to is missing",
            "the first instant that its amount is not for",
        ),
        (FEE.replace("amount: 12", "amount: -12"), "a: a fee of -12 is below 0", "credit or true_up"),
        (
            f"{PURCHASE}, account: shared".replace("amount: 12", "amount: -1"),
            "a purchase of -1 is below 0",
            "credit",
        ),
        (
            f"{CREDIT}, account: shared".replace("-12", "12"),
            "a: a credit of 12 is above 0",
            "with a minus: -12",
        ),
        (
            f"{FEE}, converted_on: 2026-01-01",
            "a: fee is converted at the rate of each day",
            "leave converted_on out",
        ),
        (f"{FEE}, invoiced: 2026-01-01", "a: an invoice has no amount", "{on: 2026-10-31, amount: 1200"),
        (f"{FEE}, invoiced: [in_advance, 2026-01-01]", "a: in_advance is for a fee, alone", "list its"),
        (
            f"{PURCHASE}, account: shared, invoiced: in_advance",
            "a: in_advance is for a fee, alone",
            "list its invoices",
        ),
        (
            f"{PURCHASE}, account: shared, invoiced: [{{on: 2026-01-01}}, {{on: 2026-02-01, amount: 1}}]",
            "a: an invoice has no amount",
            "for each",
        ),
        (
            f"{PURCHASE}, account: shared, invoiced: {{on: 2026-01-01, amount: 12.01}}",
            "a: its invoices come to 12.01, and it to 12",
            "a true_up for the difference",
        ),
        (
            f"{CREDIT}, account: shared, invoiced: {{on: 2026-01-01, amount: 12}}",
            "a: its invoices come to 12, and it to -12",
            "correct one",
        ),
        (f"{PURCHASE}, account: shared, invoiced: soon", "'soon' is not an instant", "ISO 8601"),
        (f"{FEE}, amonut: 12", "lots.0.amonut is not a key of a lots file", "write amount"),
        (
            FEE.replace("amount: 12", "amount: '1,200'"),
            "'1,200' is not an amount: write plain",
            "docs/terms.md",
        ),
        (FEE.replace("USD", "usd"), "currency 'usd' is not known: write USD", "docs/terms.md"),
        (FEE.replace("lot: a", "lot: 'a#b'"), "a#b: # is not for names", "another sign"),
        (FEE.replace("lot: a", "lot: ''"), "lots.0.lot: it is empty", "docs/terms.md"),
        (FEE.replace("2026-01-01", "2026-13-01"), "'2026-13-01' is not an instant", "ISO 8601"),
        (f"{FEE}, to: 2026-01-01", "is not after from", "an end is exclusive"),
    ],
)
def test_mistake_is_said_with_its_line_and_its_mend(entry: str, message: str, mend: str) -> None:
    found = refused(entry)
    assert message in found.message
    assert mend in found.mend
    assert str(found.place) == "lots.yaml, line 2"


def test_lots_of_one_name_at_one_time_name_both_lines() -> None:
    found = refused(f"{FEE}, to: 2026-03-01", FEE.replace("2026-01-01", "2026-02-01"))
    assert found.message == "lines 2 and 3 both say what a is at the same time"
    assert str(found.place) == "lots.yaml, line 3"


def test_name_that_goes_on_as_something_else_is_refused() -> None:
    found = refused(
        f"{FEE}, to: 2026-03-01", FEE.replace("2026-01-01", "2026-03-01").replace("shared", "unusable")
    )
    assert found.message == "lines 2 and 3 differ in more than amount and time of a"
    assert "give the later one another name" in found.mend


def test_one_name_in_two_sections_is_one_name() -> None:
    asset = "[{asset: a, cost: 1, currency: USD, life_months: 1, in_service: 2027-01-01, account: shared}]"
    _, (found,) = read(lots=f"[{{{FEE}}}]", assets=asset)
    assert found.message == "lines 1 and 2 both say what a is at the same time"


def test_lots_that_follow_each_other_are_refused() -> None:
    credit = CREDIT.replace("lot: a", "lot: b")
    _, faults = read(lots=f"[{{{CREDIT}, follows: b}}, {{{credit}, follows: 'a*'}}]")
    assert [one.message for one in faults] == [
        "lot:a follows lot:b, which follows lot:a",
        "lot:b follows lot:a, which follows lot:b",
    ]


def test_longer_circle_is_found_and_what_leads_into_it_is_none() -> None:
    names = {"a": "b", "b": "c", "c": "b"}
    entries = ", ".join(
        f"{{{CREDIT.replace('lot: a', f'lot: {name}')}, follows: {to}}}" for name, to in names.items()
    )
    _, faults = read(lots=f"[{entries}]")
    assert [one.message.split()[0] for one in faults] == ["lot:b", "lot:c"]


def test_misspelt_name_of_a_lot_is_guessed() -> None:
    found = refused(FEE, f"{CREDIT.replace('lot: a', 'lot: credit')}, follows: lot:aa")
    assert found.mend == "write lot:a"


def test_meters_and_bills_may_be_followed_before_there_are_any() -> None:
    facts, faults = read(lots=f"[{{{CREDIT}, follows: ['meter:*', 'bill:AWS/*']}}]")
    assert not faults
    assert read_details(facts[0].details).target.lots == ("meter:*", "bill:AWS/*")


def test_all_mistakes_of_a_file_are_said() -> None:
    _, faults = read(lots=f"\n- {{{PURCHASE}}}\n- {{{CREDIT}}}\n")
    assert [str(one.place) for one in faults] == ["lots.yaml, line 2", "lots.yaml, line 3"]


@pytest.mark.parametrize("text", ["", "lots: []\nassets: []\n"])
def test_each_section_must_be_there(text: str) -> None:
    with pytest.raises(InputError) as caught:
        read_lots(read_yaml(text, "lots.yaml", noun="lots file"), Clock(lambda: "UTC"), Faults())
    assert "lots: [] and assets: [] and energy: []" in caught.value.mend


def test_times_are_of_the_books_zone() -> None:
    (fact,), _ = read(lots=f"[{{{PURCHASE}, account: shared}}]", zone="Asia/Tokyo")
    assert format_utc(fact.start_s) == "2025-12-31T15:00:00Z"
    assert fact.identity == "a/2025-12-31T15:00:00Z"


def test_amounts_are_kept_in_one_spelling() -> None:
    facts = [read(lots=f"[{{{FEE.replace('12', text)}}}]")[0][0] for text in ("1460", "1460.00", "1.46e3")]
    assert facts[0] == facts[1] == facts[2]
    assert facts[0].amount == "1460"


def test_target_may_name_all_that_a_slot_can_be_matched_by() -> None:
    assert tuple(PaysFor.model_fields) == MATCHED_BY


ASSET = """\
[{asset: dgx, cost: 300000, residual: 30000, currency: EUR, life_months: 60, in_service: 2026-03-10,
  convention: 30_360, pays_for: {node: [dgx-*, x], model: H100}, absent: unusable, covers: false,
  contract: C-1, class: billed, converted_on: 2026-02-01, booked_to: shared, source: ledger,
  invoiced: [{on: 2026-02-01, number: I-1, amount: 300000}],
  changes: [{from: 2028-01-01, residual: 20000, remaining_months: 48, impairment: 1.50}],
  disposed: {on: 2029-06-30, proceeds: 50000}}]"""
ENERGY = """\
[{energy: hall, currency: EUR, from: 2026-01-01, to: 2027-01-01, account: shared, tariff: 0.12,
  pue: [1.3, {from: 2026-02-01, value: 1.2}], metered: [{from: 2026-01-01, to: 2026-01-02, kwh: 24.0}]}]"""


def test_details_are_read_as_they_were_written() -> None:
    facts, faults = read(lots=f"[{{{FEE}, invoiced: in_arrears}}]", assets=ASSET, energy=ENERGY)
    assert not faults and [fact.kind for fact in facts] == ["fee", "depreciation", "energy"]
    for fact in facts:
        details = read_details(fact.details, fact.lot)
        assert written_details(details) == fact.details
    asset = read_details(facts[1].details).asset
    assert asset is not None and asset.changes[0].remaining_months == 48
    assert asset.disposal is not None and asset.disposal.proceeds == "50000"


def test_details_are_canonical_json_of_a_version() -> None:
    facts, _ = read(energy=ENERGY)
    said = json.loads(facts[0].details)
    assert facts[0].details == json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert said["version"] == 1
    assert said["energy"]["metered"] == [{"from_s": 1_767_225_600, "to_s": 1_767_312_000, "kwh": "24"}]
    later = facts[0].details.replace('"version":1', '"version":2')
    with pytest.raises(
        BooksError, match="lot hall: its details are of version 2, and this gpuledger reads 1"
    ):
        read_details(later, "hall")
