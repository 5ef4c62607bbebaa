"""Digests, against a slow twin written from the module's docstring."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gpuledger.lake import Digest
from gpuledger.lake.arrow import pa
from gpuledger.lake.digest import bind, bound_sum, row_hash_sum, row_hashes

WORD = 2**64
SCHEMA = pa.schema([("text", pa.string()), ("number", pa.int64()), ("flag", pa.bool_())])
COLUMNS = SCHEMA.names

Row = tuple[str | None, int | None, bool | None]
texts = st.one_of(st.none(), st.text(max_size=5), st.sampled_from(["", "a", "b"]))
numbers = st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1), st.integers(-2, 2))
rows_of = st.lists(st.tuples(texts, numbers, st.one_of(st.none(), st.booleans())), max_size=12)


def table(rows: list[Row]) -> Any:
    columns = list(zip(*rows, strict=True)) or [(), (), ()]
    arrays = [pa.array(column, field.type) for column, field in zip(columns, SCHEMA, strict=True)]
    return pa.Table.from_arrays(arrays, schema=SCHEMA)


def blake(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")


def mix(word: int) -> int:
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 % WORD
    word = (word ^ word >> 27) * 0x94D049BB133111EB % WORD
    return word ^ word >> 31


def slow_hash(row: Row, columns: list[str] = COLUMNS) -> int:
    total = 0x9E3779B97F4A7C15
    for column, value in zip(columns, row, strict=True):
        if value is not None:
            total += mix((blake(column) + (blake(value) if isinstance(value, str) else value)) % WORD)
    return mix(total % WORD)


@given(rows_of)
def test_rows_hash_as_documented(rows: list[Row]) -> None:
    assert row_hashes(table(rows), COLUMNS).tolist() == [slow_hash(row) for row in rows]
    assert row_hash_sum(table(rows), COLUMNS) == sum(map(slow_hash, rows)) % WORD


@given(rows_of, st.data())
def test_each_row_is_bound_to_its_own_seq(rows: list[Row], data: st.DataObject) -> None:
    seqs = data.draw(st.lists(st.integers(1, 10**6), min_size=len(rows), max_size=len(rows)))
    expected = sum(slow_hash(row) * (2 * seq + 1) for row, seq in zip(rows, seqs, strict=True)) % WORD
    assert bound_sum(row_hashes(table(rows), COLUMNS), np.array(seqs, dtype=np.int64)) == expected


@given(rows_of, st.integers(1, 10**6))
def test_sum_bound_at_once_is_the_sum_of_rows_bound_one_by_one(rows: list[Row], seq: int) -> None:
    hashes = row_hashes(table(rows), COLUMNS)
    one_by_one = bound_sum(hashes, np.full(len(rows), seq, dtype=np.int64))
    assert bind(row_hash_sum(table(rows), COLUMNS), seq) == one_by_one


@given(rows_of, st.randoms(use_true_random=False))
def test_order_and_chunks_of_rows_do_not_matter(rows: list[Row], random: Any) -> None:
    shuffled = random.sample(rows, len(rows))
    cut = len(rows) // 2
    chunked = pa.concat_tables([table(shuffled[:cut]), table(shuffled[cut:])])
    assert row_hash_sum(chunked, COLUMNS) == row_hash_sum(table(rows), COLUMNS)


def test_swapped_values_are_seen() -> None:
    one = table([("a", 1, True), ("b", 2, True)])
    assert row_hash_sum(one, COLUMNS) != row_hash_sum(table([("a", 2, True), ("b", 1, True)]), COLUMNS)
    renamed = one.rename_columns(["text", "other", "flag"])
    assert row_hash_sum(one, COLUMNS) != row_hash_sum(renamed, ["text", "other", "flag"])


def test_null_zero_and_empty_text_differ() -> None:
    alike = [(None, 0, False), ("", None, False), ("", 0, None), ("", 0, False)]
    assert len(set(row_hashes(table(alike), COLUMNS).tolist())) == 4


def test_column_added_later_leaves_digests_of_rows_without_it() -> None:
    rows = table([("a", 1, True), ("b", None, None)])
    wider = rows.append_column("later", pa.nulls(2, pa.int64()))
    assert row_hash_sum(wider, [*COLUMNS, "later"]) == row_hash_sum(rows, COLUMNS)


def test_more_rows_than_a_batch_hash_like_few() -> None:
    many = table([("a", 7, None)] * 100_000)
    assert set(row_hashes(many, COLUMNS).tolist()) == {slow_hash(("a", 7, None))}


def test_digests_of_stored_rows_stay_what_they_were() -> None:
    rows = table([("gpu-1", 950, True), (None, -1, False)])
    assert [f"{word:016x}" for word in row_hashes(rows, COLUMNS).tolist()] == [
        "b9a6cd4f6e51222f",
        "bf52db3f365b6868",
    ]


def test_digests_of_parts_add_up() -> None:
    assert Digest(2, WORD - 1) + Digest(3, 2) == Digest(5, 1)
    assert str(Digest(5, 1)) == "5-0000000000000001"
