"""The words of Slurm and Kubernetes for a node's state: each has its meaning, also joined and with signs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from collectors.imports.node_words import FLAGS, WORDS, state_of
from collectors.imports.rows import BadRow
from collectors.imports.track_maps import STATES
from collectors.imports.words import words_of

PAGE = (Path(__file__).parents[3] / "docs" / "import.md").read_text(encoding="utf-8")

state = state_of(words_of({}))


@pytest.mark.parametrize(
    ("words", "ours"),
    [
        ("IDLE idle MIXED mix ALLOCATED alloc COMPLETING ALLOCATED+ PLANNED plnd RESERVED resv", "available"),
        ("mixed- idle@ idle! IDLE+CLOUD IDLE+DYNAMIC_NORM MIXED+PLANNED ALLOCATED+COMPLETING", "available"),
        ("DOWN down* IDLE* idle+not_responding FAIL FAILING failg INVAL IDLE+INVALID_REG", "failed"),
        ("DRAIN DRAINED DRAINING drng drained* IDLE+DRAIN MIXED+DRAIN DOWN*+DRAIN DOWN+DRAIN", "drained"),
        (
            "MAINT MAINTENANCE IDLE$ idle$ DOWN+MAINTENANCE IDLE+DRAIN+MAINTENANCE REBOOT^ boot^",
            "maintenance",
        ),
        ("IDLE+REBOOT_ISSUED REBOOT@ idle^", "maintenance"),
        ("POWERING_UP idle# alloc# POWERING_DOWN idle% IDLE+CLOUD+POWERING_UP pow_up", "provisioning"),
        ("POWERED_DOWN idle~ IDLE+CLOUD+POWERED_DOWN DOWN+POWERED_DOWN FUTURE drained~", "absent"),
        ("Ready ready", "available"),
        ("NotReady", "failed"),
        ("Ready,SchedulingDisabled NotReady,SchedulingDisabled SchedulingDisabled cordoned", "drained"),
    ],
)
def test_each_word_has_its_state(words: str, ours: str) -> None:
    assert {word: state(word) for word in words.split()} == dict.fromkeys(words.split(), ours)


def test_our_own_words_mean_themselves() -> None:
    assert [state(word) for word in STATES] == list(STATES)


@pytest.mark.parametrize(
    "word", ["UNKNOWN", "Unknown", "UNKNOWN+DRAIN", "NotReady?", "CLOUD", "down&out", " "]
)
def test_a_word_that_says_nothing_or_is_not_known_is_refused(word: str) -> None:
    with pytest.raises(BadRow) as caught:
        state(word)
    assert caught.value.reason == "state is not known"


def test_a_map_may_speak_of_the_whole_text_of_one_word_and_of_a_word_with_its_signs() -> None:
    own = state_of(words_of({"idle+drain": "failed", "powered_down": "available", "down\\*": "absent"}))
    assert own("IDLE+DRAIN") == "failed"
    assert own("IDLE+DRAIN+CLOUD") == "drained"
    assert own("IDLE+POWERED_DOWN") == "available"
    assert own("DOWN*") == "failed"
    starred = state_of(words_of({"down[*]": "absent", "odd": "system"}))
    assert (starred("DOWN*+DRAIN"), starred("DOWN"), starred("ODD*")) == ("absent", "failed", "failed")


def test_the_page_says_of_every_word_and_sign_what_the_table_does() -> None:
    table = PAGE.split("\n| word | state | why |\n", 1)[1].split("\n\n", 1)[0]
    rows = re.findall(r"^\| (`.*?) \| ([^|]+) \| ", table, re.MULTILINE)
    page = {word.lower(): state for words, state in rows for word in re.findall("`([^`]+)`", words)}
    assert page.keys() == WORDS.keys() | FLAGS.keys()
    others = {"cloud": "as the other words say", "dynamic_norm": "as the other words say"}
    others |= dict.fromkeys(STATES, "as they say")
    leaving = dict.fromkeys([sign for sign, state in FLAGS.items() if state is None], "available")
    assert page == WORDS | FLAGS | others | leaving
