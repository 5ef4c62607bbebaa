"""Ways to deliver a simulated fleet's sources that must change no integer of its books."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from simulated import Fleet, Words

from gpuledger.lake.arrow import pa, pq
from simulator.world import Delivery, Facts, Team, World, known_at

__all__ = ["cut", "shuffle_files", "tell_pods_by_start", "twice_and_by_another_exporter"]

Cuts = dict[str, int]
"""Where each fact is cut, by its name."""


def cut(world: World) -> World:
    """Cut what holds over an interval into touching rows that say the same; but a start names a job.

    Each fact is cut where it is known in the end, at the same second in each delivery: a row that an export
    once had and a later one has not would stand.
    """
    cuts: Cuts = {}
    for fact in _all(world.facts):
        last_s = fact.end_s if fact.end_s is not None else fact.start_s + 30 * 3600
        random = Random(f"{world.seed}/{_key(fact)}")
        if last_s - fact.start_s > 2 and random.random() < 0.7:
            cuts[_key(fact)] = random.randrange(fact.start_s + 1, last_s)
    deliveries = tuple(
        Delivery(
            _facts(cuts, one.facts),
            one.through_s,
            tuple((name, tuple(_cut(cuts, told))) for name, told in one.said_by),
        )
        for one in world.deliveries or (Delivery(known_at(world.facts, world.end_s), world.end_s),)
    )
    return replace(world, deliveries=deliveries)


def tell_pods_by_start(folder: Path) -> None:
    """Let the maps of pods tell rows apart by their start too, as those of a pod that was resized."""
    for path in sorted(folder.glob("pods*.map.yaml")):
        path.write_text(
            path.read_text("utf-8").replace("uid, device]", "uid, device, scheduled_at]"), "utf-8"
        )


def shuffle_files(fleet: Fleet) -> None:
    """Put the rows of every file into another order."""
    random = Random(fleet.world.seed)
    for path in sorted(fleet.folder.glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(
                file, delimiter="|" if path.name.startswith(("sacct", "states")) else ","
            )
        random.shuffle(rows)
        with path.open("w", encoding="utf-8", newline="") as file:
            delimiter = "|" if path.name.startswith(("sacct", "states")) else ","
            csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows([header, *rows])
    for path in sorted(fleet.folder.glob("*.parquet")):
        table = pq.read_table(path, partitioning=None)
        order = list(range(table.num_rows))
        random.shuffle(order)
        pq.write_table(table.take(pa.array(order)), path)


def twice_and_by_another_exporter(fleet: Fleet) -> Iterator[Words]:
    """Each delivery's imports in another order, each typed twice, its samples also from a second exporter."""
    random, waiting = Random(fleet.world.seed), list[Words]()
    for words in fleet.written.commands:
        if words[0] == "import":
            again = (
                (*words, "--source", f"{words[2].partition('.')[0]}-twin") if words[1] == "samples" else words
            )
            waiting += [words, again]
            continue
        random.shuffle(waiting)
        yield from waiting
        waiting = []
        yield words


def _all(facts: Facts) -> Iterator[Any]:
    yield from (*facts.boards, *facts.instances, *facts.conditions, *facts.rates, *facts.teams)
    yield from (one for one in facts.holdings if one.device)


def _key(fact: Any) -> str:
    """A fact's name, which its end and its owner are no part of."""
    names = ("uuid", "run", "device", "node", "state", "model", "owner_key")
    said = [getattr(fact, name, "") for name in names if name != "owner_key" or isinstance(fact, Team)]
    return repr((type(fact).__name__, fact.start_s, *said))


def _facts(cuts: Cuts, facts: Facts) -> Facts:
    return Facts(
        tuple(_cut(cuts, facts.boards)),
        tuple(_cut(cuts, facts.instances)),
        tuple(_cut(cuts, facts.conditions)),
        tuple(_cut(cuts, facts.holdings)),
        facts.phases,
        tuple(_cut(cuts, facts.rates)),
        tuple(_cut(cuts, facts.teams)),
    )


def _cut(cuts: Cuts, facts: Iterable[Any]) -> Iterator[Any]:
    for fact in facts:
        at_s = cuts.get(_key(fact))
        if at_s is None:
            yield fact
        else:
            yield replace(fact, end_s=at_s)
            yield replace(fact, start_s=at_s)
