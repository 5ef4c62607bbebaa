"""The frozen statement renders what the living one did."""

from __future__ import annotations

import io
import json

import pytest
from house import at, make_house
from rich.console import Console

from chargeback.frozen_statement import freeze_statement, thaw_statement
from chargeback.ledger import load_run
from chargeback.printing import as_csv, as_json, print_table
from chargeback.statement import By, Statement, state_statement
from gpuledger.canonical import canonical_json
from gpuledger.errors import BooksError


@pytest.fixture(scope="module")
def views(tmp_path_factory: pytest.TempPathFactory) -> list[Statement]:
    """A statement of a price that leaves a remainder, unpriced time, and keys beyond ASCII."""
    house = make_house(tmp_path_factory.mktemp("views"))
    house.holding("a", at("2026-10-05T00:00Z"), at("2026-10-05T07:00Z"), "=größe")
    house.holding("b", at("2026-10-05T01:00Z"), at("2026-10-05T02:00Z"), "nlp", model="H200")
    house.price("2.744705", at("2026-10-05T01:20Z"))
    house.owner("nlp", "語", cost_centre="cc")
    house.through(at("2026-11-01T00:00Z"))
    house.keep()
    run_id = house.books().run_id
    with house.desk.database.read() as connection:
        result = load_run(connection, run_id)
    house.desk.database.close()
    return [state_statement(house.desk.book, result, by) for by in By]


def table(statement: Statement) -> str:
    console = Console(file=io.StringIO(), width=200)
    print_table(statement, console)
    return str(console.file.getvalue())  # type: ignore[attr-defined]


def test_every_view_prints_the_same_bytes_in_every_form(views: list[Statement]) -> None:
    text = freeze_statement(views)
    for made in views:
        thawed = thaw_statement(text, made.by)
        assert as_json(thawed) == as_json(made)
        assert as_csv(thawed) == as_csv(made)
        assert table(thawed) == table(made)


def test_frozen_text_is_canonical(views: list[Statement]) -> None:
    text = freeze_statement(views)
    assert canonical_json(json.loads(text)) == text
    assert json.loads(text)["format_version"] == 1


def test_format_of_a_later_gpuledger_says_so(views: list[Statement]) -> None:
    text = freeze_statement(views).replace('"format_version":1', '"format_version":4')
    with pytest.raises(BooksError, match="has format 4, this gpuledger prints 3"):
        thaw_statement(text, By.owner)
