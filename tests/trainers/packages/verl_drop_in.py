"""verl's own loader finds our ``compute_score`` by its package path, its naive reward manager calls it in threads.

The environment has the client alone, and prime's package ``verifiers``. Prints the results.
"""

from __future__ import annotations

import asyncio
import json
import sys
from importlib import import_module
from types import SimpleNamespace
from typing import Any

ours: Any = import_module("verl_manager")


async def run(manager_class: Any, load: Any) -> list[dict[str, Any]]:
    config = {"path": "pkg://trueward.compat.verl", "name": "compute_score", "reward_kwargs": {}}
    compute_score = load(SimpleNamespace(reward={"custom_reward_function": config}))
    tokenizer = SimpleNamespace(decode=lambda ids, skip_special_tokens: bytes(ids).decode())
    manager = manager_class(config, tokenizer, compute_score)
    rows = [ours.Row("\\boxed{2}", "2"), ours.Row("\\boxed{3}", "2"), ours.Row("\\boxed{2}", None)]
    for row in rows:
        row.non_tensor_batch["data_source"] = "openai/gsm8k"
    assert not manager.is_async_reward_score
    right, wrong = await asyncio.gather(*(manager.run_single(row) for row in rows[:2]))
    return [right, wrong, await manager.run_single(rows[2])]


def main(url: str, directory: str) -> None:
    naive, reward = ours.of_verl()
    print(json.dumps(asyncio.run(run(naive.NaiveRewardManager, reward.get_custom_reward_fn))))


if __name__ == "__main__":
    main(*sys.argv[1:])
