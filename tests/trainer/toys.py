"""A policy of a few thousand weights that answers digits with digits, its prompts, and rewards from a function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path

import torch
from rich.console import Console
from transformers import PreTrainedModel

from benchmarks import digits
from trueward.wire.reward import Reward
from trueward.wire.sample import Sample, Split
from trueward.wire.verdict import Outcome
from trueward_trainer.config import TrainConfig
from trueward_trainer.experience import Experience
from trueward_trainer.groups import Group
from trueward_trainer.policy import token_logprobs
from trueward_trainer.rollout import Response
from trueward_trainer.scoring import Judged, as_samples

Price = Callable[[Sample], float | None]
QUIET = Console(quiet=True)


def save_policy(folder: Path, seed: int = 0) -> Path:
    torch.manual_seed(seed)
    digits.model(seed, layers=1, hidden=32).save_pretrained(folder)
    digits.tokenizer().save_pretrained(folder)
    return folder


def save_prompts(path: Path, count: int = 12) -> Path:
    """Digits, of which the reference is one that a policy without any training says now and then."""
    return digits.write_prompts(path, [(f"{place}{place % 3}=", str(place % 10)) for place in range(10, 10 + count)])


def config(folder: Path, **changes: object) -> TrainConfig:
    """Three steps of 4 prompts with 4 responses each."""
    prompts = folder / "prompts.jsonl"
    if not prompts.exists():
        save_policy(folder / "policy")
        save_prompts(prompts)
    said: dict[str, object] = {
        "model": str(folder / "policy"),
        "prompts": {"file": str(prompts)},
        "service": {"url": "http://127.0.0.1:9", "recipe": "exact"},
        "out": str(folder / "out"),
        "steps": 3,
        "device": "cpu",  # where the tests' own tensors and generators are
        "rollout": {"prompts": 4, "group": 4, "prompts_at_once": 2, "max_new_tokens": 3, "template": "plain"},
        "update": {"lr": 1e-2, "micro_batch": 8},
        "checkpoints": {"every": 3, "keep": 2},
    }
    return TrainConfig.model_validate(said | changes)


class Prices:
    """A scorer without a service: every response is worth what a function says."""

    def __init__(self, price: Price) -> None:
        self.min_weights: dict[str, int] = {}
        self.asked: list[tuple[Split, Sample]] = []
        self.draws: dict[str, list[float]] = {}
        self._price = price

    def ask(
        self, prompts: Sequence[Sample], responses: Sequence[Response], names: Sequence[str], step: int, split: Split
    ) -> Future[Judged]:
        samples = as_samples(prompts, responses, names)
        self.asked += [(split, sample) for sample in samples]
        answer: Future[Judged] = Future()
        answer.set_result(Judged([reward_of(self._price(sample)) for sample in samples], self.draws))
        return answer


def reward_of(value: float | None) -> Reward:
    outcome = Outcome.ERROR if value is None else (Outcome.CORRECT if value >= 1 else Outcome.INCORRECT)
    return Reward(reward=value, outcome=outcome, components={"toy": value})


def experience(groups: Sequence[Sequence[float | None]]) -> Experience:
    """Groups of made-up responses of differing lengths, with these rewards."""
    made = []
    for number, rewards in enumerate(groups):
        tokens = [[2 + (number + place) % 10] * (1 + place % 3) for place in range(len(rewards))]
        responses = [Response([4, 13], said, [-2.0] * len(said), "x", "stop") for said in tokens]
        made.append(Group(Sample(prompt=str(number)), responses, [reward_of(value) for value in rewards]))
    return Experience(made, 0, 0.0, len(made))


def gap(
    model: PreTrainedModel, prompts: Sequence[list[int]], responses: Sequence[Response], temperature: float
) -> float:
    """How far the log-probabilities of responses are from the model's after these prompts, at most."""
    found = []
    for prompt, one in zip(prompts, responses, strict=True):
        mask = torch.tensor([[0.0] * len(prompt) + [1.0] * len(one.tokens)])
        with torch.no_grad():
            said = token_logprobs(model, torch.tensor([[*prompt, *one.tokens]]), mask, temperature)
        found.append((said[mask > 0] - torch.tensor(one.logprobs)).abs().max())
    return float(torch.stack(found).max())


def state(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    return {name: tensor.clone() for name, tensor in model.state_dict().items()}


def alike(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    """Bit for bit."""
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)
