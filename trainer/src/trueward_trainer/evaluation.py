"""How good the policy is on prompts that it never learns from: greedy accuracy, and pass@1 and pass@k of samples.

A response is right where its outcome is ``correct``; a reward that is missing counts for nothing, neither right nor
wrong. pass@k is the unbiased estimate ``1 - C(n - c, k) / C(n, k)`` (Chen et al., arXiv 2107.03374) with the ``n``
responses of a prompt that were judged, over the prompts that have at least k of them. Rewards are asked for with
``split: eval``, so they feed no online estimate; sampling has a seed of its own, so it changes nothing in the training.
No prompt gets a hint here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from trueward.estimators.pass_at_k import pass_at_k
from trueward.wire.reward import Reward
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome
from trueward_trainer.config import Evaluation, Rollout
from trueward_trainer.rollout import Response, Sampling
from trueward_trainer.scoring import Scorer


@dataclass(frozen=True, slots=True)
class Accuracies:
    """``metrics`` leaves out what nothing was judged for; ``responses`` and ``rewards`` are the greedy ones."""

    metrics: dict[str, float]
    responses: list[Response]
    rewards: list[Reward]


class Evaluator:
    def __init__(
        self, evaluation: Evaluation, rollout: Rollout, prompts: Sequence[Sample], sampler: Sampling, scorer: Scorer
    ) -> None:
        self.every = evaluation.every
        self.prompts = prompts
        self._evaluation = evaluation
        self._temperature = rollout.temperature
        self._most = rollout.prompts_at_once * rollout.group
        self._sampler = sampler
        self._scorer = scorer

    def run(self, step: int, generator: torch.Generator) -> Accuracies:
        """Greedy responses, then samples."""
        responses, greedy = self._sample_and_judge(step, 1, 0.0, generator)
        _, sampled = self._sample_and_judge(step, self._evaluation.samples, self._temperature, generator)
        right = [one.outcome is Outcome.CORRECT for one in greedy if not one.outcome.missing]
        size, k = self._evaluation.samples, self._evaluation.k
        groups = [sampled[start : start + size] for start in range(0, len(sampled), size)]
        missing = sum(one.outcome.missing for one in [*greedy, *sampled]) / len([*greedy, *sampled])
        metrics = {
            "eval/greedy": _mean(right),
            "eval/pass@1": _mean(_passes(groups, 1)),
            f"eval/pass@{k}": _mean(_passes(groups, k)),
            "eval/reward": _mean([one.reward for one in greedy if one.reward is not None]),
            "eval/missing": missing,
        }
        return Accuracies({name: value for name, value in metrics.items() if value is not None}, responses, greedy)

    def _sample_and_judge(
        self, step: int, count: int, temperature: float, generator: torch.Generator
    ) -> tuple[list[Response], list[Reward]]:
        """Greedy and sampled groups have names of their own: they are different groups to the service."""
        responses, asked = [], []
        how = "sampled" if temperature else "greedy"
        at_once = max(1, self._most // count)
        for start in range(0, len(self.prompts), at_once):
            some = self.prompts[start : start + at_once]
            names = [f"eval-{how}-{step}-{start + place}" for place in range(len(some))]
            said = self._sampler.sample(some, count, temperature, generator)
            responses += said
            asked.append(self._scorer.ask(some, said, names, step, "eval"))
        return responses, [reward for future in asked for reward in future.result().rewards]


def _passes(groups: Sequence[Sequence[Reward]], k: int) -> list[float]:
    found = []
    for group in groups:
        right = [one.outcome is Outcome.CORRECT for one in group if not one.outcome.missing]
        if len(right) >= k:
            found.append(pass_at_k(len(right), sum(right), k))
    return found


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None
