"""One update of the policy: tensors of what was seen, advantages, the loss in parts, and a step of the optimiser.

The parts (``micro_batch`` responses each) share the normaliser of the whole update, so their gradients add up to the
one that a single pass would give.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from trueward.rlvr import kl, losses
from trueward.rlvr.advantages import Scored, advantages
from trueward.rlvr.batch import Batch
from trueward.rlvr.config import TrainConfig
from trueward.rlvr.experience import Experience, tossed
from trueward.rlvr.policy import Policy
from trueward.rlvr.rollout import Response


@dataclass(frozen=True, slots=True)
class Learnt:
    """``advantages``: one a response, that of its first token; 0 for one that took no part."""

    advantages: list[float]
    metrics: dict[str, float]


class Updater:
    """Raises ValueError at once for a loss that there is not, or for one that needs what the loop does not give."""

    def __init__(self, config: TrainConfig, policy: Policy) -> None:
        self._config = config
        self._update = config.update
        self._policy = policy
        self._loss = losses.find(config.update.loss)
        self._temperature = config.rollout.temperature
        self.optimiser = make_optimiser(config, policy)

    def learn(self, seen: Experience, step: int) -> Learnt:
        batch, sampled = self._batch(seen, step)
        first = batch.advantages.gather(1, batch.mask.argmax(1, keepdim=True))[:, 0].tolist()
        metrics = {"sampler_gap": _gap(sampled, batch)}
        if not batch.advantages.any():
            return Learnt(first, metrics | {"skipped": 1.0})
        rate = self._update.lr * min(1.0, (step + 1) / max(1, self._update.warmup))
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        for _ in range(self._update.epochs):
            metrics |= self._step(batch)
        return Learnt(first, metrics | {"lr": rate, "skipped": 0.0})

    def _step(self, batch: Batch) -> dict[str, float]:
        """One step of the optimiser over the whole batch."""
        self.optimiser.zero_grad(set_to_none=True)
        found: dict[str, float] = {"loss": 0.0}
        whole = self._update.loss in losses.WHOLE_GROUPS
        for _, part in batch.split(self._update.micro_batch, whole_groups=whole):
            if not part.mask.any():
                continue
            logp = self._policy.logprobs(part.ids, part.mask, self._temperature)
            result = self._loss(logp, part, self._update.settings)
            result.loss.backward()
            for name, value in {"loss": float(result.loss.detach()), **result.metrics}.items():
                found[name] = found.get(name, 0.0) + value
        norm = torch.nn.utils.clip_grad_norm_(self._policy.trained, self._update.clip_norm)
        self.optimiser.step()
        return found | {"grad_norm": float(norm)}

    def _batch(self, seen: Experience, step: int) -> tuple[Batch, Tensor]:
        """The update's tensors, and the log-probabilities that the sampler had."""
        ids, mask, sampled = (tensor.to(self._policy.device) for tensor in padded(seen.responses))
        old = self._forward(ids, mask)
        reference = self._forward(ids, mask, reference=True) if needs_reference(self._config) else None
        names = [number for number, group in enumerate(seen.groups) for _ in group.responses]
        scored = self._scored(seen, names, mask, step)
        if reference is not None:
            estimator = self._update.estimator.token_kl_estimator
            scored = replace(scored, penalties=kl.penalties(estimator, old, reference, mask))
        gains = advantages(self._update.advantages, scored, self._update.estimator)
        batch = Batch(
            ids=ids,
            mask=mask * gains.learns[:, None],
            logp_old=old,
            advantages=gains.values,
            group=torch.tensor(names, device=mask.device),
            logp_ref=reference,
        )
        return batch, sampled

    def _scored(self, seen: Experience, names: Sequence[int], mask: Tensor, step: int) -> Scored:
        scored = Scored.of(seen.rewards, names, mask)
        if self._config.control is None:
            return scored
        coins = tossed(scored.rewards, f"{self._config.seed}/{step}/control")
        return Scored(coins, names, mask, [None if coin is None else coin == 1.0 for coin in coins])

    def _forward(self, ids: Tensor, mask: Tensor, *, reference: bool = False) -> Tensor:
        said = self._policy.reference_logprobs if reference else self._policy.logprobs
        size = self._update.micro_batch
        parts = zip(ids.split(size), mask.split(size), strict=True)
        with torch.no_grad():
            return torch.cat([said(some, learns, self._temperature) for some, learns in parts])


def padded(responses: Sequence[Response]) -> tuple[Tensor, Tensor, Tensor]:
    """Ids, mask and the sampler's log-probabilities, ``[B, T]`` each, padded on the right."""
    width = max(len(one.prompt_ids) + len(one.tokens) for one in responses)
    ids = torch.zeros(len(responses), width, dtype=torch.long)
    mask = torch.zeros(len(responses), width)
    sampled = torch.zeros(len(responses), width)
    for row, one in enumerate(responses):
        start, end = len(one.prompt_ids), len(one.prompt_ids) + len(one.tokens)
        ids[row, :end] = torch.tensor([*one.prompt_ids, *one.tokens])
        mask[row, start:end] = 1.0
        sampled[row, start:end] = torch.tensor(one.logprobs)
    return ids, mask, sampled


def make_optimiser(config: TrainConfig, policy: Policy) -> torch.optim.Optimizer:
    update = config.update
    if update.optimiser == "sgd":
        return torch.optim.SGD(policy.trained, lr=update.lr, weight_decay=update.weight_decay)
    return torch.optim.AdamW(policy.trained, lr=update.lr, betas=update.betas, weight_decay=update.weight_decay)


def needs_reference(config: TrainConfig) -> bool:
    """Whether anything asks how far the policy is from where it started."""
    return config.update.settings.kl > 0 or config.update.estimator.token_kl > 0


def _gap(sampled: Tensor, batch: Batch) -> float:
    """How far the sampler's log-probabilities are from those of the update: the same model, other kernels."""
    learns = batch.mask > 0
    return float((sampled - batch.logp_old)[learns].abs().mean()) if learns.any() else 0.0
