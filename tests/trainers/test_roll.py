"""The reward worker for ROLL, in modules of ROLL's names that have what the contract says it uses.

ROLL cannot be installed from an index; ``contracts/roll.json`` has its worker's form, with source and date.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.client.fake_service import FakeService
from tests.trainers.test_pages import contract
from trueward.trainers.roll import reward_worker

torch = pytest.importorskip("torch")


class Worker:
    """ROLL's base: the configuration and the rank."""

    def __init__(self, worker_config: Any) -> None:
        self.worker_config = worker_config
        self.rank_info = SimpleNamespace(rank=0, world_size=1)


class Proto:
    def __init__(self, tensors: dict[str, Any]) -> None:
        self.batch = tensors
        self.meta_info: dict[str, Any] = {}

    @classmethod
    def from_dict(cls, tensors: dict[str, Any]) -> Proto:
        return cls(tensors)


class Tokenizer:
    """A character is a token; 0 is padding."""

    pad_token_id = 0

    def batch_decode(self, ids: Any, skip_special_tokens: bool) -> list[str]:
        return ["".join(chr(one) for one in row if one) for row in ids.tolist()]


def register(**options: object) -> Callable[[Any], Any]:
    return lambda function: function


@pytest.fixture
def worker(url: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    members: dict[str, dict[str, object]] = {
        "executor.worker": {"Worker": Worker},
        "scheduler.decorator": {"Dispatch": SimpleNamespace(ONE_TO_ALL=0, DP_MP_COMPUTE=1), "register": register},
        "scheduler.protocol": {"DataProto": Proto},
    }
    modules: dict[str, dict[str, object]] = {f"roll.distributed.{name}": content for name, content in members.items()}
    modules |= {name: {} for name in ("roll", "roll.models", "roll.distributed")}
    modules |= {f"roll.distributed.{name}": {} for name in ("executor", "scheduler")}
    modules["roll.models.model_providers"] = {"default_tokenizer_provider": lambda model_args: Tokenizer()}
    for name, content in modules.items():
        module = ModuleType(name)
        module.__dict__.update(content)
        monkeypatch.setitem(sys.modules, name, module)
    return reward_worker(url, recipe="exact", run="r1")(SimpleNamespace(model_args=None))


def batch(rows: list[tuple[str, str, str | None]]) -> Any:
    """Prompt, response, reference."""
    width = max(len(said) for _, said, _ in rows)
    ids = torch.tensor([[ord(char) for char in said.ljust(width, "\0")] for _, said, _ in rows])
    columns = {
        "prompt": [row[0] for row in rows],
        "ground_truth": [row[2] for row in rows],
        "tag": ["gsm8k"] * len(rows),
    }
    return SimpleNamespace(batch={"responses": ids}, non_tensor_batch=columns)


def test_a_batch_is_one_request_and_gives_what_roll_reads(worker: Any, service: FakeService) -> None:
    worker.initialize(None)
    output = worker.compute_rewards(batch([("p", "4", "4"), ("p", "5", "4"), ("q", "10", "10")]))
    assert sorted(output.batch) == sorted(contract("roll")["worker"]["gives"])
    assert output.batch["scores"].tolist() == [1.0, 0.0, 1.0]
    assert output.batch["response_level_rewards"].tolist() == [1.0, 0.0, 1.0]
    assert output.batch["token_level_rewards"].shape == (3, 2)
    (request,) = service.received
    assert [sample["tokens"] for sample in request.body["samples"]] == [1, 1, 2]
    assert request.body["run"] == "r1"


def test_a_missing_reward_is_its_prompt_s_mean_and_counted(worker: Any) -> None:
    rows = [("p", "4", None), ("p", "4", "4"), ("p", "5", "4"), ("q", "1", None), ("q", "2", None)]
    output = worker.compute_rewards(batch(rows))
    first, _, _, *alone = output.batch["scores"].tolist()
    assert first == 0.5
    assert len(set(alone)) == 1
    assert output.meta_info["metrics"] == {"trueward/missing": 3}


def test_the_worker_has_the_form_of_roll_s_own(worker: Any) -> None:
    assert all(callable(getattr(worker, name)) for name in contract("roll")["worker"]["methods"])
    assert (worker.rank_info.dp_rank, worker.rank_info.dp_size) == (0, 1)
