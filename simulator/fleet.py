"""Make a small fleet: 64 GPUs on 8 nodes, two schedulers, five teams, one month.

The same seed, zone and month give the same fleet, on every machine and Python version. Beside random work the
fleet always has the cases that books get wrong (the stories below), at the same local times in every fleet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from random import Random
from zoneinfo import ZoneInfo

from gpuledger.calendars import month_bounds
from simulator.facts import Fleet, Gpu, Node, Owner, Price, SchedulerName, Workload
from simulator.schedulers import Request, random_uuid, schedule

__all__ = ["MONTH", "REGION", "generate"]

MONTH = "2026-10"
REGION = "eu-west"

_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_BUS_IDS = ("1B", "43", "52", "61", "9D", "C3", "D1", "DF")
# Nodes, prices and owners begin this long before the month, so the whole month before is covered too.
_BEFORE = 31 * _DAY
_SKUS = {"H100": "hgx-h100-8", "A100": "hgx-a100-8"}
_NODES: tuple[tuple[str, str, SchedulerName, str], ...] = (
    ("gpu-a01", "hpc", "slurm", "A100"),
    ("gpu-a02", "hpc", "slurm", "A100"),
    ("gpu-h01", "hpc", "slurm", "H100"),
    ("gpu-h02", "hpc", "slurm", "H100"),
    ("worker-a1", "prod", "kubernetes", "A100"),
    ("worker-a2", "prod", "kubernetes", "A100"),
    ("worker-h1", "prod", "kubernetes", "H100"),
    ("worker-h2", "prod", "kubernetes", "H100"),
)
_OWNERS = (
    ("nlp", "language", "CC-2100"),
    ("nlp-serving", "language", "CC-2110"),
    ("infra", "platform", "CC-9000"),
    ("ml-platform", "platform", "CC-9000"),
    ("robotics", "robotics", "CC-3400"),
    ("search-embeddings", "search", "CC-1200"),
    ("search-ranking", "search", "CC-1200"),
    ("vision", "vision", "CC-2500"),
)
_ACCOUNTS = ("nlp", "nlp", "vision", "vision", "robotics", "infra")
_NAMESPACES = ("search-ranking", "search-ranking", "search-embeddings", "nlp-serving", "ml-platform")

# Bands of length in seconds; one is drawn per job or pod, and what stands twice is drawn twice as often.
_JOB_LENGTHS = (
    (7 * _MINUTE, _HOUR),
    (_HOUR, 8 * _HOUR),
    (_HOUR, 8 * _HOUR),
    (8 * _HOUR, 40 * _HOUR),
)
_POD_LENGTHS = (
    (20 * _MINUTE, 2 * _HOUR),
    (6 * _HOUR, 30 * _HOUR),
    (6 * _HOUR, 30 * _HOUR),
    (2 * _DAY, 9 * _DAY),
)

Clock = Callable[[int, int, int], int]


def generate(seed: int, *, zone: str = "UTC", month: str = MONTH) -> Fleet:
    """Make the fleet of a seed for a month of a billing zone.

    Raises InputError for a zone or month that does not exist.
    """
    start_s, end_s = month_bounds(zone, month)
    rng = Random(seed)
    clock = _local_clock(zone, month)
    nodes = tuple(_node(rng, *row, start_s=start_s - _BEFORE) for row in _NODES)
    return Fleet(
        zone=zone,
        month=month,
        start_s=start_s,
        end_s=end_s,
        exported_s=end_s + 2 * _DAY,
        nodes=nodes,
        workloads=_workloads(rng, nodes, clock, start_s, end_s),
        prices=_prices(start_s, clock(15, 10, 20)),
        owners=tuple(Owner(key, team, centre, start_s - _BEFORE) for key, team, centre in _OWNERS),
    )


def _local_clock(zone: str, month: str) -> Clock:
    year, number = (int(part) for part in month.split("-"))

    def at(day: int, hour: int, minute: int) -> int:
        return int(datetime(year, number, day, hour, minute, tzinfo=ZoneInfo(zone)).timestamp())

    return at


def _node(
    rng: Random, name: str, cluster: str, scheduler: SchedulerName, model: str, *, start_s: int
) -> Node:
    gpus = tuple(Gpu(name, f"00000000:{bus}:00.0", f"GPU-{random_uuid(rng)}") for bus in _BUS_IDS)
    return Node(name, cluster, scheduler, model, REGION, _SKUS[model], start_s, gpus)


def _prices(start_s: int, change_s: int) -> tuple[Price, ...]:
    since = start_s - _BEFORE
    return (
        Price("A100", REGION, "1.374205", "USD", since, None),
        Price("H100", REGION, "2.95", "USD", since, change_s),
        Price("H100", REGION, "2.744705", "USD", change_s, None),
    )


def _workloads(
    rng: Random, nodes: tuple[Node, ...], clock: Clock, start_s: int, end_s: int
) -> tuple[Workload, ...]:
    """The stories first, so that they always find room; then random work around them."""
    slurm = [node for node in nodes if node.scheduler == "slurm"]
    kubernetes = [node for node in nodes if node.scheduler == "kubernetes"]
    jobs = [*_job_stories(clock, end_s), *_random_jobs(rng, start_s, end_s)]
    pods = [*_pod_stories(clock), *_random_pods(rng, start_s, end_s)]
    return tuple(sorted(schedule(slurm, jobs, rng) + schedule(kubernetes, pods, rng)))


def _job_stories(clock: Clock, end_s: int) -> list[Request]:
    return [
        # one job id, two runs: each is paid
        Request(clock(6, 8, 0), clock(6, 14, 17), "vision", "40117", 4, model="A100"),
        Request(clock(6, 15, 2), clock(7, 3, 40), "vision", "40117", 4, model="A100"),
        # ends inside the hour of the price change, before the change
        Request(clock(15, 7, 10), clock(15, 10, 10), "robotics", "40391", 3, model="H100"),
        # runs across the price change
        Request(clock(14, 21, 5), clock(15, 19, 45), "nlp", "40388", 2, model="H100"),
        # one job on two whole nodes
        Request(clock(20, 9, 0), clock(20, 21, 30), "nlp", "40502", 8, nodes=2, model="H100"),
        # cancelled in the second in which it began
        Request(clock(21, 12, 0), clock(21, 12, 0), "infra", "40533", 1),
        # runs over the month's end
        Request(end_s - 4 * _HOUR, end_s + 5 * _HOUR, "robotics", "40777", 6, model="A100"),
        # still runs when the sources are exported
        Request(end_s - 35 * _HOUR - 17, end_s + 6 * _DAY, "vision", "40760", 2, model="H100"),
    ]


def _pod_stories(clock: Clock) -> list[Request]:
    return [
        # one pod name, two uids
        Request(clock(9, 6, 30), clock(11, 18, 0), "search-ranking", "ranker-0", 2, model="H100"),
        Request(clock(11, 18, 3), clock(13, 0, 45), "search-ranking", "ranker-0", 2, model="H100"),
        # begins inside the hour of the price change, after the change
        Request(clock(15, 10, 25), clock(16, 9, 0), "nlp-serving", "chat-canary", 3, model="H100"),
    ]


def _random_jobs(rng: Random, start_s: int, end_s: int) -> Iterator[Request]:
    number = 41000
    for begin in _arrivals(rng, start_s, end_s, mean_gap_s=4200):
        number += 1
        length = rng.randrange(*rng.choice(_JOB_LENGTHS))
        gpus = rng.choice((1, 1, 2, 2, 4, 8))
        yield Request(begin, begin + length, rng.choice(_ACCOUNTS), str(number), gpus)


def _random_pods(rng: Random, start_s: int, end_s: int) -> Iterator[Request]:
    for begin in _arrivals(rng, start_s, end_s, mean_gap_s=11000):
        length = rng.randrange(*rng.choice(_POD_LENGTHS))
        namespace = rng.choice(_NAMESPACES)
        name = f"{namespace.split('-')[-1]}-{rng.getrandbits(40):010x}"
        yield Request(begin, begin + length, namespace, name, rng.choice((1, 1, 1, 2, 4)))


def _arrivals(rng: Random, start_s: int, end_s: int, *, mean_gap_s: int) -> Iterator[int]:
    """Instants at which work begins, from three days before the month to a day after it."""
    at = start_s - 3 * _DAY
    while (at := at + rng.randrange(1, 2 * mean_gap_s)) < end_s + _DAY:
        yield at
