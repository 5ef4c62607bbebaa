"""One text for one value."""

from __future__ import annotations

import pytest

from gpuledger.canonical import canonical_json, text_digest


def test_order_of_keys_and_blanks_do_not_show() -> None:
    assert canonical_json({"b": 1, "a": [None, True, "é"]}) == '{"a":[null,true,"é"],"b":1}'
    assert canonical_json({"a": 1, "b": 2}) == canonical_json({"b": 2, "a": 1})


def test_great_numbers_stay_whole() -> None:
    assert canonical_json(10**30) == "1" + "0" * 30


@pytest.mark.parametrize("value", [0.5, [1, 0.5], {"a": {"b": [0.5]}}])
def test_fraction_of_a_machine_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="no canonical text"):
        canonical_json(value)


def test_digest_is_sha256_of_utf8() -> None:
    assert text_digest("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert text_digest("é") != text_digest("e")
