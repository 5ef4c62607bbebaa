"""What stands in the way of a close, each with its figure."""

from __future__ import annotations

from typing import Any

from house import at

from chargeback.checks import Check
from chargeback.ledger import Result
from chargeback.money_parts import TICKS
from chargeback.obstacles import Obstacle, Signable, broken, obstacles
from chargeback.statement import By, state_statement
from chargeback.units import TimeDay
from gpuledger.versions import Book

BOOK = Book("main", "Asia/Kolkata", "USD", 1, "pooled")
END = at("2026-10-31T18:30Z")
HOUR = TICKS * 3600


def time(owner: str = "ml", cluster: str = "c", unpriced: int = 0) -> TimeDay:
    place = {"team": owner, "cost_centre": "", "model": "H100", "cluster": cluster, "is_assumed": 0}
    return TimeDay(
        "2026-10-05", "used", "", owner, ticks=5 * HOUR, unpriced_ticks=unpriced, observed_ticks=0, **place
    )


def found(
    *times: TimeDay, through: dict[str, int] | None = None, orphaned: int = 0, seq: int = 4, **asked: int
) -> list[Obstacle]:
    summary: dict[str, Any] = {
        "charged": "pooled",
        "data_through": {"c/jobs": END} if through is None else through,
        "orphaned_ticks": {"c": orphaned},
        "prices": [],
    }
    result = Result("r", "2026-10", seq, END, [], [], list(times), {}, {}, {}, summary)
    asked = {"now_s": END, "latest_seq": 4} | asked
    return obstacles(result, state_statement(BOOK, result, By.owner), (), **asked)


def test_settled_books_of_a_month_that_has_ended_have_none() -> None:
    assert found(time()) == []


def test_books_without_the_latest_facts_cannot_be_signed_for() -> None:
    (one,) = found(time(), seq=3)
    assert one.says == "the books are of seq 3, and facts of seq 4 are not in them"
    assert one.mend == "run `gpuledger run --month 2026-10`" and one.signable is None


def test_time_that_is_not_settled_is_named_with_its_hours() -> None:
    unpriced, contested, orphaned = found(time(unpriced=HOUR), time("__conflict__"), orphaned=2 * HOUR)
    assert unpriced.says == "1.000000 GPU-hours have no price"
    assert contested.says == "5.000000 GPU-hours are claimed twice"
    assert orphaned.says == "2.000000 GPU-hours are claimed where no slot was"
    signs = [one.signable for one in (unpriced, contested, orphaned)]
    assert signs == [Signable.unpriced, Signable.contested, Signable.orphaned]


def test_month_ends_at_midnight_of_the_books_zone() -> None:
    (one,) = found(time(), now_s=END - 1)
    assert one.says == "the period ends at 2026-10-31T18:30:00Z, and it is 2026-10-31T18:29:59Z"
    assert one.signable is Signable.not_yet_known


def test_cluster_is_as_complete_as_the_last_of_its_sources() -> None:
    (one,) = found(time(), through={"c/jobs": END, "c/nodes": END - 60, "d/jobs": END + 5})
    assert "cluster c is complete to 2026-10-31T18:29:00Z only" in one.says and "--through" in one.mend


def test_cluster_of_which_no_source_says_how_far_it_is_complete_is_not_yet_known() -> None:
    (one,) = found(time(), time(cluster="d"))
    assert one.says == "nothing says how far cluster d is complete"
    assert one.signable is Signable.not_yet_known


def test_only_failed_checks_are_in_the_way_and_nobody_signs_for_them() -> None:
    checks = [Check("2", "a", "ok", ""), Check("5", "b", "FAILED", "7 quanta"), Check("9", "c", "open", "")]
    (one,) = broken(checks)
    assert one.says == "check 5 failed (b): 7 quanta" and one.signable is None
