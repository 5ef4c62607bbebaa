"""Up to when sources are complete."""

from __future__ import annotations

from gpuledger.versions import Database, set_through, throughs


def said(database: Database, *pairs: tuple[str, int]) -> None:
    with database.commit("import", at_s=1) as commit:
        for source, through_s in pairs:
            set_through(commit, source, "main", through_s)


def test_source_is_complete_to_the_greatest_instant_said_by_then(database: Database) -> None:
    said(database, ("sacct", 100))
    said(database, ("sacct", 300), ("kube", 50))
    said(database, ("sacct", 200))
    with database.read() as connection:
        assert throughs(connection, 0) == {}
        assert throughs(connection, 1) == {("sacct", "main"): 100}
        assert throughs(connection, 3) == {("kube", "main"): 50, ("sacct", "main"): 300}


def test_two_words_in_one_commit_count_as_the_greater(database: Database) -> None:
    said(database, ("sacct", 100), ("sacct", 300), ("sacct", 200))
    with database.read() as connection:
        assert throughs(connection, 1) == {("sacct", "main"): 300}


def test_one_source_in_two_clusters_is_two(database: Database) -> None:
    with database.commit("import", at_s=1) as commit:
        set_through(commit, "sacct", "east", 10)
        set_through(commit, "sacct", "west", 20)
    with database.read() as connection:
        assert throughs(connection, 1) == {("sacct", "east"): 10, ("sacct", "west"): 20}
