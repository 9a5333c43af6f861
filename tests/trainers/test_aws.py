"""The Lambda function of AWS's fine-tuning: events and answers as documented (``contracts/aws.json``)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.live import Service
from tests.trainers.test_pages import contract
from trueward.trainers.aws import lambda_handler

EVENTS = contract("aws")["events"]


@pytest.fixture
def handler(keyless: Service) -> Any:
    return lambda_handler(keyless.url, recipe="math", run="aws", reference_key="answer")


def as_documented(answer: dict[str, Any]) -> bool:
    metrics = answer["metrics_list"]
    return (
        answer.keys() == contract("aws")["answer"].keys()
        and isinstance(answer["aggregate_reward_score"], float)
        and all(metric.keys() == {"name", "value", "type"} for metric in metrics)
        and all(isinstance(metric["value"], float) and metric["type"] in ("Reward", "Metric") for metric in metrics)
    )


def value(answer: dict[str, Any], name: str) -> float:
    (found,) = [metric["value"] for metric in answer["metrics_list"] if metric["name"] == name]
    return float(found)


def test_bedrock_s_list_is_answered_in_order(handler: Any) -> None:
    right, wrong = handler(EVENTS["bedrock"], None)
    assert [right["id"], wrong["id"]] == ["123", "124"]
    assert [right["aggregate_reward_score"], wrong["aggregate_reward_score"]] == [1.0, 0.0]
    assert as_documented(json.loads(json.dumps(right)))
    assert value(wrong, "acc") == 0.0
    assert value(right, "trueward_component_math") == 1.0


def test_sagemaker_s_row_has_its_reference_in_an_object(handler: Any) -> None:
    (answer,) = handler(EVENTS["sagemaker"], None)
    assert answer["aggregate_reward_score"] == 1.0


def test_a_missing_reward_is_its_prompt_s_mean_and_flagged(handler: Any) -> None:
    event = [*EVENTS["bedrock"], {**EVENTS["bedrock"][0], "id": "125", "metadata": {}}]
    lost = handler(event, None)[2]
    assert lost["aggregate_reward_score"] == 0.5
    assert value(lost, "trueward_missing") == 1.0
    assert as_documented(lost)


def test_a_row_without_an_answer_and_an_empty_event_are_told_apart(handler: Any) -> None:
    with pytest.raises(ValueError, match="row '7': its messages do not end with one of the assistant's"):
        handler([{"id": "7", "messages": [{"role": "user", "content": "1+1?"}]}], None)
    assert handler([], None) == []
