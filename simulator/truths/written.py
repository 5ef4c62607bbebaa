"""The truth as files: time run-length encoded, money pieces by whose they are, pools, and use by run."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

from simulator.truths.moments import Part
from simulator.truths.months import Truth

__all__ = ["write_truth"]

Row = tuple[object, ...]

_WHOSE = ("run", "owner", "team", "phase", "account", "state")
_SECONDS = ("held_s", "known_s", "carried_s", "busy_s_by_the_cell_rule", "truly_busy_s")
_HEADERS: dict[str, tuple[str, ...]] = {
    "time": ("slot", "lane", "start", "end", *_WHOSE, "ticks_per_second"),
    "rows": ("month", "start", "end", "slot", "lane", *_WHOSE, "ticks", "observed_ticks", "quanta"),
    "pools": ("month", "pool", "hour", "quanta", "slot_seconds"),
    "use": ("month", "run", "subject", *_SECONDS, "transitions"),
}


def write_truth(truths: Iterable[Truth], folder: Path) -> dict[str, int]:
    """Write `time.csv`, `rows.csv`, `pools.csv` and `use.csv` of months, node by node; the rows of each."""
    folder.mkdir()
    counts = dict.fromkeys(_HEADERS, 0)
    pools: dict[tuple[str, str, int], Row] = {}
    with ExitStack() as stack:
        writers = {}
        for name, header in _HEADERS.items():
            file = stack.enter_context((folder / f"{name}.csv").open("w", encoding="utf-8", newline=""))
            writers[name] = csv.writer(file, lineterminator="\n")
            writers[name].writerow(header)
        for truth in truths:
            pools |= {(truth.month, *key): tuple(money) for key, money in truth.pools.items()}
            for name, rows in (("time", _time(truth)), ("rows", _rows(truth)), ("use", _use(truth))):
                for row in rows:
                    writers[name].writerow(row)
                    counts[name] += 1
        for (month, pool, hour_s), money in sorted(pools.items()):
            writers["pools"].writerow((month, pool, _utc(hour_s), *money))
            counts["pools"] += 1
    return {f"truth/{name}.csv": count for name, count in counts.items()}


def _time(truth: Truth) -> Iterator[Row]:
    """Whose each second of each slot is; parts that touch and say the same are one."""
    for _, same in groupby(sorted(truth.parts, key=_place), key=lambda part: _place(part)[:-1]):
        stretches: list[list[int]] = []
        for part in same:
            if stretches and stretches[-1][1] == part.start_s:
                stretches[-1][1] = part.end_s
            else:
                stretches.append([part.start_s, part.end_s])
        for start_s, end_s in stretches:
            yield part.slot, part.lane, _utc(start_s), _utc(end_s), *part.taker, part.ticks


def _rows(truth: Truth) -> Iterator[Row]:
    """Money pieces by whose they are, with what is known of them and what they cost."""
    for row, one in sorted(truth.rows.items(), key=lambda pair: pair[0]):
        end_s = truth.pieces[row.start_s, row.slot][2]
        place = (truth.month, _utc(row.start_s), _utc(end_s), row.slot, row.lane)
        yield (*place, *row.taker, one.ticks, one.observed, truth.amount(row))


def _use(truth: Truth) -> Iterator[Row]:
    for (run, subject), use in sorted(truth.use.items(), key=lambda pair: pair[0]):
        seconds = (use.held_s, use.known_s, use.carried_s, use.busy_s, use.truly_busy_s)
        yield (truth.month, run, subject, *seconds, use.transitions)


def _place(part: Part) -> Row:
    return part.slot, part.lane, part.taker, part.ticks, part.start_s


def _utc(at_s: int) -> str:
    return datetime.fromtimestamp(at_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
