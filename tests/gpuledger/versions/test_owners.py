"""Owners as versions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from sqlalchemy import func, select

from gpuledger.errors import InputError, OverlapError
from gpuledger.versions import Database, OwnerFact, PutCount, owners_in_force, put_owners, withdraw_owners
from gpuledger.versions.tables import owner_version

VISION = OwnerFact("owners.csv/vision/1", 1_000_000_000, 1_100_000_000, "vision", "Vision", "CC1")
VISION_LATER = OwnerFact("owners.csv/vision/2", 1_100_000_000, None, "vision", "Robotics", None)
SPEECH = OwnerFact("owners.csv/speech/1", 1_000_000_000, None, "speech", "Speech", None)

Put = Callable[..., tuple[int, PutCount]]


@pytest.fixture
def put(database: Database) -> Put:
    """Put owners in a commit of their own: its seq, and what was counted."""

    def put(*facts: OwnerFact) -> tuple[int, PutCount]:
        with database.commit("import owners", at_s=1) as commit:
            return commit.seq, put_owners(commit, facts)

    return put


def known(database: Database, seq: int) -> list[OwnerFact]:
    with database.read() as connection:
        return owners_in_force(connection, seq)


def test_owners_are_in_force_from_their_seq_on(database: Database, put: Put) -> None:
    assert put(VISION, VISION_LATER) == (1, PutCount(2, 0))
    assert put(SPEECH) == (2, PutCount(1, 0))
    assert known(database, 0) == []
    assert known(database, 1) == [VISION, VISION_LATER]
    assert known(database, 2) == [SPEECH, VISION, VISION_LATER]


def test_owner_that_is_known_already_makes_no_version(database: Database, put: Put) -> None:
    put(VISION, SPEECH)
    assert put(SPEECH, VISION, VISION_LATER) == (2, PutCount(1, 2))
    with database.read() as connection:
        assert connection.scalar(select(func.count()).select_from(owner_version)) == 3


def test_later_version_replaces_the_whole_interval_of_its_identity(database: Database, put: Put) -> None:
    put(VISION)
    shorter = replace(VISION, end_s=1_050_000_000, team="Perception")
    put(shorter)
    assert known(database, 1) == [VISION]
    assert known(database, 2) == [shorter]


def test_withdrawn_owner_is_gone_from_its_seq_on_and_may_come_back(database: Database, put: Put) -> None:
    put(VISION, SPEECH)
    with database.commit("withdraw", at_s=2) as commit:
        assert withdraw_owners(commit, [VISION.identity, "nobody"]) == 1
    assert known(database, 1) == [SPEECH, VISION]
    assert known(database, 2) == [SPEECH]
    assert put(VISION) == (3, PutCount(1, 0))
    assert known(database, 3) == [SPEECH, VISION]


def test_owner_withdrawn_and_put_in_one_commit_is_there(database: Database, put: Put) -> None:
    put(VISION)
    with database.commit("import", at_s=2) as commit:
        withdraw_owners(commit, [VISION.identity])
        put_owners(commit, [VISION])
    assert known(database, 2) == [VISION]


def test_one_key_with_two_teams_at_once_is_refused_naming_both(database: Database, put: Put) -> None:
    put(VISION)
    rival = replace(VISION_LATER, start_s=1_099_999_999)
    with pytest.raises(OverlapError) as caught:
        put(SPEECH, rival)
    assert VISION.identity in caught.value.message
    assert rival.identity in caught.value.message
    assert "2004-11-09T11:33:19Z" in caught.value.message
    assert known(database, database.latest_seq()) == [VISION]
    assert database.latest_seq() == 1


def test_an_open_end_overlaps_whatever_begins_later(put: Put) -> None:
    put(SPEECH)
    with pytest.raises(OverlapError):
        put(replace(SPEECH, identity="other", start_s=2_000_000_000))


def test_a_version_that_ends_where_the_next_begins_mends_an_overlap(database: Database, put: Put) -> None:
    put(SPEECH)
    ended = replace(SPEECH, end_s=2_000_000_000)
    after = replace(SPEECH, identity="other", start_s=2_000_000_000, team="Audio")
    assert put(after, ended) == (2, PutCount(2, 0))
    assert known(database, 2) == [after, ended]


def test_order_of_the_facts_does_not_matter(database: Database, put: Put) -> None:
    put(SPEECH, VISION_LATER, VISION)
    assert known(database, 1) == [SPEECH, VISION, VISION_LATER]


def test_identity_that_comes_twice_counts_once_if_equal_and_is_refused_if_not(put: Put) -> None:
    assert put(VISION, VISION) == (1, PutCount(1, 0))
    with pytest.raises(InputError, match="comes twice"):
        put(SPEECH, replace(SPEECH, team="Audio"))


@pytest.mark.parametrize("end_s", [999_999_999, 1_000_000_000])
def test_empty_interval_is_refused(put: Put, end_s: int) -> None:
    with pytest.raises(InputError, match="ends before it begins"):
        put(replace(VISION, end_s=end_s))
