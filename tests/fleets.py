"""Random small fleets around the end of a month: what a lake and a price list could say of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from house import at
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

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

MODELS = ("A100", "H100")
RATES = ("0", "0.01", "1", "2.5", "2.744705", "3.3333333333", "98.32")
STATES = ("absent", "absent", "failed", "drained", "maintenance", "provisioning", "system", "available")
FRACTIONS = ((1, 2), (1, 4), (3, 4), (1, 3), (33, 100), (1, 1))
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
def fleets(draw: DrawFn, month_ends: Sequence[MonthEnd] = MONTH_ENDS) -> Fleet:
    """A fleet of a few clusters with its owners and prices; anything may begin, end and change anywhere."""
    month_end = draw(st.sampled_from(month_ends))
    times = draw(_instants(month_end.at_s))
    parts = [draw(_clusters(f"c{number}", times)) for number in range(draw(st.integers(1, 4)))]
    return Fleet(
        month_end,
        slots=tuple(fact for part in parts for fact in part.slots),
        devices=tuple(fact for part in parts for fact in part.devices),
        states=tuple(fact for part in parts for fact in part.states),
        holdings=tuple(fact for part in parts for fact in part.holdings),
        owners=tuple(fact for key in ("u1", "u2") for fact in draw(_owners(key, times))),
        prices=tuple(fact for claim in CLAIMS for fact in draw(_prices(claim, times))),
        throughs=tuple(through for part in parts for through in part.throughs),
    )


@st.composite
def _instants(draw: DrawFn, month_end_s: int) -> list[int]:
    """The instants at which things happen in a fleet: few, so that some things happen at the same time."""
    start_s, end_s = month_end_s - HOURS_S, month_end_s + HOURS_S
    chosen = draw(st.lists(st.integers(start_s, end_s), min_size=3, max_size=7))
    hour = month_end_s // 3600 * 3600
    return sorted({start_s - 500, start_s, hour, month_end_s, hour + 3600, end_s, end_s + 500, *chosen})


def _stretches(times: Sequence[int], most: int) -> SearchStrategy[list[tuple[int, int | None]]]:
    """Up to `most` stretches that touch; the last is open where it goes over the end of the window."""
    edges = st.lists(st.sampled_from(times), unique=True, min_size=2, max_size=most + 1)
    return edges.map(lambda found: [(low, _end(high, times)) for low, high in pairwise(sorted(found))])


def _end(end_s: int, times: Sequence[int]) -> int | None:
    return None if end_s == times[-1] else end_s


@dataclass(frozen=True)
class _Cluster:
    slots: list[Slot]
    devices: list[Device]
    states: list[SlotState]
    holdings: list[Holding]
    throughs: list[tuple[str, int]]


Place = tuple[str, int]


@st.composite
def _clusters(draw: DrawFn, name: str, times: Sequence[int]) -> _Cluster:
    places = [(f"n{node}", index) for node in range(2) for index in range(draw(st.integers(0, 3)))]
    held = range(draw(st.integers(0, 9)))
    through_s = draw(st.none() | st.sampled_from(times))
    return _Cluster(
        slots=[fact for place in places for fact in draw(_slots(name, place, times))],
        devices=draw(_devices(name, places, times)),
        states=[fact for place in places for fact in draw(_states(name, place, times))],
        holdings=[draw(_holdings(name, f"h{number}", places, times)) for number in held],
        throughs=[] if through_s is None else [(name, through_s)],
    )


@st.composite
def _slots(draw: DrawFn, cluster: str, place: Place, times: Sequence[int]) -> list[Slot]:
    """A slot for all of the window, or one that comes and goes, and goes on as something else."""
    stretches = draw(st.just([(times[0], None)]) | _stretches(times, 2))
    return [
        Slot(
            identity=f"{cluster}/{place[0]}/{place[1]}/{number}",
            cluster=cluster,
            start_s=start_s,
            end_s=end_s,
            node=place[0],
            index=place[1],
            model=draw(st.sampled_from(MODELS)),
            region=draw(st.sampled_from(("", "r1"))),
            sku=draw(st.sampled_from(("", "", "s1"))),
            purchase_option=draw(st.sampled_from(("", "", "spot"))),
        )
        for number, (start_s, end_s) in enumerate(stretches)
    ]


@st.composite
def _devices(draw: DrawFn, cluster: str, places: Sequence[Place], times: Sequence[int]) -> list[Device]:
    """A device in each slot; at one instant all boards of a cluster may move on to the next slot."""
    swap_s = draw(st.none() | st.sampled_from(times[1:-1]))
    found = []
    for number, place in enumerate(places):
        found.append(_device(cluster, number, place, times[0], swap_s))
        if swap_s is not None:
            found.append(_device(cluster, number, places[(number + 1) % len(places)], swap_s, None))
    return found


def _device(cluster: str, number: int, place: Place, start_s: int, end_s: int | None) -> Device:
    uuid, slot = f"GPU-{cluster}-{number}", f"{place[0]}/{place[1]}"
    return Device(f"{uuid}@{start_s}", cluster, start_s, end_s, place[0], slot, uuid)


@st.composite
def _states(draw: DrawFn, cluster: str, place: Place, times: Sequence[int]) -> list[SlotState]:
    slot = f"{place[0]}/{place[1]}"
    return [
        SlotState(
            identity=f"{cluster}/{slot}@{start_s}",
            cluster=cluster,
            start_s=start_s,
            end_s=end_s,
            node=place[0],
            slot=slot,
            state=draw(st.sampled_from(STATES)),
        )
        for start_s, end_s in draw(st.just([]) | _stretches(times, 2))
    ]


@st.composite
def _holdings(
    draw: DrawFn, cluster: str, identity: str, places: Sequence[Place], times: Sequence[int]
) -> Holding:
    run = draw(st.integers(0, len(RUNS) - 1))
    start_s, end_s = sorted(draw(st.tuples(st.sampled_from(times), st.sampled_from(times))))
    kinds = ("slot", "slot", "device", "node", "node", "assumed", "none") if places else ("assumed",)
    kind = draw(st.sampled_from(kinds))
    node, index = draw(st.sampled_from(places[:3])) if places else ("", 0)
    assumed = kind == "assumed"
    return Holding(
        identity=f"{cluster}/{identity}",
        cluster=cluster,
        start_s=start_s,
        end_s=_end(end_s, times),
        run=RUNS[run],
        owner_key=KEYS[run],
        node=None if assumed else node,
        slot=f"{node}/{index}" if kind == "slot" else None,
        device=f"GPU-{cluster}-{draw(st.integers(0, len(places)))}" if kind == "device" else None,
        units=draw(st.integers(1, 3)) if kind in ("node", "assumed") else int(kind != "none"),
        fraction=draw(st.none() | st.sampled_from(FRACTIONS)),
        node_group=draw(st.sampled_from(("", "g"))) if assumed else "",
        model=draw(st.sampled_from(MODELS)) if assumed else "",
        region=draw(st.sampled_from(("", "r1"))) if assumed else "",
    )


@st.composite
def _owners(draw: DrawFn, key: str, times: Sequence[int]) -> list[OwnerFact]:
    """An owner key's teams over time; without a team it is its own."""
    return [
        OwnerFact(f"{key}@{start_s}", start_s, end_s, key, *team)
        for start_s, end_s in draw(_stretches(times, 3))
        if (team := draw(st.sampled_from(TEAMS))) is not None
    ]


@st.composite
def _prices(draw: DrawFn, claim: tuple[str, str, str, str], times: Sequence[int]) -> list[PriceFact]:
    """A price for these: always the same, or one that changes and is missing at times."""
    return [
        PriceFact(f"{'/'.join(claim)}@{start_s}", start_s, end_s, *claim, rate, "USD", "list")
        for start_s, end_s in draw(st.just([(0, None)]) | _stretches(times, 3))
        if (rate := draw(st.none() | st.sampled_from(RATES))) is not None
    ]
