"""How simulated work gets its GPUs: whole ones, one holder at a time, never more than there are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from uuid import UUID

from simulator.facts import Gpu, Node, Workload

__all__ = ["Request", "Scheduler", "random_uuid", "schedule"]


@dataclass(frozen=True)
class Request:
    """Work that wants `gpus` GPUs on each of `nodes` nodes over [start_s, end_s).

    An empty `model` takes any.
    """

    start_s: int
    end_s: int
    owner_key: str
    name: str
    gpus: int
    nodes: int = 1
    model: str = ""


class Scheduler:
    """Slurm or Kubernetes, with the nodes that are its own."""

    def __init__(self, nodes: Sequence[Node], rng: Random) -> None:
        self._nodes = nodes
        self._rng = rng
        self._busy: dict[Gpu, list[tuple[int, int]]] = {gpu: [] for node in nodes for gpu in node.gpus}

    def place(self, request: Request) -> Workload | None:
        """Give the request its GPUs on the fullest nodes that have room; None when there is none."""
        free = [self._free(node, request) for node in self._nodes if request.model in ("", node.model)]
        roomy = sorted((gpus for gpus in free if len(gpus) >= request.gpus), key=len)[: request.nodes]
        if len(roomy) < request.nodes:
            return None
        given = tuple(gpu for gpus in roomy for gpu in gpus[: request.gpus])
        for gpu in given:
            self._busy[gpu].append((request.start_s, request.end_s))
        return Workload(
            start_s=request.start_s,
            end_s=request.end_s,
            scheduler=self._nodes[0].scheduler,
            owner_key=request.owner_key,
            name=request.name,
            uid=random_uuid(self._rng),
            gpus=given,
        )

    def _free(self, node: Node, request: Request) -> list[Gpu]:
        return [
            gpu
            for gpu in node.gpus
            if all(end <= request.start_s or start >= request.end_s for start, end in self._busy[gpu])
        ]


def schedule(nodes: Sequence[Node], requests: Iterable[Request], rng: Random) -> list[Workload]:
    """Place the requests in order; what finds no room never runs."""
    scheduler = Scheduler(nodes, rng)
    placed = [scheduler.place(request) for request in requests]
    return [workload for workload in placed if workload is not None]


def random_uuid(rng: Random) -> str:
    """A version 4 UUID made of the generator's bits."""
    return str(UUID(int=rng.getrandbits(128), version=4))
