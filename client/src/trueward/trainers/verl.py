"""Rewards of a Trueward service for verl, as its custom reward function.

::

    compute_score = async_score("http://127.0.0.1:8421", recipe="math")   # in the file of custom_reward_function.path

verl takes no None, and an exception ends the run. So a missing reward is the mean of its group's others
(:mod:`.standing_in`), for which the call waits, with ``trueward_missing`` 1; only a service that is away for longer
than ``deadline_s``, or that refuses, raises. Every result has the same keys, for verl takes those of the first row:
``score``, ``acc``, ``trueward_outcome``, ``trueward_missing``, and ``trueward_component_<term>`` for each term of the
recipe. Each is a number.

verl hands over no prompt: where the recipe needs it, ``prompt_key`` names the field of ``extra_info`` that has it. The
group is that of ``extra_info["index"]``, which verl's own data sets carry.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Unpack, cast

from pydantic import JsonValue

from trueward.trainers.connection import THREADS, Connection, Fields, Options, Recipe
from trueward.trainers.passed_on import baselines_of
from trueward.trainers.standing_in import flat
from trueward.wire.reward import Reward
from trueward.wire.sample import Split

Result = dict[str, float]
Extra = Mapping[str, object] | None


def async_score(
    url: str | None = None, *, recipe: Recipe, prompt_key: str | None = None, **options: Unpack[Options]
) -> Callable[..., Coroutine[None, None, Result]]:
    """An ``async def compute_score``, of which verl awaits many at once."""
    scorer = Scorer(Connection(url, recipe, "verl", **options), prompt_key)

    async def compute_score(
        data_source: str, solution_str: str, ground_truth: JsonValue, extra_info: Extra = None, **of_verl: object
    ) -> Result:
        return (await scorer.await_scores([data_source], [solution_str], [ground_truth], [extra_info]))[0]

    return compute_score


def score(
    url: str | None = None, *, recipe: Recipe, prompt_key: str | None = None, **options: Unpack[Options]
) -> Callable[..., Result]:
    """A ``compute_score`` that blocks; verl calls it in threads."""
    scorer = Scorer(Connection(url, recipe, "verl", at_once=THREADS, **options), prompt_key)

    def compute_score(
        data_source: str, solution_str: str, ground_truth: JsonValue, extra_info: Extra = None, **of_verl: object
    ) -> Result:
        return scorer.blocking([data_source], [solution_str], [ground_truth], [extra_info], apart=True)[0]

    return compute_score


def batch_score(
    url: str | None = None, *, recipe: Recipe, prompt_key: str | None = None, **options: Unpack[Options]
) -> Callable[..., list[Result]]:
    """The batch form (``reward_manager=batch``): whole groups in one call, as recipes for groups need them."""
    scorer = Scorer(Connection(url, recipe, "verl", **options), prompt_key)

    def compute_score(
        data_sources: Sequence[str],
        solution_strs: Sequence[str],
        ground_truths: Sequence[JsonValue],
        extra_infos: Sequence[Extra],
        **of_verl: object,
    ) -> list[Result]:
        return scorer.blocking(data_sources, solution_strs, ground_truths, extra_infos)

    return compute_score


class Scorer:
    """What the three forms are made of."""

    def __init__(self, connection: Connection, prompt_key: str | None) -> None:
        self._connection = connection
        self._prompt_key = prompt_key

    async def await_scores(
        self, sources: Sequence[str], texts: Sequence[str], references: Sequence[JsonValue], extras: Sequence[Extra]
    ) -> list[Result]:
        samples = self._samples(sources, texts, references, extras)
        return self._results(samples, await self._connection.await_rewards(samples, split=_split(extras), apart=True))

    def blocking(
        self,
        sources: Sequence[str],
        texts: Sequence[str],
        references: Sequence[JsonValue],
        extras: Sequence[Extra],
        *,
        apart: bool = False,
    ) -> list[Result]:
        samples = self._samples(sources, texts, references, extras)
        return self._results(samples, self._connection.rewards(samples, split=_split(extras), apart=apart))

    def _samples(
        self, sources: Sequence[str], texts: Sequence[str], references: Sequence[JsonValue], extras: Sequence[Extra]
    ) -> list[Fields]:
        samples: list[Fields] = []
        for source, text, reference, extra in zip(sources, texts, references, extras, strict=True):
            known = extra or {}
            sample: Fields = {"response": text, "reference": reference, "data_source": str(source)}
            if self._prompt_key is not None:
                sample["prompt"] = cast(JsonValue, known.get(self._prompt_key))
            if "index" in known:
                sample["group"] = f"{source}/{known['index']}"
            samples.append(sample | baselines_of(known))
        return samples

    def _results(self, samples: Sequence[Fields], rewards: Sequence[Reward]) -> list[Result]:
        groups = [str(sample.get("group")) for sample in samples]
        means = self._connection.means
        scores = means.rewards(rewards, groups)
        rows = [{"score": score, **flat(reward)} for score, reward in zip(scores, rewards, strict=True)]
        results: list[Result] = [{} for _ in rows]
        for key in rows[0] if rows else ():
            numbers = means.numbers(key, [row[key] for row in rows], groups)
            for result, number in zip(results, numbers, strict=True):
                result[key] = number
        return results


def _split(extras: Sequence[Extra]) -> Split:
    """verl's data sets say ``train`` or ``test``; verl never mixes them in one call."""
    return "eval" if any((extra or {}).get("split", "train") != "train" for extra in extras) else "train"
