"""A training from its configuration: builds the parts, starts or goes on, and leaves everything in one folder.

``out`` holds ``config.json`` (the configuration, with the name of the run), ``metrics.jsonl``, ``completions.jsonl``
and ``checkpoints/``. A folder that has a training is gone on with or refused, never overwritten.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy
import torch
from pydantic import ValidationError
from rich.console import Console

from trueward.errors import Conflict, InvalidRequest, NotFound
from trueward.wire.sample import Sample
from trueward_trainer import checkpoint
from trueward_trainer.checkpoint import TrainingProgress
from trueward_trainer.config import TrainConfig
from trueward_trainer.evaluation import Evaluator
from trueward_trainer.experience import Collector
from trueward_trainer.feeding import refuse_unfit, warn_unread
from trueward_trainer.loop import Trainer
from trueward_trainer.offsets import offsets_of
from trueward_trainer.policy import Policy
from trueward_trainer.prompts import read_prompts
from trueward_trainer.report import Report
from trueward_trainer.rollout import Sampler, Sampling
from trueward_trainer.rows import reference_of
from trueward_trainer.scoring import Offsets, Scorer
from trueward_trainer.served import ServedSampler
from trueward_trainer.update import Updater, needs_reference

_CONFIG = "config.json"


def train(config: TrainConfig, *, resume: bool = False, console: Console | None = None) -> Policy:
    """Carries a training to its last step. Raises :mod:`trueward.errors`.

    With ``resume`` it goes on from the newest checkpoint of ``config.out``, or from the start where there is none yet.
    """
    prompts, asked = read_prompts(config.prompts), _evaluated(config)
    if config.update.advantages == "verifree":
        for prompt in prompts:
            reference_of(prompt)
    config = _named(config, resume)
    newest = checkpoint.latest(config.out / "checkpoints") if resume else None
    _seed(config.seed)
    policy = Policy(config, newest, reference=needs_reference(config))
    updater = Updater(config, policy)
    progress = checkpoint.restore(newest, updater.optimiser) if newest else TrainingProgress()
    _keep(config)
    with (
        Scorer(config.service, _offsets(config, policy)) as scorer,
        Report(config, progress.step, console) as report,
        _sampling(config, policy) as sampler,
    ):
        told = scorer.exchange()
        if told is not None:
            refuse_unfit(config, prompts, told)
            report.notes(warn_unread(config, told))
        collector = Collector(config, policy, prompts, sampler, scorer)
        plan = config.evaluation
        evaluator = Evaluator(plan, config.rollout, asked, sampler, scorer) if plan else None
        Trainer(config, policy, sampler, collector, updater, evaluator, scorer, report, progress).train()
    return policy


def _evaluated(config: TrainConfig) -> list[Sample]:
    return read_prompts(config.evaluation.prompts) if config.evaluation else []


def _offsets(config: TrainConfig, policy: Policy) -> Offsets | None:
    """GRPO-VPS cuts responses at surprising tokens, whose places the service has to know."""
    if config.update.advantages != "vps":
        return None
    return lambda said: offsets_of(said.tokens, said.text, policy.tokenizer)


@contextmanager
def _sampling(config: TrainConfig, policy: Policy) -> Iterator[Sampling]:
    rollout = config.rollout
    if rollout.server is not None:
        with ServedSampler(config, rollout.server, policy) as served:
            yield served
        return
    chat = rollout.template == "chat"
    yield Sampler(policy.model, policy.tokenizer, chat=chat, max_new_tokens=rollout.max_new_tokens)


def _named(config: TrainConfig, resume: bool) -> TrainConfig:
    """With a name for the run: that of the training that is gone on with, or a new one."""
    before = _before(config.out / _CONFIG)
    if before is not None and not resume:
        raise Conflict(f"{config.out} has a training: go on with it (--resume), or name another folder as `out`")
    if before is None and resume:
        raise NotFound(f"{config.out} has no training to go on with: start it without --resume")
    if config.service.run is not None:
        return config
    run = before.service.run if before is not None else f"train-{uuid.uuid4().hex[:12]}"
    return config.model_copy(update={"service": config.service.model_copy(update={"run": run})})


def _keep(config: TrainConfig) -> None:
    try:
        config.out.mkdir(parents=True, exist_ok=True)
        (config.out / _CONFIG).write_text(config.model_dump_json(indent=2) + "\n", encoding="utf-8")
    except OSError as refusal:
        raise InvalidRequest(f"out: {config.out} cannot be written: {refusal}") from refusal


def _before(path: Path) -> TrainConfig | None:
    if not path.exists():
        return None
    try:
        return TrainConfig.model_validate_json(path.read_bytes())
    except ValidationError as refusal:
        raise Conflict(f"{path} is of another version of the trainer: name another folder as `out`") from refusal


def _seed(seed: int) -> None:
    """The global generators, which layers of a model may draw from when they are made."""
    random.seed(seed)
    numpy.random.seed(seed % 2**32)
    torch.manual_seed(seed)
