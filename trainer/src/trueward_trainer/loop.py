"""The training loop: sample, have it rewarded, update; evaluate, report and keep checkpoints on the way.

Step ``n`` samples with a generator that is seeded by the run's seed and ``n``, takes the prompts at a place that the
checkpoint keeps, and learns on the spot: the policy that sampled is the one that is updated. On a CPU the same
configuration and rewards give the same weights, however often the training or the service was stopped in between.

A response without a reward learns nothing. A step without any advantage changes nothing, and is counted (``skipped``).
Single process, one device: for more, the plug-ins of ``trueward.trainers``.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

from trueward.errors import InvalidRequest
from trueward.wire.reward import Reward
from trueward.wire.verdict import Outcome
from trueward_trainer import checkpoint
from trueward_trainer.advantages import advice, rates_differ
from trueward_trainer.checkpoint import TrainingProgress
from trueward_trainer.config import TrainConfig
from trueward_trainer.evaluation import Evaluator
from trueward_trainer.experience import Collector, Experience
from trueward_trainer.policy import Policy
from trueward_trainer.report import Report
from trueward_trainer.rollout import Sampling
from trueward_trainer.scoring import Scorer
from trueward_trainer.streams import generator
from trueward_trainer.update import Updater


class Trainer:
    """One training; ``train`` carries it to its last step from ``progress`` on."""

    def __init__(
        self,
        config: TrainConfig,
        policy: Policy,
        sampler: Sampling,
        collector: Collector,
        updater: Updater,
        evaluator: Evaluator | None,
        scorer: Scorer,
        report: Report,
        progress: TrainingProgress,
    ) -> None:
        self.config = config
        self.policy = policy
        self.progress = progress
        self._sampler = sampler
        self._collector = collector
        self._updater = updater
        self._evaluator = evaluator
        self._scorer = scorer
        self._report = report
        self._advised = False

    def train(self) -> None:
        kept = self.config.checkpoints
        while self.progress.step < self.config.steps:
            self._sampler.refresh(self.progress.step)
            self._evaluate()
            self._push_weights()
            self.step()
            if self.progress.step % kept.every == 0 or self.progress.step == self.config.steps:
                folder = self.config.out / "checkpoints"
                checkpoint.save(folder, self.progress, self.policy, self._updater.optimiser, kept.keep)
        if self._evaluator is not None:  # nothing else would be sampled
            self._sampler.refresh(self.progress.step)
        self._evaluate()

    def step(self) -> None:
        """One update, and its lines in the report."""
        step, started = self.progress.step, time.perf_counter()
        seen = self._collector.collect(
            step, self.progress.position, generator(self.policy.device, self.config.seed, step)
        )
        if not self._advised:
            refuse_without_rewards(seen.rewards)
            differ = rates_differ(group.rewards for group in seen.groups)
            self._report.notes(advice(self.config.update.advantages, seen.rewards, rates_differ_within_group=differ))
            self._advised = True
        learnt = self._updater.learn(seen, step)
        self.progress = TrainingProgress(step + 1, seen.position)
        self._report.completions(step, "train", seen.prompts, seen.responses, seen.rewards, learnt.advantages)
        self._report.metrics(step, summarise_step(seen) | learnt.metrics | {"seconds": time.perf_counter() - started})

    def _evaluate(self) -> None:
        """Before the first step, after the last, and between at every so many."""
        step, evaluator = self.progress.step, self._evaluator
        if evaluator is None or (step % evaluator.every and step != self.config.steps):
            return
        stream = generator(self.policy.device, self.config.seed, step, "evaluation")
        with self.policy.arithmetic():
            found = evaluator.run(step, stream)
        self._report.completions(step, "eval", evaluator.prompts, found.responses, found.rewards)
        self._report.metrics(step, found.metrics)

    def _push_weights(self) -> None:
        """The service's model becomes the policy; rewards of this step wait for these weights."""
        push = self.config.push_weights
        if push is None or self.progress.step % push.every:
            return
        folder = (self.config.out / "pushed").resolve()
        self.policy.save(folder)
        client = self._scorer.client
        if push.upload:
            given = client.upload_weights(push.model, folder / "model.safetensors")
        else:
            given = client.push_weights(push.model, str(folder), adapter=self.config.lora is not None)
        self._scorer.min_weights = {push.model: given.version}


def refuse_without_rewards(rewards: Sequence[Reward]) -> None:
    """Raises :class:`InvalidRequest` where nothing but what is invalid has a reward, and most have none.

    Of a first step, that is a recipe that cannot pay: it lacks references, or rates that it could use.
    """
    missing = [reward for reward in rewards if reward.reward is None]
    judged = any(reward.reward is not None and reward.outcome is not Outcome.INVALID for reward in rewards)
    if judged or 2 * len(missing) <= len(rewards):
        return
    reasons = Counter(f"{reward.reason_code}: {reward.reason}" for reward in missing)
    reason, count = reasons.most_common(1)[0]
    raise InvalidRequest(f"the first step's responses get no reward: {count} of {len(rewards)} for {reason}")


def summarise_step(seen: Experience) -> dict[str, float]:
    """What is logged of a step's responses; means leave missing rewards out, and those that a hint made."""
    rewards, responses, unhinted = seen.rewards, seen.responses, seen.unhinted
    there = [reward.reward for reward in unhinted if reward.reward is not None]
    judged = [reward.outcome is Outcome.CORRECT for reward in unhinted if not reward.outcome.missing]
    found = {
        "missing": sum(reward.reward is None for reward in rewards) / len(rewards),
        "length": sum(len(one.tokens) for one in responses) / len(responses),
        "truncated": sum(one.finish_reason == "length" for one in responses) / len(responses),
        "teaching_groups": sum(group.teaches for group in seen.groups) / len(seen.groups),
        "drawn_groups": float(seen.drawn),
        "wait_s": seen.wait_s,
        "unknown_tokens": sum(not one.known for one in responses) / len(responses),
        **seen.metrics,
    }
    means: dict[str, Sequence[float]] = {"reward": there, "accuracy": judged}
    return {name: sum(values) / len(values) for name, values in means.items() if values} | found
