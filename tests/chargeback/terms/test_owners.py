"""Owners come in whole or not at all; a key belongs to one team at a time."""

from __future__ import annotations

import pytest

from chargeback.terms.owners import OPTIONAL, REQUIRED, owner_claim, parse_owners
from chargeback.terms.records import parse_records
from chargeback.terms.validity import Clock, refuse_overlaps, terms_by_identity
from gpuledger.errors import InputError, OverlapError
from gpuledger.versions import OwnerFact

HEADER = "owner key,team,cost centre,from,to\n"
OCTOBER, NOVEMBER = "2026-10-01T00:00:00Z", "2026-11-01T00:00:00Z"
OCTOBER_S, NOVEMBER_S = 1_790_812_800, 1_793_491_200


def parsed(rows: str, known: list[OwnerFact] | None = None) -> list[OwnerFact]:
    records = parse_records(HEADER + rows, "owners.csv", REQUIRED, OPTIONAL)
    terms = terms_by_identity(parse_owners(records, Clock(lambda: "UTC")))
    refuse_overlaps(terms, known or [], owner_claim)
    return [term.fact for term in terms.values()]


def test_an_owner_is_a_key_a_team_and_perhaps_a_cost_centre() -> None:
    assert parsed(f"nlp,language,CC-1,{OCTOBER},{NOVEMBER}\nml/a,vision,,{OCTOBER},\n") == [
        OwnerFact(f"nlp/{OCTOBER}", OCTOBER_S, NOVEMBER_S, "nlp", "language", "CC-1"),
        OwnerFact(f"ml%2Fa/{OCTOBER}", OCTOBER_S, None, "ml/a", "vision", None),
    ]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (f",language,,{OCTOBER},", "owner_key is empty"),
        (f"nlp,,,{OCTOBER},", "team is empty"),
        (f"nlp,__conflict__,,{OCTOBER},", "a name that gpuledger keeps for itself"),
        ("nlp,language,,,", "from is empty"),
    ],
)
def test_a_row_that_cannot_be_right_refuses_the_file(row: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parsed(row + "\n")


def test_a_key_of_two_teams_at_once_is_an_error_that_names_both() -> None:
    with pytest.raises(OverlapError) as caught:
        parsed(f"nlp,language,,{OCTOBER},\nnlp,speech,,{NOVEMBER},\n")
    assert f"row 1 (nlp/{OCTOBER} until open)" in caught.value.message
    assert f"row 2 (nlp/{NOVEMBER} until open)" in caught.value.message


def test_a_later_file_is_held_against_what_is_in_force() -> None:
    known = [OwnerFact(f"nlp/{OCTOBER}", OCTOBER_S, None, "nlp", "language", None)]
    with pytest.raises(OverlapError, match="the record in force"):
        parsed(f"nlp,speech,,{NOVEMBER},\n", known)
    assert len(parsed(f"nlp,language,,{OCTOBER},{NOVEMBER}\nnlp,speech,,{NOVEMBER},\n", known)) == 2
