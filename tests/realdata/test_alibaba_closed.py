"""A real month closed and restated: its teams are rules over the trace's applications, and one is renamed.

October is closed, then a team gets another name; November collects that and is closed too. What must stay is
held to the byte, what moves to the cent, and where it comes from against the rows of the trace.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fnmatch import fnmatchcase
from fractions import Fraction
from typing import Any

import pytest
from alibaba import MONTHS, Home, Imported, Instance, at, cents, gpu_seconds, hours, line_seconds

from gpuledger.money import half_up

pytestmark = pytest.mark.realdata

OCTOBER, NOVEMBER = MONTHS
OLD, NEW, UNKNOWN = "search", "discovery", "__unknown_owner__"
TEAMS = {"ranking": ("app_0", "app_62"), OLD: ("app_1*",), "ads": ("app_[2-5]?",)}
COST_CENTRES = {"ranking": "CC-1", OLD: "CC-2", "ads": "CC-1"}
POLICIES = "policies:\n  - {policy: unmatched_owner, choice: unknown/1}\n"
TICKS_PER_S = 720_720

Printed = dict[str, str]
"""A statement by team as table, CSV and JSON."""


def teams_yaml(renamed: dict[str, str]) -> str:
    """The teams and their rules, some under another name."""
    names = {team: renamed.get(team, team) for team in TEAMS}
    teams = [f"  - {{team: {names[team]}, cost_centre: {COST_CENTRES[team]}}}\n" for team in TEAMS]
    rules = [
        f"  - {{match: {{owner_key: [{', '.join(map(repr, keys))}]}}, team: {names[team]}}}\n"
        for team, keys in TEAMS.items()
    ]
    return f"teams:\n{''.join(teams)}rules:\n{''.join(rules)}"


def team_of(app: str) -> str:
    """The first team with a pattern that fits."""
    fitting = (team for team, keys in TEAMS.items() if any(fnmatchcase(app, key) for key in keys))
    return next(fitting, UNKNOWN)


def team_seconds(instances: Iterable[Instance], month: str) -> dict[str, int]:
    held: Counter[str] = Counter()
    for app, seconds in gpu_seconds(instances, month).items():
        held[team_of(app)] += seconds
    return dict(held)


def amounts(made: dict[str, Any]) -> dict[str, int]:
    """Cents by team."""
    return {line["key"]: line["amount"] for line in made["lines"]}


def dollars(minor: int) -> str:
    return f"{Decimal(minor) / 100:,.2f}"


def printed(home: Home, *more: str) -> Printed:
    words = ("statement", "--month", OCTOBER, "--by", "team", *more, "--format")
    return {form: home.call(*words, form) for form in ("table", "csv", "json")}


@dataclass(frozen=True)
class Story:
    """A home in which both months are closed, and what its commands printed on the way."""

    home: Home
    before: dict[str, dict[str, Any]]
    closed: Printed
    applied: str
    diff: dict[str, Any]
    bridge: dict[str, Any]
    collecting: dict[str, Any]
    verified: list[str]


@pytest.fixture(scope="module")
def story(imported: Imported, tmp_path_factory: pytest.TempPathFactory) -> Story:
    home = imported.home.copy(tmp_path_factory.mktemp("closed")).on("2026-11-18")
    terms = str(home.write("terms/teams.yaml", teams_yaml({})).parent)
    home.write("terms/policies.yaml", POLICIES)
    home.call("apply", "-f", terms, "--no-money")
    home.call("run")
    before = {month: home.read("statement", "--month", month, "--by", "team") for month in MONTHS}
    home.call("close", "--month", OCTOBER, "--actor", "ann")
    closed, verified = printed(home), [home.call("verify", "--month", OCTOBER)]

    home = home.on("2026-11-20")
    home.write("terms/teams.yaml", teams_yaml({OLD: NEW}))
    applied = home.call("apply", "-f", terms)
    diff = home.read("diff", "--month", OCTOBER, "--by", "team")
    bridge = home.read("restate", "--month", OCTOBER, "--by", "team", "--actor", "ann")
    home.call("run")
    collecting = home.read("statement", "--month", NOVEMBER, "--by", "team")

    home = home.on("2026-12-03")
    signed = ("--sign", "not-yet-known", "--reason", "the trace ends on the 14th")
    home.call("close", "--month", NOVEMBER, "--actor", "ann", *signed)
    verified += [home.call("verify", "--month", month) for month in MONTHS]
    return Story(home, before, closed, applied, diff, bridge, collecting, verified)


@pytest.mark.parametrize("month", MONTHS)
def test_each_team_has_the_time_of_its_applications_at_its_price(
    story: Story, instances: list[Instance], month: str
) -> None:
    statement, held = story.before[month], team_seconds(instances, month)
    assert set(held) == {*TEAMS, UNKNOWN}
    assert line_seconds(statement) == held
    # A team's cents are those of its owner keys, of which each is within a cent.
    apps = Counter(team_of(app) for app in gpu_seconds(instances, month))
    assert all(abs(amount - cents(held[team])) < apps[team] for team, amount in amounts(statement).items())
    assert sum(amounts(statement).values()) == statement["total"] == half_up(cents(sum(held.values())))


def test_apply_says_what_the_new_name_moves_to_the_cent(story: Story) -> None:
    lines = story.applied.splitlines()
    moved = {month: dollars(amounts(story.before[month])[OLD]) for month in MONTHS}
    assert lines[1:4] == [
        f"{OCTOBER} would move {moved[OCTOBER]} USD from {OLD} to {NEW}",
        f"{OCTOBER} is closed: `gpuledger restate --month {OCTOBER}` "
        "carries the difference into an open month",
        f"{NOVEMBER} would move {moved[NOVEMBER]} USD from {OLD} to {NEW}",
    ]


def test_closed_month_prints_the_same_bytes_after_it_was_restated_and_collected(story: Story) -> None:
    seq = str(story.before[OCTOBER]["seq"])
    assert printed(story.home) == printed(story.home, "--as-of", seq) == story.closed
    assert printed(story.home, "--view", "closed") == story.closed


def test_bridge_moves_one_line_to_another_by_one_cause(story: Story) -> None:
    bridge, before = story.bridge, amounts(story.before[OCTOBER])
    moved = before[OLD]
    assert bridge["causes"] == ["owner"]
    lines = {line.pop("key"): line for line in [dict(line) for line in bridge["lines"]]}
    assert {key: line["before"] for key, line in lines.items()} == before | {NEW: 0}
    assert {key: line["causes"]["owner"] for key, line in lines.items()} == {
        **dict.fromkeys(before, 0),
        OLD: -moved,
        NEW: moved,
    }
    assert {key: line["after"] for key, line in lines.items()} == before | {OLD: 0, NEW: moved}
    assert not any(line["rounding"] for line in lines.values())
    total = bridge["total"]
    assert total["before"] == total["after"] == total["fresh"] == story.before[OCTOBER]["total"]


def test_diff_prints_the_bridge_that_is_booked_then(story: Story) -> None:
    assert story.diff == story.bridge


def test_restated_month_has_the_new_name_and_the_same_total(story: Story, instances: list[Instance]) -> None:
    made = story.home.read("statement", "--month", OCTOBER, "--by", "team", "--view", "restated")
    before = story.before[OCTOBER]
    renamed = {NEW if team == OLD else team: amount for team, amount in amounts(before).items()}
    assert {team: amount for team, amount in amounts(made).items() if amount} == renamed
    held = team_seconds(instances, OCTOBER)
    assert {team: seconds for team, seconds in line_seconds(made).items() if seconds} == {
        NEW if team == OLD else team: seconds for team, seconds in held.items()
    }
    assert (made["total"], made["gpu_microseconds"]) == (before["total"], before["gpu_microseconds"])


def test_next_month_collects_the_difference_once(story: Story, instances: list[Instance]) -> None:
    made, moved = story.collecting, amounts(story.before[OCTOBER])[OLD]
    (collected,) = made["restated"]
    assert (collected["period"], collected["restatement"], collected["total"]) == (OCTOBER, 1, 0)
    assert {line["key"]: line["causes"] for line in collected["lines"]} == {
        OLD: {"owner": -moved},
        NEW: {"owner": moved},
    }
    assert made["total"] == made["lines_total"] == story.before[NOVEMBER]["total"]
    assert OLD not in amounts(made)

    closed = story.home.read("statement", "--month", NOVEMBER, "--by", "team")
    assert closed.pop("close")["by"] == "ann"
    assert closed == made | {"state": "closed"}
    charged = Counter(amounts(story.before[OCTOBER])) + Counter(amounts(closed))
    charged.update({line["key"]: line["amount"] for line in collected["lines"]})
    assert charged[OLD] == 0
    seconds = sum(team_seconds(instances, month)[OLD] for month in MONTHS)
    apps = sum(team_of(one) == OLD for month in MONTHS for one in gpu_seconds(instances, month))
    assert abs(charged[NEW] - cents(seconds)) < apps


def test_what_is_collected_and_closed_is_not_restated_again(story: Story) -> None:
    assert story.home.read("restate", "--month", OCTOBER, "--by", "team") == story.bridge
    months = story.home.call("books")
    assert months.count("restated by") == 1 and f"restated by 0.00, which {NOVEMBER} collects" in months
    (collected,) = story.home.read("statement", "--month", NOVEMBER)["restated"]
    assert collected["restatement"] == 1


def test_what_must_always_hold_holds_before_and_after(story: Story) -> None:
    assert not [table for table in story.verified if "FAILED" in table]
    assert ["restatement 1" in table for table in story.verified] == [False, True, False]
    assert "closed + restated = a fresh computation" in story.verified[1]


def test_renamed_line_is_explained_down_to_the_rows_of_the_trace(
    story: Story, instances: list[Instance]
) -> None:
    words = ("explain", NEW, "--month", OCTOBER, "--by", "team", "--view", "restated")
    made = story.home.read(*words, "--most", "10000")
    steps = {step["step"]: step for step in made["steps"]}
    assert made["adds_up"] and list(steps)[:2] == ["restated", "fresh"]
    moved = amounts(story.before[OCTOBER])[OLD]
    assert [(row["what"], row["cause"], row["amount"]) for row in steps["restated"]["rows"]] == [
        ("as closed", "", 0),
        ("restatement 1", "owner", moved),
    ]
    assert steps["rounding pools"]["total"]["amount"] == steps["fresh"]["total"]["amount"] == moved

    source = steps["source rows"]
    assert source["more"] is None
    assert sum(Decimal(row["unrounded"]) for row in source["rows"]) == Decimal(source["total"]["unrounded"])
    assert source["total"]["unrounded"] == steps["entries"]["total"]["unrounded"]
    assert Decimal(steps["line"]["total"]["unrounded"]) * 100 == moved
    held = Counter(
        (one.start_s, one.end_s, one.gpu_seconds(OCTOBER) * TICKS_PER_S)
        for one in instances
        if team_of(one.app) == OLD and one.gpu_seconds(OCTOBER)
    )
    assert held == Counter((at(row["start"]), at(row["end"]), row["time_ticks"]) for row in source["rows"])
    assert hours(source["total"]["time_ticks"] // TICKS_PER_S) == Fraction(source["total"]["time_gpu_hours"])
    (owner,) = steps["owner rows"]["rows"]
    assert owner["says"].endswith(f"{NEW} / {COST_CENTRES[OLD]}")


def test_line_of_the_old_name_is_explained_to_nothing(story: Story) -> None:
    words = ("explain", OLD, "--month", OCTOBER, "--by", "team", "--view", "restated")
    made, moved = story.home.read(*words), amounts(story.before[OCTOBER])[OLD]
    assert [step["step"] for step in made["steps"]] == ["restated", "fresh"]
    assert [row["amount"] for row in made["steps"][0]["rows"]] == [moved, -moved]
    assert [step["total"]["amount"] for step in made["steps"]] == [0, 0] and made["adds_up"]
