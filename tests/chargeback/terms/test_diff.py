"""What changes is said in words: a price, a rule, a policy, and the order of the rules as one change."""

from __future__ import annotations

from dataclasses import replace

from lots_said import read

from chargeback.terms.apply_print import change_lines
from chargeback.terms.diff import compare, counted
from chargeback.terms.in_force import TermsInForce
from gpuledger.versions import BillRuleFact, PolicyFact, PriceFact, RuleFact

OCTOBER_S = 1_790_812_800
PRICE = PriceFact("p", OCTOBER_S, None, "model", "H100", "eu", "", "2", "USD", "list")
POLICY = PolicyFact("u", 0, None, "unmatched_owner", "unknown/1")


def rule(name: str, position: int, team: str = "vision", cost_centre: str | None = None) -> RuleFact:
    return RuleFact(name, 0, None, position, f'{{"namespace":["{name}"]}}', team, cost_centre)


def said(before: TermsInForce, after: TermsInForce) -> list[str]:
    return list(change_lines(compare(before, after)))


def test_new_changed_and_withdrawn_terms_are_a_line_each() -> None:
    before = TermsInForce(rules=(rule("a", 1), rule("b", 2)), policies=(POLICY,))
    after = TermsInForce(
        rules=(rule("a", 1, "speech", "CC-1"), rule("c", 2, cost_centre="CC-2")), prices=(PRICE,)
    )
    assert said(before, after) == [
        "+ price model H100, region eu: rate 2, currency USD, from 2026-10-01T00:00:00Z, source list",
        "~ rule namespace a: team vision → speech, cost centre none → CC-1",
        "- rule namespace b: team vision",
        "+ rule namespace c: team vision, cost centre CC-2",
        "- policy unmatched_owner: choice unknown/1",
    ]
    assert counted(compare(before, after)) == "2 new, 1 changed, 2 withdrawn"


def test_changed_price_says_which_one_it_is_and_both_values() -> None:
    ended = replace(PRICE, rate="2.5", end_s=OCTOBER_S + 86_400)
    (line,) = said(TermsInForce(prices=(PRICE,)), TermsInForce(prices=(ended,)))
    assert line.startswith("~ price model H100, region eu: from 2026-10-01T00:00:00Z, ")
    assert line.endswith("rate 2 → 2.5, to open → 2026-10-02T00:00:00Z")


def test_unit_rules_and_provider_of_a_price_are_said_where_they_are_not_the_usual_ones() -> None:
    node = replace(
        PRICE, unit="node_month", month_rule="730", provider="AWS", zone="eu-1a", status="provisional"
    )
    (line,) = said(TermsInForce(), TermsInForce(prices=(node,)))
    assert line.startswith("+ price model H100, region eu, zone eu-1a, provider AWS: rate 2, currency USD, ")
    assert "unit node_month, month rule 730, status provisional, from" in line
    counted_down = replace(PRICE, rules='{"rounding":"down"}', unit="node_hour")
    (line,) = said(TermsInForce(prices=(PRICE,)), TermsInForce(prices=(counted_down,)))
    assert line.endswith('unit gpu_hour → node_hour, rules by the second → {"rounding":"down"}')


def test_imported_price_that_the_files_have_is_taken_over() -> None:
    before = TermsInForce(prices=(PRICE,))
    same = replace(PRICE, origin="terms", source="prices")
    assert said(before, TermsInForce(prices=(same,))) == [
        "= price model H100, region eu: taken over from list, which was imported"
    ]
    (line,) = said(before, TermsInForce(prices=(replace(same, rate="3"),)))
    assert line.endswith("rate 2 → 3, source list → prices, taken over from an import")


def test_order_of_the_rules_is_one_change_that_names_what_moved() -> None:
    before = TermsInForce(rules=tuple(rule(name, place) for place, name in enumerate("abcd", 1)))
    after = TermsInForce(rules=tuple(rule(name, place) for place, name in enumerate("dabc", 1)))
    assert said(before, after) == ["~ the order of the rules changed: namespace d, place 4 → 1"]


def test_rules_that_only_make_room_for_a_new_one_did_not_move() -> None:
    before = TermsInForce(rules=(rule("a", 1), rule("b", 2)))
    after = TermsInForce(rules=(rule("n", 1), rule("a", 2), rule("b", 3)))
    assert said(before, after) == ["+ rule namespace n: team vision"]


def test_labels_and_several_patterns_are_said_in_words() -> None:
    matching = '{"labels":{"app":["web"]},"namespace":["ml-*","nlp"]}'
    made = RuleFact("r", 0, None, 1, matching, "vision", None)
    assert said(TermsInForce(), TermsInForce(rules=(made,))) == [
        "+ rule label app web, namespace ml-* or nlp: team vision"
    ]


def lots(**sections: str) -> TermsInForce:
    facts, faults = read(**sections)
    assert not faults
    return TermsInForce(lots=tuple(facts))


FEE = "lot: rack, kind: fee, every: month, currency: USD, from: 2026-10-01, account: shared"


def test_lots_are_said_with_what_they_cost_and_pay_for() -> None:
    credit = "lot: up, kind: true_up, amount: -1, currency: EUR, from: 2026-10-01, to: 2026-11-01"
    after = lots(
        lots=f"[{{{FEE}, amount: 1200, invoiced: in_arrears, contract: C-1}}, "
        f"{{{credit}, follows: [rack, 'bill:*']}}]",
        assets="[{asset: dgx, cost: 12, currency: USD, life_months: 12, in_service: 2026-10-01, pays_for: "
        "{node: [a, b-*], model: H100}, changes: [{from: 2027-01-01, remaining_months: 4}]}]",
        energy="[{energy: hall, currency: USD, from: 2026-10-01, it_kw: [6.5, {from: 2026-10-02, value: 7}], "
        "pue: 1.3, tariff: 0.12, account: shared}]",
    )
    since = "currency USD, from 2026-10-01T00:00:00Z"
    assert said(TermsInForce(), after) == [
        f"+ depreciation dgx: amount 12, {since}, pays for model H100, node a or b-*, covers true, "
        "class internal, in service 2026-10-01, life months 12, residual 0, convention actual_days, "
        "changes from 2027-01-01 4 months from then on, source lots",
        f"+ energy hall: {since}, account shared, class internal, it kw 6.5; 7 from 2026-10-02T00:00:00Z, "
        "pue 1.3, tariff 0.12, source lots",
        f"+ fee rack: amount 1200, {since}, account shared, class billed, rounding pool contract:C-1:USD, "
        "invoiced in_arrears, source lots",
        "+ true-up up: amount -1, currency EUR, from 2026-10-01T00:00:00Z, to 2026-11-01T00:00:00Z, "
        "follows lot:rack or bill:*, class estimate, source lots",
    ]


def test_changed_lot_says_what_changed_and_a_gone_one_that_it_is_gone() -> None:
    before = lots(lots=f"[{{{FEE}, amount: 1200}}]")
    after = lots(lots=f"[{{{FEE}, amount: 1300, to: 2027-01-01}}]")
    assert said(before, after) == [
        "~ fee rack: from 2026-10-01T00:00:00Z, amount 1200 → 1300, to open → 2027-01-01T00:00:00Z"
    ]
    (line,) = said(before, TermsInForce())
    assert line.startswith("- fee rack: amount 1200, currency USD")


def bill_rule(name: str, position: int, action: str) -> BillRuleFact:
    return BillRuleFact(name, 0, None, position, f'{{"category":["{name}"]}}', action)


def test_rules_of_bills_are_said_with_what_their_lines_are_for_and_their_order() -> None:
    tagged = BillRuleFact("t", 0, None, 1, '{"tags":{"pool":["a","b"]}}', '{"leave_out":"not ours"}')
    slots = '{"beside":true,"pays_for":{"model":["H100"],"node":["n1","n2-*"]}}'
    before = TermsInForce(bill_rules=(bill_rule("a", 1, '{"account":"shared"}'), bill_rule("b", 2, slots)))
    assert said(TermsInForce(bill_rules=(tagged,)), before) == [
        "+ rule of bills category a: account shared",
        "+ rule of bills category b: pays for model H100, node n1 or n2-*, beside true",
        "- rule of bills tag pool a or b: leave out not ours",
    ]
    after = TermsInForce(
        bill_rules=(bill_rule("b", 1, '{"follows":["bill:*"]}'), bill_rule("a", 2, '{"account":"shared"}')),
        rules=(rule("x", 1),),
    )
    assert said(before, after) == [
        "+ rule namespace x: team vision",
        "~ rule of bills category b: pays for model H100, node n1 or n2-* → none, beside true → none, "
        "follows none → bill:*",
        "~ the order of the rules of bills changed: category b, place 2 → 1",
    ]
