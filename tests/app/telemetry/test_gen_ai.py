"""Spans of questions to models, by OpenTelemetry's conventions for generative AI, as a whole service sends them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as conventions

from app.telemetry import gen_ai
from judges.questions import Answer, Choices, Classify, EachToken, Generate, Question, Spans, Steps, Turn
from tests.app.telemetry.test_tracing import SECRET, sent, service
from tests.judges.remote.fake import Fake, serving
from trueward.wire.model import ModelEntry

__all__ = ["sent"]

KNOWN = {value for name, value in vars(conventions).items() if name.startswith("GEN_AI_") and isinstance(value, str)}
CHAT = "/v1/chat/completions"
REPLY = {
    "model": "far-2026-11",
    "choices": [{"message": {"content": '{"score": 10}'}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 21, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 16}},
}


async def questions(data_dir: Path, sent: InMemorySpanExporter, fake: Fake, **question: Any) -> list[ReadableSpan]:
    """The spans of kind client of a service that asked a model of another server once."""
    async with serving(fake) as url, service(data_dir) as http:
        entry = {"name": "judge", "kind": "causal", "backend": "openai", "url": url, "served_name": "far"}
        assert (await http.post("/v1/models", json=entry)).is_success
        body = {"question": {"kind": "generate", "prompt": SECRET, "max_tokens": 9, **question}}
        await http.post("/v1/models/judge/ask", json=body)
    return [span for span in sent.get_finished_spans() if span.kind.name == "CLIENT"]


async def test_a_question_and_its_answer_are_told_as_the_conventions_say(
    tmp_path: Path, sent: InMemorySpanExporter
) -> None:
    fake = Fake().on(CHAT, lambda _: REPLY)
    [span] = await questions(tmp_path, sent, fake, temperature=0.5, seed=3)
    told = dict(span.attributes or {})
    port = told.pop("server.port")
    assert isinstance(port, int)
    assert span.name == "text_completion far"
    assert told == {
        "trueward.model": "judge",
        "trueward.question": "generate",
        "server.address": "127.0.0.1",
        "gen_ai.operation.name": "text_completion",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "far",
        "gen_ai.request.max_tokens": 9,
        "gen_ai.request.temperature": 0.5,
        "gen_ai.request.top_p": 1.0,
        "gen_ai.request.seed": 3,
        "gen_ai.response.model": "far-2026-11",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 21,
        "gen_ai.usage.output_tokens": 7,
        "gen_ai.usage.cache_read.input_tokens": 16,
    }
    assert {name for name in told if name.startswith("gen_ai.")} <= KNOWN
    everything = json.dumps([one.to_json() for one in sent.get_finished_spans()])
    assert SECRET not in everything
    assert "score" not in everything


async def test_a_question_that_fails_says_what_with(tmp_path: Path, sent: InMemorySpanExporter) -> None:
    fake = Fake().on(CHAT, lambda _: {"choices": SECRET})
    [span] = await questions(tmp_path, sent, fake)
    told = dict(span.attributes or {})
    assert not span.status.is_ok
    assert told["error.type"] == span.status.description
    assert "gen_ai.usage.input_tokens" not in told
    assert SECRET not in span.to_json()


TURNS = (Turn("user", "What?"),)


@pytest.mark.parametrize(
    ("question", "operation"),
    [
        (Generate(TURNS, 8), "chat"),
        (Generate("What?", 8), "text_completion"),
        (Choices(TURNS, ("A", "B")), "chat"),
        (Classify(TURNS), "classify"),
        (Steps("What?", ("one", "two")), "score_steps"),
        (Spans("What?", "that", ((0, 4),)), "score_tokens"),
        (EachToken("that"), "score_tokens"),
    ],
)
def test_each_question_has_an_operation(question: Question, operation: str) -> None:
    entry = ModelEntry(name="own", kind="causal", path="/models/own")
    told = gen_ai.describe_question(entry, question)
    assert gen_ai.name(entry, question) == f"{operation} own"
    assert (told["gen_ai.provider.name"], told["gen_ai.request.model"]) == ("trueward", "own")
    assert "server.address" not in told


def test_only_what_writes_has_an_end() -> None:
    refused = Answer(tokens=3, written=2, finish="refused")
    assert gen_ai.describe_answer(Generate("What?", 8), refused)["gen_ai.response.finish_reasons"] == ["content_filter"]
    assert gen_ai.describe_answer(Classify("What?"), Answer(tokens=3)) == {"gen_ai.usage.input_tokens": 3}
