"""Several processes that commit at once."""

from __future__ import annotations

from collections.abc import Callable


def test_two_processes_get_seqs_in_the_order_of_their_commits(
    url: str, commit_from_two_processes: Callable[[str, int], tuple[list[int], list[int], list[int]]]
) -> None:
    one, two, seen = commit_from_two_processes(url, 40)
    assert one == sorted(one)
    assert two == sorted(two)
    assert sorted(one + two) == list(range(1, 81))
    assert seen == list(range(80))
