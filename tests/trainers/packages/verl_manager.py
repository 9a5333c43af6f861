"""verl's own loader of reward functions and its own naive reward manager call ours. Prints the results.

What they import beside Python (torch, ray, the data protocol) is replaced by empty modules: the code that calls the
function is verl's, the batch is a stand-in of NumPy.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

QUIET = {"torch": {}, "verl": {"DataProto": object}, "verl.utils": {}, "verl.utils.reward_score": {},
         "verl.experimental": {}, "verl.experimental.reward_loop": {}}  # fmt: skip
PACKAGE = importlib.util.find_spec("verl")
assert PACKAGE is not None
WHERE = Path((PACKAGE.submodule_search_locations or [])[0])


def stand_in(name: str, **members: object) -> None:
    module = ModuleType(name)
    module.__path__ = []
    module.__dict__.update(members)
    sys.modules[name] = module


def own(name: str) -> Any:
    """A module of verl by its file, without its package's own imports."""
    spec = importlib.util.spec_from_file_location(name, WHERE / (name.removeprefix("verl.").replace(".", "/") + ".py"))
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Base:
    """What the manager inherits: its configuration and the loop."""

    def __init__(self, config: object, tokenizer: object, compute_score: object) -> None:
        self.config, self.tokenizer, self.compute_score = config, tokenizer, compute_score
        self.loop = asyncio.get_running_loop()


class Row:
    """One row of a batch, as the manager reads it."""

    def __init__(self, text: str, gold: str | None) -> None:
        ids = np.frombuffer(text.encode(), dtype=np.uint8)
        self.batch = {"responses": ids, "attention_mask": np.ones(len(ids) + 3, dtype=int)}
        self.non_tensor_batch = {
            "data_source": "sums", "reward_model": {"ground_truth": gold}, "extra_info": {"index": 0},
        }  # fmt: skip

    def __getitem__(self, key: object) -> Row:
        return self


async def run(manager_class: Any, load: Any, file: Path) -> list[dict[str, Any]]:
    config = {"path": str(file), "name": "compute_score", "reward_kwargs": {}}
    compute_score = load(SimpleNamespace(reward={"custom_reward_function": config}))
    tokenizer = SimpleNamespace(decode=lambda ids, skip_special_tokens: bytes(ids).decode())
    manager = manager_class(config, tokenizer, compute_score)
    rows = [Row("\\boxed{2}", "2"), Row("\\boxed{3}", "2"), Row("\\boxed{2}", None)]
    assert manager.is_async_reward_score
    return [await manager.run_single(row) for row in rows]


def of_verl() -> tuple[Any, Any]:
    """verl's module of the naive manager, and the one that loads functions."""
    for name, members in QUIET.items():
        stand_in(name, **members)
    stand_in("verl.utils.reward_score", default_compute_score=None, get_default_compute_score=None)
    stand_in("verl.experimental.reward_loop.reward_manager", register=lambda name: lambda cls: cls)
    stand_in("verl.experimental.reward_loop.reward_manager.base", RewardManagerBase=Base)
    own("verl.utils.import_utils")
    return own("verl.experimental.reward_loop.reward_manager.naive"), own("verl.trainer.ppo.reward")


def main(url: str, directory: str) -> None:
    naive, reward = of_verl()
    file = Path(directory) / "trueward_reward.py"
    file.write_text(
        "from trueward.trainers.verl import async_score\n"
        f"compute_score = async_score({url!r}, recipe='math', run='verl')\n"
    )
    print(json.dumps(asyncio.run(run(naive.NaiveRewardManager, reward.get_custom_reward_fn, file))))


if __name__ == "__main__":
    main(*sys.argv[1:])
