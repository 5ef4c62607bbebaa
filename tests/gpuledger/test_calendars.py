"""Calendars: pieces tile any interval in every zone, and days are as long as the clocks make them."""

from __future__ import annotations

from datetime import UTC, date, datetime
from itertools import pairwise
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuledger.calendars import Piece, calendar_pieces, day_start, month_bounds, time_zone, utc_day
from gpuledger.errors import InputError

ZONES = sorted(available_timezones() - {"localtime"})


def at(text: str) -> int:
    """Unix seconds of ISO 8601 text with an offset."""
    return int(datetime.fromisoformat(text).timestamp())


def assert_tiles(pieces: list[Piece], start: int, end: int) -> None:
    assert [pieces[0].start_s, pieces[-1].end_s] == [start, end]
    assert all(before.end_s == after.start_s for before, after in pairwise(pieces))
    assert all(before.day <= after.day for before, after in pairwise(pieces))
    assert all(piece.start_s < piece.end_s for piece in pieces)
    assert all(piece.start_s // 3600 == (piece.end_s - 1) // 3600 for piece in pieces)
    assert all(piece.period == piece.day[:7] for piece in pieces)


def local_day(zone: str, instant: int) -> str:
    return datetime.fromtimestamp(instant, ZoneInfo(zone)).date().isoformat()


def hours_of(zone: str, day: str) -> float:
    """The length of a local day by its pieces, in hours, read within two days on either side."""
    middle = at(f"{day}T12:00:00Z")
    pieces = calendar_pieces(zone, middle - 172_800, middle + 172_800)
    return sum(piece.end_s - piece.start_s for piece in pieces if piece.day == day) / 3600


def test_pieces_tile_in_every_zone_of_the_database() -> None:
    month_edge = at("2026-11-01T00:17:03Z")
    for zone in ZONES:
        start, end = month_edge - 100_000, month_edge + 100_000
        pieces = calendar_pieces(zone, start, end)
        assert_tiles(pieces, start, end)
        for piece in pieces:
            assert piece.day == local_day(zone, piece.start_s) == local_day(zone, piece.end_s - 1)


@pytest.mark.parametrize("year", [2011, 2018, 2026])
def test_months_of_a_year_follow_each_other_in_every_zone(year: int) -> None:
    months = [f"{year}-{number:02}" for number in range(1, 13)]
    for zone in ZONES:
        bounds = [month_bounds(zone, month) for month in months]
        assert all(before[1] == after[0] for before, after in pairwise(bounds))
        assert all(27 * 86_400 < end - start < 32 * 86_400 for start, end in bounds)


@given(st.sampled_from(ZONES), st.integers(946_684_800, 4_102_444_800 - 864_000), st.integers(1, 864_000))
def test_pieces_tile_at_any_instant_and_agree_with_the_months(zone: str, start: int, length: int) -> None:
    pieces = calendar_pieces(zone, start, start + length)
    assert_tiles(pieces, start, start + length)
    for piece in pieces:
        month_start, month_end = month_bounds(zone, piece.period)
        assert month_start <= piece.start_s
        assert piece.end_s <= month_end


@given(
    st.sampled_from(ZONES), st.lists(st.integers(946_684_800, 946_684_800 + 864_000), min_size=3, max_size=3)
)
def test_pieces_of_parts_are_the_pieces_of_the_whole_cut_at_the_seam(zone: str, edges: list[int]) -> None:
    start, seam, end = sorted(edges)
    days = [
        {piece.start_s: piece.day for piece in calendar_pieces(zone, low, high)}
        for low, high in ((start, seam), (seam, end), (start, end))
    ]
    joined = days[0] | days[1]
    assert joined.items() >= days[2].items()
    assert joined.keys() - days[2].keys() <= {seam}


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("UTC", "2026-03-29", 24),
        ("Europe/Berlin", "2026-03-29", 23),
        ("Europe/Berlin", "2026-10-25", 25),
        ("Australia/Lord_Howe", "2026-10-04", 23.5),
        ("Australia/Lord_Howe", "2026-04-05", 24.5),
        ("America/Sao_Paulo", "2017-10-15", 23),
        ("America/Sao_Paulo", "2018-02-17", 25),
        ("America/Havana", "2026-03-08", 23),
        ("America/Havana", "2026-11-01", 25),
        ("America/St_Johns", "2009-10-31", 24),
        ("America/St_Johns", "2009-11-01", 25),
        ("Pacific/Apia", "2011-12-29", 24),
        ("Pacific/Apia", "2011-12-30", 0),
        ("Pacific/Apia", "2011-12-31", 24),
    ],
)
def test_a_local_day_has_the_hours_its_clocks_show(zone: str, day: str, hours: float) -> None:
    assert hours_of(zone, day) == hours


@pytest.mark.parametrize(
    ("zone", "start", "end"),
    [
        ("UTC", "2026-10-01T00:00:00Z", "2026-11-01T00:00:00Z"),
        ("Asia/Kolkata", "2026-09-30T18:30:00Z", "2026-10-31T18:30:00Z"),
        ("Asia/Kathmandu", "2026-09-30T18:15:00Z", "2026-10-31T18:15:00Z"),
        ("America/St_Johns", "2026-10-01T02:30:00Z", "2026-11-01T02:30:00Z"),
        ("Australia/Lord_Howe", "2026-09-30T13:30:00Z", "2026-10-31T13:00:00Z"),
        ("Europe/Berlin", "2026-09-30T22:00:00Z", "2026-10-31T23:00:00Z"),
    ],
)
def test_a_month_begins_and_ends_at_local_midnight(zone: str, start: str, end: str) -> None:
    assert month_bounds(zone, "2026-10") == (at(start), at(end))


def test_a_month_that_ends_inside_a_utc_hour_cuts_the_hour() -> None:
    hour = at("2026-10-31T18:00:00Z")
    assert calendar_pieces("Asia/Kathmandu", hour, hour + 3600) == [
        Piece(hour, hour + 900, "2026-10-31", "2026-10"),
        Piece(hour + 900, hour + 3600, "2026-11-01", "2026-11"),
    ]


def test_a_midnight_that_does_not_exist_begins_the_day_where_the_clocks_land() -> None:
    assert day_start(time_zone("America/Sao_Paulo"), date(2017, 10, 15)) == at("2017-10-15T03:00:00Z")


def test_a_gap_from_before_midnight_begins_the_day_where_the_clocks_land() -> None:
    start = day_start(time_zone("America/Toronto"), date(1919, 3, 31))
    assert (
        datetime.fromtimestamp(start, ZoneInfo("America/Toronto")).isoformat() == "1919-03-31T00:30:00-04:00"
    )
    assert local_day("America/Toronto", start - 1) == "1919-03-30"


@pytest.mark.parametrize(
    "zone", ["America/Havana", "Asia/Gaza", "Atlantic/Azores", "America/St_Johns", "Asia/Chita"]
)
def test_a_day_begins_when_its_date_first_shows(zone: str) -> None:
    for number in range(date(2000, 1, 1).toordinal(), date(2031, 1, 1).toordinal()):
        start = day_start(time_zone(zone), date.fromordinal(number))
        assert local_day(zone, start - 1) < date.fromordinal(number).isoformat() == local_day(zone, start)


def test_an_hour_repeated_over_midnight_stays_in_the_day_that_has_begun() -> None:
    begun = at("2009-11-01T02:30:00Z")
    assert day_start(time_zone("America/St_Johns"), date(2009, 11, 1)) == begun
    assert local_day("America/St_Johns", begun + 120) == "2009-10-31"
    assert month_bounds("America/St_Johns", "2009-11")[0] == begun
    assert {piece.day for piece in calendar_pieces("America/St_Johns", begun + 120, begun + 7200)} == {
        "2009-11-01"
    }


def test_nothing_has_no_pieces() -> None:
    assert calendar_pieces("Europe/Berlin", 10**9, 10**9) == []


@pytest.mark.parametrize(
    "zone", ["", "Mars/Olympus", "../../etc/passwd", "/etc/localtime", "America", "Europe/berlin\0"]
)
def test_an_unknown_zone_is_refused(zone: str) -> None:
    with pytest.raises(InputError, match="tz database"):
        calendar_pieces(zone, 0, 1)


@pytest.mark.parametrize(
    "month", ["2026-13", "2026-00", "2026-1", "202610", "2026-10-01", "October", "", "٢٠٢٦-10"]
)
def test_text_that_is_no_month_is_refused(month: str) -> None:
    with pytest.raises(InputError, match="not a month"):
        month_bounds("UTC", month)


def test_utc_day_turns_at_utc_midnight() -> None:
    midnight = at("2026-11-01T00:00:00Z")
    assert [utc_day(midnight - 1), utc_day(midnight)] == ["2026-10-31", "2026-11-01"]
    assert datetime.fromtimestamp(midnight, UTC).hour == 0
