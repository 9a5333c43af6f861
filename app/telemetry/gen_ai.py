"""What OpenTelemetry's conventions for generative AI call a question to a model, and its answer.

Names and numbers alone: what was asked and replied is the text of samples, which no trace holds. Questions that only
read (:class:`judges.questions.Classify` and others) have operations of their own, for the conventions name none.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from app.telemetry.tracing import Attribute
from judges.questions import Answer, Choices, Classify, EachToken, Generate, Question, Spans, Steps
from judges.remote.dialect import served_name
from trueward.wire.model import ModelEntry

_FINISHES = {"refused": "content_filter"}
"""Where the conventions' word is another than ours."""
_READS = {Classify: "classify", Steps: "score_steps", Spans: "score_tokens", EachToken: "score_tokens"}


def operation(question: Question) -> str:
    """``chat`` and ``text_completion`` where the model writes, if only a label."""
    if isinstance(question, Generate | Choices):
        return "text_completion" if isinstance(question.prompt, str) else "chat"
    return _READS[type(question)]


def name(entry: ModelEntry, question: Question) -> str:
    """Of the span."""
    return f"{operation(question)} {_requested(entry)}"


def describe_question(entry: ModelEntry, question: Question) -> Mapping[str, Attribute]:
    """The provider is the protocol that the model is asked in, ``trueward`` for models of the service itself."""
    told: dict[str, Attribute] = {
        "trueward.model": entry.name,
        "trueward.question": type(question).__name__.lower(),
        "gen_ai.operation.name": operation(question),
        "gen_ai.provider.name": "trueward" if entry.backend == "local" else entry.backend,
        "gen_ai.request.model": _requested(entry),
    }
    if isinstance(question, Generate):
        told["gen_ai.request.max_tokens"] = question.max_tokens
        told["gen_ai.request.temperature"] = question.temperature
        told["gen_ai.request.top_p"] = question.top_p
        if question.seed is not None:
            told["gen_ai.request.seed"] = question.seed
    if entry.url is not None:
        parts = urlsplit(entry.url)
        told["server.address"] = parts.hostname or ""
        told["server.port"] = parts.port or (443 if parts.scheme == "https" else 80)
    return told


def _requested(entry: ModelEntry) -> str:
    return entry.name if entry.backend == "local" else served_name(entry)


def describe_answer(question: Question, answer: Answer) -> Mapping[str, Attribute]:
    told: dict[str, Attribute] = {"gen_ai.usage.input_tokens": answer.tokens}
    if answer.model:
        told["gen_ai.response.model"] = answer.model
    if answer.cached:
        told["gen_ai.usage.cache_read.input_tokens"] = answer.cached
    if isinstance(question, Generate | Choices):
        told["gen_ai.usage.output_tokens"] = answer.written
        told["gen_ai.response.finish_reasons"] = [_FINISHES.get(answer.finish, answer.finish)]
    return told
