"""The commands `import prices` and `import owners` against a ledger of their own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gpuledger.cli import invoke
from gpuledger.instants import format_utc
from gpuledger.session import Edge
from gpuledger.versions import Database, owners_in_force, prices_in_force

PRICES = "model,region,rate,currency,from,to\n"
OWNERS = "owner_key,team,cost_centre,from,to\n"
OCTOBER, NOVEMBER = "2026-10-01T00:00:00Z", "2026-11-01T00:00:00Z"


class Desk:
    """Runs the commands in a folder of its own, at a fixed time."""

    def __init__(self, folder: Path, printed: pytest.CaptureFixture[str], zone: str = "UTC") -> None:
        self.folder, self.printed = folder, printed
        environ = {"GPULEDGER_HOME": str(folder / "home"), "GPULEDGER_ZONE": zone}
        self.edge = Edge(environ=environ, cwd=folder, clock=lambda: 1_793_000_000)

    def bring_in(self, kind: str, text: str, *options: str, name: str = "list.csv") -> int:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return invoke(["import", kind, str(path), *options], edge=self.edge)

    def figures(self, kind: str, text: str, *options: str, name: str = "list.csv") -> dict[str, Any]:
        assert self.bring_in(kind, text, "--format", "json", *options, name=name) == 0
        read: dict[str, Any] = json.loads(self.printed.readouterr().out)
        return read

    def known(self, kind: str) -> list[Any]:
        database = Database.open(f"sqlite:///{self.folder / 'home' / 'gpuledger.db'}")
        in_force = prices_in_force if kind == "prices" else owners_in_force
        with database.read() as connection:
            found: list[Any] = in_force(connection, database.latest_seq())
        database.close()
        return found


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path, capsys)


def test_a_list_that_comes_twice_is_known_already(desk: Desk) -> None:
    rows = PRICES + f"H100,eu,2.50,USD,{OCTOBER},\nA100,eu,0,USD,{OCTOBER},\n"
    first = desk.figures("prices", rows)
    again = desk.figures("prices", rows.replace("2.50", "2.5"), name="renamed.csv")
    assert (first["new"], first["unchanged"], first["rate_of_0"], first["seq"]) == (2, 0, 1, 1)
    assert (again["new"], again["unchanged"], again["seq"]) == (0, 2, 1)


def test_a_later_list_corrects_records_of_the_same_start(desk: Desk) -> None:
    desk.figures("prices", PRICES + f"H100,eu,2.50,USD,{OCTOBER},\n")
    later = desk.figures(
        "prices", PRICES + f"H100,eu,2.60,USD,{OCTOBER},{NOVEMBER}\nH100,eu,3,USD,{NOVEMBER},\n"
    )
    assert (later["new"], later["changed"]) == (1, 1)
    assert [fact.rate for fact in desk.known("prices")] == ["2.6", "3"]


def test_an_overlap_with_what_is_in_force_refuses_the_whole_list(desk: Desk) -> None:
    desk.figures("prices", PRICES + f"H100,eu,2.50,USD,{OCTOBER},\n")
    assert desk.bring_in("prices", PRICES + f"A100,eu,1,USD,{OCTOBER},\nH100,eu,3,USD,{NOVEMBER},\n") == 3
    printed = desk.printed.readouterr()
    assert "the record in force (model/H100/eu//2026-10-01T00:00:00Z until open)" in printed.err
    assert "and row 2 (model/H100/eu//2026-11-01T00:00:00Z until open) hold at the same time" in printed.err
    assert "list.csv, row 2" in printed.err
    assert [fact.selector for fact in desk.known("prices")] == ["H100"]


def test_the_zone_of_local_times_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    desk = Desk(tmp_path, capsys, zone="Asia/Kolkata")
    rows = PRICES + "H100,{},2.50,USD,2026-10-01,\n"
    assert desk.figures("prices", rows.format("eu"))["times_read_in"] == "Asia/Kolkata"
    assert (
        desk.figures("prices", rows.format("us"), "--zone", "Europe/Berlin")["times_read_in"]
        == "Europe/Berlin"
    )
    assert [format_utc(fact.start_s) for fact in desk.known("prices")] == [
        "2026-09-30T18:30:00Z",
        "2026-09-30T22:00:00Z",
    ]
    assert desk.bring_in("prices", rows.format("ap")) == 0
    assert "times without an offset were read in Asia/Kolkata" in desk.printed.readouterr().out


def test_owners_say_who_a_key_is(desk: Desk) -> None:
    assert desk.bring_in("owners", OWNERS + f"nlp,language,CC-1,{OCTOBER},\n") == 0
    assert "owners from" in desk.printed.readouterr().out
    assert [(fact.owner_key, fact.team, fact.cost_centre) for fact in desk.known("owners")] == [
        ("nlp", "language", "CC-1")
    ]
    moved = desk.figures("owners", OWNERS + f"nlp,speech,CC-2,{OCTOBER},\n")
    assert (moved["changed"], moved["seq"]) == (1, 2)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("prices", PRICES + f"H100,eu,-1,USD,{OCTOBER},\n"), "rate -1 is negative"),
        (("owners", OWNERS + f"nlp,,,{OCTOBER},\n"), "team is empty"),
        (("prices", PRICES + "H100,eu,1,USD,2026-10-01,\n", "--zone", "Mars/X"), "time zone 'Mars/X'"),
        (("prices", "\xff"), "the header lacks"),
        (("prices", ""), "the file is empty"),
        (("prices", PRICES + 'H100,eu,"1\n'), "the text is no CSV"),
    ],
)
def test_terms_that_cannot_be_right_are_refused_and_nothing_is_written(
    desk: Desk, words: tuple[str, ...], message: str
) -> None:
    assert desk.bring_in(*words) == 3
    printed = desk.printed.readouterr()
    assert message in printed.err
    assert printed.out == ""
    assert desk.known("prices") == desk.known("owners") == []


SPOT = "region_alias,instance_type,os,usd_per_hour\n"
AWS = "region,instance_type,on_demand_per_hour,generated_at,currency,gpu_count,gpu_name\n"
P5 = "us-east-1,p5.48xlarge,{},{},USD,8,h100\n"


def held(desk: Desk) -> list[tuple[str, str, str | None]]:
    """Rates of the prices in force, and when they hold, by identity."""
    return [
        (fact.rate, format_utc(fact.start_s), None if fact.end_s is None else format_utc(fact.end_s))
        for fact in desk.known("prices")
    ]


def test_a_list_of_others_says_what_was_read_and_what_was_not(desk: Desk) -> None:
    rows = AWS + P5.format("55.04", OCTOBER) + f"us-east-1,m5.large,0.096,{OCTOBER},USD,,\n"
    assert desk.bring_in("prices", rows, name="aws.csv") == 0
    said = desk.printed.readouterr().out
    assert "aws.csv: aws-on-demand, rows 2: read 1, skipped 1\n" in said
    assert "  skipped 1: no GPU (first in row 2: m5.large)\n" in said
    assert "prices 1: new 1, changed 0, unchanged 0\n" in said
    assert f"they hold from {OCTOBER} on, each until the next of the same thing\n" in said
    assert "they are for nodes whose purchase option is on_demand\n" in said
    again = desk.figures("prices", rows)
    assert (again["shape"], again["rows"], again["read"]) == ("aws-on-demand", 2, 1)
    assert again["skipped"] == [{"reason": "no GPU", "rows": 1, "first_row": 2, "says": "m5.large"}]
    assert (again["new"], again["unchanged"], again["ended"], again["seq"]) == (0, 1, 0, 1)
    assert (again["since"], again["purchase_options"]) == ([OCTOBER], {"on_demand": 1})


# T54: a price is changed in what is known from now on, for any time; what was known before stays known.
def test_a_newer_and_a_late_list_end_prices_and_what_was_known_stays(desk: Desk) -> None:
    desk.figures("prices", AWS + P5.format("55", OCTOBER))
    newer = desk.figures("prices", AWS + P5.format("50", "2026-12-01T00:00:00Z"))
    assert (newer["new"], newer["ended"]) == (1, 1)
    late = desk.figures("prices", AWS + P5.format("52", NOVEMBER))
    assert (late["new"], late["ended"], late["seq"]) == (1, 1, 3)
    assert held(desk) == [
        ("55", OCTOBER, NOVEMBER),
        ("52", NOVEMBER, "2026-12-01T00:00:00Z"),
        ("50", "2026-12-01T00:00:00Z", None),
    ]
    database = Database.open(f"sqlite:///{desk.folder / 'home' / 'gpuledger.db'}")
    with database.read() as connection:
        assert [(fact.rate, fact.end_s) for fact in prices_in_force(connection, 1)] == [("55", None)]
    database.close()


# T52: a provisional price gives way to the final one of the same time.
def test_a_provisional_price_is_corrected_by_the_final_one(desk: Desk) -> None:
    head = "sku,rate,currency,status,from,to\n"
    desk.figures("prices", head + f"p5,9,USD,provisional,{OCTOBER},\n")
    final = desk.figures("prices", head + f"p5,10,USD,final,{OCTOBER},\n")
    assert (final["new"], final["changed"]) == (0, 1)
    assert [(fact.rate, fact.status) for fact in desk.known("prices")] == [("10", "final")]


# E05: a spot price holds until the next one.
def test_a_series_holds_each_price_until_the_next(desk: Desk) -> None:
    head = "sku,zone,rate,currency,unit,from\n"
    rows = [
        f"p5,{zone},{rate},USD,node_hour,2026-06-01T{hour}:00Z\n"
        for zone, rate, hour in (("a", "15", "10:20"), ("a", "12", "10:00"), ("b", "9", "10:10"))
    ]
    first = desk.figures("prices", head + "".join(rows), "--series")
    assert (first["shape"], first["new"], first["ended"]) == ("gpuledger", 3, 0)
    assert held(desk) == [
        ("12", "2026-06-01T10:00:00Z", "2026-06-01T10:20:00Z"),
        ("15", "2026-06-01T10:20:00Z", None),
        ("9", "2026-06-01T10:10:00Z", None),
    ]
    more = desk.figures("prices", head + "p5,a,14,USD,node_hour,2026-06-01T11:00:00Z\n", "--series")
    assert (more["new"], more["ended"]) == (1, 1)
    assert desk.figures("prices", head + "".join(rows), "--series")["unchanged"] == 3


def test_rows_of_one_thing_that_are_no_series_overlap(desk: Desk) -> None:
    rows = PRICES + f"H100,eu,2,USD,{OCTOBER},\nH100,eu,3,USD,{NOVEMBER},\n"
    assert desk.bring_in("prices", rows) == 3
    assert "hold at the same time" in desk.printed.readouterr().err
    assert desk.bring_in("prices", rows, "--series") == 0
    assert desk.bring_in("prices", PRICES + f"H100,eu,2,USD,{OCTOBER},{NOVEMBER}\n", "--series") == 3
    assert "to is given in a series" in desk.printed.readouterr().err


def test_rules_of_counting_and_a_provider_are_put_on_each_price(desk: Desk) -> None:
    options = ("--from", OCTOBER, "--provider", "AWS", "--count", "minimum=60s")
    options += ("--count", "free_if_interrupted_within=1h")
    desk.figures("prices", SPOT + "us-east,p4d.24xlarge,linux,9.8318\n", *options)
    (fact,) = desk.known("prices")
    assert (fact.rate, fact.provider, fact.region) == ("9.8318", "AWS", "us-east-1")
    assert fact.rules == '{"interrupted_free_s":3600,"minimum_s":60}'


def test_a_date_of_from_begins_in_the_zone_of_the_book(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = Desk(tmp_path, capsys, zone="Asia/Kolkata")
    read = desk.figures("prices", SPOT + "us-east,p4d.24xlarge,linux,9\n", "--from", "2026-10-01")
    assert (read["since"], read["times_read_in"]) == (["2026-09-30T18:30:00Z"], "Asia/Kolkata")


# T49: a node without a GPU is no price of a slot, but by wish.
def test_a_list_of_nodes_without_gpus_makes_no_price_and_no_commit(desk: Desk) -> None:
    rows = SPOT + "us-east,m5.large,linux,0.03\n"
    nothing = desk.figures("prices", rows, "--from", OCTOBER)
    assert (nothing["read"], nothing["new"], nothing["seq"], nothing["since"]) == (0, 0, 0, [])
    assert desk.known("prices") == []
    assert desk.figures("prices", rows, "--from", OCTOBER, "--all")["new"] == 1


def test_a_list_leaves_the_prices_of_terms_as_they_are(desk: Desk) -> None:
    folder = desk.folder / "terms"
    folder.mkdir()
    agreed = "prices:\n- {sku: p5.48xlarge, region: us-east-1, purchase_option: on_demand, rate: 40,"
    (folder / "prices.yaml").write_text(f"{agreed} currency: USD, unit: node_hour, from: '{OCTOBER}'}}\n")
    assert invoke(["apply", "-f", str(folder), "--no-money"], edge=desk.edge) == 0
    desk.printed.readouterr()
    kept = desk.figures("prices", AWS + P5.format("55", NOVEMBER))
    assert [(fact.rate, fact.origin) for fact in desk.known("prices")] == [("40", "terms")]
    assert kept["new"] == 0
    (reason,) = kept["left_out"]
    assert (reason["reason"], reason["prices"]) == ("a price of terms/ holds then", 1)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (SPOT + "us-east,p4d.24xlarge,linux,9\n", (), "the list does not say since when its prices hold"),
        (SPOT, ("--from", "soon"), "'soon' is not an instant"),
        (SPOT, ("--shape", "excel"), "shape 'excel' is not known"),
        (SPOT, ("--shape", "focus"), "the header lacks ChargePeriodStart, ListUnitPrice"),
        (SPOT, ("--shape", "gpuledger"), "the header lacks rate, currency, from, to"),
        (SPOT, ("--count", "minimum"), "--count 'minimum' is no rule"),
        (SPOT, ("--count", "minimum=soon"), "minimum 'soon' is no length of time"),
        (PRICES + f"H100,eu,1,USD,{OCTOBER},\n", ("--from", OCTOBER), "the list has our own columns"),
        (PRICES + f"H100,eu,1,USD,{OCTOBER},\n", ("--all",), "the list has our own columns"),
        ("region,instance_type,spot_savings_pct_vs_on_demand\n", (), "percentages below the price"),
        ('{"CPU": "0.03", "RAM": "0.004"}', (), "a configuration of OpenCost"),
    ],
)
def test_a_list_that_cannot_be_read_says_what_to_do(
    desk: Desk, text: str, options: tuple[str, ...], message: str
) -> None:
    assert desk.bring_in("prices", text, *options) == 3
    printed = desk.printed.readouterr()
    assert message in printed.err
    assert "do: " in printed.err
    assert printed.out == ""
    assert desk.known("prices") == []


def test_an_unknown_header_names_the_shapes_that_are_known(desk: Desk) -> None:
    assert desk.bring_in("prices", "sku,price\np5,1\n") == 3
    assert "or a list of one of these shapes: gpuledger, aws-on-demand" in desk.printed.readouterr().err
