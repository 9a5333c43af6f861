"""What a loss is: of the log-probabilities of a batch, one number to minimise and what to log beside it."""

from __future__ import annotations

from typing import Literal, NamedTuple, Protocol

from pydantic import BaseModel, ConfigDict, Field
from torch import Tensor

from trueward_trainer.batch import Batch
from trueward_trainer.kl import Estimator


class LossConfig(BaseModel):
    """Numbers of the losses; each reads those that its docstring names. None is the loss's own default."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    clip_low: float | None = Field(default=None, ge=0, le=1, description="ratios below 1 - clip_low are clipped")
    clip_high: float | None = Field(default=None, ge=0, description="ratios above 1 + clip_high are clipped")
    dual_clip: float | None = Field(default=None, gt=1, description="bounds the loss of negative advantages; often 3")
    max_length: int | None = Field(default=None, gt=0, description="dr_grpo, required: what a response is divided by")
    cispo_clamp: Literal["cap", "window"] | None = Field(
        default=None,
        description="cispo, required: `cap` as in TRL, or the `window` of clip_low and clip_high as in verl",
    )
    cispo_cap: float = Field(default=5.0, gt=0, description="cispo: the ratio's upper bound, as it is")
    sapo_right: float = Field(default=1.0, gt=0, description="sapo: temperature of positive advantages")
    sapo_wrong: float = Field(default=1.05, gt=0, description="sapo: temperature of the others")
    dispo_right: tuple[float, float] = Field(default=(0.2, 10.0), description="dispo: clips of positive advantages")
    dispo_wrong: tuple[float, float] = Field(default=(1.0, 100.0), description="dispo: clips of negative advantages")
    real_temperature: float = Field(default=0.5, gt=0, description="real: scale of the mean log-ratio")
    kl: float = Field(default=0.0, ge=0, description="coefficient of the KL term in the loss")
    kl_estimator: Estimator = "k3"
    kl_by_ratio: bool = Field(default=False, description="multiplies the KL term by the ratio")


class LossResult(NamedTuple):
    """A scalar to go backward from, and metrics: of the parts of an update they add up to those of the whole."""

    loss: Tensor
    metrics: dict[str, float]


class Loss(Protocol):
    """``logp`` is ``[B, T]`` with gradient, 0 or anything where ``batch.mask`` is 0."""

    def __call__(self, logp: Tensor, batch: Batch, config: LossConfig) -> LossResult: ...
