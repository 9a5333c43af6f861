"""An environment that owns its reward: what is handed in first is judged, and a missing reward is None."""

from __future__ import annotations

import json
import pickle
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.client.fake_service import FakeService
from tests.live import Service
from trueward.errors import InvalidRequest
from trueward.trainers.trl_environment import TruewardEnvironment, environment_factory

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-trl/bin/python"
SCRIPT = Path(__file__).parent / "packages/trl_environment.py"
PROMPT = [{"role": "user", "content": "1+1?"}]


@pytest.fixture
def environment(url: str) -> TruewardEnvironment:
    return environment_factory(url, recipe="math", run="r1")()


def test_what_is_handed_in_is_judged(environment: TruewardEnvironment, service: FakeService) -> None:
    environment.reset(prompt=PROMPT, reference="2", data_source="sums", other=1)
    assert environment.submit("2") == "The answer was taken."
    assert environment.get_reward() == 1.0
    (request,) = service.received
    sample = {"id": "0", "prompt": PROMPT, "response": "2", "reference": "2", "data_source": "sums"}
    assert request.body["samples"] == [sample]
    assert (request.body["run"], request.body["split"]) == ("r1", "train")


def test_only_the_first_answer_counts(environment: TruewardEnvironment, service: FakeService) -> None:
    environment.reset(prompt=PROMPT, reference="2")
    environment.submit("3")
    assert "that one counts" in environment.submit("2")
    assert environment.get_reward() == 0.0
    assert len(service.received) == 1


def test_a_rollout_that_hands_nothing_in_is_judged_as_empty(
    environment: TruewardEnvironment, service: FakeService
) -> None:
    environment.reset(prompt=PROMPT, reference="2")
    assert environment.get_reward() == 0.0
    assert service.received[0].body["samples"][0]["response"] == ""


def test_a_missing_reward_is_none(environment: TruewardEnvironment) -> None:
    environment.reset(prompt=PROMPT, reference=None)
    environment.submit("2")
    assert environment.get_reward() is None


def test_an_environment_is_used_again(environment: TruewardEnvironment) -> None:
    for answer, reward in (("2", 1.0), ("3", 0.0)):
        environment.reset(prompt=PROMPT, reference="2")
        assert environment.submit(answer) == "The answer was taken."
        assert environment.get_reward() == reward


def test_a_row_says_that_it_is_of_an_evaluation(environment: TruewardEnvironment, service: FakeService) -> None:
    environment.reset(prompt=PROMPT, reference="2", split="test")
    environment.get_reward()
    assert service.received[0].body["split"] == "eval"


def test_a_missing_column_names_those_at_hand(environment: TruewardEnvironment) -> None:
    with pytest.raises(InvalidRequest, match="no column 'reference'; columns at hand: answer"):
        environment.reset(prompt=PROMPT, answer="2")


class Calculator(TruewardEnvironment):
    def add(self, a: int, b: int) -> int:
        return a + b


def test_a_factory_can_be_pickled_and_makes_a_subclass_with_tools_of_its_own(url: str) -> None:
    factory = environment_factory(url, recipe="math", reference_column=None, environment=Calculator)
    made = pickle.loads(pickle.dumps(factory))()
    assert isinstance(made, Calculator)
    made.reset(prompt=PROMPT)
    assert made.add(1, 1) == 2


@pytest.mark.trainer
def test_trl_s_own_trainer_runs_it_and_a_missing_reward_has_advantage_0(keyless: Service, tmp_path: Path) -> None:
    if not PYTHON.exists():
        pytest.fail("the trainers' environment .venv-trl is missing: make it with `make trl`")
    done = subprocess.run(
        [PYTHON, SCRIPT, keyless.url, tmp_path], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]
    report: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    judged, unjudged = report["rows"][:4], report["rows"][4:]
    assert [row["TruewardEnvironment"] for row in judged] == [1.0, 1.0, 0.0, 0.0]
    assert [row["advantage"] > 0 for row in judged] == [True, True, False, False]
    assert [row["TruewardEnvironment"] for row in unjudged] == [None, None, None, 0.0]
    assert [row["advantage"] for row in unjudged] == [0.0] * 4
    assert {"rewards/TruewardEnvironment/mean", "tools/call_frequency"} <= set(report["logged"])
