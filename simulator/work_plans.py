"""How simulated work comes to its devices, and how busy it keeps them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from random import Random

from simulator.schedulers import random_uuid
from simulator.world import Changes, Holding, Instance

__all__ = [
    "KEYS",
    "Need",
    "changes_of",
    "instance_holdings",
    "job",
    "job_holdings",
    "pod",
    "pod_holdings",
    "shared_holdings",
]

_HOUR = 3600
KEYS = ("chat", "nlp", "ranking", "robots", "vision")

# No level is near 50 per mille, where busy begins: what a sample adds to it must not cross that.
_IDLE, _BUSY = (0, 0, 8, 20), (120, 420, 820, 960)


@dataclass(frozen=True)
class Need:
    """The window in which there is work; it begins before it and goes on after it."""

    start_s: int
    end_s: int


def changes_of(rng: Random, start_s: int, end_s: int, mean_s: int = 2400) -> Changes:
    """How busy a run keeps a device: stretches of work and of waiting, and nothing from its end on."""
    changes, at_s, busy = [], start_s, rng.random() < 0.3
    while at_s < end_s:
        changes.append((at_s, rng.choice(_BUSY if busy else _IDLE)))
        at_s += rng.randrange(60, 2 * mean_s)
        busy = not busy
    return (*changes, (end_s, 0))


def pod(rng: Random, node: str, device: str, start_s: int, end_s: int, name: str = "") -> Holding:
    """A pod that has a device or an instance for itself."""
    key = rng.choice(KEYS)
    uid = random_uuid(rng)
    run = (key, name or f"{key}-{rng.getrandbits(32):08x}", uid)
    return Holding(run, key, node, device, start_s, end_s, on=(device,), work=changes_of(rng, start_s, end_s))


def job(
    rng: Random, node: str, devices: Sequence[str], number: int, start_s: int, end_s: int, key: str = ""
) -> Holding:
    """A run of a Slurm job on some of a node's GPUs; which ones the accounting does not say."""
    begun = datetime.fromtimestamp(start_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Holding(
        (str(number), begun),
        key or rng.choice(KEYS),
        node,
        "",
        start_s,
        end_s,
        units=len(devices),
        on=tuple(devices),
        work=changes_of(rng, start_s, end_s),
    )


def pod_holdings(rng: Random, node: str, device: str, need: Need) -> Iterator[Holding]:
    """Pods on one device, one after the other, some of them touching."""
    at_s = need.start_s - rng.randrange(1, 8 * _HOUR)
    while at_s < need.end_s:
        end_s = at_s + rng.randrange(600, rng.choice((2, 6, 20)) * _HOUR)
        yield pod(rng, node, device, at_s, end_s)
        at_s = end_s + rng.choice((0, rng.randrange(1, 5 * _HOUR)))


def instance_holdings(rng: Random, instance: Instance, need: Need) -> Iterator[Holding]:
    """Pods on one instance while it is there."""
    first = max(need.start_s - 2 * _HOUR, instance.start_s)
    last = need.end_s if instance.end_s is None else instance.end_s
    for one in pod_holdings(rng, instance.node, instance.uuid, Need(first, last)):
        start_s = max(one.start_s, instance.start_s)
        end_s = one.end_s if instance.end_s is None else min(one.end_s or last, last)
        if end_s is not None and start_s < end_s:
            work = tuple((max(at, start_s), level) for at, level in one.work if at < end_s)
            yield replace(one, start_s=start_s, end_s=end_s, work=(*work, (end_s, 0)))


def shared_holdings(
    rng: Random, node: str, device: str, need: Need, *, mps: bool, mean_s: int = 3 * _HOUR, most: int = 4
) -> Iterator[Holding]:
    """Pods that share a device: some turns on it, side by side."""
    for _ in range(most):
        at_s = need.start_s - rng.randrange(1, mean_s)
        while at_s < need.end_s:
            end_s = at_s + rng.randrange(90, 2 * mean_s)
            one = pod(rng, node, device, at_s, end_s)
            number = rng.randrange(10, 65, 5) if mps else 4
            yield replace(one, mode="mps" if mps else "time_slicing", number=number)
            at_s = end_s + rng.choice((0, rng.randrange(1, mean_s)))


def job_holdings(rng: Random, node: str, devices: Sequence[str], need: Need) -> Iterator[Holding]:
    """Jobs of some GPUs each, never more than the node has."""
    free_at = dict.fromkeys(devices, 0)
    at_s, number = need.start_s - 6 * _HOUR, rng.randrange(40_000, 41_000)
    while at_s < need.end_s:
        idle = [device for device, since in free_at.items() if since <= at_s]
        if idle:
            taken = idle[: rng.randrange(1, len(idle) + 1)]
            end_s = at_s + rng.randrange(300, rng.choice((1, 8, 16)) * _HOUR)
            number += 1
            yield job(rng, node, taken, number, at_s, end_s)
            free_at.update(dict.fromkeys(taken, end_s))
        at_s += rng.randrange(1, 4 * _HOUR) if len(idle) > 1 else rng.randrange(1, _HOUR)
