"""What is asked of a replica, and how it answers: the vocabulary between the service and the lanes on a cluster.

To the replica: pickles that the service wrote, of names, parameters and tasks. Back: JSON behind ``+``, or a failure
(JSON, too) behind ``-``.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel, ConfigDict, JsonValue

from app.admission.demand import Demand
from app.lanes.model_source import RegisteredModel
from judges.base import ModelBusy, ModelFailure, ModelUnavailable, NotFinite, TooLong, Unaskable, WeightsBehind
from judges.questions import Answer, Question
from sandbox.base import Execution, Program, SandboxFailure, Unsupported
from sandbox.limits import Limits
from trueward.authoring.verifier import Task, Verifier
from trueward.wire.model import WeightsRequest

APP: Final = "trueward-lanes"
"""The application's name in Ray Serve."""

LANES: Final = ("cpu", "sandbox", "models")

Asked = tuple[str, float, float, bytes]
"""Method, seconds until the caller's deadline, seconds that the caller has waited already, and what is asked."""

Wave = list[tuple[int, bytes]]
"""Replies that are ready together, by their places in the call."""

Stats = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class CheckMessage:
    """One item for a verifier, which the replica makes by its name; ``version`` is the one that is to judge.

    ``flow`` and ``project`` say whose turn it is, as of :class:`app.admission.demand.Demand`.
    """

    verifier: str
    version: str
    params: str
    task: Task
    flow: str
    project: str | None

    @classmethod
    def of(cls, verifier: Verifier, task: Task, demand: Demand) -> CheckMessage:
        named = verifier.name, verifier.version, verifier.params.model_dump_json()
        return cls(*named, task, demand.flow, demand.project)


@dataclass(frozen=True, slots=True)
class RunMessage:
    """One program, for a native protocol or a judge with tools."""

    program: Program
    limits: Limits
    stdin: bytes


@dataclass(frozen=True, slots=True)
class AskMessage:
    """A question to a model with the weights that it is registered with; ``flow`` as of a backend's."""

    model: RegisteredModel
    question: Question
    flow: str


@dataclass(frozen=True, slots=True)
class Reweigh:
    """New weights for a model; without any it is loaded with those that it has."""

    model: RegisteredModel
    request: WeightsRequest | None


def pack(asked: CheckMessage | RunMessage | AskMessage | Reweigh | None) -> bytes:
    """Raises whatever pickling a task raises."""
    return pickle.dumps(asked, pickle.HIGHEST_PROTOCOL)


def unpack(payload: bytes) -> CheckMessage | RunMessage | AskMessage | Reweigh | None:
    found: CheckMessage | RunMessage | AskMessage | Reweigh | None = pickle.loads(payload)  # noqa: S301 - the service wrote it
    return found


class Executed(BaseModel):
    """What a compiler did, if there was one, and what the program did."""

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    compiled: Execution | None
    done: Execution


class AnswerMessage(BaseModel):
    """A model's answer, numbers to the last bit; those that are not finite too."""

    model_config = ConfigDict(ser_json_inf_nan="constants")

    answer: Answer


class FailureMessage(BaseModel):
    """An exception on its way: ``code`` is a key of ``_FAILURES``."""

    code: str
    text: str
    limits: tuple[str, int, int] | None = None


_FAILURES: Final[dict[str, type[Exception]]] = {
    **{kind.code: kind for kind in (ModelFailure, ModelUnavailable, ModelBusy, NotFinite, WeightsBehind, Unaskable)},
    "unfit": ValueError,
    "deadline": TimeoutError,
    "sandbox_failed": SandboxFailure,
    "unsupported": Unsupported,
}


def sum_counters(counters: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """What several engines, or replicas, counted together, by name."""
    sums: dict[str, float] = {}
    for counted in counters:
        for name, value in counted.items():
            sums[name] = sums.get(name, 0.0) + value
    return sums


def pack_reply(reply: BaseModel) -> bytes:
    return b"+" + reply.model_dump_json().encode()


def pack_failure(failure: Exception) -> bytes:
    """Raises ``failure`` itself where it has no form to travel in: it is a bug then."""
    if isinstance(failure, TooLong):
        said = FailureMessage(code="too_long", text=str(failure), limits=(failure.part, failure.tokens, failure.limit))
        return b"-" + said.model_dump_json().encode()
    for code, kind in _FAILURES.items():
        if type(failure) is kind:
            return b"-" + FailureMessage(code=code, text=str(failure)).model_dump_json().encode()
    raise failure


def read(reply: bytes) -> bytes:
    """The JSON of an answer. Raises the failure that the replica met, or ValueError for what is none of both."""
    if reply[:1] == b"+":
        return reply[1:]
    if reply[:1] != b"-":
        raise ValueError("a replica's reply is of no known form")
    said = FailureMessage.model_validate_json(reply[1:])
    if said.code == "too_long" and said.limits is not None:
        part, tokens, limit = said.limits
        raise TooLong("response" if part == "response" else "prompt", tokens, limit)
    raise _FAILURES.get(said.code, ModelFailure)(said.text)
