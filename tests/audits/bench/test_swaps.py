"""Contexts that are swapped: both halves of the contrast, and principles that the shipped judges have to follow."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any, cast

import pytest
from pydantic import JsonValue

from audits.subject_verdict import Judged
from judges.base import ModelUnavailable, ModelVerifier
from judges.comparative.compare import CompareParams, CompareVerifier
from judges.failure_verdicts import judge_task
from judges.pointwise import JudgeOneVerifier, PointwiseParams
from judges.questions import Answer, Choices, Classify, Generate, Question
from judges.reward_model import RewardModelParams, RewardModelVerifier
from sandbox.base import Execution, Program
from sandbox.limits import Limits
from tests.audits.bench.scripted import Scripted, benched
from tests.audits.bench.test_preferences import rate
from trueward.authoring.verifier import Params
from trueward.wire.audit import Subject
from trueward.wire.model import ModelEntry
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict


async def test_swapped_prompts_must_each_prefer_their_own_answer() -> None:
    class ByPrompt(Scripted):
        """1 where the response is the prompt's own; ``x2`` likes everything."""

        def _one(self, subject: Any, sample: Any) -> Any:
            fits = sample.response == str(sample.prompt).replace("x", "y") or sample.prompt == "x2"
            return super()._one(subject, sample.model_copy(update={"response": str(int(fits))}))

    rows: list[dict[str, JsonValue]] = [
        {"prompts": ["x0", "x1"], "responses": ["y0", "y1"]},
        {"prompts": ["x1", "x2"], "responses": ["y1", "y2"]},
    ]
    report = await benched("contrast_swap", rows, ByPrompt())
    assert (rate(report, "consistent"), rate(report, "half")) == (0.5, 0.75)


async def test_a_score_that_likes_a_prompt_or_a_response_fails_one_half_of_the_contrast() -> None:
    class Biased(Scripted):
        """1 for the prompt's own response, and more than that for one prompt, or for one response."""

        def __init__(self, liked: str) -> None:
            super().__init__()
            self.liked = liked

        def _one(self, subject: Any, sample: Any) -> Any:
            fits = sample.response == str(sample.prompt).replace("x", "y")
            score = fits + 5 * (self.liked in (sample.prompt, sample.response))
            return super()._one(subject, sample.model_copy(update={"response": str(score)}))

    rows: list[dict[str, JsonValue]] = [{"prompts": ["x0", "x1"], "responses": ["y0", "y1"]}]
    for liked, found in (("nothing", (1, 1, 1)), ("x0", (1, 0, 0)), ("y1", (0, 1, 0))):
        report = await benched("contrast_swap", rows, Biased(liked))
        assert tuple(rate(report, name) for name in ("consistent", "context", "both")) == found


@pytest.mark.parametrize("place", ["metadata", "reference"])
async def test_swapped_principles_come_where_judges_read_them(place: str) -> None:
    class ByPrinciple(Scripted):
        def _one(self, subject: Any, sample: Any) -> Any:
            principle = sample.reference if place == "reference" else sample.metadata["principle"]
            assert sample.baselines == [{"a": "aaa", "aaa": "a"}[sample.response]]
            shorter = 1 / len(sample.response)
            score = shorter if principle == "be brief" else -shorter
            return super()._one(subject, sample.model_copy(update={"response": str(score), "baselines": None}))

    row: dict[str, JsonValue] = {"prompt": "x", "responses": ["a", "aaa"], "principles": ["be brief", "be long"]}
    row["principle_as"] = place
    assert rate(await benched("principle_swap", [row], ByPrinciple()), "consistent") == 1.0
    swapped: dict[str, JsonValue] = {**row, "principles": ["be long", "be brief"]}
    assert rate(await benched("principle_swap", [swapped], ByPrinciple()), "consistent") == 0.0


class Follower:
    """A model of every kind that follows the principle it reads: `brief` wants SHORT, another wants LONG."""

    def entry(self, name: str) -> ModelEntry:
        text = "{principle} // {prompt} // {response}"
        kind = "reward" if name == "slot" else "causal"
        fields = {"name": name, "kind": kind, "path": "scripted"} | ({"text": text} if name == "slot" else {})
        return ModelEntry.model_validate(fields)

    async def ask(self, name: str, question: Question) -> Answer:
        match question:
            case Classify(text=text):
                return Answer(rows=((float(_fits(_flat(text))),),), weights=1)
            case Choices(prompt=prompt):
                return Answer(rows=((-0.1, -3.0) if _fits(_flat(prompt)) else (-3.0, -0.1),), weights=1)
            case Generate(prompt=prompt):
                return Answer(text=_reply(_flat(prompt)), weights=1)
            case _:
                raise AssertionError("nobody asks anything else here")

    def unreadable(self, name: str, question: Question, answer: Answer) -> None:
        raise AssertionError(f"the judge could not read {answer.text!r}")

    async def run(self, program: Program, limits: Limits, stdin: bytes = b"") -> Execution:
        raise ModelUnavailable("there is no sandbox here")


class Deaf(Follower):
    """Reads everything, and likes what is short."""

    async def ask(self, name: str, question: Question) -> Answer:
        return await super().ask(name, cast(Question, _without_principle(question)))


class Asking(Scripted):
    """Judges with a verifier of the product, whose models are given."""

    def __init__(self, verifier: ModelVerifier[Params], models: Follower) -> None:
        super().__init__()
        self._verifier, self._models = verifier, models

    async def judge(self, subject: Subject, samples: Sequence[Sample]) -> AsyncIterator[list[Judged]]:
        yield [self._judged(await self._verdict(sample)) for sample in samples]

    async def _verdict(self, sample: Sample) -> Verdict:
        task = self._verifier.triage(sample)
        return task if isinstance(task, Verdict) else await judge_task(self._verifier, task, self._models)

    def _judged(self, said: Verdict) -> Judged:
        return Judged(None, said.score, said.outcome, said.reason_code, said.reason, None, 0.0, said.evidence)


def _flat(prompt: object) -> str:
    if isinstance(prompt, str):
        return prompt
    return "\n".join(one if isinstance(one, str) else one.content for one in cast(Sequence[Any], prompt))


def _fits(text: str) -> bool:
    return ("SHORT" in text) == ("PRINCIPLE-BRIEF" in text)


def _reply(text: str) -> str:
    if "best-to-worst" not in text:
        return json.dumps({"analysis": "by the principle", "score": 5 if _fits(text) else 1})
    wanted = "SHORT" if "PRINCIPLE-BRIEF" in text else "LONG"
    before = text[: text.rindex(wanted)]
    best = max(("model-1", "model-2"), key=lambda name: before.lower().rfind(name))
    worst = "model-2" if best == "model-1" else "model-1"
    scores = {best: 5, worst: 1}
    return json.dumps({"thoughts": "by the principle", "scores": scores, "best-to-worst": [best, worst]})


def _without_principle(question: Question) -> object:
    def deaf(text: str) -> str:
        return text.replace("PRINCIPLE-LONG", "PRINCIPLE-BRIEF")

    prompt = question.text if isinstance(question, Classify) else getattr(question, "prompt", "")
    heard: Any = deaf(prompt) if isinstance(prompt, str) else deaf(_flat(prompt))
    return replace(question, **{"text" if isinstance(question, Classify) else "prompt": heard})


PRINCIPLE_JUDGES: dict[str, ModelVerifier[Any]] = {
    "principle": JudgeOneVerifier(PointwiseParams(preset="principle", model="m")),
    "principle_score": JudgeOneVerifier(PointwiseParams(preset="principle_score", model="m")),
    "listwise": CompareVerifier(CompareParams(preset="listwise", model="m")),
    "slot": RewardModelVerifier(RewardModelParams(model="slot")),
}
ROW: dict[str, JsonValue] = {
    "prompt": "Say something.",
    "responses": ["SHORT words of it", "LONG words of it"],
    "principles": ["PRINCIPLE-BRIEF", "PRINCIPLE-LONG"],
}


@pytest.mark.parametrize("name", PRINCIPLE_JUDGES)
async def test_a_swapped_principle_changes_the_ranking_of_every_shipped_principle_judge(name: str) -> None:
    report = await benched("principle_swap", [ROW], Asking(PRINCIPLE_JUDGES[name], Follower()))
    assert (rate(report, "consistent"), rate(report, "both")) == (1.0, 1.0)
    swapped: dict[str, JsonValue] = {**ROW, "principles": ["PRINCIPLE-LONG", "PRINCIPLE-BRIEF"]}
    report = await benched("principle_swap", [swapped], Asking(PRINCIPLE_JUDGES[name], Follower()))
    assert rate(report, "consistent") == 0.0


@pytest.mark.parametrize("name", PRINCIPLE_JUDGES)
async def test_a_judge_that_ignores_the_principle_fails_the_swap(name: str) -> None:
    report = await benched("principle_swap", [ROW], Asking(PRINCIPLE_JUDGES[name], Deaf()))
    assert (rate(report, "consistent"), rate(report, "half")) == (0.0, 0.5)
