"""OpenRLHF's remote reward model (``--reward.remote_url``, before ``--remote_rm_url``).

Request ``{"query": [...], "prompts": [...], "labels": [...]}``, as a rule one sample; answer
``{"rewards", "scores", "extra_logs"}``. Its client retries everything five times, then the run dies, and it
cannot carry null: so a request is held rather than refused and each sample gets a number (a missing score
the mean so far, flagged in ``extra_logs.trueward_missing``). ``extra_logs`` are numbers under constant keys.
Releases up to 0.11.0 send empty lists to all URLs but the first: they get empty lists.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, JsonValue, StrictStr

from app.protocols.trainers.serving import CallTerms
from trueward.errors import InvalidRequest
from trueward.trainers.chat_text import split_response, think_prefix
from trueward.wire.reward import Reward
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome

PROTOCOL = CallTerms("openrlhf", deadline_s=150.0, at_once=100)
"""Its client waits 180 s, and has as many connections as aiohttp gives it."""


class OpenRlhfPayload(BaseModel):
    model_config = ConfigDict(extra="ignore")

    query: list[StrictStr]
    prompts: list[StrictStr] | None = None
    labels: list[JsonValue] | None = None


class OpenRlhfAnswer(BaseModel):
    rewards: list[float]
    scores: list[float]
    extra_logs: dict[str, list[float]]


def parse(payload: OpenRlhfPayload) -> list[Sample]:
    """One sample a query. Raises :class:`InvalidRequest` where the lists differ in length."""
    count = len(payload.query)
    prompts = payload.prompts or [""] * count
    labels = payload.labels or [None] * count
    for name, values in (("prompts", prompts), ("labels", labels)):
        if len(values) != count:
            detail = f"{name} has {len(values)} entries, query has {count}"
            raise InvalidRequest.at_field(name, "length", detail)
    return [
        Sample(
            prompt=prompt,
            response=split_response(query, prompt),
            reference=label,
            prefix=think_prefix(prompt),
        )
        for query, prompt, label in zip(payload.query, prompts, labels, strict=True)
    ]


def render(rewards: Sequence[Reward], numbers: Sequence[float]) -> OpenRlhfAnswer:
    """``numbers`` are the rewards, with what stands in for those that are missing."""
    return OpenRlhfAnswer(
        rewards=[*numbers],
        scores=[reward.in_unit(number) for reward, number in zip(rewards, numbers, strict=True)],
        extra_logs={
            "trueward_correct": [float(reward.outcome is Outcome.CORRECT) for reward in rewards],
            "trueward_invalid": [float(reward.outcome is Outcome.INVALID) for reward in rewards],
            "trueward_missing": [float(reward.reward is None) for reward in rewards],
        }
        if rewards
        else {},
    )
