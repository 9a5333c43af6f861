"""The calls of models: what is sent, and how much of a file is held in memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeVar

import pytest
from pydantic import ValidationError

from trueward.client import model_calls
from trueward.client.call import Call
from trueward.client.model_calls import BLOCK_BYTES
from trueward.errors import InvalidRequest
from trueward.wire.model import AskRequest, ClassifyQuestion, ModelEntry

T = TypeVar("T")
VIEW = {"id": "rm", "created": 1, "kind": "reward", "state": "ready", "digest": "sha256:0", "later": True}


def sent(call: Call[T]) -> object:
    return json.loads(b"".join(call.body(None)))


def test_an_entry_is_sent_with_its_defaults_and_the_answer_may_have_more() -> None:
    entry = ModelEntry(name="rm", kind="reward", path="/m")
    call = model_calls.add(entry)
    assert (call.method, call.path, sent(call)) == ("POST", "/v1/models", entry.model_dump(mode="json"))
    answer = call.read(json.dumps({**VIEW, "entry": entry.model_dump(mode="json")}).encode())
    assert (answer.id, answer.entry) == ("rm", entry)
    assert model_calls.listing().read(json.dumps({"object": "list", "data": []}).encode()) == []


def test_names_are_one_segment_of_the_path() -> None:
    assert model_calls.show("a/../b").path == "/v1/models/a%2F..%2Fb"


def test_a_push_is_sent_under_one_key_for_all_tries() -> None:
    call = model_calls.push("rm", "/w", 3, adapter=True)
    assert (call.path, sent(call)) == ("/v1/models/rm/weights", {"path": "/w", "version": 3, "adapter": True})
    assert call.idempotency_key is not None


@pytest.mark.parametrize("size", [0, 1, BLOCK_BYTES, BLOCK_BYTES + 1, 2 * BLOCK_BYTES])
def test_a_file_is_sent_block_by_block_at_every_try(tmp_path: Path, size: int) -> None:
    file = tmp_path / "w.safetensors"
    file.write_bytes(bytes(range(251)) * (size // 251) + bytes(size % 251))
    call = model_calls.upload("rm", file, 2)
    assert call.path == "/v1/models/rm/weights?version=2"
    assert call.headers["Content-Type"] == "application/octet-stream"
    for _ in range(2):
        blocks = call.body(None)
        assert max(map(len, blocks)) <= BLOCK_BYTES
        assert b"".join(blocks) == file.read_bytes()
    assert blocks[0:1] == [blocks[0]]


def test_a_file_that_is_not_there_is_refused_before_anything_is_sent(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="cannot be read"):
        model_calls.upload("rm", tmp_path / "nothing", None)


def test_a_question_is_a_model_or_its_mapping() -> None:
    asked = {"kind": "classify", "text": "a", "pair": None}
    for question in (ClassifyQuestion(kind="classify", text="a"), asked):
        call = model_calls.ask("rm", question, 2, None)
        assert sent(call) == {"question": asked, "min_weights": 2, "deadline_s": None}


@pytest.mark.parametrize(
    "question",
    [
        {"kind": "spans", "prompt": "a", "text": "b" * 100, "spans": [[0, 100]] * 5},
        {"kind": "spans", "prompt": "a", "text": "b", "spans": [[0, 0]] * 5000},
        {"kind": "choices", "prompt": "a", "choices": ["b"] * 2000},
        {"kind": "generate", "prompt": "a", "max_tokens": 1, "stop": ["b"] * 17},
        {"kind": "generate", "prompt": "a", "max_tokens": 1, "stop": ["b" * 257]},
        {"kind": "generate", "prompt": "a", "max_tokens": 1, "seed": 2**64},
    ],
)
def test_an_answer_grows_no_larger_than_its_question_lets_expect(question: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        AskRequest.model_validate({"question": question})
