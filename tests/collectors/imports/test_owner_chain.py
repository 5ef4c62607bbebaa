"""An owner is found in the nearest of several places, among all pods of a controller; where is kept."""

from __future__ import annotations

from collectors.imports import Summary

from .conftest import Books

PODS = """
kind: holdings
source: kubelet
identity: [pod]
columns:
  owner_key: {first_of: [label_team, owner_job, namespace]}
  controller: lws
  node: node
  start: from
  end: {column: to, missing: open}
"""
ALONE = PODS.replace("  controller: lws\n", "")
HEADER = "pod,label_team,owner_job,namespace,lws,node,from,to\n"
HOUR = "n1,2026-10-01T12:00Z,2026-10-01T13:00Z"


def bring_in(books: Books, *rows: str, column_map: str = PODS) -> Summary:
    return books.bring_in(HEADER + "".join(f"{row},{HOUR}\n" for row in rows), column_map)


def owners(books: Books) -> list[tuple[object, ...]]:
    return books.facts("holding", "run", "owner_key", "owner_from")


def test_the_nearest_place_counts_and_is_kept(books: Books) -> None:
    rows = ["a,vision,job-1,ml,", "b,,job-1,ml,", "c,,,ml,", "d,,,,"]
    summary = bring_in(books, *rows, column_map=ALONE)
    assert owners(books) == [
        ("a", "vision", "label_team"),
        ("b", "job-1", "owner_job"),
        ("c", "ml", "namespace"),
        ("d", "", None),
    ]
    places = {name: count for name, count in summary.figures.items() if name.startswith("owner_from")}
    assert places == {
        "owner_from_label_team": 1,
        "owner_from_owner_job": 1,
        "owner_from_namespace": 1,
        "owner_from_nowhere": 1,
    }


def test_one_place_alone_is_not_told(books: Books) -> None:
    one = ALONE.replace("{first_of: [label_team, owner_job, namespace]}", "label_team")
    summary = bring_in(books, "a,vision,,,", column_map=one)
    assert owners(books) == [("a", "vision", None)]
    assert not [name for name in summary.figures if name.startswith("owner_from")]


# T23: only the leader has the label; its workers are of the same owner, and it is said how that was found.
def test_workers_of_a_controller_take_the_owner_that_the_leaders_label_names(books: Books) -> None:
    summary = bring_in(books, "w1,,,ml,lws-7", "leader,vision,,ml,lws-7", "w2,,job-1,,lws-7", "x,,,ml,")
    given = "label_team of controller lws-7"
    assert owners(books) == [
        ("leader", "vision", "label_team"),
        ("w1", "vision", given),
        ("w2", "vision", given),
        ("x", "ml", "namespace"),
    ]
    assert summary.figures["owner_from_the_controller"] == 2
    assert summary.figures["owner_from_label_team"] == 3


def test_controllers_of_one_name_in_two_clusters_are_two(books: Books) -> None:
    two = PODS.replace("  node: node\n", "  node: node\n  cluster: owner_job\n").replace("owner_job, ", "")
    bring_in(books, "leader,vision,east,ml,lws-7", "worker,,west,ml,lws-7", column_map=two)
    assert owners(books)[1] == ("worker", "ml", "namespace")


def test_a_controller_whose_labels_differ_gives_no_owner_and_says_so(books: Books) -> None:
    summary = bring_in(books, "a,vision,,ml,lws-7", "b,search,,ml,lws-7", "c,,,ml,lws-7")
    assert owners(books)[2] == ("c", "ml", "namespace")
    assert summary.figures["controllers_with_several_owners"] == 1
    assert summary.warnings[-1].startswith("1 controllers have pods with different owners")


def test_a_later_file_without_the_leader_takes_no_owner_from_its_workers(books: Books) -> None:
    bring_in(books, "leader,vision,,ml,lws-7", "w,,,ml,lws-7")
    again = bring_in(books, "w,,,ml,lws-7")
    assert owners(books)[1] == ("w", "vision", "label_team of controller lws-7")
    assert again.facts["holding"]["unchanged"] == 1
    bring_in(books, "w,search,,ml,lws-7")
    assert owners(books)[1] == ("w", "search", "label_team")
    bring_in(books, "w,,,ml,lws-8")
    assert owners(books)[1] == ("w", "ml", "namespace")
