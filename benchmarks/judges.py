"""What does a judge's call cost beside the model, and what do sharing and repeating save?

``python -m benchmarks.judges [--short | --long]``. A server that thinks nothing stands for the model. A bare client
sends it the very requests that Trueward sends, as many in flight; the difference in CPU is what Trueward costs: HTTP,
plan, prompt, queue, reading the reply, ledger. Both take turns. The group of 16 is sent as trainers send it: fresh,
again under its idempotency key, and anew, with answers of which some are equal.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import httpx2

from benchmarks import servers
from benchmarks.report import Aim, Form, called, finish, rows, show_aims
from judges.asking import schema_fit as fitted
from judges.asking.bounds import bounded
from judges.pointwise import JudgeOneVerifier
from trueward.wire.sample import Sample

IN_FLIGHT = 256
BATCH = 32
OVERHEAD_S = 2e-3
GROUP = 16


@dataclass(frozen=True, slots=True)
class Scale:
    rounds: int
    samples: int


SCALES: dict[Form, Scale] = {"short": Scale(1, 64), "quick": Scale(3, 4_096), "long": Scale(7, 16_384)}


@dataclass(frozen=True, slots=True)
class Round:
    """CPU seconds a call, and calls a second; ``client_cpu_s`` is of whoever sent the samples to Trueward."""

    cpu_s: float
    calls_per_s: float
    client_cpu_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Saved:
    """A group of 16 responses, of which so many are different."""

    name: str
    different: int
    temperature: float
    calls: int


def samples(count: int, first: int = 0) -> list[dict[str, str]]:
    """Answers that differ, to questions of which 16 in turn are one group."""
    return [
        {
            "prompt": f"A train of {number // GROUP} wagons has 12 more put on. How many has it now?",
            "response": f"We add 12.\n\nSo it has {number} wagons, which is \\boxed{{{number}}}.",
            "reference": str(number // GROUP + 12),
        }
        for number in range(first, first + count)
    ]


def bodies(given: Sequence[dict[str, str]]) -> list[bytes]:
    """The requests that Trueward sends for these samples."""
    judge = JudgeOneVerifier()
    made = []
    for fields in given:
        turns = judge.preset.prompt().turns(judge.slots(Sample.model_validate(fields)))
        asked = {
            "model": "judge",
            "messages": [{"role": turn.role, "content": turn.content} for turn in turns],
            "temperature": 0.0,
            "top_p": 1.0,
            "max_tokens": 1024,
            "response_format": {
                "type": "json_schema",
                "json_schema": {
                    "name": "reply",
                    "strict": True,
                    "schema": bounded(fitted.bare(json.loads(judge.preset.form().text)), 1024),
                },
            },
        }
        made.append(json.dumps(asked).encode())
    return made


async def bare(url: str, made: Sequence[bytes]) -> Round:
    """A client with a pool of connections and a bound, that reads the reply's JSON."""
    limits = httpx2.Limits(max_connections=IN_FLIGHT, max_keepalive_connections=IN_FLIGHT)
    places = asyncio.Semaphore(IN_FLIGHT)
    headers = {"Content-Type": "application/json"}
    async with httpx2.AsyncClient(base_url=url, limits=limits, timeout=60.0) as client:

        async def call(body: bytes) -> None:
            async with places:
                answer = await client.post("/v1/chat/completions", content=body, headers=headers)
            json.loads(answer.json()["choices"][0]["message"]["content"])

        started, used = time.perf_counter(), time.process_time()
        await asyncio.gather(*map(call, made))
        return Round((time.process_time() - used) / len(made), len(made) / (time.perf_counter() - started))


async def judged(server: servers.Server, given: Sequence[dict[str, str]]) -> Round:
    """The same samples through ``POST /v1/verify``, in batches, as many in flight."""
    batches = [given[start : start + BATCH] for start in range(0, len(given), BATCH)]
    places = asyncio.Semaphore(IN_FLIGHT // BATCH)
    async with httpx2.AsyncClient(base_url=server.url, timeout=60.0) as client:

        async def send(batch: Sequence[dict[str, str]]) -> None:
            async with places:
                answer = await client.post("/v1/verify", json={"verifier": "judge", "samples": batch})
            assert all(one["outcome"] == "correct" for one in answer.json()["verdicts"]), answer.text[:500]

        started, used, before = time.perf_counter(), time.process_time(), sum(server.tree.cpu_s())
        await asyncio.gather(*map(send, batches))
        spent = sum(server.tree.cpu_s()) - before
        client_s = (time.process_time() - used) / len(given)
        return Round(spent / len(given), len(given) / (time.perf_counter() - started), client_s)


async def saved(server: servers.Server, model: servers.Server) -> list[Saved]:
    """Calls that the model got for one group of 16."""
    found = []
    async with httpx2.AsyncClient(base_url=server.url, timeout=60.0) as client:

        async def sent(name: str, different: int, temperature: float, seed: int, key: str) -> None:
            group = samples(1, first=1_000_000 + seed * GROUP)[0]
            members = [{**group, "response": f"It is \\boxed{{{place % different}}}."} for place in range(GROUP)]
            body = {"verifier": "judge", "params": {"temperature": temperature}, "samples": members}
            before = calls(model)
            answer = await client.post("/v1/verify", json=body, headers={"Idempotency-Key": key})
            answer.raise_for_status()
            found.append(Saved(name, different, temperature, calls(model) - before))

        await sent("all different", GROUP, 0.0, 0, "a")
        await sent("all different, the request repeated under its key", GROUP, 0.0, 0, "a")
        await sent("all different, sent anew", GROUP, 0.0, 0, "b")
        await sent("4 different", 4, 0.0, 1, "c")
        await sent("4 different, sampled", 4, 1.0, 2, "d")
        await sent("4 different, sampled, repeated under its key", 4, 1.0, 2, "d")
    return found


def calls(model: servers.Server) -> int:
    return int(json.loads(model.get("/ready"))["calls"])


def fence_cost_s(given: Sequence[dict[str, str]]) -> float:
    """CPU seconds a sample for its prompt alone."""
    judge = JudgeOneVerifier()
    made = [Sample.model_validate(fields) for fields in given[:2_000]]
    used = time.process_time()
    for sample in made:
        judge.preset.prompt().turns(judge.slots(sample))
    return (time.process_time() - used) / len(made)


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("judges", (__doc__ or "").partition("\n")[0], arguments)
    scale = SCALES[call.form]
    bares, ours, savings, asked_as_bare = asyncio.run(measured(scale))
    prompt_s = fence_cost_s(samples(512))
    overhead = median(one.cpu_s for one in ours) - median(one.cpu_s for one in bares)
    aims = [
        Aim(
            f"CPU of a judge's call beyond a bare client's, {IN_FLIGHT} in flight",
            f"under {OVERHEAD_S * 1e3:g} ms",
            f"{overhead * 1e3:.2f} ms (bare {median(one.cpu_s for one in bares) * 1e3:.2f}, "
            f"with the service {median(one.cpu_s for one in ours) * 1e3:.2f}, of that the prompt {prompt_s * 1e3:.2f})",
            overhead < OVERHEAD_S,
            "HTTP client and JSON of the call itself; ledger",
        )
    ]
    body = [
        ["bare client", *_told(bares)],
        ["Trueward, POST /v1/verify", *_told(ours)],
        ["the load's own client", f"{median(one.client_cpu_s for one in ours) * 1e3:.2f}", ""],
    ]
    rows(f"A judge's call, {IN_FLIGHT} in flight", ["", "CPU ms a call", "calls/s"], body)
    rows(
        f"Calls that a group of {GROUP} takes",
        ["responses", "different", "temperature", "calls"],
        [[one.name, str(one.different), f"{one.temperature:g}", str(one.calls)] for one in savings],
    )
    show_aims(aims)
    by_name = {one.name: one.calls for one in savings}
    claims = {
        "Trueward's requests are those of the bare client": asked_as_bare,
        "a request that is repeated under its key calls nobody": all(
            one.calls == 0 for one in savings if "under its key" in one.name
        ),
        "equal questions without temperature are asked once": by_name["4 different"] == 4,
        "sampled verdicts of equal responses are asked for each": by_name["4 different, sampled"] == GROUP,
    }
    document = {"scale": scale, "bare": bares, "trueward": ours, "saved": savings, "prompt_s": prompt_s, "aims": aims}
    finish("judges", call, document, claims)


async def measured(scale: Scale) -> tuple[list[Round], list[Round], list[Saved], bool]:
    with (
        servers.peer("judge", 1) as model,
        servers.trueward(workers=1, model_server_requests=IN_FLIGHT, max_waiting_samples=100_000) as server,
    ):
        entry = {"name": "judge", "kind": "causal", "backend": "openai", "url": model.url}
        async with httpx2.AsyncClient(base_url=server.url) as client:
            (await client.post("/v1/models", json=entry)).raise_for_status()
        bares, ours = [], []
        await judged(server, samples(BATCH, first=2_000_000))
        for number in range(scale.rounds):
            given = samples(scale.samples, first=number * scale.samples)
            bares.append(await bare(model.url, bodies(given)))
            ours.append(await judged(server, given))
        [last] = samples(1, first=3_000_000)
        await judged(server, [last])
        alike = json.loads(model.get("/last")) == json.loads(bodies([last])[0])
        return bares, ours, await saved(server, model), alike


def _told(rounds: Sequence[Round]) -> list[str]:
    return [f"{median(one.cpu_s for one in rounds) * 1e3:.2f}", f"{median(one.calls_per_s for one in rounds):.0f}"]


if __name__ == "__main__":
    main()
