"""Groups: the responses to one prompt, and what is known of their rewards together."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from trueward.estimators.advantage import centre, leave_one_out
from trueward.estimators.scores import drop_missing, mean, std, zero_variance
from trueward.wire.reward import Group, Reward
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome

_JUDGED = frozenset({Outcome.CORRECT, Outcome.INCORRECT, Outcome.PARTIAL, Outcome.INVALID})


def group_names(samples: Sequence[Sample]) -> list[str]:
    """The group of each sample: its own, else one named after its prompt."""
    of_prompts: dict[str, str] = {}
    names = []
    for sample in samples:
        name = sample.group
        if name is None:
            prompt = sample.prompt_text
            name = of_prompts.get(prompt) or of_prompts.setdefault(prompt, _group_of(prompt))
        names.append(name)
    return names


def prompt_group(sample: Sample) -> str:
    """``prompt:`` and the start of the prompt's hash."""
    return _group_of(sample.prompt_text)


def _group_of(prompt: str) -> str:
    return "prompt:" + hashlib.blake2b(prompt.encode(), digest_size=8).hexdigest()


def success_rate(rewards: Sequence[Reward]) -> float | None:
    """The share of right answers among those with a pass line; None where a group has none of them."""
    judged = [reward.outcome is Outcome.CORRECT for reward in rewards if reward.outcome in _JUDGED]
    return sum(judged) / len(judged) if judged else None


def summarise(name: str, rewards: Sequence[Reward]) -> Group:
    """A group's statistics; rewards that are missing are left out, and their advantage is 0."""
    values = [reward.reward for reward in rewards]
    rate, ids = success_rate(rewards), [reward.id for reward in rewards]
    return Group(
        group=name,
        size=len(rewards),
        scored=len(drop_missing(values)),
        mean=mean(values),
        std=std(values),
        zero_variance=zero_variance(values),
        success_rate=rate,
        all_fail=rate == 0,
        ids=ids,
        centred=centre(values),
        leave_one_out=leave_one_out(values),
    )
