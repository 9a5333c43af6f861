"""Foreign payloads made samples, and rewards made foreign answers: pure, and exact to each protocol."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from math import fsum
from typing import Any

import pytest
from pydantic import JsonValue

from app.protocols.trainers import eval_protocol, llama_factory, nemo_gym, roll, slime
from app.protocols.trainers.template_text import split_prompt
from trueward.errors import InvalidRequest
from trueward.wire.reward import Reward
from trueward.wire.sample import Message
from trueward.wire.verdict import Outcome

OUTCOMES = [
    (Outcome.CORRECT, 1.0),
    (Outcome.INCORRECT, 0.0),
    (Outcome.PARTIAL, 0.5),
    (Outcome.SCORED, 3.5),
    (Outcome.INVALID, 0.0),
    (Outcome.ABSTAINED, None),
    (Outcome.TIMEOUT, None),
    (Outcome.ERROR, None),
]


def reward(outcome: Outcome, score: float | None, **fields: Any) -> Reward:
    made = {"outcome": outcome, "reward": score, "components": {"math": score, "length": None}, "reason": "4 = 4"}
    return Reward.model_validate({**made, "record": "01J", "reason_code": "equal", **fields})


class TestSlime:
    def test_a_sample_is_prompt_response_and_label(self) -> None:
        payload = slime.SlimePayload.model_validate(
            {"prompt": "2+2?", "response": "\\boxed{4}", "label": "4", "more": 1}
        )
        [sample] = slime.parse(payload)
        assert (sample.prompt, sample.response, sample.reference) == ("2+2?", "\\boxed{4}", "4")

    def test_a_prompt_may_be_messages_and_may_open_the_thinking(self) -> None:
        talk = [{"role": "user", "content": "2+2?"}]
        [sample] = slime.parse(slime.SlimePayload.model_validate({"prompt": talk, "response": "4"}))
        assert sample.prompt_text == "2+2?"
        [sample] = slime.parse(slime.SlimePayload.model_validate({"prompt": "Q<think>\n", "response": "4"}))
        assert sample.prefix == "<think>"

    @pytest.mark.parametrize(("outcome", "score"), OUTCOMES)
    def test_every_outcome_is_a_number_under_constant_keys(self, outcome: Outcome, score: float | None) -> None:
        number = 0.25 if score is None else score
        told = slime.render(reward(outcome, score), number).model_dump()
        assert told["score"] == number
        assert told["missing"] == float(score is None)
        assert told["acc"] is (outcome is Outcome.CORRECT)
        assert set(told) == {"score", "acc", "pred", "unit_score", "missing", "outcome", "reason_code"}


LLAMA = "<|start_header_id|>{}<|end_header_id|>\n\n"
CHATML = "<|im_start|>user\n2?<|im_end|>\n<|im_start|>assistant\n"
GEMMA = "<start_of_turn>user\n2?<end_of_turn>\n<start_of_turn>model\n"


class TestTemplateText:
    @pytest.mark.parametrize(
        "prompt",
        [
            CHATML,
            "<s>[INST] 2? [/INST] ",
            LLAMA.format("user") + "2?<|eot_id|>" + LLAMA.format("assistant"),
            GEMMA,
            "<｜User｜>2?<｜Assistant｜>",
            "### Instruction:\n2?\n\n### Response:\n",
            "Human: 2?\nAssistant:",
            "",
        ],
    )
    def test_the_response_follows_the_assistant_s_opener(self, prompt: str) -> None:
        assert split_prompt(prompt + "4") == (prompt, "4")
        assert split_prompt("<|endoftext|><|endoftext|>" + prompt + "4") == (prompt, "4")

    def test_an_opener_that_the_policy_writes_hides_nothing(self) -> None:
        assert split_prompt(CHATML + "no\n" + CHATML + "2")[1].startswith("no\n")
        assert split_prompt(CHATML + "no\n" + CHATML + "2", "last")[1] == "2"

    def test_a_text_of_openers_is_read_in_linear_time(self) -> None:
        assert split_prompt("<|im_start|>assistant\n" * 100_000)[0] == "<|im_start|>assistant\n"


class TestLlamaFactory:
    def test_each_text_is_a_sample_and_the_scores_keep_their_order(self) -> None:
        texts = ["Human: a\nAssistant: b</s>", "Human: c\nAssistant: d<|endoftext|>"]
        payload = llama_factory.LlamaFactoryPayload(model="rm", messages=texts)
        assert [sample.response for sample in llama_factory.parse(payload)] == ["b", "d"]
        answer = llama_factory.render(payload, [0.71, -1.2]).model_dump()
        assert answer["scores"] == [0.71, -1.2]
        assert (answer["object"], answer["model"]) == ("score.evaluation", "rm")

    def test_no_texts_are_no_scores(self) -> None:
        payload = llama_factory.LlamaFactoryPayload(messages=[])
        assert llama_factory.render(payload, []).scores == []


ROLLOUT: dict[str, Any] = {
    "responses_create_params": {"input": [{"role": "user", "content": "2+2?"}]},
    "response": {
        "id": "resp_1",
        "object": "response",
        "output": [
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "two and two"}]},
            {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "\\boxed{4}", "annotations": []}],
            },
        ],
    },
    "question": "2+2?",
    "expected_answer": "4",
    "verifier_metadata": {"unit_tests": {"stdio": []}},
}


class TestNemoGym:
    def test_a_rollout_is_a_sample(self) -> None:
        [sample] = nemo_gym.parse(nemo_gym.NemoGymPayload.model_validate(ROLLOUT))
        assert sample.prompt_text == "2+2?"
        assert (sample.response, sample.reference, sample.reasoning) == ("\\boxed{4}", "4", "two and two")

    def test_the_reference_may_stand_deeper(self) -> None:
        payload = nemo_gym.NemoGymPayload.model_validate(ROLLOUT)
        [sample] = nemo_gym.parse(payload, "verifier_metadata.unit_tests")
        assert sample.reference == {"stdio": []}
        with pytest.raises(InvalidRequest, match="row has no 'verifier_metadata"):
            nemo_gym.parse(payload, "verifier_metadata.nothing")

    def test_calls_of_tools_are_the_policy_s_and_their_answers_are_not(self) -> None:
        output = [
            {"type": "function_call", "name": "add", "arguments": "{}"},
            {"type": "function_call_output", "output": "4"},
            {"type": "message", "content": [{"type": "output_text", "text": "It is 4."}]},
        ]
        row = {**ROLLOUT, "response": {"output": output}}
        [sample] = nemo_gym.parse(nemo_gym.NemoGymPayload.model_validate(row))
        assert isinstance(sample.response, list)
        assert [message.role for message in sample.response] == ["assistant", "tool", "assistant"]
        assert sample.response_text.strip() == "It is 4."

    @pytest.mark.parametrize(("outcome", "score"), OUTCOMES)
    def test_the_rollout_is_echoed_and_components_sum_to_the_reward(
        self, outcome: Outcome, score: float | None
    ) -> None:
        payload = nemo_gym.NemoGymPayload.model_validate(ROLLOUT)
        number = 0.25 if score is None else score
        answer: Any = nemo_gym.render(payload, reward(outcome, score), number)
        assert answer["reward"] == number
        assert answer["response"] == ROLLOUT["response"]
        assert answer["responses_create_params"] == ROLLOUT["responses_create_params"]
        assert fsum(answer["reward_components"].values()) == pytest.approx(answer["reward"])
        assert set(answer["reward_components"]) == {"math", "length", "rest"}
        assert ("_ng_failure_class" in answer) is (score is None)
        assert (answer.get("instance_config") == {"mask_sample": True}) is (score is None)
        json.dumps(answer, allow_nan=False)

    def test_what_the_row_says_of_its_instance_stays_beside_the_mask(self) -> None:
        payload = nemo_gym.NemoGymPayload.model_validate({**ROLLOUT, "instance_config": {"level": 3}})
        masked = nemo_gym.render(payload, reward(Outcome.ERROR, None), 0.0)
        assert masked["instance_config"] == {"level": 3, "mask_sample": True}

    @pytest.mark.parametrize("junk", [None, [], "text", [1, None], [{"type": "message"}], [{"type": "x"}]])
    def test_a_response_of_another_shape_is_an_empty_one(self, junk: object) -> None:
        row = {**ROLLOUT, "response": {"output": junk}}
        [sample] = nemo_gym.parse(nemo_gym.NemoGymPayload.model_validate(row))
        assert sample.response_text == ""


class TestEvalProtocol:
    def test_the_response_is_what_follows_the_last_question(self) -> None:
        talk = [("system", "be brief"), ("user", "1?"), ("assistant", "1"), ("user", "2+2?"), ("assistant", "4")]
        messages = [Message(role=role, content=text) for role, text in talk]
        [sample] = eval_protocol.parse(eval_protocol.EvalProtocolPayload(messages=messages, ground_truth="4"))
        assert (sample.response, sample.reference) == ("4", "4")
        assert isinstance(sample.prompt, list)
        assert [message.text for message in sample.prompt] == ["be brief", "1?", "1", "2+2?"]
        assert not any(message.is_policy for message in sample.prompt)

    @pytest.mark.parametrize(("outcome", "score"), OUTCOMES)
    def test_a_missing_score_is_not_valid(self, outcome: Outcome, score: float | None) -> None:
        number = 0.25 if score is None else score
        answer = eval_protocol.render(reward(outcome, score), number)
        assert answer.is_score_valid is (score is not None)
        assert answer.score == number
        assert (answer.error is None) is (score is not None)
        assert answer.metrics["math"].success is answer.metrics["math"].is_score_valid is (score is not None)
        assert not answer.metrics["length"].is_score_valid

    @pytest.mark.parametrize("context", [[], [{"role": "user", "content": "2+2?"}]])
    def test_messages_are_no_reference(self, context: list[JsonValue]) -> None:
        messages = [Message(role="user", content="2+2?"), Message(role="assistant", content="4")]
        [sample] = eval_protocol.parse(eval_protocol.EvalProtocolPayload(messages=messages, ground_truth=context))
        assert sample.reference is None
        for real in (["4", "four"], [{"input": "1", "output": "2"}], {"role": "x", "content": "y"}):
            payload = eval_protocol.EvalProtocolPayload.model_validate({"messages": messages, "ground_truth": real})
            assert eval_protocol.parse(payload)[0].reference == real

    def test_what_else_is_sent_is_metadata(self) -> None:
        body = {"messages": [{"role": "user", "content": "2?"}], "level": 3, "kwargs": {"seed": 1}}
        [sample] = eval_protocol.parse(eval_protocol.EvalProtocolPayload.model_validate(body))
        assert sample.metadata == {"level": 3, "seed": 1}
        [sample] = eval_protocol.parse(eval_protocol.EvalProtocolPayload.model_validate({**body, "kwargs": 1}))
        assert sample.metadata == {"level": 3}

    def test_rewards_of_steps_are_told(self) -> None:
        answer = eval_protocol.render(reward(Outcome.SCORED, 0.5, step_rewards=[0.0, 0.5]), 0.5)
        assert answer.step_outputs == [{"step_index": 0, "base_reward": 0.0}, {"step_index": 1, "base_reward": 0.5}]


SUBMISSION: dict[str, Any] = {
    "priority": 0,
    "project_id": "p",
    "experiment_id": "e",
    "global_step": 3,
    "data_id": "d",
    "rollout_id": "r",
    "prompt": "2+2?",
    "response": "\\boxed{4}",
    "reward_info": {"ground_truth": "4"},
    "reward_manager": [{"plugin_name": "math"}],
    "timeout": 300,
}


class TestRoll:
    def test_a_submission_is_a_request_of_its_experiment(self) -> None:
        request = roll.request_of(roll.RollSubmit.model_validate(SUBMISSION), "math", None)
        assert (request.run, request.step, request.samples[0].reference) == ("e", 3, "4")

    def test_tests_of_programs_are_read_by_their_kind(self) -> None:
        for tests, kind in (([{"input": "1", "output": "2"}], "stdio"), (["assert f(1) == 2"], "assertions")):
            info = {"case_type": "x", "test_cases": tests}
            [sample] = roll.parse(roll.RollSubmit.model_validate({**SUBMISSION, "reward_info": info}))
            assert sample.reference == {kind: tests}

    def test_the_same_submission_has_the_same_key_and_another_response_has_not(self) -> None:
        def key(**fields: object) -> str:
            payload = roll.RollSubmit.model_validate({**SUBMISSION, **fields})
            return roll.key_of(payload, roll.request_of(payload, "math", None))

        assert key() == key()
        assert len({key(), key(response="5"), key(rollout_id="s"), key(data_id="f")}) == 4

    @pytest.mark.parametrize(("outcome", "score"), OUTCOMES)
    def test_every_end_is_a_number_and_every_debug_info_an_object(self, outcome: Outcome, score: float | None) -> None:
        began, ended = datetime(2026, 11, 21, 10, 0, 0, tzinfo=UTC), datetime(2026, 11, 21, 10, 0, 1, tzinfo=UTC)
        result = roll.render(reward(outcome, score), 0.25 if score is None else score, began, ended)
        assert (result.errcode, result.reward_score) == (0, 0.25 if score is None else score)
        for part in result.dimention_reward_score.values():
            debug: Any = part["debug_info"]
            assert all(info["time_cost"] == 1.0 for info in debug.values())
        assert (result.start_time, result.end_time) == ("2026-11-21T10:00:00+00:00", "2026-11-21T10:00:01+00:00")
