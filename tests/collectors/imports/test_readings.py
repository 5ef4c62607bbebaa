"""Cells become exact numbers, instants and keys, or the row is refused with a reason."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collectors.imports import HoldingMap, load_map
from collectors.imports.cells import FractionCell, QuantityCell, TextCell
from collectors.imports.keys import join_key, number_of, slot_name, time_key
from collectors.imports.readings import count_of, fraction_of, text_of, tres_amount
from collectors.imports.rows import BadRow
from collectors.imports.times import Times
from gpuledger.errors import ColumnMapError


def reason(read: Callable[..., Any], *arguments: Any) -> str:
    with pytest.raises(BadRow) as caught:
        read(*arguments)
    return caught.value.reason


@pytest.mark.parametrize("text", ["8", "8.0", " 8 ", "+8", "8e0", "800e-2"])
def test_a_whole_number_is_read_however_it_is_written(text: str) -> None:
    assert count_of(QuantityCell(column="n"), "units")({"n": text}) == 8


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("0.5", "units is not whole: map it as fraction"),
        ("NaN", "units is no number"),
        ("inf", "units is no number"),
        ("-1", "units is negative"),
        ("1,000", "units is no number"),
        ("٣", "units is no number"),
        ("1e99", "units is beyond all bounds"),
        ("1e999999999", "units is no number"),
        ("0x10", "units is no number"),
        ("9" * 100, "units is no number"),
    ],
)
def test_a_count_that_cannot_be_right_is_refused(text: str, why: str) -> None:
    read = count_of(QuantityCell(column="n"), "units", mend=": map it as fraction")
    assert reason(read, {"n": text}) == why


def test_an_empty_count_is_unknown_unless_the_map_gives_it_a_meaning() -> None:
    assert count_of(QuantityCell(column="n"), "units")({"n": ""}) is None
    assert count_of(QuantityCell(column="n", missing="0"), "units")({"n": " "}) == 0


def test_a_quantity_is_scaled_exactly() -> None:
    gibibytes = QuantityCell(column="n", times="1073741824")
    assert count_of(gibibytes, "memory_bytes")({"n": "0.1640625"}) == 176160768
    assert count_of(QuantityCell(column="n", per="1000"), "cpus")({"n": "4000"}) == 4
    assert reason(count_of(QuantityCell(column="n", per="1000"), "cpus"), {"n": "1"}) == "cpus is not whole"


@pytest.mark.parametrize(
    ("text", "share"), [("250", Fraction(1, 4)), ("1000", Fraction(1)), ("", Fraction(1)), ("0.001", None)]
)
def test_a_share_is_exact_and_an_empty_one_is_whole(text: str, share: Fraction | None) -> None:
    read = fraction_of(FractionCell(column="milli", per="1000"), "fraction")
    if share is None:
        assert read({"milli": text}) == Fraction(1, 10**6)
    else:
        assert read({"milli": text}) == share


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("0", "fraction is not above 0 and at most 1"),
        ("1001", "fraction is not above 0 and at most 1"),
        ("-1", "fraction is negative"),
        ("0.00001", "fraction is finer than a millionth"),
        ("nan", "fraction is no number"),
    ],
)
def test_a_share_outside_of_0_to_1_is_refused(text: str, why: str) -> None:
    assert reason(fraction_of(FractionCell(column="milli", per="1000"), "fraction"), {"milli": text}) == why


def test_the_first_cell_that_is_not_empty_counts() -> None:
    read = text_of(TextCell(first_of=("a", "b"), missing="c"), frozenset({"Unknown"}))
    assert [read({"a": a, "b": "y"}) for a in ("x", " ", "Unknown")] == ["x", "y", "y"]
    assert read({"a": "", "b": "Unknown"}) == "c"


# T26: the bare resource and its types stand beside each other in one list.
@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("billing=1,cpu=1,gres/gpu:h100=2,gres/gpu=2,mem=1000M,node=1", 2),
        ("gres/gpu=2,gres/gpu:h100=2", 2),
        ("gres/gpu:a100=2,gres/gpu:h100=1", 3),
        ("cpu=1,gres/gpumem=80G,gres/gpuutil=7", 0),
        ("gres/shard=4", 0),
    ],
)
def test_typed_gpus_beside_their_total_are_counted_once(text: str, amount: int) -> None:
    assert tres_amount(text, "gres/gpu") == amount


def test_amounts_of_a_tres_list_have_their_suffix() -> None:
    assert tres_amount("cpu=1,mem=1.5G", "mem") == 3 * 2**29
    assert reason(tres_amount, "mem=lots", "mem") == "the TRES list names no amount of mem"


@given(st.lists(st.text(), min_size=1, max_size=4), st.lists(st.text(), min_size=1, max_size=4))
def test_different_parts_never_give_one_key(one: list[str], other: list[str]) -> None:
    assert (join_key(one) == join_key(other)) == (one == other)


def test_a_time_in_a_key_loses_the_noise_of_floats_and_nothing_else() -> None:
    assert {time_key(text) for text in ("32709.000000000004", "32709", "32709.0")} == {"32709"}
    assert time_key("100") == "100"
    assert time_key("0.25") == "0.25"
    assert time_key("2026-10-01T00:00:00+02:00") == "2026-10-01T00:00:00+02:00"


def test_a_pci_address_has_one_spelling() -> None:
    spelled = ("00000000:3B:00.0", "0000:3b:00.0", "3B:00.0", "n1/0000:3b:00.0")
    assert {slot_name("n1", place) for place in spelled} == {"n1/0000:3b:00.0"}
    assert slot_name("n1", "10000:3b:00.0") == "n1/10000:3b:00.0"
    assert slot_name("n1", "GPU0") == "n1/GPU0"
    assert number_of("n1/0") == crc32(b"n1/0") % 65_536


MAP = """
kind: holdings
identity: [id]
capacity: assumed
columns: {start: begin, end: {column: end, missing: open}}
"""


def times(more: str = "", epoch: str | None = None) -> Times:
    return Times.of(load_map(MAP + more, HoldingMap, file="m.yaml"), "a.csv", epoch)


def test_seconds_count_from_the_epoch_and_the_option_overrides_it() -> None:
    # 2026-10-15T00:00:00Z is 1,792,022,400.
    mapped = "epoch: 2026-10-15T00:00Z\n"
    assert times(mapped).read("32709.000000000004") == 1_792_022_400 + 32_709
    assert times(mapped, epoch="2026-11-15T00:00Z").read("32709") == 1_792_022_400 + 31 * 86_400 + 32_709
    assert times("time_unit: ms\nepoch: 1792022400\n").read("1500") == 1_792_022_401


def test_local_times_need_a_zone() -> None:
    for text in ("2026-10-31 23:30:00", "2026-10-31T23:30:00.5", "2026-10-31"):
        with pytest.raises(ColumnMapError, match="declares no zone"):
            times().read(text)
    assert times("zone: Asia/Kolkata\n").read("2026-10-31T23:30:00") == times().read("2026-10-31T18:00:00Z")


# T56: what has an offset is the instant it says, whatever zone is declared.
def test_an_offset_wins_over_the_zone() -> None:
    texts = ("2026-10-31T18:00:00Z", "2026-10-31T23:30:00+05:30", "2026-10-31T12:00:00-06:00")
    assert len({times("zone: Europe/Berlin\n").read(text) for text in texts}) == 1


def test_an_epoch_or_window_that_is_no_instant_is_an_error_of_the_map() -> None:
    for more in ("epoch: yesterday\n", "window: {start: 0, end: soon}\nepoch: 2026-10-15T00:00Z\n"):
        with pytest.raises(ColumnMapError, match="is not an instant"):
            times(more)
    with pytest.raises(ColumnMapError, match="the window ends before it starts"):
        times("window: {start: 10, end: 5}\nepoch: 2026-10-15T00:00Z\n")
