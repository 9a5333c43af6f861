"""How every JSON endpoint is entered: its body read with bounds, and answered once an ``Idempotency-Key``.

What is done for a client alone is given up when it goes away. The connection says that it has left
(:func:`mark_gone`), the route for how long the answer may be given up (:func:`unless_gone`), so that what has to be
finished, such as an administrator's act, is. Both meet in the request's state. Where no connection says anything, as
in a test without a server, nothing is given up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, MutableMapping
from typing import Any, ClassVar, cast

from fastapi import Request, Response
from fastapi.dependencies.utils import request_params_to_args
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError
from pydantic_core import to_json

from app.admission.admit import too_many
from app.admission.loop_queue import Announcement, LoopQueue
from app.http.operation import Handler, Operation
from app.idempotency.service import Idempotency
from app.keys.admission import Principal, principal_of, require_scope
from app.kit.body import WHOLE, parse, parse_paced
from app.kit.pace import LoopPace
from app.path.caller import Caller
from app.path.path import seconds_to_judge
from trueward.errors import InvalidRequest, TooLarge
from trueward.wire.key import KeyScope
from trueward.wire.sample import PARSED, Sample

CLIENT_GONE = 499
"""Nobody reads it; it is what the metrics count."""

_GONE = "client_gone"
_MAY_STOP = "client_may_stop"
_TARGETS_KEPT = 256
_PROBLEMS_LISTED = 1000
_WRONG_KEPT = 100
_AT_ONCE = 100
"""Elements of an answer that are written at once."""
_SMALL_BYTES = 2**14
"""Bytes of a body that is parsed and made a request in far less than a millisecond."""


class ClientGone(Exception):
    """The client went away while it waited: raised where a connection cannot say so."""


class BodyRequest(Request):
    """A request whose ``body`` is bounded and whose ``json`` is parsed by :func:`app.kit.body.parse`."""

    async def body(self) -> bytes:
        if not hasattr(self, "_body"):
            self._body = await read_bounded(self, self.state.settings.max_body_bytes)
        return self._body

    async def json(self) -> Any:
        if not hasattr(self, "_json"):
            body = await self.body()
            self._json = parse(body) if len(body) <= _SMALL_BYTES else await parse_paced(body, _pace_of(self))
        return self._json


class BodyRoute(Operation):
    """Reads and refuses bad JSON before the endpoint, after the caller's key was found to be one."""

    goes_with_client: ClassVar[bool] = False
    """Whether what is done for a request is given up when its client goes away: so it is where only an answer is lost,
    and what was recorded stays."""

    scope: ClassVar[KeyScope | None] = None
    """What a key must be for before a body of it is read; None where the endpoint asks."""

    def get_route_handler(self) -> Handler:
        handler = self.answering()
        if self.body_field is None:
            return handler

        def answer(request: Request) -> Coroutine[Any, Any, Response]:
            return unless_gone(request, handler(request)) if self.goes_with_client else handler(request)

        async def handle(request: Request) -> Response:
            principal = await (principal_of(request) if self.scope is None else require_scope(request, self.scope))
            _call_it_json(request)
            bounded = BodyRequest(request.scope, request.receive)
            await self.read(bounded)
            key = request.headers.get("idempotency-key")
            if key is None or request.method != "POST":
                return await answer(bounded)
            whose = f"{principal.owner or ''} {request.url.path}"
            idempotency: Idempotency = request.state.idempotency
            return await idempotency.answer(whose, key, await bounded.body(), bounded, lambda: answer(bounded))

        return handle

    async def read(self, request: BodyRequest) -> None:
        """Reads the body, before anything else is done."""
        await request.json()

    def answering(self) -> Handler:
        """The handler of a request whose body was read."""
        return super().get_route_handler()


class TurnRoute(BodyRoute):
    """For the endpoints that take the one path: a request is answered when its turn has
    come (:mod:`app.admission.loop_queue`).

    ``request.state.turn`` is its turn, ``request.state.caller`` who asks.
    """

    held_s: ClassVar[float | None] = None
    """Seconds that a request waits for its turn where its client would not survive a refusal; None for those that are
    refused, and wait for no longer than they could still be judged."""

    async def read(self, request: BodyRequest) -> None:
        """Keeps the bytes until its turn: parsed values take more memory, and some requests wait for long."""
        await request.body()

    def answering(self) -> Handler:
        return self.in_turn(super().answering())

    def in_turn(self, answer: Handler) -> Handler:
        """A handler that waits for the request's turn, and then answers."""

        async def answer_in_turn(request: Request) -> Response:
            line: LoopQueue = request.state.line
            principal: Principal = request.state.principal
            size = len(await request.body())
            coming: Announcement | None = request.scope["state"].pop("coming", None)
            if coming is not None:
                line.withdraw(coming)
            held_s = self.held_s
            if held_s is None and not line.free:
                held_s = await _left_s(request)
            request.state.turn = turn = await line.take(principal.project, self.path, size, held_s)
            try:
                request.state.caller = Caller(
                    owner=principal.owner,
                    project=principal.project,
                    record_seed=getattr(request.state, "record_seed", None),
                    arrived=_arrival_of(request),
                    turn=turn,
                )
                await request.json()
                return await answer(request)
            finally:
                turn.leave()

        return answer_in_turn


class DirectRoute(TurnRoute):
    """For the endpoints that a trainer calls for every sample: ``endpoint(body, request, **parameters)``.

    Parameters are those of the path and the query. FastAPI documents and checks them; between the body and the
    answer stands nothing else of it, because resolving dependencies and validating the answer again costs more
    than the path itself.
    """

    goes_with_client = True
    scope = "score"

    def answering(self) -> Handler:
        assert self.body_field is not None
        model = cast(type[BaseModel], self.body_field.field_info.annotation)
        endpoint = self.endpoint
        checked: dict[tuple[str, bytes], dict[str, Any]] = {}

        async def answer(request: Request) -> Response:
            # a trainer calls the same URL again and again, and to check it costs more than to read the body
            target = (request.scope["path"], request.scope["query_string"])
            parameters = checked.get(target)
            wrong: list[Any] = []
            pace = _pace_of(request)
            value, size = await request.json(), len(await request.body())
            _refuse_many(value, request.state.settings.max_samples)
            if isinstance(value, dict) and size > WHOLE:
                value = await _with_samples(value, pace)
            if parameters is None:
                parameters, wrong = self._parameters(request)
                # one with a key in it is not kept
                if not wrong and b"key=" not in target[1]:
                    if len(checked) >= _TARGETS_KEPT:
                        checked.clear()
                    checked[target] = parameters
            try:
                # as FastAPI validates elsewhere, so that a refusal has the same words
                if size > _SMALL_BYTES:
                    await pace.turn()
                body = model.model_validate(value, from_attributes=True, context=PARSED)
            except ValidationError as refusal:
                if refusal.error_count() > _PROBLEMS_LISTED:  # to list them would cost more than to find them
                    raise InvalidRequest(
                        f"{refusal.error_count()} fields of the request are wrong, too many to list: send one of its "
                        "samples alone to see what is wrong"
                    ) from None
                wrong += [{**item, "loc": ("body", *item["loc"])} for item in refusal.errors()]
            if wrong:
                raise RequestValidationError(wrong)
            made: BaseModel | Response = await endpoint(body, request, **parameters)
            if isinstance(made, Response):
                return made
            return Response(await _to_json(made, pace), media_type="application/json")

        return self.in_turn(answer)

    def _parameters(self, request: Request) -> tuple[dict[str, Any], list[Any]]:
        """The parameters by name, and the errors in them."""
        in_path, wrong_in_path = request_params_to_args(self.dependant.path_params, request.path_params)
        in_query, wrong_in_query = request_params_to_args(self.dependant.query_params, request.query_params)
        unknown = self.unknown_parameters(request) if self.strict else []
        return {**in_path, **in_query}, [*wrong_in_path, *wrong_in_query, *unknown]


async def read_bounded(request: Request, limit: int) -> bytes:
    """The whole body, at most ``limit`` bytes; raises :class:`TooLarge` as soon as it is longer."""
    coding = request.headers.get("content-encoding", "identity").strip().lower()
    if coding not in ("", "identity"):
        detail = f"a body in {coding[:40]!r} is not read: send it as it is, without a Content-Encoding"
        raise InvalidRequest.at_field("header.content-encoding", "unsupported_coding", detail)
    chunks: list[bytes] = []
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > limit:
            raise TooLarge(f"the body is over {limit} bytes (TRUEWARD_MAX_BODY_BYTES): send smaller batches, or a job")
        chunks.append(chunk)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def mark_gone(state: MutableMapping[str, Any], answering: asyncio.Task[None]) -> None:
    """The client of a request has gone, and ``answering`` is the task that answers it."""
    state[_GONE] = True
    if state.get(_MAY_STOP):
        answering.cancel()


async def unless_gone(request: Request, answer: Coroutine[Any, Any, Response]) -> Response:
    """The answer, or :data:`CLIENT_GONE` where the client leaves before it is there."""
    state: MutableMapping[str, Any] = request.scope["state"]
    if state.get(_GONE):
        answer.close()
        return Response(status_code=CLIENT_GONE)
    state[_MAY_STOP] = True
    try:
        return await answer
    except ClientGone:
        return Response(status_code=CLIENT_GONE)
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if not state.get(_GONE) or task is None:
            raise
        task.uncancel()
        return Response(status_code=CLIENT_GONE)
    finally:
        state[_MAY_STOP] = False


def _arrival_of(request: Request) -> float | None:
    """The loop's time of its first byte; None where no connection noted it."""
    arrived: float | None = getattr(request.state, "arrived", None)
    return arrived


async def _left_s(request: Request) -> float:
    """Seconds after which nothing of a request is judged any more. One that states no time has what all have, and more
    where its verifiers are slow, which is not looked at before its turn."""
    value, settings = await request.json(), request.state.settings
    stated = value.get("deadline_s") if isinstance(value, dict) else None
    allowed_s = min(stated if isinstance(stated, (int, float)) else settings.deadline_s, settings.max_deadline_s)
    now, arrived = asyncio.get_running_loop().time(), _arrival_of(request)
    return max(0.0, seconds_to_judge(allowed_s) - (0.0 if arrived is None else now - arrived))


def _refuse_many(value: object, most: int) -> None:
    """Raises :class:`TooLarge` before samples are made that the path would refuse: one costs hundreds of its bytes."""
    samples = value.get("samples") if isinstance(value, dict) else None
    if isinstance(samples, list) and len(samples) > most:
        raise too_many(len(samples), most)


async def _with_samples(value: dict[str, Any], pace: LoopPace) -> dict[str, Any]:
    """The value with samples in place of their JSON, made by turns. What is not a sample stays as it is.

    Of those some are enough: to find each again what is wrong with it takes the loop for all of them at once.
    """
    given = value.get("samples")
    if not isinstance(given, list):
        return value
    made: list[Any] = []
    wrong = 0
    for one in given:
        await pace.turn()
        try:
            made.append(Sample.model_validate(one, context=PARSED))
        except ValidationError:
            wrong += 1
            made.append(one if wrong <= _WRONG_KEPT else Sample())
    return {**value, "samples": made}


async def _to_json(made: BaseModel, pace: LoopPace) -> bytes:
    """The model's JSON, the elements of its lists by turns."""
    members = []
    for name, value in made:
        if isinstance(value, list) and len(value) > _AT_ONCE and isinstance(value[0], BaseModel):
            written = []
            for element in value:
                await pace.turn()
                written.append(element.__pydantic_serializer__.to_json(element))
            members.append(to_json(name) + b":[" + b",".join(written) + b"]")
        else:
            members.append(made.__pydantic_serializer__.to_json(made, include={name})[1:-1])
    return b"{" + b",".join(members) + b"}"


def _pace_of(request: Request) -> LoopPace:
    pace: LoopPace = request.state.path.pace
    return pace


def _call_it_json(request: Request) -> None:
    """Treats the body as JSON whatever the client called it: trainers often say nothing, or `form`."""
    headers = [pair for pair in request.scope["headers"] if pair[0] != b"content-type"]
    request.scope["headers"] = [*headers, (b"content-type", b"application/json")]
