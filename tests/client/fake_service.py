"""A service that speaks the wire, scores by a rule that tests can foresee, and fails as it is told to.

A response is correct where it equals the reference. It remembers what it scored, keeps the answers of
idempotency keys as the real one does, and takes one fault off ``faults`` for each POST or GET of results.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from trueward.errors import AnsweredError, DuplicateIds, IdempotencyConflict, NotFound, UnknownRecipe, UnknownVerifier
from trueward.wire.reward import Reward
from trueward.wire.scoring import RewardsRequest, VerifyRequest
from trueward.wire.verdict import Outcome, Producer, Verdict

PRODUCER = Producer(name="exact", version="1", params="sha256:0")


@dataclass
class Fault:
    """``status`` with ``body`` instead of the answer, before scoring; or ``cut`` the answer, after it."""

    status: int | None = None
    body: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    hang_s: float = 0.0

    @classmethod
    def of(cls, error: AnsweredError) -> Fault:
        headers = {"content-type": "application/problem+json"}
        if error.retry_after_s is not None:
            headers["retry-after"] = str(error.retry_after_s)
        return cls(error.status, error.problem().model_dump_json(), headers)


@dataclass
class Received:
    """A request that reached the service."""

    path: str
    headers: dict[str, str]
    body: Any
    raw: bytes


class FakeService:
    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.received: list[Received] = []
        self.scored: Counter[str] = Counter()
        self.answers: dict[tuple[str, str], tuple[str, dict[str, Any]]] = {}
        self.jobs: dict[str, dict[str, Any]] = {}
        self.latency_s: dict[str, float] = {}
        self.connections: set[tuple[str, int]] = set()
        self.in_flight = 0
        self.most_in_flight = 0

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/v1/verify", self.verify, methods=["POST"]),
                Route("/v1/rewards", self.rewards, methods=["POST"]),
                Route("/v1/jobs", self.submit, methods=["POST"]),
                Route("/v1/jobs/{job}", self.job, methods=["GET", "DELETE"]),
                Route("/v1/jobs/{job}/results", self.results),
                Route("/v1/verifiers", self.verifiers),
                Route("/v1/recipes", self.recipes),
                Route("/v1/runs", self.runs),
                Route("/v1/runs/{run}", self.run),
                Route("/health/ready", self.ready),
            ],
            exception_handlers={AnsweredError: self.on_error},
        )

    async def on_error(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, AnsweredError)
        return self.refuse(Fault.of(error))

    def refuse(self, fault: Fault) -> Response:
        return Response(fault.body, status_code=fault.status or 500, headers=fault.headers)

    async def verify(self, request: Request) -> Response:
        return await self.scoring(request, self.judge)

    async def rewards(self, request: Request) -> Response:
        return await self.scoring(request, self.price)

    async def scoring(self, request: Request, score: Any) -> Response:
        raw = await request.body()
        body = json.loads(raw)
        self.note(request, body, raw)
        fault = self.faults.pop(0) if self.faults else Fault()
        if fault.status is not None:
            return self.refuse(fault)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await asyncio.sleep(
                fault.hang_s or self.latency_s.get(body["samples"][0]["id"], 0) if body["samples"] else 0
            )
            answer = self.once(request, raw, lambda: score(body))
        finally:
            self.in_flight -= 1
        return cut_short(answer) if fault.cut else JSONResponse(answer)

    def note(self, request: Request, body: Any, raw: bytes) -> None:
        self.received.append(Received(request.url.path, dict(request.headers), body, raw))
        if request.client:
            self.connections.add((request.client.host, request.client.port))

    def once(self, request: Request, raw: bytes, make: Any) -> dict[str, Any]:
        key = (request.url.path, request.headers["idempotency-key"])
        digest = hashlib.sha256(raw).hexdigest()
        known = self.answers.get(key)
        if known is None:
            known = self.answers[key] = (digest, make())
        if known[0] != digest:
            raise IdempotencyConflict("another body under this key")
        return known[1]

    def judge(self, body: Any) -> dict[str, Any]:
        request = VerifyRequest.model_validate(body)
        if request.verifier not in ("exact", "math"):
            raise UnknownVerifier(f"there is no verifier {request.verifier!r}")
        return {"verdicts": [self.verdict(sample) for sample in request.samples], "added_later": 1}

    def verdict(self, sample: Any) -> dict[str, Any]:
        assert sample.id is not None
        self.scored[sample.id] += 1
        if sample.reference is None:
            found = Verdict.abstained("no_reference", "no reference")
        elif sample.response == sample.reference:
            found = Verdict.correct("equal", "equal", evidence={"extracted": sample.response})
        else:
            found = Verdict.incorrect("different", "different")
        return found.model_copy(update={"id": sample.id, "producer": PRODUCER}).model_dump(mode="json")

    def price(self, body: Any) -> dict[str, Any]:
        request = RewardsRequest.model_validate(body)
        if request.recipe not in ("math", "exact"):
            raise UnknownRecipe(f"there is no recipe {str(request.recipe)!r}")
        if len({sample.id for sample in request.samples}) != len(request.samples):
            raise DuplicateIds("ids repeat")
        rewards: list[dict[str, Any]] = []
        groups: dict[str, list[float | None]] = {}
        for sample in request.samples:
            verdict = self.verdict(sample)
            name = sample.group or f"prompt:{sample.prompt_text}"
            groups.setdefault(name, []).append(verdict["score"])
            reward = Reward(
                id=sample.id, reward=verdict["score"], outcome=Outcome(verdict["outcome"]),
                components={"exact": verdict["score"]}, reason_code=verdict["reason_code"],
            )  # fmt: skip
            rewards.append(reward.model_dump(mode="json"))
        summaries = [
            {
                "group": name,
                "size": len(scores),
                "scored": len(scores),
                "mean": None,
                "std": None,
                "zero_variance": False,
            }
            for name, scores in groups.items()
        ]
        return {"rewards": rewards, "groups": summaries, "recipe": "sha256:r"}

    async def submit(self, request: Request) -> Response:
        raw = await request.body()
        head, *samples = [json.loads(line) for line in raw.split(b"\n") if line]
        self.note(request, head, raw)
        fault = self.faults.pop(0) if self.faults else Fault()
        if fault.status is not None:
            return self.refuse(fault)

        def make() -> dict[str, Any]:
            name = f"job{len(self.jobs) + 1}"
            score = self.judge if "verifier" in head else self.price
            results = score({**head, "samples": samples})
            lines = results.get("verdicts") or results["rewards"]
            self.jobs[name] = {"id": name, "looks": 0, "cancelled": False, "lines": lines}
            return {"id": name, "state": "queued", "counts": {"total": len(samples), "done": 0}}

        answer = self.once(request, raw, make)
        return cut_short(answer) if fault.cut else JSONResponse(answer, status_code=202)

    async def job(self, request: Request) -> Response:
        job = self.jobs.get(request.path_params["job"])
        if job is None:
            raise NotFound("there is no such job")
        if request.method == "DELETE":
            job["cancelled"] = True
            return Response(status_code=204)
        job["looks"] += 1
        total = len(job["lines"])
        state = "cancelled" if job["cancelled"] else "completed" if job["looks"] > 2 else "running"
        done = total if state == "completed" else 0
        return JSONResponse({"id": job["id"], "state": state, "counts": {"total": total, "done": done}, "kind": "x"})

    async def results(self, request: Request) -> Response:
        lines = self.jobs[request.path_params["job"]]["lines"]
        fault = self.faults.pop(0) if self.faults else Fault()
        if fault.status is not None:
            return self.refuse(fault)

        async def stream() -> AsyncIterator[bytes]:
            for index, line in enumerate(lines):
                text = json.dumps(line, ensure_ascii=False).encode() + b"\n"
                if fault.cut and index == len(lines) // 2:
                    yield text[: len(text) // 2]
                    raise ConnectionAbortedError
                yield text

        return StreamingResponse(stream(), media_type="application/x-ndjson")

    async def verifiers(self, request: Request) -> Response:
        info = {
            "name": "exact", "version": "1", "summary": "equal text", "lane": "inline", "deterministic": True,
            "needs": ["response", "reference"], "params": {"type": "object"}, "examples": [],
        }  # fmt: skip
        return JSONResponse({"verifiers": [info], "failures": {"broken": "no module"}})

    async def recipes(self, request: Request) -> Response:
        return JSONResponse({"recipes": []})

    async def runs(self, request: Request) -> Response:
        return JSONResponse({"runs": [{"id": "r/1", "recipe": "sha256:r"}]})

    async def run(self, request: Request) -> Response:
        return JSONResponse({"id": request.path_params["run"], "recipe": "sha256:r", "later": True})

    async def ready(self, request: Request) -> Response:
        fault = self.faults.pop(0) if self.faults else Fault()
        return JSONResponse({"ready": True, "checks": []}) if fault.status is None else self.refuse(fault)


def cut_short(answer: dict[str, Any]) -> Response:
    """Half of the answer, then a closed connection."""
    whole = json.dumps(answer).encode()

    async def half() -> AsyncIterator[bytes]:
        yield whole[: len(whole) // 2]
        raise ConnectionAbortedError

    return StreamingResponse(half(), headers={"content-length": str(len(whole))}, media_type="application/json")


class Served:
    """A fake service that listens on a free loopback port, in a thread of its own; ``options`` are uvicorn's."""

    def __init__(self, service: FakeService, **options: Any) -> None:
        # a log that some test has set up would stand among the words of the command that runs beside it
        plain: dict[str, Any] = {"log_config": None, "access_log": False, "lifespan": "off"}
        plain |= {"http": "h11", "loop": "asyncio"}
        config = uvicorn.Config(service.app(), port=0, **plain, **options)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)

    def __enter__(self) -> str:
        self._thread.start()
        while not self._server.started:
            self._thread.join(0.01)
        return f"http://127.0.0.1:{self._server.servers[0].sockets[0].getsockname()[1]}"

    def __exit__(self, *failure: object) -> None:
        self._server.force_exit = self._server.should_exit = True
        self._thread.join()
