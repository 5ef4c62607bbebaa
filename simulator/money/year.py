"""A year of a small fleet that is paid for in every way: the same seed makes the same world everywhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

from simulator.money.billed import bills_of
from simulator.money.world import Asset, Fixed, Grant, Hold, Metered, Money, MoneyWorld, Power, Run
from simulator.schedulers import random_uuid

__all__ = ["CONVENTIONS", "ZONES", "make_year"]

ZONES = ("Europe/Berlin", "UTC", "Asia/Kolkata")
CONVENTIONS = ("actual_days", "30_360", "half_month", "full_month", "whole_life_days")
_HOUR, _DAY, _YEAR = 3600, 86_400, 2026
_KEYS = ("batch", "serve", "train")


def make_year(seed: int) -> MoneyWorld:
    """The world of a seed; the zone, the bill's currency and the convention go round with it."""
    zone = ZONES[(seed - 1) % len(ZONES)]
    start_s, end_s = _at(zone, f"{_YEAR}-01-01"), _at(zone, f"{_YEAR + 1}-01-01")
    runs = tuple(sorted(_runs(Random(f"{seed}/runs"), zone, start_s, end_s)))
    metered = tuple(_metered(Random(f"{seed}/prices"), seed, start_s, end_s))
    bills = tuple(
        bills_of(Random(f"{seed}/bills"), runs, [one for one in metered if one.option == "on_demand"])
    )
    return MoneyWorld(
        seed=seed,
        zone=zone,
        months=tuple(f"{_YEAR}-{month:02d}" for month in range(1, 13)),
        start_s=start_s,
        end_s=end_s,
        runs=runs,
        holds=tuple(_holds(Random(f"{seed}/holds"), runs, end_s)),
        grants=tuple(_grants(zone, start_s)),
        money=Money(
            metered=metered,
            fixed=tuple(_fixed()),
            assets=(_asset(Random(f"{seed}/asset"), seed),),
            power=(
                Power("hall", "5.75", "1.31", "0.118", "0.1345", f"{_YEAR}-07-09", "EUR", _OWNED, "own-*"),
            ),
            bills=bills,
            fx=_rates(Random(f"{seed}/fx")),
        ),
    )


_OWNED = f"{_YEAR}-01-09"
_RESERVED = f"{_YEAR}-01-20"


def _at(zone: str, day: str) -> int:
    return int(datetime.fromisoformat(day).replace(tzinfo=ZoneInfo(zone)).timestamp())


def _runs(rng: Random, zone: str, start_s: int, end_s: int) -> Iterator[Run]:
    for number in (1, 2):
        yield Run(f"own-{number}", _at(zone, _OWNED), None, "owned", "H100", "hall", "dgx-h100")
    away_s = _at(zone, f"{_YEAR}-05-11") + rng.randrange(_DAY)
    back_s = away_s + 2 * _DAY + rng.randrange(_DAY)
    for first, last in ((_at(zone, _RESERVED), away_s), (back_s, None)):
        yield Run(
            "res-1",
            first,
            last,
            "reserved",
            "H100",
            "hall",
            "colo-h100",
            reservation="blk-1",
            ended_by="failure" if last else "",
        )
    for number, first, last in (
        (1, start_s + 20 * _DAY + rng.randrange(_DAY), None),
        (2, start_s + 40 * _DAY + rng.randrange(_DAY), start_s + 285 * _DAY + rng.randrange(_DAY)),
    ):
        yield Run(
            f"od-{number}",
            first,
            last,
            "on_demand",
            "A100",
            "north",
            "nb.2xa100",
            "north-a",
            f"i-{number:04x}",
            ended_by="user" if last else "",
        )
    for number in (1, 2):
        first = _at(zone, f"{_YEAR}-03-01") if number == 1 else start_s + 100 * _DAY + rng.randrange(_DAY)
        yield Run(
            f"neo-{number}", first, None, "neocloud", "H200", "west", "n2-h200", instance=f"neo-{number:04x}"
        )
    yield from _spot(rng, start_s + 10 * _DAY, end_s)


def _spot(rng: Random, at_s: int, end_s: int) -> Iterator[Run]:
    """Runs one after the other; some the provider ends, of these some inside the first hour."""
    number = 0
    while (first := at_s + rng.randrange(_HOUR, 9 * _DAY)) < end_s - 5 * _DAY:
        short = rng.random() < 0.25
        last = first + (rng.randrange(300, 2 * _HOUR) if short else rng.randrange(_DAY, 25 * _DAY))
        number += 1
        until = last if last < end_s else None
        by = ("provider" if short or rng.random() < 0.5 else "user") if until else ""
        yield Run(
            "spot-1",
            first,
            until,
            "spot",
            "A100",
            "north",
            "nb.2xa100",
            "north-b",
            f"s-{number:04x}",
            ended_by=by,
        )
        at_s = last


def _holds(rng: Random, runs: Sequence[Run], end_s: int) -> Iterator[Hold]:
    """Pods of a day to three weeks on each GPU, with gaps; a run that ends, ends its pods."""
    for run in runs:
        for place in range(2):
            at_s = run.start_s + rng.randrange(3 * _DAY)
            while at_s < (run.end_s or end_s):
                last = at_s + rng.randrange(_DAY // 2, 21 * _DAY)
                until = min(last, run.end_s) if run.end_s else (last if last < end_s else None)
                key = rng.choice(_KEYS)
                yield Hold(
                    run.node, place, at_s, until, key, f"{key}-{rng.getrandbits(32):08x}", random_uuid(rng)
                )
                at_s = last + rng.choice((0, rng.randrange(1, 6 * _DAY)))


def _grants(zone: str, start_s: int) -> Iterator[Grant]:
    since_s, moved_s = start_s - 30 * _DAY, _at(zone, f"{_YEAR}-06-16")
    yield Grant("batch", "platform", since_s, moved_s)
    yield Grant("batch", "research", moved_s, None)
    yield Grant("serve", "product", since_s, None)
    yield Grant("train", "research", since_s, None)


def _metered(rng: Random, seed: int, start_s: int, end_s: int) -> Iterator[Metered]:
    first, code = (start_s - 30 * _DAY) // _HOUR * _HOUR, ("USD", "EUR")[seed % 2]
    change_s = first + 190 * _DAY + 7 * _HOUR
    yield Metered("nb.2xa100", "on_demand", "6.5536", code, first, change_s)
    yield Metered("nb.2xa100", "on_demand", "6.1", code, change_s, None)
    yield Metered("n2-h200", "", "4811.37", "EUR", first, None, month_rule=("actual", "730")[seed // 2 % 2])
    at_s = start_s
    while at_s < end_s:
        until_s = at_s + rng.randrange(6 * _HOUR, 8 * _DAY)
        rate = f"{rng.randrange(15_000, 40_000)}"
        yield Metered(
            "nb.2xa100",
            "spot",
            f"{rate[0]}.{rate[1:]}",
            "USD",
            at_s,
            until_s if until_s < end_s else None,
            zone="north-b",
            counted=True,
        )
        at_s = until_s


def _asset(rng: Random, seed: int) -> Asset:
    cost = rng.randrange(240_000, 420_000)
    convention = CONVENTIONS[(seed - 1) % len(CONVENTIONS)]
    code = ("USD", "EUR")[seed // 3 % 2]
    return Asset("dgx", f"{cost}.50", "20000", code, 48, _OWNED, convention, "own-*")


def _fixed() -> Iterator[Fixed]:
    year, after = _YEAR, f"{_YEAR + 1}-01-20"
    yield Fixed(
        "block",
        "purchase",
        "9876543",
        "JPY",
        _RESERVED,
        after,
        "res-*",
        invoiced=f"{year}-01-05",
        absent="unusable",
    )
    yield Fixed("rack", "fee", "2150.00", "USD", _OWNED, None, "own-*", invoiced="in_advance")
    yield Fixed("colo", "fee", "640.00", "EUR", _RESERVED, None, "res-*", invoiced="in_arrears")
    yield Fixed("staff", "fee", "5200.10", "USD", _OWNED, None, "own-*")
    yield Fixed(
        "support", "fee", "1460.00", "EUR", f"{year}-02-01", None, account="shared", invoiced="in_arrears"
    )
    yield Fixed(
        "goodwill",
        "credit",
        "-731.03",
        "USD",
        f"{year}-04-10",
        f"{year}-06-20",
        follows=("rack", "staff"),
        invoiced=f"{year}-04-08",
    )
    yield Fixed(
        "vat",
        "tax",
        "512.25",
        "EUR",
        f"{year}-03-01",
        f"{year}-04-01",
        invoiced=f"{year}-03-12",
        recoverable=True,
    )
    yield Fixed(
        "levy",
        "tax",
        "888.88",
        "USD",
        f"{year}-02-10",
        f"{year}-11-10",
        follows=("block", "support"),
        invoiced=f"{year}-08-03",
    )


def _rates(rng: Random) -> dict[tuple[str, str], dict[str, str]]:
    """Rates of each working day: dollars and yen for a euro."""
    euro: dict[str, str] = {}
    yen: dict[str, str] = {}
    usd, jpy, day = 11_000, 16_200, date(_YEAR - 1, 12, 15)
    while day < date(_YEAR + 1, 1, 20):
        usd, jpy = usd + rng.randrange(-60, 61), jpy + rng.randrange(-90, 91)
        if day.weekday() < 5:
            euro[day.isoformat()] = f"{usd // 10_000}.{usd % 10_000:04d}"
            yen[day.isoformat()] = f"{jpy // 100}.{jpy % 100:02d}"
        day += timedelta(days=1)
    return {("EUR", "USD"): euro, ("EUR", "JPY"): yen}
