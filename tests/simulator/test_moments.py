"""The simulator's own rules of sharing, on slots that are worked out by hand."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from simulator.truths.moments import CONFLICT, TICKS, Node, Policies, Ticks
from simulator.world import Board, Condition, Facts, Holding, Instance, Machine, Phase, Team

T = 1_790_000_000
MACHINE = Machine("n1", "pods", "H100")
Shares = dict[tuple[str, str, str], Ticks]


def board(index: int, start_s: int = T, end_s: int | None = None, uuid: str = "") -> Board:
    return Board(MACHINE, f"0{index}", uuid or f"GPU-{index}", start_s, end_s)


def cut(*sizes: tuple[int, int]) -> tuple[Instance, ...]:
    """Instances of the first board, by compute and memory slices."""
    return tuple(
        Instance("n1", "00", number, f"MIG-{number}", "GPU-0", "1g", compute, memory, T)
        for number, (compute, memory) in enumerate(sizes, 1)
    )


def held(name: str, device: str, **more: Any) -> Holding:
    return Holding((name,), "ml", "n1", device, **{"start_s": T, "end_s": None, **more})


def shares(policies: Policies | None = None, **facts: Any) -> Shares:
    """Whose a second is: ticks by (place on the slot or its bus, run, owner or account)."""
    node = Node("n1", Facts(**{"boards": (board(0),), **facts}), T + 100, policies or Policies())
    found: Shares = {}
    for part in node.parts(T, T + 1):
        place = part.lane.removeprefix(f"{part.slot}/") if part.lane != part.slot else part.slot[-7:-5]
        whose = part.taker.owner if part.taker.account == "held" else part.taker.account + part.taker.state
        found[place, part.taker.run, whose] = part.ticks
    return found


def test_a_slot_that_nobody_holds_is_free_or_overhead_and_an_absent_one_has_no_time() -> None:
    def stated(state: str) -> Shares:
        return shares(conditions=(Condition("n1", "", state, T, None),))

    assert shares() == {("00", "", "idle_free"): TICKS}
    assert stated("failed") == {("00", "", "overheadfailed"): TICKS}
    assert stated("absent") == {}


def test_the_gravest_state_counts_and_held_time_is_the_holders_in_all_but_absent() -> None:
    states = (Condition("n1", "", "drained", T, None), Condition("n1", "", "failed", T, None))
    assert shares(conditions=states, boards=(board(0), board(1)), holdings=(held("a", "GPU-0"),)) == {
        ("00", "a", "ml"): TICKS,
        ("01", "", "overheadfailed"): TICKS,
    }


def test_instances_weigh_by_their_larger_slices_and_by_all_that_is_cut_where_that_is_more() -> None:
    assert shares(instances=cut((4, 4), (3, 4)), holdings=(held("a", "MIG-1"),)) == {
        ("1", "a", "ml"): TICKS * 32 // 60,
        ("2", "", "idle_free"): TICKS * 28 // 60,
    }
    assert shares(instances=cut((2, 2), (2, 2))) == {
        ("1", "", "idle_free"): TICKS * 16 // 56,
        ("2", "", "idle_free"): TICKS * 16 // 56,
        ("rest", "", "idle_free"): TICKS * 24 // 56,
    }


def test_what_no_slice_fits_into_is_stranded_or_absorbed() -> None:
    halves = cut((3, 4), (3, 4))
    assert shares(Policies("compute"), instances=halves)["rest", "", "stranded"] == TICKS // 7
    absorbed = shares(Policies("compute", "absorbed"), instances=halves)
    assert absorbed == {("1", "", "idle_free"): TICKS // 2, ("2", "", "idle_free"): TICKS // 2}


def test_turns_are_equal_among_those_there_or_by_the_policy_one_of_the_replicas() -> None:
    two = (
        held("a", "GPU-0", mode="time_slicing", number=4),
        held("b", "GPU-0", mode="time_slicing", number=4),
    )
    assert shares(holdings=two) == {("00", "a", "ml"): TICKS // 2, ("00", "b", "ml"): TICKS // 2}
    quarters = shares(Policies(time_slicing="per_replica"), holdings=two)
    assert quarters == {
        ("00", "a", "ml"): TICKS // 4,
        ("00", "b", "ml"): TICKS // 4,
        ("00", "", "idle_free"): TICKS // 2,
    }


def test_percentages_are_parts_of_a_device_and_of_their_sum_where_that_is_more() -> None:
    def of(first: int, second: int) -> Shares:
        return shares(
            holdings=(
                held("a", "GPU-0", mode="mps", number=first),
                held("b", "GPU-0", mode="mps", number=second),
            )
        )

    assert of(20, 30) == {
        ("00", "a", "ml"): TICKS // 5,
        ("00", "b", "ml"): TICKS * 3 // 10,
        ("00", "", "idle_free"): TICKS // 2,
    }
    assert of(50, 100) == {("00", "a", "ml"): TICKS // 3, ("00", "b", "ml"): TICKS * 2 // 3}


def test_two_whole_holders_of_a_device_are_a_conflict() -> None:
    found = shares(holdings=(held("a", "GPU-0"), held("b", "GPU-0")))
    assert found == {("00", "a", CONFLICT): TICKS // 2, ("00", "b", CONFLICT): TICKS // 2}


def test_units_of_a_node_take_the_same_part_of_each_of_its_free_slots() -> None:
    boards = (board(0), board(1), board(2))
    found = shares(boards=boards, holdings=(held("a", "GPU-0"), held("j", "", units=1)))
    assert found == {
        ("00", "a", "ml"): TICKS,
        ("01", "j", "ml"): TICKS // 2,
        ("01", "", "idle_free"): TICKS // 2,
        ("02", "j", "ml"): TICKS // 2,
        ("02", "", "idle_free"): TICKS // 2,
    }


def test_more_units_than_are_free_are_a_conflict_and_on_a_failed_node_there_are_none() -> None:
    jobs = (held("i", "", units=1), held("j", "", units=2))
    boards = (board(0), board(1))
    third = Fraction(TICKS, 3)
    assert shares(boards=boards, holdings=jobs) == {
        (bus, run, CONFLICT): units * third for bus in ("00", "01") for run, units in (("i", 1), ("j", 2))
    }
    failed = shares(holdings=jobs, conditions=(Condition("n1", "", "failed", T, None),))
    assert failed == {("00", "", "overheadfailed"): TICKS}


def test_a_board_that_is_not_there_is_held_by_nobody_and_the_slot_is_one_gpu() -> None:
    swapped = (board(0, end_s=T), board(0, uuid="GPU-new"))
    assert shares(boards=swapped, holdings=(held("a", "GPU-0"),)) == {("00", "", "idle_free"): TICKS}


def test_time_goes_by_team_and_phase_as_they_change_and_ends_where_the_sources_end() -> None:
    teams = (Team("ml", "old", "", 0, T + 10), Team("ml", "new", "", T + 10))
    phases = (Phase(("a",), "warm_up", T, T + 4),)
    facts = Facts((board(0),), (), (), (held("a", "GPU-0"),), phases, (), teams)
    parts = list(Node("n1", facts, T + 20).parts(T, T + 100))
    told = [(part.start_s - T, part.end_s - T, part.taker.team, part.taker.phase) for part in parts]
    assert told == [(0, 4, "old", "warm_up"), (4, 10, "old", ""), (10, 20, "new", "")]
