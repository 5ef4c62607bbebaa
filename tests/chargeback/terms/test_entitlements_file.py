"""The file of entitlements: what a team may use of a pool, what it lends, and whose the pool is."""

from __future__ import annotations

import pytest

from chargeback.terms.entitlements_file import read_entitlements, unknown_teams
from chargeback.terms.entries import Faults
from chargeback.terms.teams_file import read_tenures
from chargeback.terms.validity import Clock
from gpuledger.calendars import month_bounds
from gpuledger.errors import InputError
from gpuledger.versions import EntitlementFact
from gpuledger.yaml_files import read_yaml

ZONE = "Asia/Tokyo"
ONE = "entitlements:\n- {team: a, model: H100, region: eu, units: 8}\n"
KEYS = ("entitlements", "lending", "pools")


def read(text: str) -> tuple[list[EntitlementFact], list[InputError]]:
    """What a file of this text says; a key that it does not have is empty."""
    faults = Faults()
    text += "".join(f"\n{key}: []" for key in KEYS if f"{key}:" not in text)
    document = read_yaml(text, "entitlements.yaml", noun="entitlements file")
    with faults.noted():
        return [fact for fact, _ in read_entitlements(document, Clock(lambda: ZONE), faults)], faults.found
    return [], faults.found


def test_entitlement_lending_and_owner_of_a_pool_are_facts_of_their_own() -> None:
    facts, faults = read(
        ONE
        + "lending:\n- {team: a, borrower: b, model: H100, region: eu, units: 2,"
        + " from: 2026-10-01, to: 2026-11-01}\n"
        + "pools:\n- {team: platform, model: A100}\n"
    )
    start_s, end_s = month_bounds(ZONE, "2026-10")
    assert faults == []
    assert [(one.kind, one.team, one.borrower, one.model, one.region, one.units) for one in facts] == [
        ("entitled", "a", "", "H100", "eu", 8),
        ("lent", "a", "b", "H100", "eu", 2),
        ("pool", "platform", "", "A100", "", 0),
    ]
    assert [(one.start_s, one.end_s) for one in facts] == [(0, None), (start_s, end_s), (0, None)]
    assert len({one.identity for one in facts}) == 3


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("entitlements:\n- {team: a, model: H100}", "units is missing", 2),
        ("entitlements:\n- {team: a, model: H100, units: 0}", "units: Input should be greater", 2),
        ("entitlements:\n- {team: a, model: H100, units: 1.5}", "units: Input should be a valid integer", 2),
        ("entitlements:\n- {team: __x, model: H100, units: 1}", "__x is a name that gpuledger keeps", 2),
        ("entitlements:\n- {team: a, units: 1}", "model is missing", 2),
        (
            ONE + "lending:\n- {team: a, borrower: a, model: H100, region: eu, units: 1}",
            "a lends to itself",
            4,
        ),
        (
            ONE + "lending:\n- {team: a, borrower: b, model: H100, region: eu, units: 9}",
            "a lends 9 of H100, and may use 8 at first",
            4,
        ),
        (
            ONE + "- {team: a, model: H100, region: eu, units: 2, from: 2026-10-01}",
            "lines 2 and 3 both speak of what a may use of H100 in eu at the same time",
            3,
        ),
        (
            "entitlements: []\npools:\n- {team: a, model: A}\n- {team: b, model: A}",
            "lines 3 and 4 both speak of whose A is at the same time",
            4,
        ),
        (
            "entitlements:\n- {team: a, model: H100, units: 1, from: 2026-10-02, to: 2026-10-01}",
            "is not after from",
            2,
        ),
    ],
)
def test_mistake_is_named_with_its_line(text: str, message: str, line: int | None) -> None:
    (error,) = read(text)[1]
    assert message in error.message and error.mend
    assert error.place is not None and error.place.line == line


def test_lending_is_held_against_what_there_is_at_each_time() -> None:
    _, (error,) = read(
        "entitlements:\n- {team: a, model: H, units: 8, to: 2026-10-15}\n"
        "lending:\n"
        "- {team: a, borrower: b, model: H, units: 4}\n"
    )
    assert error.message == "a lends 4 of H, and may use 0 from 2026-10-14T15:00:00Z on"


def test_several_lendings_of_a_time_are_added_up() -> None:
    lending = "- {{team: a, borrower: {}, model: H100, region: eu, units: 5}}\n"
    _, faults = read(ONE + "lending:\n" + lending.format("b") + lending.format("c"))
    assert [error.message for error in faults] == ["a lends 10 of H100, and may use 8 at first"] * 2


def test_periods_that_touch_are_no_overlap() -> None:
    entry = "- {{team: a, model: H, units: {}, {}: 2026-10-01}}\n"
    facts, faults = read("entitlements:\n" + entry.format(1, "to") + entry.format(2, "from"))
    assert (len(facts), faults) == (2, [])


def test_file_that_was_cut_short_is_refused() -> None:
    with pytest.raises(InputError, match="lending is missing"):
        read_entitlements(read_yaml(ONE, "x.yaml", noun="file"), Clock(lambda: ZONE), Faults())


def test_entitlement_is_cut_where_the_cost_centre_of_its_team_changes() -> None:
    teams = read_yaml(
        "teams:\n- {team: a, cost_centre: one, to: 2026-10-01}\n"
        "- {team: a, cost_centre: two, from: 2026-10-01}\nrules: []",
        "teams.yaml",
        noun="teams file",
    )
    clock = Clock(lambda: ZONE)
    document = read_yaml(ONE + "lending: []\npools: []", "entitlements.yaml", noun="entitlements file")
    placed = read_entitlements(document, clock, Faults(), read_tenures(teams, clock))
    edge = month_bounds(ZONE, "2026-10")[0]
    assert [(fact.start_s, fact.end_s, fact.cost_centre) for fact, _ in placed] == [
        (0, edge, "one"),
        (edge, None, "two"),
    ]


def test_team_that_nothing_else_names_is_a_warning() -> None:
    document = read_yaml(ONE + "lending: []\npools: []", "entitlements.yaml", noun="entitlements file")
    placed = read_entitlements(document, Clock(lambda: ZONE), Faults())
    assert list(unknown_teams(placed, {"a"})) == []
    (warning,) = unknown_teams([*placed, *placed], {"b"})
    assert warning.startswith("entitlements.yaml, line 2: nothing else names the team a")
