"""verl's own resolver loads our reward manager by importlib, and it is awaited as verl's reward worker awaits one.

Two prompts of four samples each, sent one by one and mixed: a prompt with one sample that nobody can judge, and one
that nobody can judge at all. Prints the results, by prompt, and what a manager beside others says.
"""

from __future__ import annotations

import asyncio
import json
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

ours: Any = import_module("verl_manager")


def configuration(file: Path, workers: int) -> Any:
    manager = SimpleNamespace(source="importlib", name="Manager", module=SimpleNamespace(path=str(file)))
    rollout = SimpleNamespace(n=4, val_kwargs=SimpleNamespace(n=1))
    return SimpleNamespace(
        reward=SimpleNamespace(reward_manager=manager, num_workers=workers),
        actor_rollout_ref=SimpleNamespace(rollout=rollout),
    )


def row(text: str, gold: str | None, uid: str, split: str = "train") -> Any:
    made = ours.Row(text, gold)
    prompt = [{"role": "user", "content": f"{uid}?"}]
    made.non_tensor_batch |= {"uid": uid, "raw_prompt": prompt, "extra_info": {"split": split}}
    return made


async def run(make: Any, file: Path) -> dict[str, Any]:
    tokenizer = SimpleNamespace(decode=lambda ids, skip_special_tokens: bytes(ids).decode())
    try:
        make(configuration(file, 8), tokenizer, None)
        refused = ""
    except ValueError as error:
        refused = str(error)
    manager = make(configuration(file, 1), tokenizer, None, reward_router_address=None, reward_model_tokenizer=None)
    first = [row("\\boxed{2}", None, "a"), *(row(f"\\boxed{{{said}}}", "2", "a") for said in (2, 2, 3))]
    second = [row(f"\\boxed{{{said}}}", None, "b") for said in range(4)]
    mixed = [one for pair in zip(first, second, strict=True) for one in pair]
    results = await asyncio.gather(*(manager.run_single(one) for one in mixed))
    evaluated = await manager.run_single(row("\\boxed{2}", "2", "c", "test"))
    late = await manager.run_single(row("\\boxed{2}", "2", "d"))  # the others never come
    return {"a": results[::2], "b": results[1::2], "evaluated": evaluated, "late": late, "refused": refused}


def main(url: str, directory: str) -> None:
    _, reward = ours.of_verl()
    file = Path(directory) / "trueward_manager.py"
    file.write_text(
        "from trueward.trainers.verl_manager import reward_manager\n"
        f"Manager = reward_manager({url!r}, recipe='math', run='grouped', wait_s=2.0)\n"
    )
    make = reward.resolve_reward_manager_cls(configuration(file, 1))
    print(json.dumps(asyncio.run(run(make, file))))


if __name__ == "__main__":
    main(*sys.argv[1:])
