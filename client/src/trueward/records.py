"""Records of the ledger on the wire: as they were written, with what explains them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from trueward.answers import Circumstances, RewardRecord
from trueward.types import Verdict, Wire


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
