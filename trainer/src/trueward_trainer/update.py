"""One update of the policy: tensors of what was seen, advantages, the loss in parts, and a step of the optimiser.

The parts (``micro_batch`` responses each) share the normaliser of the whole update, so their gradients add up to the
one that a single pass would give.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from trueward.errors import InvalidRequest
from trueward_trainer import correction, kl, losses
from trueward_trainer.advantages import Scored, advantages
from trueward_trainer.batch import Batch
from trueward_trainer.config import TrainConfig
from trueward_trainer.experience import Experience, draw_rows, toss_rewards
from trueward_trainer.policy import Policy
from trueward_trainer.rows import RowMaker, Rows


@dataclass(frozen=True, slots=True)
class Learnt:
    """``advantages``: one a response, that of its first token; 0 for one that took no part."""

    advantages: list[float]
    metrics: dict[str, float]


class Updater:
    """Raises ValueError at once for a loss that there is not."""

    def __init__(self, config: TrainConfig, policy: Policy) -> None:
        self._config = config
        self._update = config.update
        self._policy = policy
        self._loss = losses.find(config.update.loss)
        self._temperature = config.rollout.temperature
        self._rows = RowMaker(
            config.update.advantages, policy.tokenizer, config.rollout.answer_marker, config.update.place
        )
        self.optimiser = make_optimiser(config, policy)

    def learn(self, seen: Experience, step: int) -> Learnt:
        """Raises :class:`trueward.errors.InvalidRequest` where the recipe does not give what the advantages need."""
        batch, metrics = self._batch(seen, step)
        first = batch.advantages.gather(1, batch.mask.argmax(1, keepdim=True))[:, 0].tolist()
        chosen = draw_rows(seen.groups, f"{self._config.seed}/{step}/draw")
        if chosen is not None:
            # advantages are those of all responses: what is drawn again was compared with what was not
            batch = replace(batch.rows(torch.tensor(chosen, device=batch.mask.device)), whole=None)
            metrics["drawn_share"] = len(set(chosen)) / len(chosen)
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
        whole = losses.needs_whole_groups(self._update.loss)
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

    def _batch(self, seen: Experience, step: int) -> tuple[Batch, dict[str, float]]:
        """The update's tensors, and what is logged of how they came about."""
        rows = self._rows.make(seen, self._policy.device)
        present = self._forward(rows.ids, rows.mask)
        old = self._old(rows, present)
        reference = self._forward(rows.ids, rows.mask, reference=True) if needs_reference(self._config) else None
        names = [number for number, group in enumerate(seen.groups) for _ in group.responses]
        scored = self._scored(seen, names, rows, step)
        if reference is not None:
            estimator = self._update.estimator.token_kl_estimator
            scored = replace(scored, penalties=kl.penalties(estimator, present, reference, rows.mask))
        try:
            gains = advantages(self._update.advantages, scored, self._update.estimator)
        except ValueError as lack:
            raise InvalidRequest(str(lack)) from lack
        mask = rows.mask * gains.learns[:, None]
        sampled = mask if rows.answer_mask is None else mask * (rows.answer_mask == 0)
        weight, metrics = self._weight(old, rows.sampled, sampled)
        batch = Batch(
            ids=rows.ids,
            mask=mask,
            logp_old=old,
            advantages=gains.values,
            group=torch.tensor(names, device=mask.device),
            logp_ref=reference,
            answer_mask=rows.answer_mask,
            weight=weight,
        )
        metrics |= {name: float(count) for name, count in rows.lacks.items()}
        return batch, metrics | _gap(rows.sampled, old, sampled)

    def _old(self, rows: Rows, present: Tensor) -> Tensor:
        """Log-probabilities of the policy that sampled: where a hint stood in the prompt, those after that prompt."""
        if rows.hinted is None:
            return present
        hinted, old = rows.hinted, present.clone()
        said = self._forward(hinted.ids, hinted.mask)
        some = old[hinted.rows]
        some[rows.mask[hinted.rows] > 0] = said[hinted.mask > 0]
        old[hinted.rows] = some
        return old

    def _weight(self, old: Tensor, sampled: Tensor, mask: Tensor) -> tuple[Tensor | None, dict[str, float]]:
        how = self._update.sampler_correction
        return (None, {}) if how is None else correction.weights(old, sampled, mask, how)

    def _scored(self, seen: Experience, names: Sequence[int], rows: Rows, step: int) -> Scored:
        scored = Scored.of(
            seen.rewards,
            names,
            rows.mask,
            token_rewards=rows.token_rewards,
            step_ends=rows.step_ends,
            answer_mask=rows.answer_mask,
            separators=rows.separators,
        )
        if self._config.control is None:
            return scored
        coins = toss_rewards(scored.rewards, f"{self._config.seed}/{step}/control")
        return Scored(coins, names, rows.mask, [None if coin is None else coin == 1.0 for coin in coins])

    def _forward(self, ids: Tensor, mask: Tensor, *, reference: bool = False) -> Tensor:
        said = self._policy.reference_logprobs if reference else self._policy.logprobs
        size = self._update.micro_batch
        parts = zip(ids.split(size), mask.split(size), strict=True)
        with torch.no_grad():
            return torch.cat([said(some, learns, self._temperature) for some, learns in parts])


def make_optimiser(config: TrainConfig, policy: Policy) -> torch.optim.Optimizer:
    update = config.update
    if update.optimiser == "sgd":
        return torch.optim.SGD(policy.trained, lr=update.lr, weight_decay=update.weight_decay)
    return torch.optim.AdamW(policy.trained, lr=update.lr, betas=update.betas, weight_decay=update.weight_decay)


def needs_reference(config: TrainConfig) -> bool:
    """Whether anything asks how far the policy is from where it started."""
    return config.update.settings.kl > 0 or config.update.estimator.token_kl > 0


def _gap(sampled: Tensor, old: Tensor, mask: Tensor) -> dict[str, float]:
    """How far the sampler's log-probabilities are from those of the update: the same model, other kernels.

    Nothing where the sampler tells none: that nothing was compared is no agreement.
    """
    told = (mask > 0) & sampled.isfinite()
    return {"sampler_gap": float((sampled - old)[told].abs().mean())} if told.any() else {}
