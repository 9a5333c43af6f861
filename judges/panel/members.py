"""Who sits on a panel, and how their words become one."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationInfo, field_validator, model_validator

from trueward.authoring.verifier import Params, Verifier
from trueward.errors import InvalidParameters, UnknownVerifier
from verifiers import registry
from verifiers.grouped import GroupVerifier

Combine = Literal["mean", "median", "min", "majority", "unanimous"]
Role = Literal["judge", "constraint", "bonus"]
VOTED = ("majority", "unanimous")
"""Ways to combine that count votes; the others combine scores."""


class Member(BaseModel):
    """A verifier that asks a model, or one that answers inline, with its parameters."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    verifier: str
    params: dict[str, JsonValue] = {}
    name: Annotated[str, Field(min_length=1, max_length=100)] | None = None
    role: Role = "judge"
    weight: float = Field(1.0, gt=0)
    threshold: float = 0.5
    range: tuple[float, float] | None = None

    def scale_score(self, score: float) -> float:
        """A number that the verifier gives, from ``range`` to [0, 1]; what lies outside is as good as its end."""
        if self.range is None:
            return score
        low, high = self.range
        return (min(max(score, low), high) - low) / (high - low)

    @field_validator("range")
    @classmethod
    def _goes_up(cls, ends: tuple[float, float] | None) -> tuple[float, float] | None:
        if ends is not None and ends[0] >= ends[1]:
            raise ValueError("a range is [low, high] with low below high")
        return ends

    @field_validator("verifier")
    @classmethod
    def _may_sit(cls, name: str) -> str:
        try:
            kind = registry.get(name)
        except UnknownVerifier as unknown:
            raise ValueError(unknown.detail) from None
        if name == "panel" or kind.lane not in ("model", "inline") or issubclass(kind, GroupVerifier):
            raise ValueError(f"{name!r} cannot sit on a panel: verifiers that ask models or answer inline can")
        return name

    @field_validator("params")
    @classmethod
    def _has_such_parameters(cls, params: dict[str, JsonValue], info: ValidationInfo) -> dict[str, JsonValue]:
        if "verifier" in info.data:
            try:
                registry.create(info.data["verifier"], params)
            except InvalidParameters as invalid:
                raise ValueError(invalid.detail) from None
        return params

    def sitting(self) -> Verifier:
        """The verifier itself."""
        return registry.create(self.verifier, self.params)


class PanelParams(Params):
    members: Annotated[tuple[Member, ...], Field(min_length=2, max_length=16)] = Field(
        (Member(verifier="judge"), Member(verifier="judge", params={"model": "second"})),
        description="2 to 16 of `{verifier, params, name, role, weight, range, threshold}`: verifiers that ask models, "
        "or that answer inline. Role `judge` (the default), `constraint` or `bonus`; numbers in `range` are scaled to "
        "[0, 1]; `threshold` (0.5) is the least score that is a yes where a member gives a number",
    )
    combine: Combine = Field(
        "mean",
        description="what the judges' scores become: their weighted `mean` or `median`, or the `min`; or a verdict by "
        "`majority` (by weight; a tie is incorrect) or `unanimous`",
    )
    quorum: float = Field(
        0.8,
        gt=0,
        le=1,
        description="least share of the judges' weight that must have answered, for `mean` and `median`",
    )
    calibrate: bool = Field(
        False,
        description="each judge's score is the sigmoid of what it gives the response less what it gives the sample's "
        "`baselines` (their mean)",
    )
    bonus_floor: float = Field(
        0.6, ge=0, le=1, description="with members of role `bonus`: the share of the judges' score that needs no bonus"
    )
    threshold: float | None = Field(
        None, description="the least score of a correct answer; without it the outcome of numbers is `scored`"
    )

    @model_validator(mode="after")
    def _sound(self) -> Self:
        if not any(member.role == "judge" for member in self.members):
            raise ValueError("a panel needs a member of role `judge`")
        taken = self.names
        if len(set(taken)) < len(taken):
            raise ValueError("two members have the same name")
        for name, member in zip(taken, self.members, strict=True):
            scale = getattr(registry.get(member.verifier), "scale", "binary")
            if scale == "unbounded" and self.needs_range(member):
                raise ValueError(
                    f"the scores of member {name!r} have no bounds, so that a response which it cannot judge might "
                    "gain by that: state its `range`, set `calibrate`, combine votes, or give it another role"
                )
        return self

    @property
    def names(self) -> list[str]:
        """The members' names: their own, or that of the verifier, numbered from the second on."""
        found: list[str] = []
        for place, member in enumerate(self.members):
            earlier = sum(other.name is None and other.verifier == member.verifier for other in self.members[:place])
            found.append(member.name or (f"{member.verifier}-{earlier + 1}" if earlier else member.verifier))
        return found

    def needs_range(self, member: Member) -> bool:
        """Whether a member's own scores must lie in [0, 1], with nothing that brings them there."""
        if member.range is not None:
            return False
        if member.role == "judge":
            return not self.calibrate and self.combine not in VOTED
        return member.role == "bonus"
