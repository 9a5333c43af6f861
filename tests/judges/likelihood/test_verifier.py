"""Every transform through the verifier, with models whose beliefs are known."""

from __future__ import annotations

import json
import math
import re

import pytest
from pydantic import JsonValue

from judges.failure_verdicts import judge_task
from judges.likelihood import LikelihoodVerifier
from judges.likelihood.params import LikelihoodParams
from judges.questions import Spans
from tests.judges.likelihood.scripted import Scripted
from trueward.wire.sample import Message, Sample, TokenLogprobs
from trueward.wire.verdict import Verdict

SAMPLE = Sample(prompt="4 x 10?", response="ten fours make \\boxed{41}", reference="40")


def knowing(before: str, text: str) -> tuple[float, ...]:
    """Sure of the reference after the right reasoning, of nothing else."""
    if text.startswith("40"):
        return (0.9, 0.8) if "ten fours" in before else (0.5, 0.3)
    return (0.5,) * max(len(text), 1)


async def verdict_on(sample: Sample, models: Scripted, **params: object) -> Verdict:
    verifier = LikelihoodVerifier(LikelihoodParams.model_validate({"model": "policy", **params}))
    task = verifier.triage(sample)
    return task if isinstance(task, Verdict) else await judge_task(verifier, task, models)


@pytest.mark.parametrize(
    ("transform", "score"),
    [
        ("mean_log_probability", math.log(0.72) / 2),
        ("mean_probability", 0.85),
        ("probability", 0.72),
        ("verifree", 0.72),
        ("log_probability", math.log(0.72)),
        ("jepo", math.log(0.72)),
        ("rlpr", 0.85 - 0.4),
    ],
)
async def test_forms_of_the_reference_after_the_reasoning(transform: str, score: float) -> None:
    found = await verdict_on(SAMPLE, Scripted(policy=knowing), transform=transform)
    assert found.outcome == "scored"
    assert found.score == pytest.approx(score)
    assert found.evidence["weights"] == {"policy": 7}


async def test_the_baseline_is_the_same_question_for_every_response() -> None:
    models = Scripted(policy=knowing, initial=knowing)
    other = SAMPLE.model_copy(update={"response": "I guess \\boxed{3}"})
    for sample in (SAMPLE, other):
        await verdict_on(sample, models, transform="rlpr", baseline_model="initial")
    baselines = [question for name, question in models.asked if name == "initial"]
    assert len(baselines) == 2
    assert baselines[0] == baselines[1]


async def test_of_several_references_the_most_likely_one_counts() -> None:
    sample = SAMPLE.model_copy(update={"reference": ["39", "40"]})
    found = await verdict_on(sample, Scripted(policy=knowing), transform="mean_probability")
    assert found.score == pytest.approx(0.85)
    assert found.evidence["reference"] == 1


async def test_nover_counts_the_tokens_of_the_reasoning() -> None:
    found = await verdict_on(SAMPLE, Scripted(policy=knowing), transform="nover")
    tokens = len("ten fours make \\boxed{")
    share = 1 + math.log10(tokens)
    assert found.evidence["reasoning_tokens"] == tokens
    assert found.score == pytest.approx(math.exp(math.log(0.72) / 2 / share))


async def test_self_alignment_compares_with_a_conversation_without_the_question() -> None:
    def asked(before: str, text: str) -> tuple[float, ...]:
        return (math.exp(-0.5),) if "4 x 10" in before else (math.exp(-1.0),)

    found = await verdict_on(SAMPLE, Scripted(policy=asked), transform="self_aligned")
    assert found.score == pytest.approx(0.393469, abs=1e-6)


async def test_laser_reads_one_token_after_the_response() -> None:
    models = Scripted(policy=lambda before, text: (math.exp(-18.0),))
    found = await verdict_on(SAMPLE, models, transform="laser", token="<|unused|>")
    assert found.score == pytest.approx(0.5)
    assert found.evidence["self_verdict"] is False


async def test_belief_progress_says_what_each_part_added() -> None:
    sample = SAMPLE.model_copy(update={"response": "let us see ten fours make forty so \\boxed{40}"})
    found = await verdict_on(sample, Scripted(policy=knowing), transform="belief_progress", parts=3)
    steps, beliefs = found.evidence["step_scores"], found.evidence["beliefs"]
    assert isinstance(steps, list)
    assert isinstance(beliefs, list)
    assert beliefs[0] == pytest.approx(0.15)
    assert found.score == beliefs[-1] == pytest.approx(0.72)
    assert sum(step for step in steps if isinstance(step, float)) == pytest.approx(0.72 - 0.15)
    assert sum(step != 0 for step in steps) == 1


@pytest.mark.parametrize("prefix", [None, "Thinking: "])
async def test_parts_begin_at_the_most_surprising_tokens_where_the_trainer_tells_them(prefix: str | None) -> None:
    text = "let us see ten fours make forty so \\boxed{40}"
    offsets = [(place.start(), place.end()) for place in re.finditer(r"\s*\S+", text)]
    surprising = {text.index(" ten"), text.index(" make")}
    logprobs = TokenLogprobs(
        token_ids=[*range(len(offsets))],
        logprobs=[-3.0 if begin in surprising else -0.1 for begin, _ in offsets],
        offsets=offsets,
    )
    sample = SAMPLE.model_copy(update={"response": text, "prefix": prefix, "logprobs": logprobs})
    found = await verdict_on(sample, Scripted(policy=knowing), transform="belief_progress", parts=3)
    spans = found.evidence["step_spans"]
    assert isinstance(spans, list)
    assert texts_of(text, spans) == ["let us see", " ten fours", " make forty so \\boxed{40}"]
    assert sum(step for step in found.evidence["step_scores"]) == pytest.approx(0.72 - 0.15)  # type: ignore[union-attr, misc]


async def test_information_gain_is_that_of_each_turn() -> None:
    turns = [("assistant", "search"), ("tool", "ten fours"), ("assistant", "thanks")]
    sample = SAMPLE.model_copy(update={"response": [Message(role=role, content=text) for role, text in turns]})
    found = await verdict_on(sample, Scripted(policy=knowing), transform="information_gain")
    assert found.evidence["step_scores"] == pytest.approx([0.72 - 0.15, 0.0])


async def test_follow_ups_are_said_by_the_user() -> None:
    def pleased(before: str, text: str) -> tuple[float, ...]:
        return (0.5,) if text == "Thanks." else (0.25,)

    models = Scripted(policy=pleased)
    ups = {"positive": ["Thanks."], "negative": ["No."]}
    found = await verdict_on(SAMPLE, models, transform="follow_up", follow_ups=ups)
    assert found.score == pytest.approx(math.log(2))
    assert all(isinstance(question, Spans) and question.role == "user" for _, question in models.asked)


async def test_a_long_reference_warns_where_probabilities_vanish() -> None:
    models = Scripted(policy=lambda before, text: (0.9,) * 31)
    assert "warning" in (await verdict_on(SAMPLE, models, transform="probability")).evidence
    assert "warning" not in (await verdict_on(SAMPLE, models)).evidence


async def test_a_threshold_makes_a_verdict() -> None:
    passed = await verdict_on(SAMPLE, Scripted(policy=knowing), transform="probability", threshold=0.7)
    failed = await verdict_on(SAMPLE, Scripted(policy=knowing), transform="probability", threshold=0.8)
    assert (passed.outcome, passed.score, failed.outcome, failed.score) == ("correct", 1.0, "incorrect", 0.0)


async def test_a_model_that_is_not_there_costs_the_score_and_nothing_else() -> None:
    found = await verdict_on(SAMPLE, Scripted(other=knowing))
    assert (found.outcome, found.score, found.reason_code) == ("error", None, "unknown_model")


async def test_without_a_reference_nothing_is_asked() -> None:
    models = Scripted(policy=knowing)
    found = await verdict_on(SAMPLE.model_copy(update={"reference": None}), models)
    assert (found.outcome, found.reason_code, models.asked) == ("abstained", "no_reference", [])


@pytest.mark.parametrize("params", [{"transform": "laser"}, {"transform": "self_aligned", "model": None}])
def test_parameters_that_lack_what_the_method_needs_are_refused(params: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"params\.(token|model)"):
        LikelihoodParams.model_validate({"model": "policy", **params})


def test_the_task_is_the_sample_itself() -> None:
    task = LikelihoodVerifier(LikelihoodParams(model="policy")).triage(SAMPLE)
    assert isinstance(task, str)
    assert Sample.model_validate(json.loads(task)).response == SAMPLE.response


def conversation(*turns: str, answer: str = "So \\boxed{40}") -> Sample:
    """Turns of the policy with what a tool says between them; the last one answers."""
    said = [("assistant", text) for text in (*turns, answer)]
    messages = [Message(role=role, content=text) for pair in said for role, text in (pair, ("tool", "ok"))]
    return SAMPLE.model_copy(update={"response": messages[:-1]})


def texts_of(text: str, spans: list[JsonValue]) -> list[str]:
    """The pieces of a text at such places."""
    found = []
    for span in spans:
        assert isinstance(span, list)
        start, end = span
        assert isinstance(start, int)
        assert isinstance(end, int)
        found.append(text[start:end])
    return found


@pytest.mark.parametrize("turns", [(), ("look",), ("look", "", "ten fours make forty")])
async def test_the_turn_that_answers_gets_no_increment(turns: tuple[str, ...]) -> None:
    """After the answer the reference is not what comes next: a model that knows this would punish the right turn."""

    def asked(before: str, text: str) -> tuple[float, ...]:
        return (0.01,) if "boxed" in before else knowing(before, text)

    sample = conversation(*turns)
    found = await verdict_on(sample, Scripted(policy=asked), transform="information_gain")
    steps, beliefs, spans = (found.evidence[name] for name in ("step_scores", "beliefs", "step_spans"))
    assert isinstance(steps, list)
    assert isinstance(beliefs, list)
    assert isinstance(spans, list)
    assert len(beliefs) == len(steps) == len(turns) + 1
    assert steps[-1] == 0
    assert 0.01 not in beliefs, "nothing is asked after the answer"
    assert found.score == beliefs[-1]
    assert texts_of(sample.response_text, spans) == [*turns, "So \\boxed{40}"]


async def test_parts_of_the_reasoning_have_their_places() -> None:
    text = "let us see ten fours make forty so \\boxed{40} indeed"
    for prefix in (None, "Thinking: "):
        sample = SAMPLE.model_copy(update={"response": text, "prefix": prefix})
        found = await verdict_on(sample, Scripted(policy=knowing), transform="belief_progress", parts=3)
        steps, spans = found.evidence["step_scores"], found.evidence["step_spans"]
        assert isinstance(steps, list)
        assert isinstance(spans, list)
        parts = texts_of(text, spans)
        assert len(parts) == len(steps) == 3
        assert "".join(parts) == text
