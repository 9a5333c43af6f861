"""Records of the ledger: as they were written, with what explains them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field, JsonValue

from trueward.wire.base import Wire
from trueward.wire.reward import Reward
from trueward.wire.verdict import Verdict


class Explanation(Wire):
    """A reward's arithmetic, computed again from the ledger; ``agrees`` where that gives what was recorded."""

    record: str
    id: str | None
    recipe: str = Field(description="content hash")
    recipe_name: str
    group: str
    run: str | None
    step: int | None
    state_version: int = Field(description="version of the run's state that the reward depended on")
    reward: float | None = Field(description="as recorded")
    agrees: bool
    lines: list[str]


class Circumstances(Wire):
    """Whose sample, in which run, when. ``sample`` is the fingerprint of its content."""

    record: str
    created_at: datetime
    sample: str
    group: str | None
    pair: str | None
    run: str | None
    step: int | None
    policy: str | None
    split: str
    data_source: str | None


class RewardRecord(Circumstances):
    kind: Literal["reward"] = "reward"
    reward: Reward
    recipe: str = Field(description="content hash of the recipe")
    recipe_name: str


class RewardPage(Wire):
    """Recorded rewards in the order of their records."""

    rewards: list[RewardRecord]
    next: str | None = Field(default=None, description="`after` of the next page; null on the last")


class VerdictRecord(Circumstances):
    kind: Literal["verdict"] = "verdict"
    verdict: Verdict


class VerdictDetail(VerdictRecord):
    content: dict[str, JsonValue] = Field(description="the sample as it was judged, without id, group and pair")
    params: dict[str, JsonValue] | None = Field(description="the verifier's parameters")


class RewardDetail(RewardRecord):
    content: dict[str, JsonValue] = Field(description="the sample as it was judged, without id, group and pair")
    recipe_body: dict[str, JsonValue] | None
    verdicts: list[VerdictRecord] = Field(description="what was priced")


class VerdictPage(Wire):
    verdicts: list[VerdictRecord]
    next: str | None = Field(default=None, description="`after` of the next page; null on the last")
