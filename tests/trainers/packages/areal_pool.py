"""AReaL's own AsyncRewardWrapper calls our function in its process pool, pickled at every call, and its own
RLVRWorkflow awaits our workflow. Prints what became of each kind of response.

What they import beside Python (torch, the engine, the tracer) is replaced by modules with as much as they use: the code
that calls is AReaL's.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import logging
import sys
import time
from abc import ABC
from collections import Counter
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

PACKAGE = importlib.util.find_spec("areal")
assert PACKAGE is not None
WHERE = Path((PACKAGE.submodule_search_locations or [])[0])
KINDS = ("right", "wrong", "missing")
GROUP = 8


def stand_in(name: str, **members: object) -> None:
    module = ModuleType(name)
    module.__path__ = []
    module.__dict__.update(members)
    sys.modules[name] = module


def own(name: str) -> Any:
    """A module of AReaL by its file, without its package's own imports."""
    where = WHERE / (name.removeprefix("areal.").replace(".", "/") + ".py")
    spec = importlib.util.spec_from_file_location(name, where)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Tensor(np.ndarray):
    """As much of torch's as the workflow calls."""

    def unsqueeze(self, axis: int) -> Any:
        return np.expand_dims(self, axis)


def tensor(values: object, dtype: Any) -> Any:
    return np.asarray(values, dtype=dtype).view(Tensor)


def quiet(**named: object) -> Any:
    return lambda function: function


class Nothing:
    async def __aenter__(self) -> None: ...

    async def __aexit__(self, *failure: object) -> None: ...


class Tokenizer:
    """A character a token."""

    def decode(self, ids: list[int]) -> str:
        return "".join(map(chr, ids))


class Engine:
    """Answers with what the prompt's data says."""

    def __init__(self) -> None:
        self.texts: dict[str, list[str]] = {}

    async def agenerate(self, request: Any) -> Any:
        await asyncio.sleep(0)
        text = self.texts["".join(map(chr, request.input_ids))].pop()
        ids = [*map(ord, text)]
        return SimpleNamespace(
            input_tokens=request.input_ids, output_tokens=ids, output_logprobs=[0.0] * len(ids),
            output_versions=[0] * len(ids), input_len=len(request.input_ids), output_len=len(ids),
        )  # fmt: skip


def imported() -> tuple[Any, Any]:
    """AsyncRewardWrapper and RLVRWorkflow."""
    stats = SimpleNamespace(get=lambda scope: SimpleNamespace(scalar=lambda **values: None))
    modules: dict[str, dict[str, object]] = {
        "torch": {"tensor": tensor, "Tensor": Tensor, "int32": np.int32, "float32": np.float32, "bool": np.bool_,
                  "ones": lambda count, dtype: tensor([1] * count, dtype)},
        "transformers": {"PreTrainedTokenizerFast": Tokenizer},
        "areal": {"workflow_context": SimpleNamespace(stat_scope=lambda: "rollout")},
        "areal.utils": {"logging": SimpleNamespace(getLogger=logging.getLogger), "stats_tracker": stats},
        "areal.utils.dynamic_import": {"import_from_string": None},
        "areal.utils.hf_utils": {"apply_chat_template": None},
        "areal.utils.perf_tracer": {"atrace_session_phase": lambda phase: Nothing(),
                                    "session_context": quiet, "trace_session": lambda phase: lambda function: function},
        "areal.workflow": {},
    }  # fmt: skip
    for name, members in modules.items():
        stand_in(name, **members)
    stand_in("areal.api")
    wrapper = own("areal.api.reward_api").AsyncRewardWrapper
    api = {"AsyncRewardWrapper": wrapper, "InferenceEngine": object, "ModelRequest": SimpleNamespace,
           "ModelResponse": object, "RolloutWorkflow": ABC}  # fmt: skip
    sys.modules["areal.api"].__dict__.update(api)
    stand_in("areal.api.cli_args", GenerationHyperparameters=object)
    return wrapper, own("areal.workflow.rlvr").RLVRWorkflow


def draws(count: int) -> list[tuple[str, str, str, str | None]]:
    """Kind, prompt, response and reference; one of each group cannot be judged, and of every eighth group none."""
    found = []
    for place in range(count):
        group, member = divmod(place, GROUP)
        kind = "missing" if member == group % GROUP or group % GROUP == 0 else ("right", "wrong")[member % 2]
        text = f"\\boxed{{{group if kind == 'right' else -1}}} {place}"
        found.append((kind, f"What is {group}?", text, None if kind == "missing" else str(group)))
    return found


async def in_the_pool(wrapper: Any, url: str, count: int) -> dict[str, Any]:
    from trueward.trainers.areal import reward_function

    call = wrapper(reward_function(url, recipe="math", run=f"areal-pool-{count}"), max_workers=1)
    paid: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}

    async def one(kind: str, prompt: str, text: str, reference: str | None) -> None:
        try:
            reward = await call(prompt, text, [1], [2], answer=reference)
        except RuntimeError:
            reward = "raised"
        paid[kind][str(reward)] += 1

    began = time.monotonic()
    await asyncio.gather(*(one(*draw) for draw in draws(count)))
    return {"paid": paid, "seconds": time.monotonic() - began}


async def in_the_workflow(url: str, count: int) -> dict[str, Any]:
    from trueward.trainers.areal import workflow

    engine, drawn = Engine(), draws(count)
    for _, prompt, text, _ in reversed(drawn):
        engine.texts.setdefault(prompt, []).append(text)
    options: Any = SimpleNamespace()
    options.new_with_stop_and_pad_token_ids = lambda tokenizer: options
    options.new = lambda n_samples: options
    made: Any = workflow(url, recipe="math", run=f"areal-workflow-{count}", group_size=GROUP)
    flow = made(options, Tokenizer(), get_input_ids_fn=lambda data, tokenizer, thinking: [*map(ord, data)])
    began = time.monotonic()
    episodes = await asyncio.gather(
        *(flow.arun_episode(engine, {"messages": prompt, "answer": reference}) for _, prompt, _, reference in drawn)
    )
    seconds = time.monotonic() - began
    paid: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    rewards = np.array([float(episode["rewards"][0]) for episode in episodes], dtype=np.float32)
    greatest = 0.0
    for place, (kind, _, _, _) in enumerate(drawn):
        masked = not episodes[place]["loss_mask"].any()
        paid[kind]["masked" if masked else str(float(rewards[place]))] += 1
        if kind == "missing":
            group = rewards[place - place % GROUP : place - place % GROUP + GROUP]
            greatest = max(greatest, abs(float((rewards[place] - group.mean()) / (group.std(ddof=1) + 1e-6))))
    return {"paid": paid, "seconds": seconds, "greatest_advantage": greatest}


def main(url: str, directory: str, count: str = "64") -> None:
    logging.getLogger("RewardAPI").setLevel(logging.CRITICAL)
    logging.getLogger("trueward.trainers").setLevel(logging.ERROR)
    wrapper, _ = imported()
    pool = asyncio.run(in_the_pool(wrapper, url, int(count)))
    flow = asyncio.run(in_the_workflow(url, int(count)))
    print(json.dumps({"pool": pool, "workflow": flow}))


if __name__ == "__main__":
    main(*sys.argv[1:])
