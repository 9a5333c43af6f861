"""The protocol of a trainer: questions and answers in, a list of rewards out."""

from collections.abc import Sequence

from pydantic import BaseModel, JsonValue

from trueward.wire.reward import Reward
from trueward.wire.sample import Sample
from trueward_server.authoring import TrainerProtocol


class Asked(BaseModel):
    question: str
    answers: list[str]
    gold: str | None = None


def parse(asked: Asked) -> list[Sample]:
    return [Sample(prompt=asked.question, response=answer, reference=asked.gold) for answer in asked.answers]


def render(asked: Asked, rewards: Sequence[Reward], numbers: Sequence[float]) -> JsonValue:
    return {"rewards": [*numbers], "missing": [reward.reward is None for reward in rewards]}


PROTOCOL = TrainerProtocol(payload=Asked, parse=parse, render=render, deadline_s=30.0, single=False)
