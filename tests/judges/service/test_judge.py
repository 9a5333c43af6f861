"""A local model judges: real prompts, real text, real readings, through a service."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch

from judges.pointwise import JudgeOneVerifier, PointwiseParams
from judges.questions import Turn
from tests.judges.engine.plain import Plain, ids_of
from tests.judges.service.conftest import Add
from tests.judges.service.trained import GERMAN, REFERENCE, REPLIES, answers, judging
from trueward import Client, Sample, Verdict
from trueward.wire.model import GenerateQuestion


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.set_num_threads(1)
    return judging(tmp_path_factory.mktemp("judge"))


@pytest.fixture(scope="module")
def model(judge: Path, add: Add) -> str:
    return add("local-judge", "causal", judge)


def sample(question: str, said: str) -> Sample:
    return Sample(prompt=question, response=said, reference=REFERENCE)


def judged(client: Client, some: list[Sample], model: str, **params: object) -> list[Verdict]:
    return client.verify(some, verifier="judge", params={"model": model, **params})  # type: ignore[dict-item]


def turns(preset: str, one: Sample) -> tuple[Turn, ...]:
    verifier = JudgeOneVerifier(PointwiseParams(preset=preset))
    return verifier.preset.prompt().turns(verifier.slots(one))


def test_it_replies_in_the_form_and_is_read(client: Client, model: str) -> None:
    unseen = answers(24, seed=7)
    found = judged(client, [sample(question, said) for question, said, _ in unseen], model, preset="correctness")
    assert [one.outcome for one in found] == ["correct" if right else "incorrect" for *_, right in unseen]
    for verdict, (*_, right) in zip(found, unseen, strict=True):
        assert verdict.score == float(right)
        assert verdict.evidence["reply"] == {
            "analysis": "right" if right else "wrong",
            "verdict": "correct" if right else "incorrect",
        }
        usage = verdict.evidence["usage"]
        assert isinstance(usage, dict)
        assert (usage["calls"], usage["malformed"], usage["tokens_written"]) == (1, 0, 2)


def test_several_replies_to_one_prompt_vote_and_are_the_same_again(client: Client, model: str) -> None:
    one = sample("What is 42?", f"{GERMAN} 42, because x is y.")
    params = {"preset": "correctness", "samples": 8, "temperature": 1.0, "seed": 5}
    first, again = (judged(client, [one], model, **params)[0] for _ in range(2))
    assert first.score is not None
    assert first.evidence["scores"] == again.evidence["scores"]


def test_a_reply_that_is_cut_off_is_no_score(client: Client, model: str) -> None:
    [verdict] = judged(client, [sample("What is 42?", GERMAN)], model, preset="correctness", max_tokens=1)
    assert (verdict.outcome, verdict.score, verdict.reason_code) == ("error", None, "judge_malformed")


def test_a_response_that_leaves_the_judge_no_room_is_its_own_doing(client: Client, model: str) -> None:
    [verdict] = judged(client, [sample("What is 42?", GERMAN * 60)], model, preset="correctness")
    assert (verdict.outcome, verdict.score, verdict.reason_code) == ("invalid", 0.0, "too_long")


def test_a_text_is_told_with_why_it_ended_and_what_else_was_likely(client: Client, model: str, judge: Path) -> None:
    wrong = next((question, said) for question, said, right in answers(24, seed=7) if not right)
    prompt = turns("correctness", sample(*wrong))
    messages = [{"role": turn.role, "content": turn.content} for turn in prompt]
    question = {"kind": "generate", "prompt": messages, "max_tokens": 20, "alternatives": 2, "stop": ['"incorrect']}
    found = client.ask_model(model, GenerateQuestion.model_validate(question))
    assert (found.text, found.finish, found.written) == ('{"analysis": "wrong", "verdict": ', "stop", 2)
    likeliest = Plain("causal", judge).logits(ids_of(judge, prompt, opened=True))[-1].log_softmax(-1).topk(2)
    assert [value for _, value in found.alternatives[0]] == pytest.approx(likeliest.values.tolist(), abs=1e-4)
    whole = client.ask_model(
        model, GenerateQuestion.model_validate({**question, "stop": [], "top_p": 0.5, "temperature": 1})
    )
    assert (whole.text, whole.written) == (REPLIES[False], 3)
    assert math.exp(whole.alternatives[-1][0][1]) > 0.5
    assert whole.alternatives[-1][0][0] == "<|eot_id|>"
