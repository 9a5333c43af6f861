"""ROLL's remote reward system: a sample is submitted, then its result is asked for, and again after two seconds.

``submit`` answers when the sample is judged and recorded, or, where that takes models or programs, when it is stored as
a job; sent again for the same sample and rollout, it answers the same id. What is under way is ``errcode`` 1. Whatever
else but 0 its client hears it asks again for five minutes, and then it submits anew: so every end is ``errcode`` 0 with
a number, and what became of the sample stands in ``dimention_reward_score`` (their spelling), an object whose every
``debug_info`` is one too. The id that it is asked by names the sample's group beside its record, for no poll does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StrictInt, StrictStr

from trueward.wire.reward import Reward
from trueward.wire.sample import Message, Sample, prompt_group
from trueward.wire.scoring import RewardsRequest
from trueward.wire.verdict import Outcome

NAME = "roll"
RUNNING, DONE = 1, 0
HELD_S = 14.0
"""So long an answer may take, of the 20 s that its client waits for one."""
_RECORD = "record-"
AT_ONCE = 32
"""Threads of its client."""
LONGEST_S = 240.0
"""A missing reward is answered by then, of the 300 s that its client asks for."""


class RollSubmit(BaseModel):
    model_config = ConfigDict(extra="ignore")

    experiment_id: StrictStr | None = Field(default=None, max_length=256)
    global_step: Annotated[StrictInt, Field(le=2**53)] | None = None
    data_id: StrictStr | StrictInt | None = None
    rollout_id: StrictStr | StrictInt | None = None
    prompt: StrictStr | list[Message]
    response: StrictStr
    reward_info: dict[str, JsonValue] = {}


class RollSubmitted(BaseModel):
    reward_request_id: str
    errcode: int = 0
    errmsg: str = ""


class RollPoll(BaseModel):
    model_config = ConfigDict(extra="ignore")

    reward_request_id: StrictStr


class RollResult(BaseModel):
    errcode: int
    errmsg: str = ""
    reward_score: float | None = None
    dimention_reward_score: dict[str, dict[str, JsonValue]] = {}
    start_time: str | None = None
    end_time: str | None = None


def parse(payload: RollSubmit) -> list[Sample]:
    return [Sample(prompt=payload.prompt, response=payload.response, reference=_reference(payload.reward_info))]


def request_of(payload: RollSubmit, recipe: str, run: str | None) -> RewardsRequest:
    """What the job scores; without a run in the URL the experiment is the run."""
    step = payload.global_step if payload.global_step is not None and payload.global_step >= 0 else None
    return RewardsRequest(recipe=recipe, run=run or payload.experiment_id or None, step=step, samples=parse(payload))


@dataclass(frozen=True, slots=True)
class Ticket:
    """What a ``reward_request_id`` says: ``of`` is the id of a job, or of a record that the ledger has already.

    One from an earlier version names no group, and is one of its own.
    """

    of: str
    group: str
    is_record: bool = False

    @classmethod
    def read(cls, text: str) -> Ticket:
        of, _, group = text.removeprefix(_RECORD).partition("-")
        return cls(of, group or of, text.startswith(_RECORD))

    def __str__(self) -> str:
        return f"{_RECORD if self.is_record else ''}{self.of}-{self.group}"


def group_of(request: RewardsRequest) -> str:
    """The prompt's, as a ticket has it."""
    return prompt_group(request.samples[0]).removeprefix("prompt:")


def key_of(payload: RollSubmit, request: RewardsRequest) -> str:
    """What is sent again under the same key is the same submission."""
    named = f"{payload.data_id}\0{payload.rollout_id}\0{request.model_dump_json()}"
    return hashlib.blake2b(named.encode(errors="replace"), digest_size=20).hexdigest()


def render(reward: Reward, number: float, began: datetime, ended: datetime) -> RollResult:
    scores: dict[str, dict[str, JsonValue]] = {
        name: {"score": score, "debug_info": {name: {"time_cost": (ended - began).total_seconds()}}}
        for name, score in reward.components.items()
    }
    told: Mapping[str, JsonValue] = {
        "time_cost": (ended - began).total_seconds(),
        "outcome": reward.outcome.value,
        "reason_code": reward.reason_code,
        "missing": reward.reward is None,
        "correct": reward.outcome is Outcome.CORRECT,
        "record": reward.record,
    }
    return RollResult(
        errcode=DONE,
        reward_score=number,
        dimention_reward_score={**scores, "trueward": {"debug_info": {"trueward": {**told}}}},
        start_time=began.isoformat(timespec="seconds"),
        end_time=ended.isoformat(timespec="seconds"),
    )


def _reference(info: Mapping[str, JsonValue]) -> JsonValue:
    """The answer, or the tests of a program: those with inputs are ``stdio``, texts are assertions."""
    if info.get("ground_truth") is not None:
        return info["ground_truth"]
    tests = info.get("test_cases")
    if not isinstance(tests, list) or not tests:
        return None
    return {"assertions" if all(isinstance(test, str) for test in tests) else "stdio": tests}
