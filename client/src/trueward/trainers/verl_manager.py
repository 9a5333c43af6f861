"""Rewards of a Trueward service for verl, as a reward manager: a prompt's samples are asked for together.

::

    Manager = reward_manager("http://127.0.0.1:8421", recipe="math")            # trueward_manager.py
    reward.num_workers=1 reward.reward_manager.source=importlib reward.reward_manager.name=Manager \\
        reward.reward_manager.module.path=trueward_manager.py

verl hands a manager one sample at a time. This one holds it until the others of its prompt (``uid``) have come, as many
as ``rollout.n`` says, and asks once: recipes that look at whole groups work, and a missing reward is the mean of its
own group, so its advantage is near 0. What is there is asked for after ``wait_s`` where some do not come. One manager
must see them all, hence ``reward.num_workers=1``; it awaits, so one serves thousands in flight.

The results have the keys of :mod:`trueward.trainers.verl`. Sent beside what that sends are the prompt and the number of
tokens.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Unpack, cast

from pydantic import JsonValue

from trueward.trainers.connection import Connection, Fields, Options, Recipe
from trueward.trainers.standing_in import Means, flat
from trueward.wire.reward import Reward
from trueward.wire.sample import Split

Result = dict[str, float]
Ask = Callable[[list[Fields], Split], Coroutine[None, None, list[Result]]]

WAIT_S = 600.0
"""From a group's first sample: the others may still be written."""


class Groups:
    """Samples in one event loop, by group: each waits until its group is whole, or ``wait_s`` after its first."""

    def __init__(self, ask: Ask, wait_s: float) -> None:
        self._ask = ask
        self._wait_s = wait_s
        self._open: dict[str, list[tuple[Fields, asyncio.Future[Result]]]] = {}
        self._asking: set[asyncio.Task[None]] = set()

    async def result(self, key: str, size: int, sample: Fields, split: Split) -> Result:
        """The result of a sample; raises what asking raises, for each member."""
        loop = asyncio.get_running_loop()
        mine: asyncio.Future[Result] = loop.create_future()
        members = self._open.setdefault(key, [])
        members.append((sample, mine))
        if len(members) == 1:
            loop.call_later(self._wait_s, self._close, key, members, split)
        if len(members) >= size:
            self._close(key, members, split)
        return await mine

    def _close(self, key: str, members: list[tuple[Fields, asyncio.Future[Result]]], split: Split) -> None:
        if self._open.get(key) is not members:
            return  # it is asked for already
        del self._open[key]
        task = asyncio.create_task(self._answered(members, split))
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)

    async def _answered(self, members: list[tuple[Fields, asyncio.Future[Result]]], split: Split) -> None:
        try:
            results = await self._ask([sample for sample, _ in members], split)
        except Exception as failure:  # noqa: BLE001 - it is raised to each who waits
            for _, waiting in members:
                if not waiting.done():
                    waiting.set_exception(failure)
            return
        for (_, waiting), result in zip(members, results, strict=True):
            if not waiting.done():
                waiting.set_result(result)


def reward_manager(
    url: str | None = None, *, recipe: Recipe, wait_s: float = WAIT_S, **options: Unpack[Options]
) -> type[Any]:
    """A class of reward managers, to be named in ``reward.reward_manager``. Its constructor raises ValueError where
    several workers would tear groups apart."""
    from verl.experimental.reward_loop.reward_manager.base import RewardManagerBase

    connection = Connection(url, recipe, "verl", **options)

    async def ask(samples: list[Fields], split: Split) -> list[Result]:
        return _results(samples, await connection.await_rewards(samples, split=split), connection.means)

    class TruewardRewardManager(RewardManagerBase):  # type: ignore[misc]  # verl has no types here
        def __init__(self, config: Any, tokenizer: Any, compute_score: object = None, **of_verl: object) -> None:
            super().__init__(config, tokenizer, compute_score)
            if config.reward.num_workers != 1:
                raise ValueError(
                    f"reward.num_workers is {config.reward.num_workers}, and samples of one prompt would go to several "
                    "workers: set reward.num_workers=1 (one awaits thousands)"
                )
            rollout = config.actor_rollout_ref.rollout
            self._sizes: dict[Split, int] = {"train": rollout.n, "eval": rollout.val_kwargs.n}
            self._groups = Groups(ask, wait_s)

        async def run_single(self, data: Any) -> dict[str, object]:
            item = data[-1:][0]
            sample, split = await self._sample(item), _split(item.non_tensor_batch.get("extra_info"))
            found = await self._groups.result(str(sample["group"]), self._sizes[split], sample, split)
            return {"reward_score": found["score"], "reward_extra_info": found}

        async def _sample(self, item: Any) -> Fields:
            ids = item.batch["responses"]
            count = int(item.batch["attention_mask"][-ids.shape[-1] :].sum())
            text = await asyncio.to_thread(self.tokenizer.decode, ids[:count], skip_special_tokens=True)
            row = item.non_tensor_batch
            extra = row.get("extra_info") or {}
            sample: Fields = {
                "response": text,
                "tokens": count,
                "reference": cast(JsonValue, row["reward_model"]["ground_truth"]),
                "data_source": str(row["data_source"]),
                "group": str(row["uid"]) if "uid" in row else f"{row['data_source']}/{extra['index']}",
            }
            if "raw_prompt" in row:
                sample["prompt"] = [dict(message) for message in row["raw_prompt"]]
            return sample

    return TruewardRewardManager


def _results(samples: Sequence[Fields], rewards: Sequence[Reward], means: Means) -> list[Result]:
    groups = [str(sample["group"]) for sample in samples]
    rows: list[Mapping[str, float | None]] = [{"score": reward.reward, **flat(reward)} for reward in rewards]
    results: list[Result] = [{} for _ in rows]
    for key in rows[0]:
        for result, number in zip(results, means.numbers(key, [row[key] for row in rows], groups), strict=True):
            result[key] = number
    return results


def _split(extra: Mapping[str, object] | None) -> Split:
    return "train" if (extra or {}).get("split", "train") == "train" else "eval"
