"""What a grader grades: the namespaces ``item`` and ``sample``.

``item`` is the caller's (``metadata.item``), ``sample`` what the policy wrote. What an item lacks the caller left out
(``abstained``); what a sample lacks the response left out (``invalid``), for nothing else differs between the responses
to one prompt.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Literal

from pydantic import JsonValue

from trueward.authoring.verifier import Abstain
from trueward.wire.sample import Message, Sample
from verifiers.extract import NoAnswer
from verifiers.json_text import NotJson, parse
from verifiers.legible import legible
from verifiers.scope import Scope, extract_scope

Namespace = Literal["item", "sample"]
Step = str | int

_ANSWERS = (
    "answer", "answers", "correct_answer", "expected", "expected_answer", "ground_truth", "gold", "label",
    "reference", "reference_answer", "solution", "target",
)  # fmt: skip
SAMPLE_VARIABLES = ("output_text", "output_json", "output_tools", "choices")


class Unfit(Exception):
    """The response cannot be graded, and that is its own doing: ``invalid``, whatever else the grader would say."""

    def __init__(self, reason_code: str, reason: str) -> None:
        super().__init__(reason)
        self.reason_code = reason_code
        self.reason = reason


class Subject:
    """``tools`` are the calls of tools, as chat completions have them."""

    def __init__(self, item: JsonValue, text: str, tools: list[JsonValue], choices: list[JsonValue]) -> None:
        self.item = item
        self.text = text
        self.tools = tools
        self.choices = choices

    @classmethod
    def of(cls, sample: Sample, scope: Scope) -> Subject:
        """Raises :class:`Unfit` for a response without the part that is graded, or without anything."""
        metadata = sample.metadata or {}
        sent = metadata.get("sample")
        more = sent if isinstance(sent, dict) else {}
        text, tools = _text(sample, scope), _list(more.get("output_tools")) or _calls(sample.response)
        if not text.strip() and not tools:
            raise Unfit("empty", "the response is missing or empty")
        return cls(metadata.get("item"), text, tools, _list(more.get("choices")) or [_choice(sample, text, tools)])

    @cached_property
    def json(self) -> JsonValue:
        """Raises :class:`Unfit` where the text is no JSON."""
        try:
            return parse(self.text)
        except NotJson as refusal:
            raise Unfit("no_json", f"the grader reads the response as JSON: {refusal}") from refusal

    @property
    def answers(self) -> list[str]:
        """Texts that would be an answer, where the item has some under a name that is used for them."""
        item = self.item if isinstance(self.item, dict) else {}
        found = [item[name] for name in _ANSWERS if name in item]
        return [str(one) for one in found if isinstance(one, str | int | float) and str(one).strip()]

    @property
    def sample(self) -> dict[str, JsonValue]:
        """The whole namespace, for programs; without JSON ``output_json`` is null."""
        try:
            found = self.json
        except Unfit:
            found = None
        return {
            "output_text": self.text,
            "output_json": found,
            "output_tools": self.tools,
            "choices": self.choices,
        }

    def value(self, namespace: Namespace, path: Sequence[Step]) -> JsonValue:
        """Raises :class:`Unfit` or :class:`trueward.Abstain` where there is no such variable."""
        if namespace == "item":
            return _followed(self.item, path, namespace)
        name, *rest = path
        root = self.json if name == "output_json" else self.sample[str(name)]
        return _followed(root, rest, f"sample.{name}")

    def saying(self, text: str) -> Subject:
        """The same with another text, in the same form: that of each text within, where it is JSON or a call."""
        try:
            said = json.dumps(_saying(self.json, text))
        except Unfit:
            said = text
        tools, choices = _saying(self.tools, text), _saying(self.choices, text)
        return Subject(self.item, said, _list(tools), _list(choices))


def _followed(value: JsonValue, path: Sequence[Step], place: str) -> JsonValue:
    """What stands at a path; ``place`` is where it begins."""
    for step in path:
        try:
            value = _part(value, step)
        except (KeyError, IndexError):
            reason = f"{place[:200]} has no {str(step)[:100]!r}"
            raise (Unfit if place.startswith("sample") else Abstain)("no_variable", reason) from None
        place = f"{place}[{step}]" if isinstance(step, int) else f"{place}.{step}"
    return value


def _part(value: JsonValue, step: Step) -> JsonValue:
    if isinstance(value, dict) and isinstance(step, str):
        return value[step]
    if isinstance(value, list) and isinstance(step, int):
        return value[step]
    raise KeyError(step)


def _saying(value: JsonValue, text: str) -> JsonValue:
    if isinstance(value, dict):
        return {name: _saying(part, text) for name, part in value.items()}
    if isinstance(value, list):
        return [_saying(part, text) for part in value]
    return text if isinstance(value, str) else value


def _text(sample: Sample, scope: Scope) -> str:
    """White space at the ends counts in the whole response alone: ``eq`` means to the letter."""
    if scope is Scope.RESPONSE:
        return legible(sample.response_text)
    part = extract_scope(sample, scope)
    if isinstance(part, NoAnswer):
        raise Unfit(part.reason_code, part.reason)
    return part.text


def _calls(response: str | list[Message] | None) -> list[JsonValue]:
    """The calls of the last turn of the policy that has some."""
    for message in reversed(response if isinstance(response, list) else []):
        found = _list((message.model_extra or {}).get("tool_calls"))
        if message.is_policy and found:
            return found
    return []


def _choice(sample: Sample, text: str, tools: list[JsonValue]) -> JsonValue:
    message: dict[str, JsonValue] = {"role": "assistant", "content": text}
    if tools:
        message["tool_calls"] = tools
    return {"index": 0, "finish_reason": sample.finish_reason or "stop", "message": message}


def _list(value: object) -> list[JsonValue]:
    return value if isinstance(value, list) else []
