"""What changes is said in words: a price, a rule, a policy, and the order of the rules as one change."""

from __future__ import annotations

from dataclasses import replace

from chargeback.terms.apply_print import change_lines
from chargeback.terms.diff import compare, counted
from chargeback.terms.in_force import TermsInForce
from gpuledger.versions import PolicyFact, PriceFact, RuleFact

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
