"""The simulator's own reading of the cell rule, on cells that are worked out by hand."""

from __future__ import annotations

from simulator.truths.cells import Reading, Seen, seen_by_subject

HOUR = 1_790_000_000 // 3600 * 3600


def read(*samples: tuple[int, int], rank: int = 1, source: str = "dcgm", step_s: int = 60) -> list[Reading]:
    """Readings of one subject: (seconds after the hour, per mille)."""
    return [Reading("GPU-1", source, step_s, HOUR + at_s, rank, value) for at_s, value in samples]


def seen(*readings: list[Reading]) -> list[tuple[int, int, bool, bool]]:
    """The stretches that are known, by seconds after the hour: begin, end, busy, carried."""
    found: Seen = seen_by_subject(one for some in readings for one in some)["GPU-1"]
    starts, ends = ([at - HOUR for at in found.starts], [at - HOUR for at in found.ends])
    return list(zip(starts, ends, found.busy, found.carried, strict=True))


def test_busy_begins_at_fifty_per_mille() -> None:
    assert seen(read((0, 49), (60, 50))) == [
        (0, 60, False, False),
        (60, 120, True, False),
        (120, 180, True, True),
    ]


def test_the_greatest_sample_of_a_cell_counts_in_any_order() -> None:
    cells = [(0, 60, True, False), (60, 120, True, True)]
    assert seen(read((5, 0), (59, 900), (30, 10))) == cells
    assert seen(read((59, 900), (30, 10), (5, 0), (5, 0))) == cells


def test_an_empty_cell_takes_the_state_before_it_once_and_then_nothing_is_known() -> None:
    assert seen(read((0, 800), (240, 0))) == [
        (0, 60, True, False),
        (60, 120, True, True),
        (240, 300, False, False),
        (300, 360, False, True),
    ]


def test_nothing_is_carried_into_the_next_hour() -> None:
    assert seen(read((3540, 800))) == [(3540, 3600, True, False)]


def test_the_better_measure_speaks_for_the_whole_hour() -> None:
    assert seen(read((0, 0)), read((60, 900), (120, 900), rank=3)) == [
        (0, 60, False, False),
        (60, 120, False, True),
    ]


def test_the_source_with_more_cells_speaks_then_the_first_by_name() -> None:
    more = seen(read((0, 0)), read((0, 900), (60, 900), source="other"))
    assert [busy for *_, busy, _ in more] == [True, True, True]
    alike = seen(read((0, 0), source="b"), read((0, 900), source="a"))
    assert [busy for *_, busy, _ in alike] == [True, True]


def test_seconds_of_a_stretch_are_counted_from_within() -> None:
    found = seen_by_subject(read((0, 800), (60, 0)))["GPU-1"]
    spans = {"known": (HOUR + 30, HOUR + 90), "busy": (HOUR + 30, HOUR + 90), "carried": (HOUR, HOUR + 150)}
    assert {what: found.seconds(what, *span) for what, span in spans.items()} == {
        "known": 60,
        "busy": 30,
        "carried": 30,
    }
