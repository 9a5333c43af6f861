"""What a training run is: read from YAML or JSON, every field checked before anything is loaded.

Paths are relative to where the command runs. A field that is unknown or wrong raises :class:`InvalidRequest`, which
names it. The service's key belongs into ``TRUEWARD_API_KEY``: it is no field, so no copy of a configuration has it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, field_validator, model_validator

from trueward.errors import FieldProblem, InvalidRequest, NotInstalled
from trueward.trainers.alignment import Place
from trueward_trainer.advantages import ESTIMATORS, AdvantageConfig, compares_groups
from trueward_trainer.losses import LOSSES, LossConfig

NOT_A_COIN = frozenset({"capo", "forward", "prime", "pure", "renorm", "verifree", "vps"})
"""Advantages that learn from more than one number a response, which no toss of a coin gives."""

WITHOUT_RATIO = frozenset({"reinforce"})
"""Losses that take every response for one of the present policy."""

HintText = Annotated[str, Field(pattern=r"\{hint\}", description="put behind the prompt, with {hint} filled in")]


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Source(Part):
    """Where prompts come from: a file of samples, one a line, or a data set of reasoning-gym."""

    file: Path | None = None
    reasoning_gym: str | None = None
    size: int = Field(default=500, ge=1, description="tasks to draw of the data set")
    seed: int = Field(default=0, description="of the data set's tasks")
    config: dict[str, JsonValue] = {}

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.file is None) == (self.reasoning_gym is None):
            raise ValueError("name either a file or a data set of reasoning_gym")
        return self


class Service(Part):
    """Who rewards. A call waits up to ``deadline_s`` for a service that is away, then the training ends."""

    url: str | None = None
    recipe: str | dict[str, JsonValue]
    run: str | None = Field(default=None, max_length=256, description="in the service's ledger; default: a new name")
    deadline_s: float = Field(default=600.0, gt=0)


class GhpoHints(Part):
    """A prefix of the solution, by shares of its characters, where a whole group is wrong (arXiv 2507.10628)."""

    kind: Literal["ghpo"]
    levels: tuple[Annotated[float, Field(gt=0, le=1)], ...] = Field(default=(0.25, 0.5, 0.75), min_length=1)
    solution: Literal["metadata", "reference"] = Field(
        default="metadata", description="metadata.solution of the prompt, or its reference"
    )
    text: HintText = "\n\nThe beginning of a correct solution, to go by:\n{hint}"

    @field_validator("levels")
    @classmethod
    def _rise(cls, levels: tuple[float, ...]) -> tuple[float, ...]:
        if list(levels) != sorted(set(levels)):
            raise ValueError("each level shows more than the one before")
        return levels


class ScaffoldHints(Part):
    """The prompt's own ``metadata.hints``, least first, where a whole group is wrong (Scaf-GRPO, arXiv 2510.19807)."""

    kind: Literal["scaffold"]
    warmup: int = Field(default=50, ge=0, description="steps without hints")
    tries: int = Field(default=1, ge=1, description="responses sampled at each level")
    text: HintText = "\n\nHint: {hint}"


class RolloutServer(Part):
    """A server with OpenAI's completions that samples. Its key belongs into ``TRUEWARD_ROLLOUT_API_KEY``.

    ``weights`` says how it gets the policy's, before each ``every``-th step and from a folder of ``out`` that it must
    be able to read: an adapter (``lora``), a whole model (``disk``), or by other hands (``none``).
    """

    url: str
    model: str = Field(description="what the server calls the model")
    kind: Literal["vllm", "sglang"]
    weights: Literal["disk", "lora", "none"]
    every: int = Field(default=1, ge=1)
    deadline_s: float = Field(default=600.0, gt=0, description="for the responses of one draw, tries included")
    concurrency: int = Field(default=64, ge=1, description="requests at once")

    @model_validator(mode="after")
    def _takes_weights_so(self) -> Self:
        if self.weights not in ("none", {"vllm": "lora", "sglang": "disk"}[self.kind]):
            raise ValueError(
                f"weights: {self.weights} is not for {self.kind}: vllm takes lora, sglang disk, or say none"
            )
        if self.weights == "none" and self.every != 1:
            raise ValueError("every is of the weights, and weights: none gives none")
        return self


class Rollout(Part):
    """``prompts`` times ``group`` responses a step, ``prompts_at_once`` sampled together while the last are scored."""

    prompts: int = Field(default=8, ge=1)
    group: int = Field(default=8, ge=1)
    max_new_tokens: int = Field(default=256, ge=1)
    temperature: float = Field(default=1.0, gt=0)
    prompts_at_once: int = Field(default=8, ge=1)
    template: Literal["chat", "plain"] = "chat"
    resample: int = Field(
        default=0, ge=0, le=10, description="further draws of prompts while groups are all right or all wrong (DAPO)"
    )
    hints: Annotated[GhpoHints | ScaffoldHints, Field(discriminator="kind")] | None = None
    answer_marker: str | None = Field(
        default=None, min_length=1, description="what stands before an answer, such as <answer>: verifree cuts there"
    )
    server: RolloutServer | None = None


class SamplerCorrection(Part):
    """Weights of tokens that another policy sampled than the one that learns: :mod:`trueward_trainer.correction`."""

    kind: Literal["truncate", "mask"] = "truncate"
    cap: float = Field(default=2.0, gt=1)


class Update(Part):
    """The loss, and what the optimiser does with it."""

    loss: str = "grpo"
    advantages: str = "grpo"
    settings: LossConfig = Field(default=LossConfig(), description="numbers of the loss")
    estimator: AdvantageConfig = Field(default=AdvantageConfig(), description="numbers of the advantages")
    optimiser: Literal["adamw", "sgd"] = "adamw"
    lr: float = Field(default=1e-6, gt=0)
    warmup: int = Field(default=0, ge=0, description="steps over which the learning rate rises")
    betas: tuple[float, float] = (0.9, 0.99)
    weight_decay: float = Field(default=0.0, ge=0)
    clip_norm: float = Field(default=1.0, gt=0)
    epochs: int = Field(default=1, ge=1, description="optimiser steps on the responses of one step")
    micro_batch: int = Field(default=16, ge=1, description="responses of one forward and backward")
    sampler_correction: SamplerCorrection | None = None
    place: Place | None = Field(
        default=None,
        description="reinforce_pp: adds the recipe's step rewards, at the `last` token of a step, `spread` over its "
        "tokens, or on `each`; default: it reads none",
    )

    @field_validator("loss")
    @classmethod
    def _is_a_loss(cls, name: str) -> str:
        LOSSES.get(name)
        return name

    @field_validator("advantages")
    @classmethod
    def _are_advantages(cls, name: str) -> str:
        ESTIMATORS.get(name)
        return name

    @model_validator(mode="after")
    def _has_what_the_loss_needs(self) -> Self:
        if self.loss == "dr_grpo" and self.settings.max_length is None:
            raise ValueError("the loss dr_grpo needs settings.max_length: the longest response that is sampled")
        if self.loss == "cispo" and self.settings.cispo_clamp is None:
            raise ValueError("the loss cispo needs settings.cispo_clamp: cap or window")
        if (self.loss == "verifree") != (self.advantages == "verifree"):
            raise ValueError("the loss verifree and the advantages verifree need each other")
        if self.place is not None and self.advantages != "reinforce_pp":
            raise ValueError(f"place is read by the advantages reinforce_pp alone, not by {self.advantages}")
        if self.loss == "real" and self.sampler_correction is not None:
            raise ValueError("the loss real weighs responses, not tokens: it takes no sampler_correction")
        return self


class Lora(Part):
    """An adapter on the linear layers; needs peft."""

    rank: int = Field(default=16, ge=1)
    alpha: float = Field(default=32.0, gt=0)
    targets: str | list[str] = "all-linear"


class Evaluation(Part):
    """Greedy and sampled accuracy on prompts that are never learnt from."""

    prompts: Source
    every: int = Field(default=50, ge=1)
    samples: int = Field(default=8, ge=1, description="sampled responses a prompt")
    k: int = Field(default=8, ge=1, description="of pass@k; at most samples")

    @model_validator(mode="after")
    def _enough_samples(self) -> Self:
        if self.k > self.samples:
            raise ValueError(f"pass@{self.k} needs as many samples a prompt, not {self.samples}")
        return self


class Checkpoints(Part):
    every: int = Field(default=50, ge=1)
    keep: int = Field(default=2, ge=1)


class PushWeights(Part):
    """Gives the policy's weights to a model of the service, for rewards from its own probabilities."""

    model: str
    every: int = Field(default=1, ge=1)
    upload: bool = Field(default=False, description="send the file: the service sees no disk of this machine")


class TrainConfig(Part):
    model: str
    tokenizer: str | None = Field(default=None, description="default: the model's")
    prompts: Source
    service: Service
    out: Path
    steps: int = Field(ge=1)
    seed: int = 0
    device: str = "auto"
    dtype: Literal["float32", "bfloat16"] = "float32"
    control: Literal["random"] | None = Field(
        default=None, description="learn from the toss of a coin instead; real rewards are asked for and reported"
    )
    rollout: Rollout = Rollout()
    update: Update = Update()
    lora: Lora | None = None
    evaluation: Evaluation | None = None
    checkpoints: Checkpoints = Checkpoints()
    push_weights: PushWeights | None = None
    sinks: list[str] = Field(default=[], description="further places for metrics: NAME or NAME:TARGET")

    @model_validator(mode="before")
    @classmethod
    def _sinks_of_before(cls, said: Any) -> Any:
        """``tensorboard: true`` and ``wandb: PROJECT``, which sinks replace, until the next minor version."""
        if not isinstance(said, dict) or not said.keys() & {"tensorboard", "wandb"}:
            return said
        kept = {name: value for name, value in said.items() if name not in ("tensorboard", "wandb")}
        board = ["tensorboard"] if said.get("tensorboard") else []
        project = [f"wandb:{said['wandb']}"] if said.get("wandb") else []
        return kept | {"sinks": [*kept.get("sinks", []), *board, *project]}

    @model_validator(mode="after")
    def _groups_can_be_compared(self) -> Self:
        name = self.update.advantages
        if self.rollout.group == 1 and compares_groups(name):
            raise ValueError(f"the advantages {name} compare responses of one group: rollout.group must be above 1")
        return self

    @model_validator(mode="after")
    def _a_coin_says_enough(self) -> Self:
        reads_more = self.update.advantages in NOT_A_COIN or self.update.place is not None
        if self.control is not None and reads_more:
            raise ValueError(f"control: a coin gives one number, and the advantages {self.update.advantages} need more")
        return self

    @model_validator(mode="after")
    def _hints_are_corrected(self) -> Self:
        if self.rollout.hints is not None and self.update.loss in WITHOUT_RATIO:
            raise ValueError(
                f"the loss {self.update.loss} has no ratio, which corrects for what was sampled after a hint: "
                "take another loss, or no rollout.hints"
            )
        return self

    @model_validator(mode="after")
    def _verifree_is_whole(self) -> Self:
        rollout = self.rollout
        if self.update.advantages != "verifree":
            if rollout.answer_marker is not None:
                raise ValueError("rollout.answer_marker is read by the advantages verifree alone")
            return self
        for needed, lacking in {
            "rollout.answer_marker, what stands before an answer": rollout.answer_marker is None,
            "push_weights: the reward is what the present policy thinks of the reference": self.push_weights is None,
            "rollout.temperature 1: the service's probabilities are of that": rollout.temperature != 1.0,
            "no rollout.resample and no rollout.hints: they go by right and wrong answers": bool(
                rollout.resample or rollout.hints
            ),
        }.items():
            if lacking:
                raise ValueError(f"verifree needs {needed}")
        return self

    @model_validator(mode="after")
    def _server_has_the_weights(self) -> Self:
        server = self.rollout.server
        if server is None:
            return self
        if server.weights != "none" and (server.weights == "lora") != (self.lora is not None):
            raise ValueError(f"rollout.server.weights: {server.weights} does not go with lora: {self.lora or 'none'}")
        # what goes on from a checkpoint, or is evaluated, must find the weights of that step on the server
        steps = {"checkpoints": self.checkpoints.every} | (
            {"evaluation": self.evaluation.every} if self.evaluation else {}
        )
        for name, every in steps.items():
            if every % server.every:
                raise ValueError(f"{name}.every: {every} is no multiple of rollout.server.every: {server.every}")
        return self


def load(path: Path, changes: Mapping[str, JsonValue] | None = None) -> TrainConfig:
    """The configuration in a file, with ``changes`` (``update.lr`` names a nested field) made to it."""
    said = _read(path)
    for name, value in (changes or {}).items():
        _change(said, name.split("."), value)
    try:
        return TrainConfig.model_validate(said)
    except ValidationError as refusal:
        wrong = [(".".join(map(str, one["loc"])) or "config", one["type"], one["msg"]) for one in refusal.errors()]
        raise InvalidRequest(
            f"{path}: " + "; ".join(f"{field}: {detail}" for field, _, detail in wrong),
            errors=[FieldProblem(field=field, code=code, detail=detail) for field, code, detail in wrong],
        ) from refusal


def _read(path: Path) -> dict[str, JsonValue]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as failure:
        raise InvalidRequest(f"{path} cannot be read: {failure}") from failure
    said = _parse(text, path)
    if not isinstance(said, dict):
        raise InvalidRequest(f"{path}: a configuration is a mapping of fields")
    return said


def _parse(text: str, path: Path) -> JsonValue:
    if path.suffix == ".json":
        try:
            value: JsonValue = json.loads(text)
        except ValueError as failure:
            raise InvalidRequest(f"{path} is not JSON: {failure}") from failure
        return value
    try:
        import yaml
    except ImportError as missing:
        raise NotInstalled("YAML needs `pip install 'trueward[train]'`; a .json file needs nothing") from missing
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError as failure:
        raise InvalidRequest(f"{path} is not YAML: {failure}") from failure
    return value


def _change(said: dict[str, JsonValue], names: list[str], value: JsonValue) -> None:
    for name in names[:-1]:
        inner = said.setdefault(name, {})
        if not isinstance(inner, dict):
            raise InvalidRequest(f"{'.'.join(names)}: {name} has no fields in this configuration")
        said = inner
    said[names[-1]] = value
