"""A file is opened by what it is, and what cannot be read is said where it stands."""

from __future__ import annotations

import gzip
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from collectors.imports.reader import CsvTable, check_columns, open_table
from collectors.imports.rows import Misfit, Row
from gpuledger.errors import ColumnMapError, InputError
from gpuledger.lake.arrow import pa, pq


def rows_of(path: Path, *columns: str, delimiter: str | None = None) -> list[Row | Misfit]:
    return list(open_table(path, delimiter).rows(columns, lambda _: None))


def cells_of(path: Path, *columns: str) -> list[dict[str, str]]:
    return [dict(row.cells) for row in rows_of(path, *columns) if isinstance(row, Row)]


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def test_mark_of_byte_order_crlf_and_quoted_newlines_are_read(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", b'\xef\xbb\xbf\r\na,b\r\n1,"x\r\ny"\r\n\r\n2,"a ""b"""\r\n')
    assert cells_of(path) == [{"a": "1", "b": "x\r\ny"}, {"a": "2", "b": 'a "b"'}]
    assert [row.number for row in rows_of(path)] == [1, 2]


def test_gzip_is_told_by_its_bytes_and_tsv_by_its_name(tmp_path: Path) -> None:
    packed = written(tmp_path / "no_suffix", gzip.compress(b"a,b\n1,2\n"))
    assert cells_of(packed) == [{"a": "1", "b": "2"}]
    assert cells_of(written(tmp_path / "a.tsv.gz", gzip.compress(b"a\tb\n1\t2\n"))) == [{"a": "1", "b": "2"}]


def test_short_and_long_rows_are_misfits_and_the_rest_is_read(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", b"a,b\n1\n2,3,4\n5,6\n")
    assert rows_of(path) == [
        Misfit(1, "fewer cells than the header", ["1"]),
        Misfit(2, "more cells than the header", ["2", "3", "4"]),
        Row(3, {"a": "5", "b": "6"}),
    ]


def test_a_header_that_names_a_column_twice_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", b"a,b,a\n1,2,3\n")
    with pytest.raises(ColumnMapError, match="the header names a more than once"):
        open_table(path).header  # noqa: B018


def test_a_wrong_delimiter_is_told_the_likely_one(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", b"job;start;end\n1;2;3\n")
    with pytest.raises(ColumnMapError, match="only one column was found") as caught:
        check_columns(open_table(path), ["job"], str(path))
    assert 'delimiter: ";"' in caught.value.mend
    assert cells_of(path)[0] == {"job;start;end": "1;2;3"}
    assert rows_of(path, delimiter=";")[0].cells == {"job": "1", "start": "2", "end": "3"}


def test_a_column_that_is_not_there_is_told_those_that_are(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", b"job,start\n1,2\n")
    with pytest.raises(ColumnMapError, match="the map names end, account, which the file has not") as caught:
        check_columns(open_table(path), ["job", "end", "account"], "a.csv")
    assert caught.value.mend == "name columns of the file: job, start"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (gzip.compress(b"a,b\n" + b"1,2\n" * 20_000, mtime=0)[:-40], "the gzip data is cut short"),
        (b"a,b\n1,\xff\n", "the text is not UTF-8"),
        (b'a,b\n1,"2\n3,4\n', "the text is no CSV"),
        (b'a,b\n1,"2"x\n', "the text is no CSV"),
        (b"", "the file is empty"),
        (b"\xff\xfea\x00,\x00b\x00", "the text is not UTF-8"),
    ],
)
def test_what_cannot_be_read_is_an_input_error(tmp_path: Path, data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        rows_of(written(tmp_path / "a.csv", data))
    assert caught.value.mend


def test_the_row_that_is_no_csv_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        rows_of(written(tmp_path / "a.csv", b'a,b\n1,2\n3,"4"x\n'))
    assert caught.value.place is not None
    assert caught.value.place.row == 2


def test_absent_files_and_folders_are_input_errors(tmp_path: Path) -> None:
    for path in (tmp_path / "absent.csv", tmp_path):
        with pytest.raises(InputError, match="cannot be read"):
            open_table(path)


def test_reading_goes_on_by_the_size_of_the_file(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", b"a,b\n" + b"1,2\n" * 10_000)
    table, steps = open_table(path), []
    assert isinstance(table, CsvTable)
    assert sum(1 for _ in table.rows((), steps.append)) == 10_000
    assert sum(steps) == table.size == path.stat().st_size


def parquet(path: Path, **columns: Any) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


def test_parquet_values_come_as_their_exact_text(tmp_path: Path) -> None:
    path = parquet(
        tmp_path / "a.parquet",
        text=pa.array(["x", None]).dictionary_encode(),
        whole=pa.array([7, None], pa.int32()),
        real=pa.array([32709.000000000004, 0.1]),
        single=pa.array([0.922, 1.0], pa.float32()),
        exact=pa.array([Decimal("2.50"), None]),
        local=pa.array([1588291200000000, None], pa.timestamp("us")),
        zoned=pa.array([1588291200, None], pa.timestamp("s", "Asia/Shanghai")),
        flag=pa.array([True, False]),
    )
    names = ("text", "whole", "real", "single", "exact", "local", "zoned", "flag")
    assert open_table(path).header == names
    first, second = cells_of(path, *names)
    assert first == {
        "text": "x",
        "whole": "7",
        "real": "32709.000000000004",
        "single": "0.922",
        "exact": "2.50",
        "local": "2020-05-01 00:00:00.000000",
        "zoned": "2020-05-01 00:00:00.000Z",
        "flag": "true",
    }
    assert second == dict.fromkeys(names, "") | {"real": "0.1", "single": "1", "flag": "false"}


def test_only_the_columns_asked_for_are_read(tmp_path: Path) -> None:
    path = parquet(tmp_path / "a.parquet", a=[1, 2], b=[[1], [2]])
    assert cells_of(path, "a") == [{"a": "1"}, {"a": "2"}]
    with pytest.raises(ColumnMapError, match="has no text"):
        cells_of(path, "b")


def test_a_column_that_parquet_has_twice_cannot_be_mapped(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]), path)
    with pytest.raises(ColumnMapError, match="names a more than once"):
        check_columns(open_table(path), ["a"], str(path))


def test_parquet_cut_short_is_an_input_error(tmp_path: Path) -> None:
    whole = parquet(tmp_path / "a.parquet", a=list(range(1000))).read_bytes()
    path = written(tmp_path / "b.parquet", whole[: len(whole) // 2])
    with pytest.raises(InputError, match="Parquet file cannot be read"):
        open_table(path).header  # noqa: B018
