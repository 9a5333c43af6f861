"""What a method of the client amounts to: calls that may go out in any order, and how answers combine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypedDict, TypeVar
from urllib.parse import urlencode

from pydantic import BaseModel, JsonValue

from trueward.client.call import Call, json_bytes, new_key
from trueward.client.chunk import EncodedBatch, Limits, SampleLike, clean, groups_of, make_batch, runs_of
from trueward.client.state import JobState
from trueward.errors import Conflict, InvalidRequest
from trueward.wire.reward import Reward
from trueward.wire.sample import Split
from trueward.wire.scoring import RewardsResponse, VerifyResponse
from trueward.wire.selection import Selection
from trueward.wire.verdict import Verdict
from trueward.wire.verifier import GROUP_VERIFIERS

A = TypeVar("A")
R = TypeVar("R")
M = TypeVar("M", bound=BaseModel)

Recipe = str | Mapping[str, JsonValue]
Progress = Callable[[int, int], None]
"""Called with the samples that are done and those there are in all."""
_JOB_BLOCK_BYTES = 2**20


class Context(TypedDict, total=False):
    """Where a batch belongs: run and step of the training, version of the policy, ``train`` or ``eval``.

    ``min_weights``: the least version of each model's weights that may judge it. ``gather``, for rewards: the members
    of a group come in calls of their own (:class:`trueward.wire.scoring.Gather`), ``{"size": 8}`` or ``{}``.
    """

    run: str | None
    step: int | None
    policy: str | None
    split: Split
    min_weights: Mapping[str, int] | None
    gather: Mapping[str, int] | None


class JobContext(Context, total=False):
    """``webhook`` is the URL that is told when the job has ended, ``webhook_secret`` what that is signed with."""

    webhook: str | None
    webhook_secret: str | None


@dataclass(frozen=True)
class CallPlan(Generic[A, R]):
    """Calls, and what their answers (in the order of the calls) make together."""

    calls: list[Call[A]]
    combine: Callable[[list[A]], R]


def verify_plan(
    samples: Iterable[SampleLike],
    verifier: str,
    params: Mapping[str, JsonValue] | None,
    context: Context,
    limits: Limits,
) -> CallPlan[list[Verdict], list[Verdict]]:
    batch = make_batch(samples)
    head = _head({"verifier": verifier, "params": params or {}}, context)
    chunks = groups_of(batch, limits) if verifier in GROUP_VERIFIERS else runs_of(batch, limits)

    def read(chunk: Sequence[int]) -> Callable[[bytes], list[Verdict]]:
        def verdicts(body: bytes) -> list[Verdict]:
            answer = model(VerifyResponse)(body)
            _check_ids([verdict.id for verdict in answer.verdicts], batch, chunk)
            return answer.verdicts

        return verdicts

    calls = [_scoring_call("/v1/verify", head, batch, chunk, read(chunk)) for chunk in chunks]
    return CallPlan(calls, lambda answers: _in_order(chunks, answers))


def reward_plan(
    samples: Iterable[SampleLike], recipe: Recipe, context: Context, limits: Limits
) -> CallPlan[RewardsResponse, RewardsResponse]:
    batch = make_batch(samples)
    head = _head({"recipe": recipe}, context)
    chunks = groups_of(batch, limits) or [[]]  # an empty batch still asks: the recipe has to exist

    def read(chunk: Sequence[int]) -> Callable[[bytes], RewardsResponse]:
        def rewards(body: bytes) -> RewardsResponse:
            answer = model(RewardsResponse)(body)
            _check_ids([reward.id for reward in answer.rewards], batch, chunk)
            return answer

        return rewards

    def combine(answers: list[RewardsResponse]) -> RewardsResponse:
        hashes = sorted({answer.recipe for answer in answers})
        if len(hashes) != 1:
            raise Conflict(
                f"the recipe changed while this batch was scored ({' and '.join(hashes)}): send it again, "
                "and name a run, which pins its recipe"
            )
        rewards: list[Reward] = _in_order(chunks, [answer.rewards for answer in answers])
        groups = [group for answer in answers for group in answer.groups]
        return RewardsResponse(rewards=rewards, groups=groups, recipe=hashes[0])

    calls = [_scoring_call("/v1/rewards", head, batch, chunk, read(chunk)) for chunk in chunks]
    return CallPlan(calls, combine)


def submit_call(
    samples: Iterable[SampleLike],
    verifier: str | None,
    recipe: Recipe | None,
    params: Mapping[str, JsonValue] | None,
    context: JobContext,
) -> Call[JobState]:
    """The creation of a job: NDJSON, its head in the first line, one sample a line after it."""
    if (verifier is None) == (recipe is None):
        raise InvalidRequest("a job names either a verifier or a recipe")
    what: dict[str, object] = {"recipe": recipe} if verifier is None else {"verifier": verifier, "params": params or {}}
    batch = make_batch(samples)
    blocks = _blocks([json_bytes(_head(what, context)), *batch.encoded])
    return Call(
        "POST",
        "/v1/jobs",
        model(JobState),
        lambda remaining_s: blocks,
        content_type="application/x-ndjson",
        idempotency_key=new_key(),
        size=len(batch.ids),
    )


def select_call(candidates: Iterable[SampleLike], what: Mapping[str, object], context: Context) -> Call[Selection]:
    """``what``: the method, and where scores and classes come from; what is None is left out."""
    batch = make_batch(candidates)
    head = _head({name: value for name, value in what.items() if value is not None}, context)

    def body(remaining_s: float | None) -> Sequence[bytes]:
        limit = {} if remaining_s is None else {"deadline_s": max(0.05, remaining_s - min(1.0, remaining_s / 10))}
        return [json_bytes({**head, **limit})[:-1] + b',"candidates":[' + b",".join(batch.encoded) + b"]}"]

    return Call("POST", "/v1/select", model(Selection), body, idempotency_key=new_key(), size=len(batch.ids))


def model(kind: type[M]) -> Callable[[bytes], M]:
    """A reader that ignores members which a newer service added."""
    return lambda body: kind.model_validate_json(body, extra="ignore")


def post_json(path: str, body: Mapping[str, object], read: Callable[[bytes], A]) -> Call[A]:
    """A POST of JSON under one key for all tries, so that no try does again what an earlier one did."""
    return send_json("POST", path, body, read, new_key())


def send_json(
    method: str, path: str, body: Mapping[str, object], read: Callable[[bytes], A], key: str | None = None
) -> Call[A]:
    """JSON by a method whose second try changes nothing, or under an idempotency key."""
    try:
        content = json_bytes(clean(body))
    except (ValueError, TypeError, RecursionError) as refusal:
        raise InvalidRequest(f"the request cannot be written as JSON: {refusal}") from refusal
    return Call(method, path, read, lambda remaining_s: [content], idempotency_key=key)


def fields_of(given: BaseModel | Mapping[str, JsonValue], *, unset: bool = False) -> Mapping[str, JsonValue]:
    """A model as the fields of a body, those left unset only with ``unset``; fields are what they are."""
    if not isinstance(given, BaseModel):
        return given
    return given.model_dump(mode="json", exclude_unset=not unset)


def query_of(asked: Mapping[str, object]) -> str:
    """What is asked for as a URL's query; None is not asked."""
    return urlencode({name: value for name, value in asked.items() if value is not None})


def _scoring_call(
    path: str, head: Mapping[str, object], batch: EncodedBatch, chunk: Sequence[int], read: Callable[[bytes], A]
) -> Call[A]:
    def body(remaining_s: float | None) -> Sequence[bytes]:
        # the service gets less than we have left, so that what it has by then still reaches us
        limit = {} if remaining_s is None else {"deadline_s": max(0.05, remaining_s - min(1.0, remaining_s / 10))}
        start = json_bytes({**head, **limit})[:-1]
        return [start + b',"samples":[' + b",".join(batch.encoded[index] for index in chunk) + b"]}"]

    return Call("POST", path, read, body, idempotency_key=new_key(), size=len(chunk))


def _head(what: Mapping[str, object], context: Context) -> dict[str, object]:
    head = {**what, **{name: value for name, value in context.items() if value is not None}}
    cleaned = {name: clean(value) for name, value in head.items()}
    try:
        json_bytes(cleaned)
    except (ValueError, TypeError, RecursionError) as refusal:
        raise InvalidRequest(f"{', '.join(what)}: cannot be written as JSON: {refusal}") from refusal
    return cleaned


def _check_ids(ids: Sequence[str | None], batch: EncodedBatch, chunk: Sequence[int]) -> None:
    if list(ids) != [batch.ids[index] for index in chunk]:
        raise ValueError(f"{len(ids)} results that are not those of the {len(chunk)} samples, in order")


def _in_order(chunks: Sequence[Sequence[int]], answers: Sequence[Sequence[A]]) -> list[A]:
    placed = {
        index: item
        for chunk, answer in zip(chunks, answers, strict=True)
        for index, item in zip(chunk, answer, strict=True)
    }
    return [placed[index] for index in range(len(placed))]


def _blocks(lines: Iterable[bytes]) -> list[bytes]:
    """Lines joined into blocks of about a megabyte, each ending with a line end."""
    blocks: list[bytes] = []
    open_block = bytearray()
    for line in lines:
        open_block += line + b"\n"
        if len(open_block) >= _JOB_BLOCK_BYTES:
            blocks.append(bytes(open_block))
            open_block.clear()
    return [*blocks, bytes(open_block)] if open_block else blocks
