"""Our environment for NeMo RL runs as an actor of a real Ray. ``python nemo_rl_actor.py URL DIRECTORY``.

NeMo RL cannot be installed here: modules of its names are written into DIRECTORY, by ``contracts/nemo-rl.json``. They
make the actor as NeMo RL's ``create_env`` does. Prints what the steps give.
"""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import ray

MODULES = {
    "environments/interfaces.py": """
import abc
from typing import Any, NamedTuple


class EnvironmentReturn(NamedTuple):
    observations: list
    metadata: list
    next_stop_strings: list
    rewards: Any
    terminateds: Any
    answers: Any = None


class EnvironmentInterface(abc.ABC):
    @abc.abstractmethod
    def step(self, message_log_batch, metadata): ...

    @abc.abstractmethod
    def global_post_process_and_metrics(self, batch): ...
""",
    "environments/utils.py": """
from importlib import import_module

from nemo_rl.distributed.ray_actor_environment_registry import ACTOR_ENVIRONMENT_REGISTRY

KNOWN = {}


def register_env(env_name, actor_class_fqn):
    if env_name in KNOWN:
        raise ValueError(f"Env name {env_name} already registered")
    KNOWN[env_name] = actor_class_fqn


def create_env(env_name, env_configs):
    path = KNOWN[env_name]
    module, _, name = path.rpartition(".")
    python = ACTOR_ENVIRONMENT_REGISTRY[path]
    return getattr(import_module(module), name).options(runtime_env={"py_executable": python}).remote(env_configs)
""",
    "distributed/ray_actor_environment_registry.py": "ACTOR_ENVIRONMENT_REGISTRY = {}\n",
    "distributed/virtual_cluster.py": f"class PY_EXECUTABLES:\n    SYSTEM = {sys.executable!r}\n",
}
ENVIRONMENT = """
from trueward.trainers.nemo_rl import environment

Environment = environment({url!r}, recipe="math", run="nemo-rl")
"""


def log(said: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": "1+1?"}, {"role": "assistant", "content": said}]


def step(actor: Any, cases: list[tuple[str, str | None]]) -> Any:
    logs, golds = [log(said) for said, _ in cases], [{"ground_truth": gold} for _, gold in cases]
    return ray.get(actor.step.remote(logs, golds))


def main(url: str, directory: str) -> None:
    for name, code in MODULES.items():
        file = Path(directory, "nemo_rl", name)
        file.parent.mkdir(parents=True, exist_ok=True)
        (file.parent / "__init__.py").touch()
        file.write_text(code, encoding="utf-8")
    Path(directory, "nemo_rl/__init__.py").touch()
    Path(directory, "trueward_env.py").write_text(ENVIRONMENT.format(url=url), encoding="utf-8")
    sys.path.insert(0, directory)
    paths = os.pathsep.join([directory, *filter(None, [os.environ.get("PYTHONPATH")])])
    ray.init(num_cpus=1, include_dashboard=False, runtime_env={"env_vars": {"PYTHONPATH": paths}})
    import_module("trueward.trainers.nemo_rl").register("trueward", "trueward_env.Environment")
    actor = import_module("nemo_rl.environments.utils").create_env("trueward", {})
    batch = step(actor, [("\\boxed{2}", None), ("\\boxed{2}", "2"), ("\\boxed{3}", "2")])
    alone = [step(actor, [("\\boxed{2}", None)]) for _ in range(2)]
    report = {
        "rewards": batch.rewards.tolist(),
        "terminateds": batch.terminateds.tolist(),
        "metadata": batch.metadata,
        "observations": batch.observations,
        "alone": [one.rewards.tolist() for one in alone],
        "metrics": ray.get(actor.global_post_process_and_metrics.remote({}))[1],
    }
    ray.shutdown()
    print(json.dumps(report))


if __name__ == "__main__":
    main(*sys.argv[1:])
