"""Rewards of a Trueward service for slime, as a custom reward model (``--custom-rm-path my_rewards.rm``).

::

    rm = custom_rm("http://127.0.0.1:8421", recipe="math")         # my_rewards.py
    group_rm = custom_rm("http://127.0.0.1:8421", recipe="ranked")   # the same with --group-rm

One function serves both forms: slime hands over one sample, or with ``--group-rm`` the samples of a group, which
recipes that look at groups need. Unlike slime's ``remote_rm`` it sends the metadata, the number of tokens and how the
generation ended. A missing reward is the mean of its group's others (:mod:`.standing_in`), and the sample's
``remove_sample`` is set: slime then keeps its tokens out of the loss. A service that is away for longer than
``deadline_s`` raises.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, Unpack, cast

from pydantic import JsonValue

from trueward.trainers.chat_text import think_prefix
from trueward.trainers.connection import Connection, Fields, Options, Recipe
from trueward.trainers.passed_on import baselines_of, logprobs_of

_ENDS = {"completed": "stop", "truncated": "length", "aborted": "aborted"}


class SlimeSample(Protocol):
    """The part of slime's ``Sample`` that is read, and the flag that is set."""

    prompt: str | list[dict[str, str]]
    response: str
    label: str | None
    response_length: int
    remove_sample: bool
    status: object
    metadata: dict[str, JsonValue]
    group_index: int | None
    tokens: list[int]
    rollout_log_probs: list[float] | None


def custom_rm(url: str | None = None, *, recipe: Recipe, **options: Unpack[Options]) -> CustomRM:
    """What ``--custom-rm-path`` takes."""
    return CustomRM(Connection(url, recipe, "slime", **options))


class CustomRM:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def __call__(
        self, args: object, given: SlimeSample | Sequence[SlimeSample], **of_slime: object
    ) -> float | list[float]:
        """A number for a sample, a list of them for a group."""
        several = isinstance(given, Sequence)
        samples = list(given) if isinstance(given, Sequence) else [given]
        told = self._connection.sends_logprobs
        asked = [_fields(sample, logprobs=told) for sample in samples]
        rewards = await self._connection.await_rewards(asked, apart=not several)
        for sample, reward in zip(samples, rewards, strict=True):
            if reward.reward is None:
                sample.remove_sample = True
        numbers = self._connection.means.rewards(rewards, [str(sample.prompt) for sample in samples])
        return numbers if several else numbers[0]


def _fields(sample: SlimeSample, *, logprobs: bool) -> Fields:
    fields: Fields = {
        "prompt": cast(JsonValue, sample.prompt),
        "response": sample.response,
        "reference": sample.label,
        "tokens": sample.response_length,
    }
    prefix = think_prefix(sample.prompt) if isinstance(sample.prompt, str) else None
    if prefix is not None:
        fields["prefix"] = prefix
    ended = _ENDS.get(str(getattr(sample.status, "value", sample.status)))
    if ended is not None:
        fields["finish_reason"] = ended
    if sample.group_index is not None:
        fields["group"] = str(sample.group_index)
    if isinstance(sample.metadata, Mapping) and sample.metadata:
        fields["metadata"] = sample.metadata
        fields |= baselines_of(sample.metadata)
    if logprobs and sample.rollout_log_probs is not None:
        fields |= logprobs_of(sample.tokens[-len(sample.rollout_log_probs) :], sample.rollout_log_probs)
    return fields
