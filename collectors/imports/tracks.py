"""Facts of which one holds at a time: of a place's states, an instance's lives, a run's phases.

A track is what they are of; its facts' identities are alike but for the start. What is said of a stretch
takes the place of what was known of it: a fact that reaches into the next one of its track ends there, one
that began inside a closed one is withdrawn, and so is one that comes again with nothing new but its start.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise

from collectors.imports.changes import Changes, settle
from collectors.imports.facts import Fact
from collectors.imports.gather import Gathered
from collectors.imports.spans import end_of, overlap

__all__ = ["refuse_overlaps", "refuse_shared", "settle_tracks"]


def settle_tracks(facts: Mapping[str, Fact], known: Iterable[Fact], latest_s: Mapping[str, int]) -> Changes:
    """The changes that facts make on their tracks; what they do not touch stays.

    An end that is open ends where the next fact of the track begins. `latest_s` is the last instant that the
    delivery knows of, by cluster: an end that is known and lies then or later stands against an open one.
    """
    before = {fact.identity: fact for fact in known}
    tracks: dict[str, dict[str, Fact]] = defaultdict(dict)
    for identity, fact in facts.items():
        tracks[track_of(identity)][identity] = _still(fact, before.get(identity), latest_s)
    for identity, fact in before.items():
        track = tracks.get(track_of(identity))
        if track is not None and identity not in facts and not _replaced(fact, track, facts):
            track[identity] = fact
    whole = {one.identity: one for track in tracks.values() for one in _in_turn(track.values())}
    said = {
        identity: fact
        for identity, fact in before.items()
        if track_of(identity) in tracks and (identity in facts or whole.get(identity) != fact)
    }
    return settle({name: fact for name, fact in whole.items() if name in facts or name in said}, said)


def track_of(identity: str) -> str:
    """What a fact is of: its identity without its start."""
    return identity.rpartition("/")[0]


def _still(fact: Fact, before: Fact | None, latest_s: Mapping[str, int]) -> Fact:
    """The fact as delivered, or with the end that is known and that it can say nothing against."""
    if fact.end_s is not None or before is None or before.end_s is None:
        return fact
    stands = before.end_s >= latest_s.get(fact.cluster, 0)
    return fact._replace(end_s=before.end_s) if stands else fact


def _replaced(fact: Fact, track: Mapping[str, Fact], facts: Mapping[str, Fact]) -> bool:
    """Whether a known fact began inside a delivered one, or is a delivered one with another start."""
    for one in (track[name] for name in track if name in facts):
        if one.end_s is not None and one.start_s < fact.start_s < one.end_s:
            return True
        moved = fact._replace(identity=one.identity, start_s=one.start_s, source=one.source) == one
        if moved and one.end_s is not None and overlap(fact.start_s, fact.end_s, one.start_s, one.end_s):
            return True
    return False


def _in_turn(track: Iterable[Fact]) -> Iterator[Fact]:
    """The facts of one track, each until the next one at the latest; what has no length ends nothing."""
    ordered = sorted(track, key=lambda one: one.start_s)
    yield from (one for one in ordered if one.end_s == one.start_s)
    long = [one for one in ordered if one.end_s != one.start_s]
    for one, after in pairwise(long):
        yield one._replace(end_s=after.start_s) if end_of(one.end_s) > after.start_s else one
    yield from long[-1:]


def refuse_overlaps(gathered: Gathered[str, Fact], reason: str) -> None:
    """Send to quarantine rows of one track that hold at the same time, both of each pair, in whatever order.

    An open end says nothing against a later row: it ends there.
    """
    tracks = _grouped(gathered.items.values(), lambda fact: track_of(fact.identity))
    _refuse(gathered, reason, (pair for facts in tracks.values() for pair in _clashes(facts, open_too=False)))


def refuse_shared(gathered: Gathered[str, Fact], name_of: Callable[[Fact], str | None], reason: str) -> None:
    """Send to quarantine rows that give one thing to two tracks at the same time; `name_of` names it."""
    tracks = _grouped(gathered.items.values(), lambda fact: track_of(fact.identity))
    lasting = [fact for track in tracks.values() for fact in _in_turn(track)]
    pairs = [
        (one, other)
        for facts in _grouped(lasting, name_of).values()
        for one, other in _clashes(facts, open_too=True)
        if track_of(one.identity) != track_of(other.identity)
    ]
    _refuse(gathered, reason, pairs)


def _grouped(facts: Iterable[Fact], name_of: Callable[[Fact], str | None]) -> dict[str, list[Fact]]:
    """The facts that have a length, by a name; those without a name are left out."""
    groups: dict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        if fact.end_s != fact.start_s and (name := name_of(fact)) is not None:
            groups[name].append(fact)
    return groups


def _clashes(facts: list[Fact], *, open_too: bool) -> Iterator[tuple[Fact, Fact]]:
    """Each fact with one that began before it and goes on into it; with an open end only if asked."""
    running: list[Fact] = []
    for fact in sorted(facts, key=lambda one: (one.start_s, end_of(one.end_s), one.identity)):
        running = [one for one in running if end_of(one.end_s) > fact.start_s]
        for one in running:
            yield one, fact
        if open_too or fact.end_s is not None:
            running.append(fact)


def _refuse(gathered: Gathered[str, Fact], reason: str, pairs: Iterable[tuple[Fact, Fact]]) -> None:
    rivals: dict[str, str] = {}
    for one, other in pairs:
        rivals.setdefault(one.identity, other.identity)
        rivals.setdefault(other.identity, one.identity)
    numbers = {identity: gathered.first[identity] for identity in rivals}
    for identity, rival in rivals.items():
        gathered.reject(identity, reason, f"{track_of(identity)}: also row {numbers[rival]}")
