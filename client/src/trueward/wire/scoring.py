"""Requests for verdicts and rewards, and their answers."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, JsonValue, StrictInt, StrictStr

from trueward.wire.base import Number, Wire
from trueward.wire.reward import Group, Reward
from trueward.wire.sample import Sample, Split
from trueward.wire.verdict import Verdict


class ScoringRequest(Wire):
    """What every scoring request carries beside its samples and the name of what scores them.

    ``min_weights``: a model that is not at this version of its weights by the deadline gives ``error: weights_behind``.
    """

    run: StrictStr | None = Field(default=None, min_length=1, max_length=256)
    step: Annotated[StrictInt, Field(ge=0, le=2**53)] | None = None
    policy: StrictStr | None = Field(default=None, max_length=256)
    split: Split = "train"
    deadline_s: Annotated[Number, Field(gt=0)] | None = None
    min_weights: dict[StrictStr, Annotated[StrictInt, Field(ge=0, le=2**53)]] | None = Field(
        default=None, description="least version of each model's weights; waited for until the deadline"
    )
    samples: list[Sample]


class VerifyRequest(ScoringRequest):
    verifier: StrictStr
    params: dict[str, JsonValue] = Field(default={})


class Gather(Wire):
    """The members of a group come in requests of their own.

    A recipe for groups waits for all of them. A missing reward gets a ``stand_in``, one for each group: the mean of the
    members that have a reward, for which it waits. ``size``: how many members a group has; by default the recipe's
    ``group.size``, and where that is not told either, those that come within ten seconds of each other. ``at_once``:
    how many calls the caller can have under way. Where three quarters of them would wait, some are answered before.
    """

    size: Annotated[StrictInt, Field(ge=1, le=4096)] | None = None
    at_once: Annotated[StrictInt, Field(ge=1)] = 64


class RewardsRequest(ScoringRequest):
    recipe: StrictStr | dict[str, JsonValue]
    gather: Gather | None = None


class VerifyResponse(Wire):
    verdicts: list[Verdict]


class RewardsResponse(Wire):
    rewards: list[Reward]
    groups: list[Group]
    recipe: str = Field(description="content hash of the recipe that was used")
