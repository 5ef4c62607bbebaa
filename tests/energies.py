"""What devices used by the hour: of a test, of the rich day, of any fleet; known in part, or not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import Any

from fleets import Fleet
from house import House
from rich_day import DAY, HOUR

from chargeback.energy import energy_by, unplaced
from chargeback.ledger import Result
from chargeback.statement import By
from chargeback.usage import Usage, usage_of

__all__ = ["DAY", "HOUR", "TICKS", "Used", "gpu", "of_the_rich_day", "powered", "put", "used_in"]

TICKS = 720_720


def gpu(house: House, index: int = 0, hours: int = 1, **slot: Any) -> None:
    """A slot with its device `GPU-<index>`, for some hours of the day."""
    house.slot("n1", index, DAY, DAY + hours * HOUR, **slot)
    house.device("n1", index, f"GPU-{index}", DAY, None)
    house.through(DAY + 24 * HOUR)


def powered(house: House, result: Result, by: By = By.owner) -> Usage:
    """The usage of a run of the books, with energy."""
    return usage_of(result, by).powered(energy_by(house.desk, result, by), unplaced(result))


def of_the_rich_day(house: House) -> int:
    """Energies of the devices of a day in lanes, and their sum."""
    total = 0
    for index in range(3):
        for hour in range(8):
            begin = 60 if hour == 0 else 0
            joules = 1_234_567 + 7 * index + hour
            house.energy(
                f"GPU-m{index}", DAY + hour * HOUR + begin, DAY + (hour + 1) * HOUR, joules, 3000, node="m1"
            )
            total += joules
    return total


@dataclass(frozen=True)
class Used:
    """What a device of a fleet used in an hour over [start, end), of which some seconds are known."""

    uuid: str
    cluster: str
    node: str
    start_s: int
    end_s: int
    joules: int
    known_s: int

    def until(self, at_s: int) -> int:
        """What it had used up to an instant."""
        reached = min(max(at_s, self.start_s), self.end_s) - self.start_s
        return self.joules * reached // (self.end_s - self.start_s)


def used_in(fleet: Fleet, random: Random) -> list[Used]:
    """Random energies of each device in each hour of a fleet's window, in some hours of a part, or none."""
    nodes = {device.uuid: (device.cluster, device.node) for device in fleet.devices}
    found = []
    for uuid, (cluster, node) in sorted(nodes.items()):
        for hour in range(fleet.start_s // HOUR * HOUR, fleet.end_s, HOUR):
            low, high = sorted(random.sample(range(HOUR + 1), 2)) if random.random() < 0.5 else (0, HOUR)
            known = random.choice((high - low, random.randint(1, high - low)))
            joules = random.choice((0, 1, random.randrange(5_000_000), random.randrange(10**12)))
            if random.random() < 0.8:
                found.append(Used(uuid, cluster, node, hour + low, hour + high, joules, known))
    return found


def put(house: House, used: Iterable[Used]) -> None:
    for one in used:
        house.energy(one.uuid, one.start_s, one.end_s, one.joules, one.known_s, one.node)
        house.rows["energy"][-1]["cluster"] = one.cluster
