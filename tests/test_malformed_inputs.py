"""Malformed inputs as users type them: told by file, row and mend, and nothing of them stored by half."""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import sqlite3
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from desktop import JOBS, MAP, PRICES, Desktop, filled

from gpuledger.lake.arrow import pa, pq

OWNERS = "owner_key,team,from,to\nml,vision,2026-01-01T00:00Z,\nnlp,language,2026-01-01T00:00Z,\n"
PRICE_HEAD, OWNER_HEAD = PRICES.splitlines()[0] + "\n", OWNERS.splitlines()[0] + "\n"
TEAMS = """\
teams:
- {team: language}
- {team: vision}
rules:
- {match: {owner_key: ml}, team: vision}
- {match: {owner_key: nlp}, team: language}
"""
TERM_PRICE = "- {model: A100, rate: 2, currency: USD, from: '2026-01-01T00:00Z'}\n"

HOLDINGS = "import holdings jobs.csv --map map.yaml --through 2026-10-05T08:00Z"
OF_PARQUET = "import holdings jobs.parquet --map map.yaml"
IMPORT_PRICES, IMPORT_OWNERS = "import prices prices.csv", "import owners owners.csv"

FOLDER, ABSENT = object(), object()
Content = Any
"""Text, bytes, or what stands in the place of a file: a folder, or nothing."""


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two holdings, a price and two owners, imported; books of October."""
    desktop = Desktop(tmp_path_factory.mktemp("made"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(desktop.folder)
        files = {"jobs.csv": JOBS, "map.yaml": MAP, "prices.csv": PRICES, "owners.csv": OWNERS}
        for name, text in files.items():
            desktop.write(name, text)
        filled(desktop)
        assert desktop.type(*IMPORT_OWNERS.split())[0] == 0
        assert desktop.type("run")[0] == 0
    return desktop.folder


@pytest.fixture
def desktop(made_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desktop:
    """That folder with its home."""
    shutil.copytree(made_once, tmp_path / "desktop")
    monkeypatch.chdir(tmp_path / "desktop")
    return Desktop(tmp_path / "desktop")


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desktop:
    """A folder with a map and no home yet."""
    monkeypatch.chdir(tmp_path)
    desktop = Desktop(tmp_path)
    desktop.write("map.yaml", MAP)
    return desktop


def put(desktop: Desktop, files: Mapping[str, Content]) -> None:
    for name, content in files.items():
        path = desktop.folder / name
        path.parent.mkdir(exist_ok=True)
        if content is FOLDER or content is ABSENT:
            path.unlink(missing_ok=True)
            if content is FOLDER:
                path.mkdir()
        else:
            path.write_bytes(content if isinstance(content, bytes) else content.encode())


def kept(desktop: Desktop) -> tuple[list[str], dict[str, int]]:
    """All that the database holds, and each file of the lake and the books with its size."""
    home = desktop.folder / "home"
    with sqlite3.connect(home / "gpuledger.db") as connection:
        lines = list(connection.iterdump())
    connection.close()
    files = [path for part in ("lake", "books") for path in (home / part).rglob("*") if path.is_file()]
    return lines, {str(path): path.stat().st_size for path in files}


def facts(desktop: Desktop, table: str) -> list[dict[str, Any]]:
    """The rows of all files that a table has in the lake."""
    found: list[dict[str, Any]] = []
    for path in sorted((desktop.folder / "home" / "lake" / table).rglob("*.parquet")):
        found += pq.read_table(path, partitioning=None).to_pylist()
    return found


def zipped(name: str, text: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr(name, text)
    return data.getvalue()


def parquet(**columns: Any) -> bytes:
    whole = {"job": ["1"], "start": ["2026-10-05T00:00Z"], "end": [None], "owner": ["ml"], "gpus": [2]}
    data = io.BytesIO()
    pq.write_table(pa.table(whole | columns), data)
    return data.getvalue()


def latin_1_parquet() -> bytes:
    """A column of strings whose bytes are not UTF-8, as some writers let pass."""
    return parquet(owner=pa.Array.from_buffers(pa.string(), 1, pa.array([b"f\xfcr"]).buffers()))


@dataclass(frozen=True)
class Refused:
    """What is typed, over which files, and the words that stderr has; `code` is the exit code."""

    name: str
    words: str
    files: Mapping[str, Content]
    says: tuple[str, ...]
    code: int = 3


def jobs(name: str, content: Content, *says: str) -> Refused:
    return Refused(f"jobs: {name}", HOLDINGS, {"jobs.csv": content}, ("at: jobs.csv", *says))


def prices(name: str, content: Content, *says: str) -> Refused:
    return Refused(f"prices: {name}", IMPORT_PRICES, {"prices.csv": content}, ("at: prices.csv", *says))


def price(name: str, row: str, *says: str, more: str = "") -> Refused:
    """A price list of one row; `more` is a column beside the usual ones."""
    head = PRICE_HEAD.replace("\n", f",{more}\n") if more else PRICE_HEAD
    return prices(name, head + row + "\n", "at: prices.csv, row 1", *says)


def price_list(name: str, content: Content, *says: str, options: str = "") -> Refused:
    """A list of others, and what is typed after its name."""
    words = f"{IMPORT_PRICES} {options}".strip()
    return Refused(f"price list: {name}", words, {"prices.csv": content}, says)


def owners(name: str, content: Content, *says: str) -> Refused:
    return Refused(f"owners: {name}", IMPORT_OWNERS, {"owners.csv": content}, ("at: owners.csv", *says))


def column_map(name: str, text: Content, *says: str) -> Refused:
    return Refused(f"map: {name}", HOLDINGS, {"map.yaml": text}, says)


def of_parquet(name: str, content: bytes, *says: str) -> Refused:
    return Refused(f"parquet: {name}", OF_PARQUET, {"jobs.parquet": content}, ("at: jobs.parquet", *says))


def month(words: str, text: str) -> Refused:
    said = (f"{text!r} is not a month", "do: write year and month, like 2026-10")
    return Refused(f"month: {words} {text}", f"{words} --month {text}", {}, said)


def as_of(text: str, *says: str, code: int = 3) -> Refused:
    return Refused(f"as of: {text}", f"statement --month 2026-10 --as-of {text}", {}, says, code)


def setting(name: str, content: Content, *says: str) -> Refused:
    said = ("home/gpuledger.toml", *says)
    return Refused(f"setting: {name}", "statement --month 2026-10", {"home/gpuledger.toml": content}, said, 4)


def terms(name: str, files: Mapping[str, Content], *says: str) -> Refused:
    return Refused(
        f"terms: {name}",
        "apply",
        {f"terms/{file}": text for file, text in files.items()},
        ("at: terms", *says),
    )


MANY = JOBS + "".join(f"{number},2026-10-05T01:00Z,,fur,1\n" for number in range(3, 1500))
DAMAGED = bytearray(gzip.compress(MANY.encode()))
DAMAGED[2000] ^= 255
ISO = "do: write ISO 8601 with an offset, like 2026-10-31T18:30:00Z"
UTF_8_AGAIN = "do: save or export the file again as UTF-8"

FILES = [
    jobs(
        "gzip cut short",
        gzip.compress(MANY.encode())[:-600],
        "the gzip data is cut short",
        "row 1",
        "do: copy",
    ),
    jobs("gzip damaged", bytes(DAMAGED), "the gzip data is cut short or damaged", "do: copy or export"),
    jobs(
        "semicolons",
        JOBS.replace(",", ";"),
        "only one column",
        'do: its cells look parted by a semicolon: write delimiter: ";"',
    ),
    prices("semicolons", PRICES.replace(",", ";"), "only one column", "do: part the cells with commas"),
    owners("semicolons", OWNERS.replace(",", ";"), "only one column", "do: part the cells with commas"),
    jobs("UTF-16", JOBS.encode("utf-16"), "not UTF-8: it is UTF-16", UTF_8_AGAIN),
    jobs("UTF-16 in gzip", gzip.compress(JOBS.encode("utf-16")), "not UTF-8: it is UTF-16", UTF_8_AGAIN),
    jobs(
        "UTF-16 without a mark", JOBS.encode("utf-16-le"), "line 1", "a NUL byte, as UTF-16 has", UTF_8_AGAIN
    ),
    prices("UTF-16", PRICES.encode("utf-16"), "not UTF-8", "UTF-8\n"),
    owners("UTF-16", OWNERS.encode("utf-16"), "not UTF-8", "UTF-8\n"),
    jobs("NUL in a name", JOBS.replace(",ml,", ",m\0l,"), "line 2", "the text has a NUL byte", UTF_8_AGAIN),
    prices("NUL in an instant", PRICES.replace("2026", "20\x0026"), "do: "),
    jobs(
        "byte of Latin-1 in row 3",
        JOBS.encode() + b"3,2026-10-05T01:00Z,,f\xfcr,1\n",
        "line 4",
        "not UTF-8: byte 0xfc",
        UTF_8_AGAIN,
    ),
    jobs(
        "byte of Latin-1 far down",
        MANY.encode() + b"x,2026-10-05T01:00Z,,f\xfcr,1\n",
        "line 1501",
        "not UTF-8: byte 0xfc",
    ),
    owners(
        "byte of Latin-1 in row 3", OWNERS.encode() + b"f\xfcr,x,2026-01-01T00:00Z,\n", "not UTF-8", "UTF-8"
    ),
    jobs(
        "zip file",
        zipped("jobs.csv", JOBS),
        "it is a zip file or a workbook",
        "do: unpack it, or save its sheet as CSV",
    ),
    prices("zip file", zipped("prices.csv", PRICES), "not UTF-8", "do: "),
    jobs(
        "column twice",
        JOBS.replace("gpus", "owner"),
        "the header names owner more than once",
        "column owner",
        "do: give each column a name of its own",
    ),
    prices(
        "column twice",
        PRICES.replace(",to\n", ",to,model\n"),
        "column 'model' is there twice",
        "do: columns: ",
    ),
    jobs(
        "column missing",
        JOBS.replace("gpus", "count"),
        "the map names gpus, which the file has not",
        "do: name columns of the file: job, start, end, owner, count",
    ),
    prices(
        "column missing",
        PRICES.replace(",to\n", ",until\n"),
        "the header lacks to",
        "do: columns: rate, currency, from, to",
    ),
    owners(
        "column missing",
        OWNERS.replace("team", "group"),
        "the header lacks team",
        "do: columns: owner_key, team",
    ),
    jobs("empty", "", "the file is empty", "do: export it with a header"),
    jobs("blank lines only", "\n  \n", "the file is empty", "do: export it with a header"),
    prices("empty", "", "the file is empty", "do: begin it with rate,currency,from,to"),
    owners("empty", "", "the file is empty", "do: begin it with owner_key,team,from,to"),
    jobs(
        "quote not closed",
        JOBS + '3,2026-10-05T01:00Z,,"ml,1\n',
        "row 3",
        "the text is no CSV",
        "do: look for a quote that is not closed",
    ),
    prices(
        "quote not closed",
        PRICES + '"H200,2,USD,2026-01-01T00:00Z,\n',
        "the text is no CSV",
        "do: look for a quote that is not closed",
    ),
    jobs("folder", FOLDER, "cannot be read: Is a directory", "do: name a file that you may read"),
    prices("folder", FOLDER, "cannot be read: Is a directory", "do: name a file that you may read"),
    jobs("absent", ABSENT, "cannot be read: No such file", "do: name a file that you may read"),
    of_parquet(
        "cut off", parquet()[:-20], "the Parquet file cannot be read", "do: copy or export the file again"
    ),
    of_parquet(
        "cut in the middle", parquet()[:300] + parquet()[340:], "the Parquet file cannot be read", "do: copy"
    ),
    of_parquet(
        "Latin-1",
        latin_1_parquet(),
        "column owner",
        "text that is not UTF-8",
        "do: export it again as text in UTF-8",
    ),
    of_parquet(
        "NUL in a name", parquet(owner=["m\0l"]), "column owner", "a NUL in its text", "do: export it again"
    ),
    of_parquet(
        "list in a cell", parquet(owner=[["ml"]]), "column owner", "has no text", "do: map another column"
    ),
]

VALUES = [
    jobs(
        "date without a zone",
        JOBS + "3,2026-10-05,,ml,1\n",
        "row 3",
        "'2026-10-05' is local time",
        "do: write zone: in the map",
    ),
    price("date with points", "H100,2,USD,05.10.2026,", "column from", "'05.10.2026' is not an instant", ISO),
    price(
        "date with slashes", "H100,2,USD,10/05/2026,", "column from", "'10/05/2026' is not an instant", ISO
    ),
    price(
        "milliseconds",
        "H100,2,USD,1790000000000,",
        "column from",
        "is not between 2000-01-01 and 2100-01-01",
        ISO,
        "a number counts seconds since 1970",
    ),
    price(
        "end before start",
        "H100,2,USD,2026-10-01T00:00Z,2026-09-01T00:00Z",
        "column to",
        "is not after from",
        "do: an end is exclusive",
    ),
    owners(
        "end before start",
        OWNER_HEAD + "x,y,2026-10-01T00:00Z,2026-09-01T00:00Z\n",
        "row 1, column to",
        "is not after from",
        "do: an end is exclusive",
    ),
    price(
        "negative rate",
        "H100,-2,USD,2026-01-01T00:00Z,",
        "column rate",
        "rate -2 is negative",
        "do: leave the price out",
    ),
    price(
        "rate with a comma",
        'H100,"2,50",USD,2026-01-01T00:00Z,',
        "column rate",
        "'2,50' is not an amount",
        "do: write plain decimal digits, like 1234.56",
    ),
    price("no rate", "H100,,USD,2026-01-01T00:00Z,", "column rate", "do: write plain decimal digits"),
    price(
        "unknown currency",
        "H100,2,XXX,2026-01-01T00:00Z,",
        "column currency",
        "currency 'XXX' is not known",
        "do: write one of these ISO 4217 codes: AED ",
    ),
    price(
        "currency in small letters",
        "H100,2,usd,2026-01-01T00:00Z,",
        "column currency",
        "currency 'usd' is not known",
        "do: write USD\n",
    ),
    prices(
        "too many cells",
        PRICES + "H200,2,USD,2026-01-01T00:00Z,,x\n",
        "row 2",
        "6 cells under 5 columns",
        "do: give each column its cell",
    ),
    owners(
        "too few cells", OWNERS + "x,y\n", "row 3", "2 cells under 4 columns", "do: give each column its cell"
    ),
    prices(
        "overlap in the file",
        PRICE_HEAD + "A,2,USD,2026-01-01T00:00Z,\nA,3,USD,2026-05-01T00:00Z,\n",
        "row 2",
        "row 1 (model/A/",
        "hold at the same time",
        "do: end the earlier one",
    ),
    prices(
        "overlap with what is in force",
        PRICE_HEAD + "H100,3,USD,2026-05-01T00:00Z,\n",
        "row 1",
        "the record in force",
        "do: end the earlier one",
    ),
    owners(
        "overlap in the file",
        OWNER_HEAD + "a,x,2026-01-01T00:00Z,\na,y,2026-05-01T00:00Z,\n",
        "row 2",
        "hold at the same time",
        "do: end the earlier one",
    ),
    owners(
        "overlap with what is in force",
        OWNER_HEAD + "ml,y,2026-05-01T00:00Z,\n",
        "row 1",
        "the record in force",
        "do: end the earlier one",
    ),
]

SPOT = "region_alias,instance_type,os,usd_per_hour\nus-east,p4d.24xlarge,linux,9.8318\n"
OPENCOST = {"provider": "custom", "CPU": "0.031611", "RAM": "0.004237", "GPU": "0.95"}

PRICE_LISTS = [
    price_list("no time", SPOT, "row 1", "does not say since when", "do: say it: --from 2026-09-01"),
    price_list(
        "columns of another shape",
        SPOT,
        "column ChargePeriodStart",
        "the header lacks ChargePeriodStart, ListUnitPrice, PricingUnit, SkuId, which focus has",
        "do: leave --shape out",
        options="--shape focus",
    ),
    price_list(
        "unknown header",
        "sku,price\np5,1\n",
        "the header lacks rate, currency, from, to",
        "or a list of one of these shapes: gpuledger, aws-on-demand",
    ),
    price_list(
        "percentages",
        "region,os,instance_type,spot_savings_pct_vs_on_demand,interruption_range_index\n",
        "column spot_savings_pct_vs_on_demand",
        "AWS's Spot Advisor has percentages below the price on demand, and no price",
        "do: import spot prices instead",
    ),
    price_list(
        "configuration of OpenCost",
        json.dumps(OPENCOST),
        "this is a configuration of OpenCost",
        "do: import the CSV that OpenCost reads instead",
        "rate: 0.95",
    ),
    price_list(
        "prices of tokens",
        gzip.compress(b'[{"id": "x", "models": [{"prices": {"input_mtok": 3}}]}]'),
        "prices of tokens of language models, not of GPUs",
        "do: import a list of what nodes or GPUs cost",
    ),
    price_list(
        "in gzip", gzip.compress(SPOT.encode()), "the text is not UTF-8: it is gzip", "do: unpack the file"
    ),
    price_list(
        "quote not closed",
        SPOT + '"us-east,p3.2xlarge,linux,1\n',
        "the text is no CSV",
        "do: look for a quote that is not closed",
        options="--from 2026-09-01T00:00Z",
    ),
    price_list(
        "rule that is none",
        SPOT,
        "--count 'minimum' is no rule",
        "do: write KEY=VALUE, with a KEY of granularity, minimum",
        options="--count minimum",
    ),
    price_list(
        "options over our own columns",
        PRICES,
        "the list has our own columns",
        "do: leave these options out, and write the columns",
        options="--provider AWS",
    ),
    price(
        "unit that is none",
        "H100,2,USD,2026-01-01T00:00Z,,day",
        "column unit",
        "unit 'day' is not known",
        "do: write gpu_hour, node_hour, gpu_month, node_month",
        more="unit",
    ),
    price(
        "rule of a month without a month",
        "H100,2,USD,2026-01-01T00:00Z,,730",
        "column month_rule",
        "a price per gpu_hour has the month rule 730",
        "do: leave the rule out, or write the unit",
        more="month_rule",
    ),
    price(
        "length of time without a unit",
        "H100,2,USD,2026-01-01T00:00Z,,60",
        "column granularity",
        "granularity '60' is no length of time",
        "do: write seconds, minutes or hours",
        more="granularity",
    ),
]

MAPS = [
    column_map(
        "tab",
        MAP.replace("source:", "\tsource:"),
        "at: map.yaml, line 2",
        "a tab",
        "do: YAML is indented with blanks",
    ),
    column_map(
        "unknown key",
        MAP + "delimeter: ';'\n",
        "at: map.yaml, line 7",
        "delimeter is not a key of a map",
        "do: write delimiter\n",
    ),
    column_map(
        "other kind",
        MAP.replace("holdings", "inventory"),
        "at: map.yaml, line 1",
        "of kind 'inventory'",
        "do: write kind: holdings",
    ),
    column_map(
        "column that is not there",
        MAP.replace("units: gpus", "units: GPUs"),
        "at: jobs.csv, column GPUs",
        "do: name columns of the file: job, start, end, owner, gpus",
    ),
    column_map("UTF-16", MAP.encode("utf-16"), "at: map.yaml", "it is UTF-16", UTF_8_AGAIN),
    column_map(
        "byte of Latin-1", MAP.encode() + b"# f\xfcr\n", "at: map.yaml, line 7", "byte 0xfc", UTF_8_AGAIN
    ),
    column_map(
        "half a character",
        MAP.replace("cluster: c", 'cluster: "\\ud800"'),
        "at: map.yaml, line 5",
        "no text that can be kept",
        "do: leave that escape out",
    ),
    column_map(
        "escaped NUL",
        MAP.replace("source: jobs", 'source: "a\\0"'),
        "at: map.yaml, line 2",
        "no text that can be kept",
    ),
    column_map(
        "source of two lines",
        MAP.replace("source: jobs", 'source: "a\\nb"'),
        "the name of the source",
        "do: name it with --source",
    ),
    column_map(
        "in itself",
        "a: &a [*a]\n",
        "at: map.yaml",
        "nested too deeply, or in itself",
        "do: write it without anchors",
    ),
    column_map(
        "two documents", MAP + "---\n" + MAP, "at: map.yaml, line 7", "another document", "do: mend that line"
    ),
    column_map("empty", "", "at: map.yaml", "do: begin it with kind: and columns:"),
    column_map("rows of a table", JOBS, "at: map.yaml", "do: begin it with kind: and columns:"),
    column_map("quote as delimiter", MAP + "delimiter: '\"'\n", "at: map.yaml, line 7", "cannot part cells"),
    column_map(
        "factor that is no number",
        MAP.replace("units: gpus", "units: {column: gpus, times: x}"),
        "at: map.yaml, line 4",
        "'x' is no whole number from 1 up",
    ),
    column_map(
        "epoch that is no instant",
        MAP + "epoch: soon\n",
        "at: map.yaml",
        "epoch: 'soon' is not an instant",
        ISO,
    ),
    column_map(
        "window that ends first",
        MAP + "epoch: 2026-01-01T00:00Z\nwindow: {start: 5, end: 1}\n",
        "at: map.yaml",
        "do: swap its start and end",
    ),
]

ASKED = [
    *(
        month(words, text)
        for words in ("statement", "run", "close", "verify", "diff")
        for text in ("2026-13",)
    ),
    month("statement", "October"),
    as_of(
        "soon", "'soon' is not an instant", "do: give a seq that a statement printed, or an instant such as"
    ),
    as_of("-1", "do: give a seq that a statement printed"),
    as_of("2030-01-01T00:00Z", "2030-01-01T00:00:00Z is in the future", "do: leave the option out"),
    as_of("99", "nothing was known at seq 99; the seqs are 1 to 4", "do: give a seq", code=6),
    Refused(
        "file name in Latin-1", "import prices pr\udcfcces.csv", {}, ("is not UTF-8", "must be renamed first")
    ),
    Refused(
        "source in Latin-1", f"{HOLDINGS} --source f\udcfcr", {}, ("is not UTF-8", "do: write it in UTF-8")
    ),
    setting(
        "unknown",
        "curency = 'EUR'\n",
        "line 1",
        "there is no setting 'curency'",
        "do: did you mean currency?",
    ),
    setting("of the wrong type", "\nworkers = 1.5\n", "line 2", 'do: write workers = "…", in quotes'),
    setting(
        "in a section", "[book]\nzone = 'UTC'\n", "line 1", "[book] is a section", "at the top of the file"
    ),
    setting("no TOML", "zone = UTC\n", "at line 1", "do: write it as TOML"),
    setting("UTF-16", "zone = 'UTC'\n".encode("utf-16"), "it is UTF-16", UTF_8_AGAIN),
]

TERMS = [
    terms(
        "tab",
        {"teams.yaml": TEAMS.replace("- {team: v", "\t- {team: v")},
        "teams.yaml, line 3",
        "a tab",
        "do: YAML is indented with blanks",
    ),
    terms(
        "overlap of prices",
        {"prices.yaml": "prices:\n" + TERM_PRICE + TERM_PRICE.replace("2026-01", "2026-05")},
        "prices.yaml, line 3",
        "line 2 (model/A100/",
        "hold at the same time",
        "do: end the earlier one",
    ),
    terms(
        "unknown team",
        {"teams.yaml": TEAMS.replace("ml}, team: vision", "ml}, team: visoin")},
        "teams.yaml, line 5",
        "visoin is not among the teams",
        "do: write vision",
    ),
    terms(
        "rule that never counts",
        {"teams.yaml": TEAMS + "- {match: {owner_key: ml}, team: language}\n"},
        "teams.yaml, line 7",
        "can never count: line 5",
        "do: the first rule that matches counts",
    ),
    terms(
        "unknown file",
        {"teams.yaml": TEAMS, "price.yaml": "prices: []\n"},
        "price.yaml",
        "no file of terms",
        "do: name it prices.yaml",
    ),
    terms("UTF-16", {"teams.yaml": TEAMS.encode("utf-16")}, "teams.yaml", "it is UTF-16", UTF_8_AGAIN),
    terms(
        "escaped NUL",
        {"teams.yaml": TEAMS.replace("language", '"l\\0"')},
        "teams.yaml, line 2",
        "no text that can be kept",
    ),
    terms(
        "rate with a comma",
        {"prices.yaml": "prices:\n" + TERM_PRICE.replace("rate: 2", "rate: '2,50'")},
        "prices.yaml, line 2",
        "'2,50' is not an amount",
        "do: write plain decimal digits",
    ),
    terms(
        "no file", {"readme.txt": "x"}, "the folder has no terms", "do: `gpuledger init` writes teams.yaml"
    ),
]

STATES_MAP = """\
kind: states
columns: {node: node, state: state, start: since}
states: {DOWN: failed}
"""
STATES = "node,state,since\nn1,DOWN,2026-10-05T00:00Z\nn2,IDLE,2026-10-05T00:00Z\n"
PARTITIONS_MAP = """\
kind: partitions
columns: {node: node, slot: bus, instance: gi, profile: profile, model: model, start: since}
"""
PARTITIONS = "node,bus,gi,profile,model,since\nn1,0,7,1g.10gb,H100,2026-10-05T00:00Z\n"
PHASES_MAP = "kind: phases\nrun: job\ncolumns: {phase: word, start: since}\nphases: {PD: waiting}\n"
PHASES = "job,word,since\n1,PD,2026-10-05T00:00Z\n"


def other_kind(name: str, kind: str, files: Mapping[str, Content], *says: str) -> Refused:
    maps = {"states": STATES_MAP, "partitions": PARTITIONS_MAP, "phases": PHASES_MAP}
    rows = {"states": STATES, "partitions": PARTITIONS, "phases": PHASES}
    given = {"rows.csv": rows[kind], "rows.yaml": maps[kind]} | files
    return Refused(f"{kind}: {name}", f"import {kind} rows.csv --map rows.yaml --strict", given, says)


def strict(name: str, kind: str, rows: str, *says: str) -> Refused:
    mend = "do: mend them, or import without --strict"
    return other_kind(name, kind, {"rows.csv": rows}, "at: rows.csv, row", mend, *says)


OTHER_KINDS = [
    other_kind("empty", "states", {"rows.csv": ""}, "at: rows.csv", "the file is empty", "with a header"),
    other_kind("UTF-16", "phases", {"rows.csv": PHASES.encode("utf-16")}, "at: rows.csv", UTF_8_AGAIN),
    other_kind("folder", "partitions", {"rows.csv": FOLDER}, "at: rows.csv", "name a file that you may read"),
    other_kind(
        "column missing",
        "partitions",
        {"rows.csv": PARTITIONS.replace("gi", "id")},
        "at: rows.csv",
        "names gi",
    ),
    other_kind(
        "local time",
        "states",
        {"rows.csv": STATES.replace("00:00Z", "00:00")},
        "row 1",
        "write zone: in the map",
    ),
    other_kind(
        "word that is none of ours",
        "states",
        {"rows.yaml": STATES_MAP.replace("failed", "broken")},
        "at: rows.yaml, line 3",
        "states.DOWN: Input should be 'available'",
        "do: docs/import.md",
    ),
    other_kind(
        "no slices",
        "partitions",
        {"rows.yaml": PARTITIONS_MAP.replace("model: model, ", "")},
        "how many slices",
    ),
    other_kind(
        "no run", "phases", {"rows.yaml": PHASES_MAP.replace("run: job\n", "")}, "run is missing", "rows.yaml"
    ),
    other_kind(
        "map of another kind",
        "phases",
        {"rows.yaml": STATES_MAP},
        "rows.yaml, line 1",
        "do: write kind: phases",
    ),
    strict("unknown word", "states", STATES.replace("IDLE", "ODD"), "row 2", "state is not known (1)"),
    strict("unknown model", "partitions", PARTITIONS.replace("H100", "X1"), "not in the table of slices (1)"),
    strict("no phase", "phases", PHASES.replace("PD", ""), "phase is empty (1)"),
    Refused(
        "holdings: shared in two ways",
        HOLDINGS,
        {"map.yaml": MAP.replace("units: gpus", "fraction: gpus, share: {mode: mps}")},
        ("at: map.yaml, line 4", "by fraction or by mps, not by both"),
    ),
]


@pytest.mark.parametrize(
    "case", [*FILES, *VALUES, *PRICE_LISTS, *MAPS, *OTHER_KINDS, *ASKED, *TERMS], ids=lambda case: case.name
)
def test_what_is_refused_says_where_and_what_to_do_and_stores_nothing(
    desktop: Desktop, case: Refused
) -> None:
    put(desktop, case.files)
    before = kept(desktop)
    code, out, err = desktop.type(*case.words.split(" "))
    assert (code, out) == (case.code, "")
    assert "Traceback" not in err and "error: " in err and "\n  do: " in err
    assert [words for words in case.says if words not in err] == [], err
    assert kept(desktop) == before


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (
            "3,05.10.2026,,ml,1",
            "start is no instant: '05.10.2026' is not an instant; write ISO 8601 with an offset",
        ),
        (
            "3,10/05/2026,,ml,1",
            "start is no instant: '10/05/2026' is not an instant; write ISO 8601 with an offset",
        ),
        (
            "3,1790000000000,,ml,1",
            "start is no instant: '1790000000000' is not between 2000-01-01 and 2100-01-01",
        ),
        ("3,2026-10-05T06:00Z,2026-10-05T01:00Z,ml,1", "end is before start"),
        ("3,2026-10-05T06:00Z,,ml,-1", "units is negative: -1"),
        ("3,2026-10-05T06:00Z,,ml,1.5", "units is not whole: map it as fraction: 3/2"),
        ("3,2026-10-05T06:00Z,,ml,two", "units is no number: two"),
        ("3,2026-10-05T06:00Z,,ml,", "units is empty"),
        ("3,2026-10-05T06:00Z,,ml,1,x", "more cells than the header: 6 cells"),
        ("3,2026-10-05T06:00Z", "fewer cells than the header: 2 cells"),
    ],
)
def test_row_that_cannot_be_right_is_in_quarantine_and_told(fresh: Desktop, row: str, reason: str) -> None:
    put(fresh, {"jobs.csv": f"{JOBS}{row}\n"})
    code, out, err = fresh.type(*HOLDINGS.split())
    assert code == 0 and "Traceback" not in err
    assert f"warning: in quarantine, to be mended and imported again: row 3: {reason}" in out
    assert sorted(fact["owner_key"] for fact in facts(fresh, "holding")) == ["ml", "nlp"]
    (bad,) = facts(fresh, "quarantine")
    assert (bad["file"], bad["row"]) == ("jobs.csv", 3)
    assert bad["reason"].startswith(reason) and all(cell in bad["raw"] for cell in row.split(","))


@pytest.mark.parametrize(
    ("kind", "rows", "reason"),
    [
        ("states", STATES + "n3,ODD,2026-10-05T00:00Z\n", "state is not known: ODD: give it a meaning"),
        (
            "partitions",
            PARTITIONS + "n1,0,8,1g.5gb,H100,2026-10-05T00:00Z\n",
            "the model has no such profile",
        ),
        ("phases", PHASES + "2,,2026-10-05T00:00Z\n", "phase is empty"),
    ],
)
def test_row_of_another_kind_that_cannot_be_right_is_in_quarantine_and_told(
    fresh: Desktop, kind: str, rows: str, reason: str
) -> None:
    put(fresh, {**other_kind("", kind, {}).files, "rows.csv": rows})
    code, out, err = fresh.type("import", kind, "rows.csv", "--map", "rows.yaml")
    assert code == 0 and "Traceback" not in err
    number = rows.count("\n") - 1
    assert f"warning: in quarantine, to be mended and imported again: row {number}: {reason}" in out
    (bad,) = facts(fresh, "quarantine")
    assert (bad["file"], bad["row"]) == ("rows.csv", number) and bad["reason"].startswith(reason)
    assert len(facts(fresh, kind.removesuffix("s"))) == number - 1


def test_strict_import_of_such_a_row_stores_nothing(desktop: Desktop) -> None:
    put(desktop, {"jobs.csv": f"{JOBS}3,05.10.2026,,ml,1\n"})
    before = kept(desktop)
    code, out, err = desktop.type(*HOLDINGS.split(), "--strict")
    assert (code, out) == (3, "")
    assert "at: jobs.csv, row 3" in err and "do: mend them, or import without --strict" in err
    assert kept(desktop) == before


def test_only_some_of_many_bad_rows_are_named(fresh: Desktop) -> None:
    put(fresh, {"jobs.csv": JOBS + "".join(f"{number},soon,,ml,1\n" for number in range(3, 9))})
    _, out, _ = fresh.type(*HOLDINGS.split())
    assert "row 3: " in out and "row 5: " in out and "row 6: " not in out and "; …\n" in out
    assert len(facts(fresh, "quarantine")) == 6


@pytest.mark.parametrize(
    ("words", "file", "text"),
    [
        (HOLDINGS, "jobs.csv", JOBS),
        (IMPORT_PRICES, "prices.csv", PRICES),
        (IMPORT_OWNERS, "owners.csv", OWNERS),
    ],
)
@pytest.mark.parametrize("written", ["mark", "CRLF", "mark and CRLF"])
def test_byte_order_mark_and_crlf_say_the_same(
    desktop: Desktop, words: str, file: str, text: str, written: str
) -> None:
    text = text.replace("\n", "\r\n") if "CRLF" in written else text
    put(desktop, {file: text.encode("utf-8-sig" if "mark" in written else "utf-8")})
    before = kept(desktop)
    code, _, err = desktop.type(*words.split())
    assert code == 0, err
    assert kept(desktop) == before, "nothing new"


def test_map_and_settings_may_have_a_byte_order_mark(desktop: Desktop) -> None:
    put(
        desktop,
        {"map.yaml": MAP.encode("utf-8-sig"), "home/gpuledger.toml": "zone = 'UTC'\n".encode("utf-8-sig")},
    )
    assert desktop.type(*HOLDINGS.split())[0] == 0


def test_file_with_a_header_only_is_said_to_have_no_row(desktop: Desktop) -> None:
    put(
        desktop, {"jobs.csv": JOBS.splitlines()[0] + "\n", "prices.csv": PRICE_HEAD, "owners.csv": OWNER_HEAD}
    )
    before = kept(desktop)
    code, out, _ = desktop.type(*HOLDINGS.split())
    assert code == 0 and "warning: the file has no row below its header" in out
    assert "no row holds a GPU" not in out
    for words in (IMPORT_PRICES, IMPORT_OWNERS):
        code, out, _ = desktop.type(*words.split())
        assert code == 0 and "rows 0, new 0" in out
    assert kept(desktop) == before


@pytest.mark.parametrize(
    ("words", "file"),
    [
        (HOLDINGS, "jobs.csv"),
        (HOLDINGS, "map.yaml"),
        (IMPORT_PRICES, "prices.csv"),
        (IMPORT_OWNERS, "owners.csv"),
    ],
)
def test_file_that_may_not_be_read_is_named(desktop: Desktop, words: str, file: str) -> None:
    (desktop.folder / file).chmod(0)
    if os.access(desktop.folder / file, os.R_OK):
        (desktop.folder / file).unlink()  # root may read all: for root it is not there
    code, out, err = desktop.type(*words.split())
    assert (code, out) == (3, "")
    assert "cannot be read: " in err and f"at: {file}" in err and "do: name a " in err and "[Errno" not in err


def test_owner_that_looks_like_a_formula_is_a_name(fresh: Desktop) -> None:
    put(fresh, {"jobs.csv": JOBS.replace(",ml,", ",=cmd(),"), "prices.csv": PRICES})
    filled(fresh)
    assert fresh.type("run")[0] == 0
    words = ("statement", "--month", "2026-10", "--format")
    assert "2026-10,'=cmd(),12.000000,24.00," in fresh.type(*words, "csv")[1]
    assert json.loads(fresh.type(*words, "json")[1])["lines"][0]["key"] == "=cmd()"


def test_gap_between_prices_is_unpriced_and_stops_a_close(fresh: Desktop) -> None:
    gap = "H100,2,USD,2026-01-01T00:00Z,2026-10-05T02:00Z\nH100,2,USD,2026-10-05T04:00Z,\n"
    put(fresh, {"jobs.csv": JOBS, "prices.csv": PRICE_HEAD + gap})
    filled(fresh)
    assert fresh.type("run")[0] == 0
    assert "UNPRICED: 6.000000 GPU-hours have no price" in fresh.type("statement", "--month", "2026-10")[1]
    fresh.clock = 1_800_000_000.0
    code, out, err = fresh.type("close", "--month", "2026-10")
    assert (code, out) == (6, "")
    assert "2026-10 cannot be closed" in err
    assert "6.000000 GPU-hours have no price: bring their prices in" in err and "do: mend each" in err
