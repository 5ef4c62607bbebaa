"""What a book fixes when it is begun, and how many shards the facts of a home are cut into."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gpuledger.book_settings import planned_book
from gpuledger.errors import SettingsError
from gpuledger.lake.arrow import pa
from gpuledger.session import Edge, Session

Open = Callable[..., Session]


@pytest.fixture
def open_session(tmp_path: Path) -> Iterator[Open]:
    """Open a session in one home with these flags, as a further command would."""
    opened: list[Session] = []

    def make(**flags: str) -> Session:
        environ = {"GPULEDGER_HOME": str(tmp_path / "home")}
        opened.append(Session(Edge(environ=environ, cwd=tmp_path, clock=lambda: 1.79e9, flags=flags)))
        return opened[-1]

    yield make
    for session in opened:
        session.close()


def put_a_state(session: Session) -> None:
    """Publish one fact, as an import does."""
    row = {"identity": "a", "source": "test", "withdrawn": False, "start_s": 1_790_000_000}
    row |= {"cluster": "main", "node": "n1", "slot": "n1/0", "state": "available"}
    staged = session.lake.stage("state", pa.Table.from_pylist([row]))
    with session.database.commit("test", at_s=session.now()) as commit:
        session.lake.publish(commit, staged)


def test_book_is_begun_as_set_and_kept_so(open_session: Open) -> None:
    begun = open_session(zone="Asia/Kolkata", currency="EUR", charged="recognised").book
    assert (begun.name, begun.zone, begun.currency) == ("main", "Asia/Kolkata", "EUR")
    assert open_session().book == begun


def test_planned_book_is_what_would_be_begun_and_begins_nothing(open_session: Open) -> None:
    session = open_session(zone="Asia/Kolkata")
    planned = planned_book(session.database, session.sourced)
    assert session.database.latest_seq() == 0
    assert session.book == planned == planned_book(session.database, open_session().sourced)
    with pytest.raises(SettingsError, match="zone"):
        planned_book(session.database, open_session(zone="Asia/Tokyo").sourced)


def test_same_setting_again_is_no_contradiction(open_session: Open) -> None:
    begun = open_session(zone="Asia/Kolkata").book
    assert open_session(zone="Asia/Kolkata").book == begun


@pytest.mark.parametrize(
    "flags", [{"zone": "Asia/Tokyo"}, {"currency": "EUR"}, {"charged": "recognised"}, {"shards": "4"}]
)
def test_setting_that_the_book_was_not_begun_with_is_refused(
    open_session: Open, flags: dict[str, str]
) -> None:
    open_session(book="a").book  # noqa: B018
    name = next(iter(flags))
    with pytest.raises(SettingsError, match=f"{name}.*book a is kept with {name}") as caught:
        open_session(book="a", **flags).book  # noqa: B018
    assert str(caught.value.place) == f"flag --{name}"


def test_another_book_may_be_kept_otherwise(open_session: Open) -> None:
    open_session(book="a").book  # noqa: B018
    other = open_session(book="b", zone="Asia/Tokyo", currency="JPY").book
    assert (other.zone, other.currency) == ("Asia/Tokyo", "JPY")


def test_import_leaves_zone_and_currency_of_the_book_open(open_session: Open) -> None:
    put_a_state(open_session())
    assert open_session(zone="Asia/Kolkata").book.zone == "Asia/Kolkata"


def test_first_import_decides_the_shards_of_every_book(open_session: Open) -> None:
    put_a_state(open_session(shards="4"))
    assert open_session().lake.shards == 4
    assert open_session(book="b").book.shards == 4


def test_facts_in_one_shard_are_not_read_by_more(open_session: Open) -> None:
    put_a_state(open_session())
    with pytest.raises(SettingsError, match="shards"):
        open_session(shards="4").lake  # noqa: B018
    assert open_session().book.shards == 1
