"""JSON from a stranger: what is mended, what is refused, and that the refusal names the place."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.kit import body as reading
from app.kit.body import MAX_CONTAINERS, MAX_NAMES, parse, parse_paced
from app.kit.pace import LoopPace, finish
from trueward.errors import InvalidRequest, TooLarge


def test_lone_surrogates_and_nul_become_replacement_characters_one_for_one() -> None:
    assert parse(b'{"a": ["x\\ud800y\\u0000z", {"\\udfff": 1}]}') == {"a": ["x\ufffdy\ufffdz", {"\ufffd": 1}]}


def test_surrogate_pairs_stay_what_they_are() -> None:
    assert parse(b'"\\ud83d\\ude00"') == "\U0001f600"


@pytest.mark.parametrize("word", ["NaN", "nan", "Infinity", "-Infinity", "None", "undefined"])
@pytest.mark.parametrize(
    "shape", ['{"a": %s}', "[1, %s, 2]", '{"a": "\\u00e4",\n\n  "b": [%s]}', '{"NaN": 1, "b": %s}']
)
def test_a_word_that_json_has_not_is_told(shape: str, word: str) -> None:
    with pytest.raises(InvalidRequest, match=f"{word} is not JSON; no value is null"):
        parse((shape % word).encode())


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b'{"a": NaN}', b'{"a": Infinity}', b'{"a": -Infinity, "b": "\\ud800"}', b'"\xff\xfe"', b'{"a": 1,}'],
)
def test_broken_json_is_refused(body: bytes) -> None:
    with pytest.raises(InvalidRequest) as refusal:
        parse(body)
    assert refusal.value.errors[0].field == "body"


@pytest.mark.parametrize("number", [b"1e999", b"1E+0999", b"12.5e400", b"9" * 400 + b".5", b"1" * 310 + b"e1"])
def test_numbers_beyond_a_double_are_refused_by_place(number: bytes) -> None:
    with pytest.raises(InvalidRequest) as refusal:
        parse(b'{"samples": [{"reference": 1}, {"reference": %b}]}' % number)
    assert refusal.value.errors[0].field == "body.samples.1.reference"


@pytest.mark.parametrize("depth", [250, 900, 100_000])
@pytest.mark.parametrize("leaf", [b"", b'"\\ud800"'])
def test_deep_nesting_is_refused(depth: int, leaf: bytes) -> None:
    with pytest.raises(InvalidRequest):
        parse(b"[" * depth + leaf + b"]" * depth)


def test_integers_of_many_digits_are_refused_not_a_crash() -> None:
    with pytest.raises(InvalidRequest):
        parse(b'{"a": ' + b"9" * 5000 + b"}")


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda children: st.lists(children) | st.dictionaries(st.text(), children),
    max_leaves=10,
)


@given(json_values)
def test_what_is_storable_passes_unchanged(value: object) -> None:
    clean = json.loads(json.dumps(value).replace("\\u0000", "\\ufffd"))
    assert parse(json.dumps(clean).encode()) == clean


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    with suppress(InvalidRequest):
        parse(body)


def test_more_containers_than_memory_is_for_are_refused_before_they_are_made() -> None:
    with pytest.raises(TooLarge, match="objects and arrays"):
        parse(b'{"a": [' + b"{}," * MAX_CONTAINERS + b"{}]}")


def test_brackets_in_texts_are_no_containers() -> None:
    text = '{["\\' * (MAX_CONTAINERS // 2 + 1)
    assert parse(json.dumps({"a": text}).encode()) == {"a": text}


def test_an_outermost_object_of_many_names_is_refused() -> None:
    with pytest.raises(TooLarge, match="names"):
        parse(json.dumps(dict.fromkeys(map(str, range(MAX_NAMES + 1)))).encode())


def test_a_long_name_costs_its_own_length_and_no_more_in_the_refusal_of_what_it_holds() -> None:
    """To write out the way to each of the items would copy the name a hundred thousand times."""
    name = "n" * 1_000_000
    body = json.dumps({name: ["\x00"] * 100_000 + [[]]}).encode()
    assert parse(body) == {name: ["\ufffd"] * 100_000 + [[]]}
    with pytest.raises(InvalidRequest) as refusal:
        parse(body.replace(b"[]", b"1e999"))
    assert len(refusal.value.detail) < 1000


PARTS = [b"0", b"9" * 150, b"12", b"e", b"E+00", b"+", b"\\u0000", b"\\ud8", b"ff", b"\\", b"x" * 30]


@given(st.lists(st.sampled_from(PARTS), max_size=60).map(b"".join), st.integers(1, 700))
def test_what_is_suspicious_is_found_in_windows_as_in_the_whole(text: bytes, window: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "_WINDOW", window)
        assert finish(reading._look_for_suspicious(text)) == reading._suspicious(text)


async def test_one_long_text_is_read_in_pieces() -> None:
    rounds = 0

    async def others() -> None:
        nonlocal rounds
        while True:
            await asyncio.sleep(0)
            rounds += 1

    working = asyncio.create_task(others())
    text = "x" * 20 * reading.WHOLE
    value = await parse_paced(json.dumps({"samples": [{"response": text}]}).encode(), LoopPace(piece_s=0.0))
    working.cancel()
    assert value == {"samples": [{"response": text}]}
    assert rounds >= 95  # 80 in which its end is looked for, 20 in which what is suspicious is
