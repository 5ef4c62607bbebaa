"""What a manifest says that there should be, and files that are not all of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chargeback.bills.manifest import check_files, read_manifest
from gpuledger.errors import InputError

AWS = {"reportKeys": ["cur/20261001-20261101/a/x-00001.csv.gz", "cur/20261001-20261101/a/x-00002.csv.gz"]}
EXPORT = {"dataFiles": ["s3://b/e/data/x-00001.snappy.parquet"], "executionId": "1"}
AZURE = {
    "dataRowCount": 5,
    "blobs": [
        {"blobName": "d/part_0.csv", "dataRowCount": 3},
        {"blobName": "d/part_1.csv", "dataRowCount": 2},
    ],
}
FOCUS = {
    "FocusVersion": "1.3",
    "DatasetInstanceComplete": True,
    "TimeSectors": [{"TimeSectorComplete": True}],
}


def checked(folder: Path, said: Any, **rows: int) -> int | None:
    path = folder / "manifest.json"
    path.write_text(json.dumps(said) if not isinstance(said, str) else said, "utf-8")
    files = {folder / name.replace("__", "-").replace("_dot_", "."): count for name, count in rows.items()}
    return check_files(read_manifest(path), files)


def test_all_the_files_of_a_manifest_prove_the_rows_that_they_have(tmp_path: Path) -> None:
    assert checked(tmp_path, AWS, x__00001_dot_csv_dot_gz=3, x__00002_dot_csv_dot_gz=2) == 5
    assert checked(tmp_path, EXPORT, x__00001_dot_snappy_dot_parquet=4) == 4
    assert checked(tmp_path, AZURE, part_0_dot_csv=3, part_1_dot_csv=2) == 5


def test_a_file_of_the_manifest_that_was_not_given_is_named(tmp_path: Path) -> None:
    """T58: the first page only."""
    with pytest.raises(
        InputError, match=r"of its 2 files 1 were not given: x-00002.csv.gz; nothing was stored"
    ):
        checked(tmp_path, AWS, x__00001_dot_csv_dot_gz=3)


@pytest.mark.parametrize(
    ("said", "rows", "message"),
    [
        (
            AWS,
            {"x__00001_dot_csv_dot_gz": 1, "x__00002_dot_csv_dot_gz": 1, "y_dot_csv": 1},
            "y.csv is not among",
        ),
        (AZURE, {"part_0_dot_csv": 3, "part_1_dot_csv": 1}, "part_1.csv has 1 rows, and should have 2"),
        ({"dataRowCount": 9}, {"a_dot_csv": 7}, "the files have 7 rows, and should have 9: 2 differ"),
        ({"something": 1}, {"a_dot_csv": 1}, "the manifest says neither files, rows nor what is complete"),
        ("no json", {"a_dot_csv": 1}, "the manifest is no JSON"),
        ([], {"a_dot_csv": 1}, "the manifest says neither"),
    ],
)
def test_what_a_manifest_denies_is_refused(
    tmp_path: Path, said: Any, rows: dict[str, int], message: str
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        checked(tmp_path, said, **rows)
    assert str(caught.value.place) == str(tmp_path / "manifest.json")


def test_metadata_that_counts_nothing_proves_nothing(tmp_path: Path) -> None:
    assert checked(tmp_path, FOCUS, a_dot_csv=3) is None
    assert (
        checked(tmp_path, AZURE | {"DatasetInstanceComplete": False}, part_0_dot_csv=3, part_1_dot_csv=2)
        is None
    )
