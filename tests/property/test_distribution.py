"""What must hold of distribution, whoever was charged what, by every policy."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from chargeback.distribute import Move, moves_of
from chargeback.distribution import Distribution
from chargeback.money_parts import TICKS
from chargeback.policies import CHOICES, DISTRIBUTABLE
from chargeback.units import OwnerPiece
from gpuledger.versions import EntitlementFact

PIECES = (0, 3600)
TEAMS = ("t1", "t2", "__unknown_owner__")
WAYS = CHOICES["distribution_fallback"]


def piece(owner: str, account: str, amount: int, ticks: int, **place: object) -> OwnerPiece:
    team = {"k1": "t1", "k2": "t1", "k3": "t2"}.get(owner, owner)
    row = OwnerPiece(
        shard=0,
        piece_s=0,
        from_s=0,
        to_s=1800,
        utc_day="1970-01-01",
        day="1970-01-01",
        lot="",
        model="H100",
        region="",
        cluster="c",
        account=account,
        state="",
        owner=owner,
        team=team,
        cost_centre="cc" if owner == "k2" else "",
        amount=amount,
        ticks=ticks,
    )
    return replace(row, **place)  # type: ignore[arg-type]


AMOUNTS = st.integers(0, 10**12)
PLACES = st.fixed_dictionaries(
    {
        "shard": st.integers(0, 1),
        "piece_s": st.sampled_from(PIECES),
        "model": st.sampled_from(("A100", "H100")),
        "cluster": st.sampled_from(("c", "d")),
    }
)
HELD = st.builds(
    lambda owner, account, amount, ticks, place: piece(owner, account, amount, ticks, **place),
    st.sampled_from(("k1", "k2", "k3", "__unknown_owner__", "__conflict__")),
    st.just(""),
    AMOUNTS,
    st.integers(0, 8 * 3600 * TICKS),
    PLACES,
)
FREE = st.builds(
    lambda account, state, amount, place: piece("__account__", account, amount, 0, state=state, **place),
    st.sampled_from((*DISTRIBUTABLE, "idle_held")),
    st.sampled_from(("", "failed")),
    AMOUNTS | AMOUNTS.map(lambda amount: -amount),
    PLACES,
)
ROWS = st.lists(HELD | FREE, max_size=25)
FACTS = st.lists(
    st.builds(
        lambda kind, team, units, start, length: EntitlementFact(
            f"{kind}{team}{start}", start, start + length, kind, team, "H100", "", units, ""
        ),
        st.sampled_from(("entitled", "lent", "pool")),
        st.sampled_from(TEAMS[:2]),
        st.integers(0, 9),
        st.integers(0, 5400),
        st.integers(1, 5400),
    ),
    max_size=5,
)
AGREED = st.builds(
    lambda choices, fallback, facts: Distribution(tuple(choices.items()), fallback, tuple(facts), ()),
    st.dictionaries(st.sampled_from(DISTRIBUTABLE), st.sampled_from(WAYS[1:]), min_size=1),
    st.sampled_from(WAYS),
    FACTS,
)


@given(ROWS, AGREED)
def test_a_bucket_leaves_whole_or_stays(rows: list[OwnerPiece], agreed: Distribution) -> None:
    taken: Counter[OwnerPiece] = Counter()
    times = Counter(rows)
    for move in moves_of(rows, agreed):
        taken[move.bucket] += move.amount
        assert move.bucket.account in dict(agreed.choices) and move.bucket.owner == "__account__"
        assert move.team in (*TEAMS, "k1", "k2", "k3") and move.amount
    assert all(amount == bucket.amount * times[bucket] for bucket, amount in taken.items())


@given(ROWS, AGREED, st.randoms())
def test_order_of_rows_says_nothing(rows: list[OwnerPiece], agreed: Distribution, random: object) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert by_all(moves_of(rows, agreed)) == by_all(moves_of(shuffled, agreed))


@given(ROWS, AGREED)
def test_owner_without_use_changes_nothing(rows: list[OwnerPiece], agreed: Distribution) -> None:
    for key in ("k1", "k9"):
        more = [*rows, piece(key, "", 0, 0)]
        assert by_all(moves_of(rows, agreed)) == by_all(moves_of(more, agreed))


@given(ROWS)
def test_in_proportion_each_is_within_a_quantum_per_split_of_its_exact_part(rows: list[OwnerPiece]) -> None:
    agreed = Distribution(tuple((name, "proportional/1") for name in DISTRIBUTABLE), WAYS[0], (), ())
    charged: Counter[tuple[object, ...]] = Counter()
    whole: Counter[tuple[object, ...]] = Counter()
    for row in rows:
        if row.owner in ("k1", "k2", "k3", "__unknown_owner__"):
            charged[(*window(row), row.owner)] += row.amount
            whole[window(row)] += row.amount
    for move in moves_of(rows, agreed):
        mine = Fraction(charged[(*window(move.bucket), move.owner)], whole[window(move.bucket)])
        assert abs(move.amount - move.bucket.amount * mine) <= 2


def window(row: OwnerPiece) -> tuple[object, ...]:
    return row.piece_s, row.model, row.region


def by_all(moves: list[Move]) -> Counter[Move]:
    return Counter(moves)
