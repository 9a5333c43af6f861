"""What the caller of ``likelihood`` chooses."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from trueward.authoring.verifier import Params

Transform = Literal[
    "mean_log_probability",
    "mean_probability",
    "probability",
    "log_probability",
    "rlpr",
    "verifree",
    "jepo",
    "nover",
    "self_aligned",
    "laser",
    "belief_progress",
    "information_gain",
    "follow_up",
]
GIVEN = frozenset(
    {"mean_log_probability", "mean_probability", "probability", "log_probability", "rlpr", "verifree", "jepo", "nover"}
)
"""Transforms that work from log-probabilities of the reference alone, so a trainer may send them."""

Text = Annotated[str, Field(min_length=1)]


class FollowUps(BaseModel):
    """What a user would say next, content and not."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    positive: tuple[Text, ...] = ("Thank you, that is exactly what I needed.", "Great, this answers my question.")
    negative: tuple[Text, ...] = ("That is not what I asked.", "This is wrong. Please try again.")


class LikelihoodParams(Params):
    model: str | None = Field(
        None,
        min_length=1,
        description="the model that is asked; without one the log-probabilities come with the sample "
        "(`reference_logprobs`)",
    )
    transform: Transform = Field(
        "mean_log_probability", description="what the token log-probabilities of the reference are made into"
    )
    splice: Literal["final", "append"] = Field(
        "final",
        description="where the reference goes: in the place of the `final` answer, or behind the whole response",
    )
    joint: str = Field("\n\n", description="what stands between the response and the reference, for `append`")
    baseline_model: str | None = Field(
        None, min_length=1, description="the model that `rlpr` asks without reasoning; default: the model itself"
    )
    threshold: float | None = Field(
        None, description="the least score of a correct answer; without it the outcome is `scored`"
    )
    token: str | None = Field(None, min_length=1, description="the unused special token of `laser`")
    constant: float = Field(-23.0, description="the token's usual log-probability, for `laser` (Qwen2.5: -23)")
    beta: float = Field(0.1, gt=0, description="scale of `laser`")
    parts: int = Field(4, ge=1, le=64, description="parts of the reasoning, for `belief_progress`")
    follow_ups: FollowUps = Field(FollowUps(), description="what a user would say next, for `follow_up`")

    @model_validator(mode="after")
    def _enough(self) -> Self:
        if self.model is None and self.transform not in GIVEN:
            raise ValueError(f"transform {self.transform!r} needs a model to ask: name one in params.model")
        if self.transform == "laser" and self.token is None:
            raise ValueError("transform 'laser' needs the token that it reads: name it in params.token")
        return self
