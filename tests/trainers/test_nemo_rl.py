"""The environment for NeMo RL: in modules of its names, as the contract has them, and as an actor of a real Ray.

NeMo RL cannot be installed here; ``contracts/nemo-rl.json`` has its interface, with source and date.
"""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.client.fake_service import FakeService
from tests.live import Service
from tests.trainers.test_pages import contract
from trueward.trainers.nemo_rl import environment, register

torch = pytest.importorskip("torch")

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-ray/bin/python"
KNOWN = contract("nemo-rl")


@pytest.fixture(autouse=True)
def nemo_rl(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Modules of NeMo RL's names, and of Ray's, whose actors are classes; gives the registry of actors."""

    def returned(**fields: object) -> SimpleNamespace:
        assert set(fields) <= set(KNOWN["environment"]["return"])
        return SimpleNamespace(**fields)

    actors: dict[str, str] = {}
    modules: dict[str, dict[str, object]] = {
        "ray": {"remote": lambda kind: kind},
        "nemo_rl.environments.interfaces": {"EnvironmentInterface": object, "EnvironmentReturn": returned},
        "nemo_rl.environments.utils": {"register_env": lambda name, path: actors.update({name: path})},
        "nemo_rl.distributed.ray_actor_environment_registry": {"ACTOR_ENVIRONMENT_REGISTRY": actors},
        "nemo_rl.distributed.virtual_cluster": {"PY_EXECUTABLES": SimpleNamespace(SYSTEM="python")},
    }
    modules |= {name: {} for name in ("nemo_rl", "nemo_rl.environments", "nemo_rl.distributed")}
    for name, members in modules.items():
        module = ModuleType(name)
        module.__dict__.update(members)
        monkeypatch.setitem(sys.modules, name, module)
    return actors


def log(said: str, asked: str = "1+1?") -> list[dict[str, Any]]:
    return [{"role": "user", "content": asked}, {"role": "assistant", "content": said, "token_ids": [1]}]


async def test_a_batch_is_one_request_and_gives_what_nemo_rl_reads(url: str, service: FakeService) -> None:
    made = environment(url, recipe="exact", run="r1")({})
    golds: list[dict[str, Any]] = [{"ground_truth": "2"}, {"ground_truth": "2"}, {"ground_truth": None}]
    found = await made.step([log("2"), log("3"), log("2")], golds)
    assert found.rewards.tolist() == [1.0, 0.0, 0.5]
    assert found.rewards.dtype == torch.float32
    assert found.terminateds.tolist() == [True] * 3
    assert found.metadata == golds
    assert found.next_stop_strings == [None] * 3
    (request,) = service.received
    sample = {"id": "0", "prompt": [{"role": "user", "content": "1+1?"}], "response": "2", "reference": "2"}
    assert request.body["samples"][0] == sample
    assert "gather" not in request.body
    assert made.global_post_process_and_metrics("batch") == ("batch", {"trueward/missing": 1})
    assert made.global_post_process_and_metrics("batch") == ("batch", {"trueward/missing": 0})


async def test_a_sample_alone_is_one_of_its_group_and_holds_nobody_up(url: str, service: FakeService) -> None:
    await environment(url, recipe="exact", group_size=4)({}).step([log("2")], [{"ground_truth": "2"}])
    assert service.received[0].body["gather"] == {"size": 4, "at_once": 1}


async def test_a_template_s_opened_tag_is_told(url: str, service: FakeService) -> None:
    asked = "<|im_start|>assistant\n<think>\n"
    await environment(url, recipe="exact", reference_key=None)({}).step([log("2", asked)], [{}])
    (sample,) = service.received[0].body["samples"]
    assert sample["prefix"] == "<think>"
    assert "reference" not in sample


async def test_a_sample_without_an_answer_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="do not end with one of the assistant's"):
        await environment(url, recipe="exact")({}).step([log("2")[:1]], [{"ground_truth": "2"}])


def test_the_environment_has_the_form_of_nemo_rl_s_own(url: str) -> None:
    made = environment(url, recipe="exact")({})
    for name, parameters in KNOWN["environment"]["methods"].items():
        assert list(inspect.signature(getattr(made, name)).parameters) == parameters


def test_a_registered_class_is_known_with_its_python(nemo_rl: dict[str, str]) -> None:
    register("trueward", "trueward_env.Environment")
    assert nemo_rl == {"trueward": "trueward_env.Environment", "trueward_env.Environment": "python"}


@pytest.mark.trainer
def test_it_runs_as_an_actor_of_ray(keyless: Service, tmp_path: Path) -> None:
    if not PYTHON.exists():
        pytest.fail("the environment with Ray .venv-ray is missing: make it with `make ray`")
    script = Path(__file__).parent / "packages/nemo_rl_actor.py"
    done = subprocess.run(
        [PYTHON, script, keyless.url, tmp_path], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]
    report = json.loads(done.stdout.splitlines()[-1])
    assert report["rewards"] == [0.5, 1.0, 0.0]
    assert report["terminateds"] == [True] * 3
    assert report["alone"][0] == report["alone"][1]
    assert report["metrics"] == {"trueward/missing": 3}
