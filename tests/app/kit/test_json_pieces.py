"""Large bodies are read in pieces: what comes out is what reading them at once gives, and so is what is refused."""

from __future__ import annotations

import asyncio
import json
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from app.kit import body
from app.kit import json_pieces as pieces
from app.kit.body import MAX_CONTAINERS, parse, parse_paced
from app.kit.pace import LoopPace
from tests.app.kit.test_body import json_values
from trueward.errors import InvalidRequest, TooLarge

documents = st.dictionaries(st.text(), json_values | st.lists(json_values, max_size=6), max_size=4)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each body is a large one, each element a piece, each window ends somewhere within a text."""
    monkeypatch.setattr(body, "WHOLE", 0)
    monkeypatch.setattr(body, "_PIECE", 1)
    monkeypatch.setattr(body, "_WINDOW", 5)
    monkeypatch.setattr(pieces, "WINDOW", 7)


def in_pieces(text: bytes) -> JsonValue:
    return asyncio.run(parse_paced(text, LoopPace()))


@given(documents, st.sampled_from([None, 1]), st.booleans())
def test_what_is_read_in_pieces_is_what_is_read_at_once(value: JsonValue, indent: int | None, escaped: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=escaped).encode()
    assert in_pieces(text) == parse(text)


@given(documents, st.data())
def test_what_is_broken_is_refused_in_pieces_as_it_is_at_once(value: JsonValue, data: st.DataObject) -> None:
    text = json.dumps({**dict(value or {}), "last": [1, [2], {"a": "b"}]}).encode()  # type: ignore[arg-type]  # an object
    place = data.draw(st.integers(1, len(text) - 1))
    taken = data.draw(st.integers(0, 1))
    put = data.draw(st.sampled_from([b"", b",", b"[", b"]", b"{", b"}", b'"', b":", b" ", b"1", b"\\", b"\n"]))
    broken = text[:place] + put + text[place + taken :]
    try:
        expected = parse(broken)
    except InvalidRequest:
        with pytest.raises(InvalidRequest):
            in_pieces(broken)
        return
    assert in_pieces(broken) == expected


NO_OBJECTS = """{"a": [1,,2]} | {"a": [1,]} | {"a": [,1]} | {"a": [1} | {"a": [1] 2} | {"a": 1 [2]} | {,} | {"a":1}x
| [1] | {"a": " | {"a": "\\ | {"a": [1 | {"a" | { | {"a": {"b": [1, 2]]} | {"a": 1] | {"a": 1,} | {,"a": 1} | {"a" [1]}
| {"a": [[1}}"""


@pytest.mark.parametrize("text", [text.strip().encode() for text in NO_OBJECTS.split("|")])
def test_pieces_of_what_is_no_json_object_are_refused(text: bytes) -> None:
    with pytest.raises(InvalidRequest):
        in_pieces(text)


def test_what_is_mended_and_what_is_refused_by_place_is_so_in_pieces_as_well() -> None:
    assert in_pieces(b'{"a": ["x\\ud800y", "\\u0000", 1]}') == {"a": ["x\ufffdy", "\ufffd", 1]}
    with pytest.raises(InvalidRequest) as refusal:
        in_pieces(b'{"samples": [{"reference": 1}, {"reference": 1e999}]}')
    assert refusal.value.errors[0].field == "body.samples.1.reference"


def test_texts_full_of_brackets_are_no_containers_and_containers_are_counted() -> None:
    assert in_pieces(json.dumps({"a": "[{" * MAX_CONTAINERS}).encode())
    with pytest.raises(TooLarge):
        in_pieces(b'{"a": [' + b"[[]]," * (MAX_CONTAINERS // 2) + b"[]]}")


@pytest.mark.parametrize(
    "text",
    [
        b'{"a": "' + b"\\\\" * 2_000_000 + b'"}',
        b'{"a": "' + b'\\"' * 2_000_000 + b'"}',
        b'{"a": [' + b'"a",' * 1_000_000 + b'"a"]}',
        b'{"a": [' + b"[1]," * 900_000 + b"1]}",
        b'{"a": "' + b"[" * 4_000_000 + b'"}',
    ],
    ids=["backslashes", "quotes", "texts", "lists", "brackets"],
)
def test_a_body_is_cut_in_linear_time_and_whoever_else_has_something_to_do_is_let_in(
    text: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "WINDOW", 2**16)
    longest_s, began = 0.0, perf_counter()
    for _ in pieces.iter_members(text, MAX_CONTAINERS):
        longest_s, began = max(longest_s, perf_counter() - began), perf_counter()
    assert longest_s < 0.25  # on a machine of which nothing is known; a tenth of a second is three windows' worth of it
