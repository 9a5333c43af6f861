"""The clients of the load, each with its manners: what it sends, what it can bear, when it tries again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import httpx2

from app.protocols.trainers import llama_factory, openrlhf
from tests.faults.truth import Kind, Known
from trueward import AsyncClient
from trueward.errors import TruewardError

DEADLINE_S = 15.0
PATTERN = {
    "description": "says yes",
    "range": [0, 1],
    "terms": [{"verifier": "regex", "params": {"pattern": "yes", "mode": "search"}}],
}


class NoAnswer(Exception):
    """Nothing whole came back: the service was dead, or refused a client that bears it."""


class Broken(Exception):
    """The service did to a client what its protocol does not allow."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was said of one sample: ``missing`` where the answer itself says that it has no score."""

    tag: str
    number: float | None
    missing: bool
    record: str | None = None


class Shape(Protocol):
    name: str
    kinds: Sequence[Kind]

    async def ask(self, samples: Sequence[Known]) -> list[Answer]:
        """Raises :class:`NoAnswer` and :class:`Broken`."""
        ...


@dataclass(slots=True)
class Native:
    """Our own client: tries again until its deadline."""

    client: AsyncClient
    name: str = "native"
    kinds: Sequence[Kind] = ("sum", "root")

    async def ask(self, samples: Sequence[Known]) -> list[Answer]:
        try:
            done = await self.client.reward(
                [known.sample for known in samples], recipe="math", run=self.name, deadline_s=DEADLINE_S
            )
        except TruewardError as refused:
            raise NoAnswer(repr(refused)) from refused
        return [
            Answer(known.tag, reward.reward, reward.reward is None, reward.record)
            for known, reward in zip(samples, done.rewards, strict=True)
        ]


@dataclass(slots=True)
class Streamed:
    """The native endpoint as lines; what came before a cut counts as answered."""

    http: httpx2.AsyncClient
    name: str = "stream"
    kinds: Sequence[Kind] = ("sum", "root")

    async def ask(self, samples: Sequence[Known]) -> list[Answer]:
        body = {
            "recipe": "math",
            "run": self.name,
            "deadline_s": DEADLINE_S,
            "samples": [known.sample for known in samples],
        }
        answers: list[Answer] = []
        try:
            async with self.http.stream(
                "POST", "/v1/rewards", json=body, headers={"accept": "application/x-ndjson"}
            ) as answer:
                if answer.status_code != 200:
                    raise NoAnswer(f"status {answer.status_code}")
                async for line in answer.aiter_lines():
                    said = json.loads(line)
                    if "reward" in said:
                        reward = said["reward"]
                        number = reward["reward"]
                        answers.append(Answer(reward["id"], number, number is None, reward["record"]))
                    if "end" in said and said["end"]["count"] != len(samples):
                        raise Broken(f"the stream ends with {said}, {len(samples)} were sent")
        except (httpx2.TransportError, json.JSONDecodeError) as cut:
            if not answers:
                raise NoAnswer(repr(cut)) from cut
        return answers


@dataclass(slots=True)
class Verified:
    """Programs for the sandbox, by ``/v1/verify``, tried once."""

    http: httpx2.AsyncClient
    name: str = "program"
    kinds: Sequence[Kind] = ("program",)

    async def ask(self, samples: Sequence[Known]) -> list[Answer]:
        body = {
            "verifier": "code",
            "run": self.name,
            "deadline_s": DEADLINE_S,
            "samples": [known.sample for known in samples],
        }
        try:
            answer = await self.http.post("/v1/verify", json=body)
        except httpx2.TransportError as cut:
            raise NoAnswer(repr(cut)) from cut
        if answer.status_code != 200:
            raise NoAnswer(f"status {answer.status_code}")
        return [
            Answer(one["id"], one["score"], one["score"] is None, one["record"]) for one in answer.json()["verdicts"]
        ]


@dataclass(slots=True)
class OpenRlhf:
    """Bears no refusal: whoever answers it answers 200 with a number for each sample."""

    http: httpx2.AsyncClient
    name: str = "openrlhf"
    kinds: Sequence[Kind] = ("sum", "root")

    async def ask(self, samples: Sequence[Known]) -> list[Answer]:
        said = await _told(
            self.http,
            f"/t/math/openrlhf?run={self.name}",
            {
                "query": [known.templated + known.response for known in samples],
                "prompts": [known.templated for known in samples],
                "labels": [known.reference for known in samples],
            },
        )
        numbers = openrlhf.OpenRlhfAnswer.model_validate_json(said)
        missing = numbers.extra_logs["trueward_missing"]
        return [
            Answer(known.tag, number, flag == 1.0)
            for known, number, flag in zip(samples, numbers.rewards, missing, strict=True)
        ]


@dataclass(slots=True)
class LlamaFactory:
    """Tries once, looks at no status, takes any number: nothing tells it which numbers stand in for missing ones."""

    http: httpx2.AsyncClient
    name: str = "llama"
    kinds: Sequence[Kind] = ("word",)

    async def ask(self, samples: Sequence[Known]) -> list[Answer]:
        body = {"model": "m", "messages": [known.templated + known.response for known in samples]}
        said = await _told(self.http, f"/t/pattern/llamafactory?run={self.name}", body)
        return [
            Answer(known.tag, number, number not in (0.0, 1.0))
            for known, number in zip(
                samples, llama_factory.LlamaFactoryAnswer.model_validate_json(said).scores, strict=True
            )
        ]


async def _told(http: httpx2.AsyncClient, path: str, body: Mapping[str, object]) -> bytes:
    try:
        answer = await http.post(path, json=body)
    except httpx2.TransportError as cut:
        raise NoAnswer(repr(cut)) from cut
    if answer.status_code == 503 and '"the service is starting"' in answer.text:
        raise NoAnswer(answer.text)
    if answer.status_code != 200:
        raise Broken(f"{path} answered {answer.status_code}: {answer.text[:300]}")
    return answer.content
