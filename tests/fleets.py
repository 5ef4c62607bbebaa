"""Random small fleets around the end of a month: what a lake and a price list could say of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from house import at
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from gpuledger.versions import OwnerFact, PriceFact

__all__ = [
    "MONTH_ENDS",
    "RATES",
    "STATES",
    "Device",
    "Fleet",
    "Holding",
    "MonthEnd",
    "Slot",
    "SlotState",
    "fleets",
]

HOURS_S = 3 * 3600 + 900
"""How far a fleet's window goes to each side of the month's end."""

NODES = ("n0", "n4")
"""The names of each cluster's nodes, in two shards where there are two."""
MODELS = ("A100", "H100")
RATES = ("0", "0.01", "1", "2.5", "2.744705", "3.3333333333", "98.32")
STATES = ("absent", "absent", "failed", "drained", "maintenance", "provisioning", "system", "available")
FRACTIONS = ((1, 2), (1, 4), (3, 4), (1, 3), (33, 100), (70, 100), (1, 1))
RUNS = ("r0", "r1", "r2", "r3", "r4")
KEYS = ("", "u1", "u2", "u3", "u1")
"""The owner key of each run: one run of nobody, two of the same owner."""
TEAMS = (None, ("t1", None), ("t1", "cc"), ("t2", "cc"))
CLAIMS = (
    ("model", "A100", "", ""),
    ("model", "H100", "", ""),
    ("model", "H100", "r1", ""),
    ("model", "*", "", "spot"),
    ("sku", "s1", "", ""),
)
"""What there may be prices for."""


@dataclass(frozen=True)
class MonthEnd:
    """Where two local months of a zone meet: `at_s` in UTC seconds."""

    zone: str
    before: str
    after: str
    at_s: int


MONTH_ENDS = (
    MonthEnd("UTC", "2026-10", "2026-11", at("2026-11-01T00:00+00:00")),
    MonthEnd("Asia/Kolkata", "2026-10", "2026-11", at("2026-11-01T00:00+05:30")),
    MonthEnd("Asia/Kathmandu", "2026-10", "2026-11", at("2026-11-01T00:00+05:45")),
    MonthEnd("Australia/Lord_Howe", "2026-06", "2026-07", at("2026-07-01T00:00+10:30")),
    MonthEnd("America/St_Johns", "2026-10", "2026-11", at("2026-11-01T00:00-02:30")),
)


@dataclass(frozen=True)
class Slot:
    """A slot is there, with these attributes."""

    identity: str
    cluster: str
    start_s: int
    end_s: int | None
    node: str
    index: int
    model: str
    region: str
    sku: str
    purchase_option: str

    @property
    def slot(self) -> str:
        return f"{self.node}/{self.index}"


@dataclass(frozen=True)
class Device:
    """A device is in a slot."""

    identity: str
    cluster: str
    start_s: int
    end_s: int | None
    node: str
    slot: str
    uuid: str


@dataclass(frozen=True)
class SlotState:
    """What a slot is good for."""

    identity: str
    cluster: str
    start_s: int
    end_s: int | None
    node: str
    slot: str
    state: str


@dataclass(frozen=True)
class Holding:
    """A run has a slot, a device, units of a node, or (without a node) units that are assumed."""

    identity: str
    cluster: str
    start_s: int
    end_s: int | None
    run: str
    owner_key: str
    node: str | None = None
    slot: str | None = None
    device: str | None = None
    units: int = 1
    fraction: tuple[int, int] | None = None
    node_group: str = ""
    model: str = ""
    region: str = ""


@dataclass(frozen=True)
class Fleet:
    """All that is known of some clusters over [start, end); `throughs` says up to when by cluster."""

    month_end: MonthEnd
    slots: tuple[Slot, ...] = ()
    devices: tuple[Device, ...] = ()
    states: tuple[SlotState, ...] = ()
    holdings: tuple[Holding, ...] = ()
    owners: tuple[OwnerFact, ...] = ()
    prices: tuple[PriceFact, ...] = ()
    throughs: tuple[tuple[str, int], ...] = ()

    @property
    def start_s(self) -> int:
        return self.month_end.at_s - HOURS_S

    @property
    def end_s(self) -> int:
        return self.month_end.at_s + HOURS_S

    @property
    def clusters(self) -> list[str]:
        return sorted({slot.cluster for slot in self.slots} | {holding.cluster for holding in self.holdings})


@st.composite
def fleets(draw: DrawFn, month_ends: Sequence[MonthEnd] = MONTH_ENDS, most: int = 6) -> Fleet:
    """A fleet of up to `most` clusters with its owners and prices; anything may begin, end and change."""
    month_end = draw(st.sampled_from(month_ends))
    times = _times(month_end.at_s, draw(_CHOSEN))
    parts = [_cluster(draw, f"c{number}", times) for number in range(draw(st.integers(1, most)))]
    return Fleet(
        month_end,
        slots=tuple(fact for part in parts for fact in part.slots),
        devices=tuple(fact for part in parts for fact in part.devices),
        states=tuple(fact for part in parts for fact in part.states),
        holdings=tuple(fact for part in parts for fact in part.holdings),
        owners=tuple(fact for key in ("u1", "u2") for fact in _owners(draw, key, times)),
        prices=tuple(fact for claim in CLAIMS for fact in _prices(draw, claim, times)),
        throughs=tuple(through for part in parts for through in part.throughs),
    )


# Strategies are made once: to make one costs more than to draw from it.
_CHOSEN = st.lists(st.integers(-HOURS_S, HOURS_S), min_size=3, max_size=7)
_SLOTS = st.integers(0, 3)
_HELD = st.integers(0, 12)
_INSTANT = st.integers(0, 11)
_MAYBE_INSTANT = st.none() | _INSTANT
_EDGES = st.lists(_INSTANT, unique=True, min_size=2, max_size=4)
_MAYBE_EDGES = st.none() | st.lists(_INSTANT, unique=True, min_size=2, max_size=3)
_ALWAYS_OR_EDGES = st.none() | _EDGES
_KIND_OF_SLOT = st.sampled_from(
    list(product(MODELS, ("", "r1"), ("", "", "s1"), ("", "", "spot"))),
)
_STATE = st.sampled_from(STATES)
_KIND = st.sampled_from(("slot", "share", "share", "device", "node", "node", "assumed", "none"))
_RUN = st.integers(0, len(RUNS) - 1)
_PLACE = st.sampled_from((0, 0, 1, 2))
_DEVICE = st.integers(0, 6)
_UNITS = st.integers(1, 3)
_SHARE = st.sampled_from(FRACTIONS)
_FRACTION = st.none() | _SHARE
_ASSUMED = st.sampled_from(list(product(("", "g"), MODELS, ("", "r1"))))
_TEAM = st.sampled_from(TEAMS)
_RATE = st.none() | st.sampled_from(RATES)

Times = list[int]
Place = tuple[str, int]
Interval = tuple[int, int | None]


def _times(month_end_s: int, chosen: Sequence[int]) -> Times:
    """The instants at which things happen in a fleet: few, so that some things happen at the same time."""
    start_s, end_s, hour_s = month_end_s - HOURS_S, month_end_s + HOURS_S, month_end_s // 3600 * 3600
    known = {start_s - 500, start_s, hour_s, month_end_s, hour_s + 3600, end_s, end_s + 500}
    return sorted(known | {month_end_s + at for at in chosen})


def _at(instant: int, times: Times) -> int:
    return times[instant * (len(times) - 1) // 11]


def _end(end_s: int, times: Times) -> int | None:
    """An end; what goes over the end of the window is open."""
    return None if end_s == times[-1] else end_s


def _stretches(edges: Sequence[int], times: Times) -> list[Interval]:
    """Stretches that touch."""
    cuts = sorted({_at(edge, times) for edge in edges})
    return [(low, _end(high, times)) for low, high in pairwise(cuts)]


@dataclass(frozen=True)
class _Cluster:
    slots: list[Slot]
    devices: list[Device]
    states: list[SlotState]
    holdings: list[Holding]
    throughs: list[tuple[str, int]]


def _cluster(draw: DrawFn, name: str, times: Times) -> _Cluster:
    places = [(node, index) for node in NODES for index in range(draw(_SLOTS))]
    through = draw(_MAYBE_INSTANT)
    return _Cluster(
        slots=[fact for place in places for fact in _slots(draw, name, place, times)],
        devices=_devices(name, places, draw(_MAYBE_INSTANT), times),
        states=[fact for place in places for fact in _states(draw, name, place, times)],
        holdings=[_holding(draw, name, f"h{number}", places, times) for number in range(draw(_HELD))],
        throughs=[] if through is None else [(name, _at(through, times))],
    )


def _slots(draw: DrawFn, cluster: str, place: Place, times: Times) -> list[Slot]:
    """A slot for all of the window, or one that comes and goes, and goes on as something else."""
    edges = draw(_MAYBE_EDGES)
    stretches: list[Interval] = [(times[0], None)] if edges is None else _stretches(edges, times)
    return [
        Slot(f"{cluster}/{place[0]}/{place[1]}/{number}", cluster, *stretch, *place, *draw(_KIND_OF_SLOT))
        for number, stretch in enumerate(stretches)
    ]


def _devices(cluster: str, places: Sequence[Place], swap: int | None, times: Times) -> list[Device]:
    """A device in each slot; at one instant all boards of a cluster may move on to the next slot."""
    swap_s = None if swap is None else min(max(_at(swap, times), times[1]), times[-2])
    found = []
    for number, place in enumerate(places):
        found.append(_device(cluster, number, place, times[0], swap_s))
        if swap_s is not None:
            found.append(_device(cluster, number, places[(number + 1) % len(places)], swap_s, None))
    return found


def _device(cluster: str, number: int, place: Place, start_s: int, end_s: int | None) -> Device:
    uuid, slot = f"GPU-{cluster}-{number}", f"{place[0]}/{place[1]}"
    return Device(f"{uuid}@{start_s}", cluster, start_s, end_s, place[0], slot, uuid)


def _states(draw: DrawFn, cluster: str, place: Place, times: Times) -> list[SlotState]:
    edges, slot = draw(_MAYBE_EDGES), f"{place[0]}/{place[1]}"
    return [
        SlotState(f"{cluster}/{slot}@{start_s}", cluster, start_s, end_s, place[0], slot, draw(_STATE))
        for start_s, end_s in _stretches(edges or [], times)
    ]


def _holding(draw: DrawFn, cluster: str, name: str, places: Sequence[Place], times: Times) -> Holding:
    run = draw(_RUN)
    start_s, end_s = sorted((_at(draw(_INSTANT), times), _at(draw(_INSTANT), times)))
    common = (f"{cluster}/{name}", cluster, start_s, _end(end_s, times), RUNS[run], KEYS[run])
    kind = draw(_KIND) if places else "assumed"
    fraction = draw(_SHARE if kind == "share" else _FRACTION)
    if kind == "assumed":
        group, model, region = draw(_ASSUMED)
        units = draw(_UNITS)
        return Holding(*common, None, None, None, units, fraction, group, model, region)
    node, index = places[draw(_PLACE) % len(places)]
    if kind in ("slot", "share"):
        return Holding(*common, node, f"{node}/{index}", None, 1, fraction)
    if kind == "device":
        return Holding(*common, node, None, f"GPU-{cluster}-{draw(_DEVICE)}", 1, fraction)
    return Holding(*common, node, None, None, draw(_UNITS) if kind == "node" else 0, fraction)


def _owners(draw: DrawFn, key: str, times: Times) -> list[OwnerFact]:
    """An owner key's teams over time; without a team it is its own."""
    return [
        OwnerFact(f"{key}@{start_s}", start_s, end_s, key, *team)
        for start_s, end_s in _stretches(draw(_EDGES), times)
        if (team := draw(_TEAM)) is not None
    ]


def _prices(draw: DrawFn, claim: tuple[str, str, str, str], times: Times) -> list[PriceFact]:
    """A price for these: always the same, or one that changes and is missing at times."""
    edges = draw(_ALWAYS_OR_EDGES)
    stretches: list[Interval] = [(0, None)] if edges is None else _stretches(edges, times)
    return [
        PriceFact(f"{'/'.join(claim)}@{start_s}", start_s, end_s, *claim, rate, "USD", "list")
        for start_s, end_s in stretches
        if (rate := draw(_RATE)) is not None
    ]
