"""Rewards of a Trueward service for ROLL, as a reward worker: one request for each batch that ROLL hands over.

::

    Worker = reward_worker("http://127.0.0.1:8421", recipe="math-short")        # trueward_worker.py, on the path
    rewards: {math: {worker_cls: trueward_worker.Worker, tag_included: [gsm8k], world_size: 1, ...}}

ROLL takes numbers only. A missing reward is the mean of its prompt's samples (:mod:`.standing_in`); how many there were
is in the batch's metrics, under ``trueward/missing``. A service that is away for longer than ``deadline_s``, or that
refuses, raises. ``world_size: 1`` keeps the samples of a prompt together.
"""

from __future__ import annotations

from typing import Any, Unpack, cast

from pydantic import JsonValue

from trueward.trainers.connection import Connection, Fields, Options, Recipe


def reward_worker(url: str | None = None, *, recipe: Recipe, **options: Unpack[Options]) -> type[Any]:
    """A class of reward workers, to be named as ``worker_cls``."""
    import torch
    from roll.distributed.executor.worker import Worker
    from roll.distributed.scheduler.decorator import Dispatch, register
    from roll.distributed.scheduler.protocol import DataProto
    from roll.models.model_providers import default_tokenizer_provider

    connection = Connection(url, recipe, "roll", **options)

    class TruewardRewardWorker(Worker):  # type: ignore[misc]  # ROLL has no types here
        def __init__(self, worker_config: Any) -> None:
            super().__init__(worker_config=worker_config)
            self.rank_info.dp_rank = self.rank_info.rank
            self.rank_info.dp_size = self.rank_info.world_size
            self.tokenizer = default_tokenizer_provider(model_args=self.worker_config.model_args)

        @register(dispatch_mode=Dispatch.ONE_TO_ALL)  # type: ignore[untyped-decorator]
        def initialize(self, pipeline_config: Any) -> None:
            """ROLL calls it once; there is nothing to load."""

        @register(dispatch_mode=Dispatch.DP_MP_COMPUTE, clear_cache=False)  # type: ignore[untyped-decorator]
        def compute_rewards(self, data: Any) -> Any:
            responses = data.batch["responses"]
            texts = self.tokenizer.batch_decode(responses, skip_special_tokens=True)
            counts = (responses != self.tokenizer.pad_token_id).sum(dim=1).tolist()
            rows = data.non_tensor_batch
            prompts = [str(prompt) for prompt in rows["prompt"]]
            samples: list[Fields] = [
                {
                    "prompt": prompt,
                    "response": text,
                    "tokens": int(count),
                    "reference": cast(JsonValue, gold),
                    "data_source": str(tag),
                }
                for prompt, text, count, gold, tag in zip(
                    prompts, texts, counts, rows["ground_truth"], rows["tag"], strict=True
                )
            ]
            rewards = connection.rewards(samples)
            scores = torch.tensor(connection.means.rewards(rewards, prompts), dtype=torch.float32)
            output = DataProto.from_dict(
                tensors={
                    "scores": scores,
                    "response_level_rewards": scores.clone(),
                    "token_level_rewards": torch.zeros_like(responses, dtype=torch.float32),
                }
            )
            output.meta_info = {"metrics": {"trueward/missing": sum(one.reward is None for one in rewards)}}
            return output

    return TruewardRewardWorker
