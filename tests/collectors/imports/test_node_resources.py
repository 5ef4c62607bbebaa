"""What a node has besides GPUs comes with its inventory, over time, in thousandths of a CPU and in bytes."""

from __future__ import annotations

from .conftest import Books
from .test_inventory import bring_in, spans

MAPPED = """
kind: inventory
source: assets
columns:
  node: node
  slot: bus
  cpus: cpus
  node_memory_bytes: {column: gib, times: 1073741824}
  licences: lic
  start: from
  end: {column: to, missing: open}
constants: {cluster: c1}
zone: UTC
"""
HEADER = "node,bus,cpus,gib,lic,from,to\n"
GIB = 2**30


def resources(books: Books) -> list[tuple[object, ...]]:
    return spans(books, "node_resource", "node", "resource", "quantity", "unit")


def test_each_row_of_a_node_says_what_the_node_has(books: Books) -> None:
    bring_in(books, "n1,0,64.5,488,,2026-10-01,\nn1,1,64.5,488,,2026-10-01,\n", MAPPED, HEADER)
    assert resources(books) == [
        ("n1", "cpu", 64_500, "milli", 1, None),
        ("n1", "memory", 488 * GIB, "bytes", 1, None),
    ]


def test_a_node_that_grows_has_two_facts_and_the_same_rows_again_change_nothing(books: Books) -> None:
    bring_in(books, "n1,0,64,,1,2026-10-01,\n", MAPPED, HEADER)
    grown = "n1,0,64,,1,2026-10-01,2026-10-11\nn1,0,96,,1,2026-10-11,\n"
    bring_in(books, grown, MAPPED, HEADER)
    wanted = [
        ("n1", "cpu", 64_000, "milli", 1, 11),
        ("n1", "cpu", 96_000, "milli", 11, None),
        ("n1", "licence", 1, "1", 1, None),
    ]
    assert resources(books) == wanted
    again = bring_in(books, grown, MAPPED, HEADER)
    assert again.facts["node_resource"]["unchanged"] == 3
    assert resources(books) == wanted


def test_rows_that_say_nothing_of_resources_leave_what_is_known(books: Books) -> None:
    bring_in(books, "n1,0,64,,,2026-10-01,\n", MAPPED, HEADER)
    summary = bring_in(books, "n1,0,,,,2026-10-01,\n", MAPPED, HEADER)
    assert "node_resource" not in summary.facts
    assert resources(books) == [("n1", "cpu", 64_000, "milli", 1, None)]


def test_two_rows_that_say_different_cpus_of_one_node_go_to_quarantine(books: Books) -> None:
    bring_in(books, "n1,0,64,,,2026-10-01,\nn1,1,96,,,2026-10-01,\n", MAPPED, HEADER)
    assert resources(books) == []
    assert spans(books, "slot", "slot") == []
