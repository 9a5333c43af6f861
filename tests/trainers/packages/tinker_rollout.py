"""The cookbook's own rollouts and advantages, over our groups. Prints the rewards, metrics and advantages.

The renderer is the cookbook's; the tokenizer is one of bytes that is made here, as no hub is reached; the policy says
what was written beforehand.
"""

from __future__ import annotations

import asyncio
import json
import pickle
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from trueward.trainers.tinker import group_builder

# By name: to whatever reads the types of this project, these packages are absent.
completers: Any = import_module("tinker_cookbook.completers")
data_processing: Any = import_module("tinker_cookbook.rl.data_processing")
renderers: Any = import_module("tinker_cookbook.renderers")
rollouts: Any = import_module("tinker_cookbook.rl.rollouts")
tokenizers: Any = import_module("tinker_cookbook.tokenizer_utils")


class Bytes:
    """A tokenizer with as much as the renderer calls: a byte is a token."""

    bos_token = eos_token_id = None
    name_or_path = "tests/bytes"

    def encode(self, text: str, add_special_tokens: bool = True) -> list[int]:
        return list(text.encode())

    def decode(self, tokens: Sequence[int]) -> str:
        return bytes(tokens).decode()


class Script(completers.TokenCompleter):  # type: ignore[misc]
    """Says one answer after the other; the last one was cut off."""

    def __init__(self, answers: Sequence[str]) -> None:
        self._answers = list(answers)

    async def __call__(self, model_input: Any, stop: Any, *, max_tokens: int | None = None) -> Any:
        assert bytes(model_input.to_ints()).decode().startswith("User: 1+1?")
        said = self._answers.pop(0)
        ended = "stop" if self._answers else "length"
        tokens = list(f" {said}".encode()) + (list(b"\n\nUser:") if ended == "stop" else [])
        return completers.TokensWithLogprobs(tokens, [-0.1] * len(tokens), stop_reason=ended)


async def main(url: str, directory: str) -> None:
    tokenizers.register_tokenizer(Bytes.name_or_path, Bytes)
    renderer = renderers.get_renderer("role_colon", Bytes())
    builder = group_builder(url, recipe="math", run="tinker")
    groups = []
    for reference in ("2", None):
        group = pickle.loads(pickle.dumps(builder(renderer, "1+1?", reference, size=3)))
        groups.append(await rollouts.do_group_rollout(group, Script(["\\boxed{2}", "\\boxed{3}", "\\boxed{4}"])))
    advantages = [each.tolist() for each in data_processing.compute_advantages(groups)]
    kept = data_processing.remove_constant_reward_groups(groups)
    data, _ = data_processing.assemble_training_data(groups, data_processing.compute_advantages(groups))
    print(
        json.dumps(
            {
                "rewards": [group.get_total_rewards() for group in groups],
                "missing": [[one["trueward_missing"] for one in group.metrics_G] for group in groups],
                "advantages": advantages,
                "kept": [groups.index(group) for group in kept],
                "data": len(data),
            }
        )
    )


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
