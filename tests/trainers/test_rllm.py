"""The evaluator for rLLM, with types of its names that have what the contract says.

rLLM cannot be installed from an index; ``contracts/rllm.json`` has its evaluators' form, with source and date.
"""

from __future__ import annotations

import ast
import inspect
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, fields
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.client.fake_service import FakeService
from tests.live import Service
from tests.trainers.printed import blocks
from tests.trainers.test_pages import contract
from trueward.trainers.rllm import TruewardEvaluator, answer_of

KNOWN = contract("rllm")
ROOT = Path(__file__).parents[2]


@dataclass
class Signal:
    name: str
    value: float
    metadata: dict[str, object] = field(default_factory=dict)


@dataclass
class Plain:
    reward: float
    is_correct: bool
    signals: list[Signal] = field(default_factory=list)
    metadata: dict[str, object] = field(default_factory=dict)


@dataclass
class Later(Plain):
    error: str | None = None


@pytest.fixture(autouse=True)
def types(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """rLLM's modules; ``EvalOutput`` is that of releases without an error."""
    module = ModuleType("rllm.eval.types")
    module.__dict__.update(EvalOutput=Plain, Signal=Signal)
    for name in ("rllm", "rllm.eval"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "rllm.eval.types", module)
    return module


def episode(said: str) -> Any:
    steps = [SimpleNamespace(output=None, model_response=said), SimpleNamespace(output=None, model_response="")]
    return SimpleNamespace(artifacts={}, trajectories=[SimpleNamespace(output=None, steps=steps)])


ROW = {"question": "1+1?", "ground_truth": "2", "data_source": "sums"}


def test_an_episode_s_last_reply_is_judged(url: str, service: FakeService) -> None:
    evaluator = TruewardEvaluator(url, recipe="math", run="r1")
    output = evaluator.evaluate(ROW, episode("2"))
    assert (output.reward, output.is_correct) == (1.0, True)
    assert {signal.name: signal.value for signal in output.signals}["trueward_missing"] == 0.0
    (request,) = service.received
    sample = {"id": "0", "prompt": "1+1?", "response": "2", "reference": "2", "data_source": "sums"}
    assert request.body["samples"] == [sample]
    assert (request.body["run"], request.body["split"]) == ("r1", "train")


def test_a_task_is_read_as_a_row_is(url: str, service: FakeService) -> None:
    task = SimpleNamespace(id="0", instruction="1+1?", metadata={"ground_truth": "2"}, dataset_dir=None, sub_dir=None)
    assert set(vars(task)) == set(KNOWN["task"])
    output = TruewardEvaluator(url, recipe="math", split="eval").evaluate(task, episode("3"))
    assert (output.reward, output.is_correct) == (0.0, False)
    assert service.received[0].body["split"] == "eval"


def test_a_missing_reward_is_an_error_where_there_is_such_a_field(url: str, types: ModuleType) -> None:
    types.__dict__["EvalOutput"] = Later
    evaluator = TruewardEvaluator(url, recipe="math")
    lost = evaluator.evaluate({"question": "1+1?"}, episode("2"))
    assert lost.error.startswith("abstained: no_reference")
    assert evaluator.evaluate(ROW, episode("2")).error is None


def test_a_missing_reward_is_its_prompt_s_mean_elsewhere(keyless: Service) -> None:
    evaluator = TruewardEvaluator(keyless.url, recipe="math", run="rllm", group_size=4)
    rows = [{**ROW, "ground_truth": None}, ROW, ROW, ROW]
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(evaluator.evaluate, rows, map(episode, ["\\boxed{2}"] * 3 + ["\\boxed{3}"])))
    assert [output.reward for output in found[1:]] == [1.0, 1.0, 0.0]
    assert found[0].reward == pytest.approx(2 / 3, abs=2**-12)


@pytest.mark.parametrize(
    ("given", "answer"),
    [
        (SimpleNamespace(artifacts={"answer": 4}, trajectories=[]), "4"),
        (SimpleNamespace(artifacts={}, trajectories=[]), ""),
        (SimpleNamespace(trajectories=[SimpleNamespace(output="out", steps=[])]), "out"),
        (SimpleNamespace(trajectories=[SimpleNamespace(output=None, steps=[SimpleNamespace(output="step")])]), "step"),
        (episode("reply"), "reply"),
    ],
)
def test_an_answer_is_looked_for_where_rllm_does(given: Any, answer: str) -> None:
    assert answer_of(given) == answer


def test_the_entry_point_is_an_evaluator_of_the_environment_s_recipe(
    url: str, service: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As rLLM loads it: a class is made without arguments."""
    project = tomllib.loads((ROOT / "client/pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, _, name = project["entry-points"][KNOWN["entry_points"]]["trueward"].partition(":")
    kind = getattr(import_module(module), name)
    for variable, value in (("URL", url), ("RECIPE", "math"), ("RUN", "r2")):
        monkeypatch.setenv(f"TRUEWARD_{variable}", value)
    assert kind().evaluate(ROW, episode("2")).reward == 1.0
    assert (service.received[0].body["recipe"], service.received[0].body["run"]) == ("math", "r2")
    monkeypatch.delenv("TRUEWARD_RECIPE")
    with pytest.raises(ValueError, match="or TRUEWARD_RECIPE"):
        kind()


def test_rllm_knows_every_argument_of_its_page() -> None:
    (code,) = blocks("rllm", "python")
    calls = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]
    given = {ast.unparse(call.func): [word.arg for word in call.keywords] for call in calls}
    assert sorted(map(str, given["AgentTrainer"])) == sorted(KNOWN["trainer_arguments"])
    assert [name for name in given["build_train_config"] if name not in KNOWN["config_arguments"]] == []


def test_it_has_the_form_of_rllm_s_own() -> None:
    assert list(inspect.signature(TruewardEvaluator.evaluate).parameters)[1:] == KNOWN["evaluator"]["method"]
    assert [one.name for one in fields(Plain)] == KNOWN["output"]["fields"]
    assert [one.name for one in fields(Signal)] == KNOWN["signal"]
