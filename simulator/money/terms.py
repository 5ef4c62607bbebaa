"""The terms of a year of money, as the people who agreed on them write them."""

from __future__ import annotations

from collections.abc import Iterator

from simulator.exports import utc
from simulator.money.world import Asset, Fixed, MoneyWorld, Power

__all__ = ["terms_files"]


def terms_files(world: MoneyWorld) -> dict[str, str]:
    """Each file of the folder `terms` by name."""
    return {"teams.yaml": _teams(world), "lots.yaml": _lots(world), "bills.yaml": _BILLS}


_BILLS = """\
rules:
- match: {sub_account: shop}
  leave_out: the web shop's
- match: {service: "*Support*"}
  account: shared
"""


def _teams(world: MoneyWorld) -> str:
    teams = sorted({grant.team for grant in world.grants})
    lines = [
        "teams:",
        *(f"- {{team: {team}, cost_centre: CC-{n}}}" for n, team in enumerate(teams)),
        "rules:",
    ]
    for one in world.grants:
        until = "" if one.end_s is None else f", to: {utc(one.end_s)}"
        lines.append(
            f"- {{match: {{namespace: {one.owner_key}}}, team: {one.team}, from: {utc(one.start_s)}{until}}}"
        )
    return "\n".join([*lines, ""])


def _lots(world: MoneyWorld) -> str:
    money = world.money
    lines = ["lots:", *(_entry(_fixed(one)) for one in money.fixed)]
    lines += ["assets:", *(_entry(_asset(one)) for one in money.assets)]
    lines += ["energy:", *(_entry(_power(one)) for one in money.power)]
    return "\n".join([*lines, ""])


def _entry(pairs: Iterator[tuple[str, str]]) -> str:
    return f"- {{{', '.join(f'{key}: {value}' for key, value in pairs)}}}"


def _fixed(one: Fixed) -> Iterator[tuple[str, str]]:
    yield from (("lot", one.name), ("kind", one.kind), ("amount", one.amount), ("currency", one.currency))
    yield "from", one.start
    if one.end:
        yield "to", one.end
    if one.kind == "fee":
        yield "every", "month"
    if one.pays_for:
        yield "pays_for", f'{{node: "{one.pays_for}"}}'
    if one.follows:
        yield "follows", f"[{', '.join(one.follows)}]"
    if one.account:
        yield "account", one.account
    if one.absent != "overhead":
        yield "absent", one.absent
    if one.recoverable:
        yield "recoverable", "true"
    if one.invoiced:
        yield "invoiced", one.invoiced


def _asset(one: Asset) -> Iterator[tuple[str, str]]:
    yield from (
        ("asset", one.name),
        ("cost", one.cost),
        ("residual", one.residual),
        ("currency", one.currency),
    )
    yield from (("life_months", str(one.months)), ("in_service", one.in_service))
    yield from (("convention", one.convention), ("pays_for", f'{{node: "{one.pays_for}"}}'))


def _power(one: Power) -> Iterator[tuple[str, str]]:
    yield from (("energy", one.name), ("it_kw", one.kw), ("pue", one.pue), ("currency", one.currency))
    yield "tariff", f"[{one.tariff}, {{from: {one.changes}, value: {one.later}}}]"
    yield from (("from", one.start), ("pays_for", f'{{node: "{one.pays_for}"}}'))
