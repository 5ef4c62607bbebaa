"""Instants: exports of any shape become whole UTC seconds, and nothing ambiguous gets in (T43, T56)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuledger.errors import InputError
from gpuledger.instants import SANE_END_S, SANE_START_S, Unit, format_utc, parse_instant

ZONES = [
    "UTC",
    "Europe/Berlin",
    "Asia/Kathmandu",
    "America/St_Johns",
    "Australia/Lord_Howe",
    "America/Havana",
]
EPOCH = 1_792_022_400  # 2026-10-15T00:00:00Z

instants = st.integers(SANE_START_S, SANE_END_S - 1)


def parse(text: str, zone: str | None = None, epoch_s: int | None = None, unit: Unit = "s") -> int:
    return parse_instant(text, zone=zone, epoch_s=epoch_s, unit=unit)


def test_the_sane_bounds_are_the_century() -> None:
    assert [format_utc(SANE_START_S), format_utc(SANE_END_S)] == [
        "2000-01-01T00:00:00Z",
        "2100-01-01T00:00:00Z",
    ]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("32709.000000000004", 32_709),
        ("32708.9999999996", 32_709),
        ("32708.9999994", 32_708),
        ("32708.5", 32_708),
        ("0", 0),
        ("-1.0", -1),
        ("-0.25", -1),
        ("3.2709e4", 32_709),
        (" 2677541 ", 2_677_541),
    ],
)
def test_seconds_since_an_epoch_lose_the_noise_of_floats(text: str, seconds: int) -> None:
    assert parse(text, epoch_s=EPOCH) == EPOCH + seconds


@pytest.mark.parametrize(
    ("text", "unit"),
    [("1792022400", "s"), ("1792022400999", "ms"), ("1792022400999999", "us"), ("1792022400999999499", "ns")],
)
def test_a_unit_is_floored_to_its_second(text: str, unit: Unit) -> None:
    assert parse(text, unit=unit) == EPOCH


def test_nanoseconds_within_half_a_microsecond_of_a_second_are_that_second() -> None:
    assert parse("1792022400999999500", unit="ns") == EPOCH + 1


@given(st.integers(0, 10**8))
def test_whole_seconds_survive_a_walk_through_floats(seconds: int) -> None:
    for noisy in (seconds / 3600 * 3600, seconds * 1.1 / 1.1, float(seconds)):
        assert parse(repr(noisy), epoch_s=EPOCH) == EPOCH + seconds


@given(instants)
def test_printed_instants_read_back(instant: int) -> None:
    assert parse(format_utc(instant)) == instant
    assert parse(str(instant)) == instant


@given(instants, st.integers(-14 * 60, 14 * 60))
def test_an_offset_stands_for_itself_whatever_zone_is_declared(instant: int, minutes: int) -> None:
    written = datetime.fromtimestamp(instant, timezone(timedelta(minutes=minutes))).isoformat()
    assert parse(written) == parse(written, zone="Asia/Tokyo") == instant


@given(instants, st.sampled_from(ZONES))
def test_local_time_is_read_in_its_zone_or_refused_as_ambiguous(instant: int, zone: str) -> None:
    local = datetime.fromtimestamp(instant, ZoneInfo(zone)).replace(tzinfo=None, fold=0)
    both = {int(local.replace(tzinfo=ZoneInfo(zone), fold=fold).timestamp()) for fold in (0, 1)}
    if both == {instant}:
        assert parse(local.isoformat(" "), zone=zone) == instant
    else:
        with pytest.raises(InputError, match="happens twice"):
            parse(local.isoformat(" "), zone=zone)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-10-31T18:30:00Z", "2026-10-31T18:30:00Z"),
        ("2026-10-31 18:30:00 UTC", "2026-10-31T18:30:00Z"),
        ("2026-10-31T18:30z", "2026-10-31T18:30:00Z"),
        ("2026-10-31T18:30:00.999999Z", "2026-10-31T18:30:00Z"),
        ("2026-10-31T18:30:00,9999999+00", "2026-10-31T18:30:01Z"),
        ("2026-11-01T00:15:00+05:45", "2026-10-31T18:30:00Z"),
        ("2026-10-31 16:00:00-0230", "2026-10-31T18:30:00Z"),
    ],
)
def test_iso_text_with_an_offset_is_read(text: str, expected: str) -> None:
    assert format_utc(parse(text)) == expected


@pytest.mark.parametrize(
    ("zone", "text", "expected"),
    [
        ("Asia/Kathmandu", "2026-11-01T00:15", "2026-10-31T18:30:00Z"),
        ("Europe/Berlin", "2026-10-31", "2026-10-30T23:00:00Z"),
        ("America/Sao_Paulo", "2017-10-15", "2017-10-15T03:00:00Z"),
        ("America/Havana", "2026-11-01", "2026-11-01T04:00:00Z"),
    ],
)
def test_text_without_an_offset_is_local_and_a_bare_date_begins_its_day(
    zone: str, text: str, expected: str
) -> None:
    assert format_utc(parse(text, zone=zone)) == expected


@pytest.mark.parametrize("text", ["2026-10-31T18:30:00", "2026-10-31 18:30", "2026-10-31"])
def test_text_without_an_offset_needs_a_declared_zone(text: str) -> None:
    with pytest.raises(InputError, match="no offset") as refused:
        parse(text)
    assert "declare the zone" in refused.value.mend


@pytest.mark.parametrize(
    ("zone", "text", "what", "first", "second"),
    [
        (
            "Europe/Berlin",
            "2026-03-29 02:30:00",
            "does not exist",
            "2026-03-29T00:30:00Z",
            "2026-03-29T01:30:00Z",
        ),
        (
            "Europe/Berlin",
            "2026-10-25 02:30:00",
            "happens twice",
            "2026-10-25T00:30:00Z",
            "2026-10-25T01:30:00Z",
        ),
        (
            "Australia/Lord_Howe",
            "2026-10-04 02:10",
            "does not exist",
            "2026-10-03T15:10:00Z",
            "2026-10-03T15:40:00Z",
        ),
        (
            "Australia/Lord_Howe",
            "2026-04-05 01:45",
            "happens twice",
            "2026-04-04T14:45:00Z",
            "2026-04-04T15:15:00Z",
        ),
        (
            "Pacific/Apia",
            "2011-12-30 12:00",
            "does not exist",
            "2011-12-29T22:00:00Z",
            "2011-12-30T22:00:00Z",
        ),
    ],
)
def test_local_time_that_clocks_skip_or_repeat_is_refused_with_both_readings(
    zone: str, text: str, what: str, first: str, second: str
) -> None:
    with pytest.raises(InputError, match=what) as refused:
        parse(text, zone=zone)
    assert first in refused.value.message
    assert second in refused.value.message


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("0", "s"),
        ("-4400000", "s"),
        ("1792022400000", "s"),
        ("1792022400", "ms"),
        ("253402300799", "s"),
        ("-62135596800", "s"),
        ("1.97e25", "s"),
        ("-1.97e25", "s"),
        ("9223372036854775807", "ns"),
        ("1999-12-31T23:59:59Z", "s"),
        ("2100-01-01T00:00:00Z", "s"),
        ("0001-01-01T00:00:00Z", "s"),
        ("9999-12-31T23:59:59-14:00", "s"),
    ],
)
def test_an_instant_outside_the_century_is_refused(text: str, unit: Unit) -> None:
    with pytest.raises(InputError, match="not between 2000-01-01 and 2100-01-01"):
        parse(text, unit=unit)


@pytest.mark.parametrize(
    "text", ["", " ", "NaN", "nan", "inf", "-Infinity", "None", "null", "Unknown", "N/A"]
)
def test_a_word_is_no_instant(text: str) -> None:
    with pytest.raises(InputError, match="is not an instant") as refused:
        parse(text, zone="Europe/Berlin", epoch_s=EPOCH)
    assert refused.value.mend


@pytest.mark.parametrize(
    "text",
    [
        "1e999",
        "1_000",
        "0x6af",
        "١٧٩٢",
        "9" * 10_000,
        "2026-02-30",
        "2026-10-31T24:00:00Z",
        "2026-10-31T23:59:60Z",
        "2026-10-31T18",
        "2026-10-31T18:30.5Z",
        "31/10/2026",
        "10-31-2026 18:30",
        "2026-W44-6",
        "2026-304",
        "2026-10-31T18:30:00 CET",
        "2026-10-31Z",
        "2026-10-31T18:30:00+99:00",
        "2026-10-31T18:30:00+05:61",
    ],
)
def test_text_that_is_no_instant_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not an instant") as refused:
        parse(text, zone="Europe/Berlin", epoch_s=EPOCH)
    assert len(refused.value.message) < 200


@pytest.mark.parametrize("year", ["0001", "9999"])
def test_local_text_at_the_ends_of_the_calendar_is_refused(year: str) -> None:
    for zone in ("America/St_Johns", "Asia/Kathmandu"):
        for text in (f"{year}-01-01", f"{year}-12-31", f"{year}-01-01 00:00", f"{year}-12-31 23:59:59"):
            with pytest.raises(InputError):
                parse(text, zone=zone)


def test_instants_print_in_utc() -> None:
    assert format_utc(int(datetime(2026, 10, 31, 18, 30, tzinfo=UTC).timestamp())) == "2026-10-31T18:30:00Z"
