"""A list is told by its header; what has no prices is refused by name, with what to do instead."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from chargeback.price_lists.shapes import SHAPES, shape_of
from chargeback.price_lists.table import header_of, open_table, parse_table, refuse_json
from gpuledger.errors import ColumnMapError, InputError

Write = Callable[[str, bytes], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(name: str, content: bytes) -> Path:
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    return write


def opened(path: Path) -> None:
    refuse_json(path)
    with open_table(path, ()) as table:
        list(table.rows)


def refused(path: Path) -> InputError:
    with pytest.raises(InputError) as caught:
        opened(path)
    assert caught.value.place is not None
    assert caught.value.mend
    return caught.value


def test_each_shape_is_told_by_its_own_columns_in_any_order() -> None:
    for shape in SHAPES:
        assert shape_of(sorted(shape.columns, reverse=True), "f") is shape
        assert shape_of([*sorted(shape.columns), "more"], "f") is shape


def test_our_own_columns_and_unknown_ones_are_left_to_our_own_reader() -> None:
    assert shape_of(("model", "rate", "currency", "from", "to"), "f") is None
    assert shape_of(("a", "b"), "f") is None
    assert shape_of(sorted(SHAPES[0].columns), "f", "gpuledger") is None


def test_a_shape_that_is_named_must_be_known_and_fit() -> None:
    assert shape_of(["region", "sku", "on_demand_usd_per_hour"], "f", "azure-on-demand") is not None
    with pytest.raises(InputError, match="'azur' is not known"):
        shape_of([], "f", "azur")
    with pytest.raises(ColumnMapError, match="lacks on_demand_usd_per_hour, which azure-on-demand has"):
        shape_of(["region", "sku"], "f", "azure-on-demand")


def test_percentages_are_no_prices() -> None:
    header = ("region", "os", "instance_type", "spot_savings_pct_vs_on_demand", "interruption_range_index")
    with pytest.raises(InputError, match="percentages below the price on demand, and no price") as caught:
        shape_of(header, "f")
    assert "--series" in caught.value.mend


def test_a_configuration_of_opencost_says_which_price_to_write(write: Write) -> None:
    said = {"provider": "custom", "CPU": "0.03", "RAM": "0.004", "GPU": "0.95"}
    error = refused(write("default.json", json.dumps(said).encode()))
    assert "a configuration of OpenCost" in error.message
    assert "rate: 0.95" in error.mend


@pytest.mark.parametrize("packed", [False, True])
def test_prices_of_tokens_are_refused_by_name(write: Write, packed: bool) -> None:
    text = json.dumps([{"id": "anthropic", "models": [{"prices": {"input_mtok": 3}}]}] * 2000).encode()
    error = refused(write("tokens.json", gzip.compress(text) if packed else text))
    assert "prices of tokens of language models, not of GPUs" in error.message


def test_other_json_and_a_packed_list_say_what_to_do(write: Write) -> None:
    assert "is JSON, and no price list" in refused(write("x.json", b'{"a": 1}')).message
    assert "gunzip" in refused(write("x.csv.gz", gzip.compress(b"a,b\n"))).mend
    assert "gunzip" in refused(write("broken.gz", b"\x1f\x8b\x00")).mend
    assert "cannot be read" in refused(write("x", b"").parent / "absent.csv").message


def test_a_header_that_cannot_be_read_is_none() -> None:
    assert header_of([]) == header_of(["\n", " \n"]) == header_of(['"a\n']) == ()
    assert header_of(["\n", " a , b\n", "1,2\n"]) == ("a", "b")


def test_rows_are_counted_without_those_that_are_empty() -> None:
    table = parse_table("a,b,c\n1,2,\n\n , \n3\n4,5,6\n".splitlines(), "f", {"a", "c"})
    assert table.header == ("a", "b", "c")
    assert [(row.number, row.count, row.cells) for row in table.rows] == [
        (1, 3, {"a": "1", "c": ""}),
        (2, 1, None),
        (3, 3, {"a": "4", "c": "6"}),
    ]


def test_a_quote_that_is_not_closed_and_a_column_that_is_there_twice_are_errors() -> None:
    with pytest.raises(InputError, match="the text is no CSV"):
        list(parse_table(["a,b\n", '1,"2\n'], "f", ()).rows)
    with pytest.raises(ColumnMapError, match="column 'a' is there twice"):
        parse_table(["a,b,a\n"], "f", {"a"})
    assert parse_table(["a,b,b\n"], "f", {"a"}).header == ("a", "b", "b")


def test_a_byte_that_is_no_text_is_named_by_its_line(write: Write) -> None:
    error = refused(write("latin.csv", b"a,b\n1,2\nf\xfcr,3\n"))
    assert "not UTF-8: byte 0xfc" in error.message
    assert error.place is not None
    assert error.place.line == 3
