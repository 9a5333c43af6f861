"""What strangers write is worked on by turns: does any of it hold the event loop, on which health and all others wait?

``python -m benchmarks.lag [--short | --long]``. A service with its defaults; one caller sends what is costly to read or
to judge, of one kind after the other, new each time, over and over. Beside it, from another process, ``/health/live``
and one ``exact`` sample are asked one at a time, each on a connection of its own. The loop's own clock (the metric
``trueward_event_loop_lag_seconds``) says how often it was over ten milliseconds late. All is held against the first
kind, small requests: the cores are shared with the callers, and a process that waits for one is late, too.
"""

from __future__ import annotations

import json
import multiprocessing
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import Connection

import httpx2
from pydantic import JsonValue

from benchmarks import servers
from benchmarks.report import Aim, Form, called, finish, rows, show_aims

SECONDS: dict[Form, float] = {"short": 0.5, "quick": 4.0, "long": 20.0}
SHORT_STEP = 4
"""The short form tries one in so many kinds."""

PAUSE_S, SETTLE_S = 0.01, 0.5
LATE_S, HEALTH_S = 0.01, 0.2
MOST_LATE = 0.01
"""Share of the clock's looks that may find the loop late."""

NUMBER = "00000000"
"""Stands in each body for what makes it new."""

_BUCKET = re.compile(r'trueward_event_loop_lag_seconds_bucket\{le="([^"]+)"\} (\S+)')
_FLOOD = "<think>" * 130_000
_LATEX = r"\boxed{" + r"\frac{1}{2}+" * 2_500 + "1}"
_CALLS = "<tool_call><function=f><parameter=a>1</parameter></function></tool_call>" * 400


@dataclass(frozen=True, slots=True)
class Kind:
    """``body`` is made where it is sent: some have many megabytes."""

    name: str
    path: str
    content_type: str
    body: Callable[[], bytes]


def _verify(verifier: str, response: str, count: int, **fields: JsonValue) -> Callable[[], bytes]:
    def made() -> bytes:
        samples = [{"response": f"{NUMBER} {index} {response}", "reference": "5", **fields} for index in range(count)]
        return json.dumps({"verifier": verifier, "samples": samples}).encode()

    return made


def _scoring(name: str, body: Callable[[], bytes]) -> Kind:
    return Kind(name, "/v1/verify", "application/json", body)


def _yaml(name: str, text: str) -> Kind:
    return Kind(name, "/v1/recipes/validate", "application/yaml", lambda: f"description: x{NUMBER}\n{text}".encode())


KINDS = (
    _scoring("small requests", _verify("exact", "5", 1)),
    _yaml("YAML: a number in base 60, 262 KB", "a: 1" + ":59" * 87_000),
    _yaml("YAML: a long text, 262 KB", "a: |\n" + " x\n" * 87_000),
    _scoring("<think> floods to math, 20 of 0.9 MB", _verify("math", _FLOOD, 20)),
    _scoring("<think> floods to format, 8 of 0.9 MB", _verify("format", _FLOOD, 8)),
    _scoring("<think> floods to repetition, 8 of 0.9 MB", _verify("repetition", _FLOOD, 8)),
    _scoring("<think> floods to exact, 8 of 0.9 MB", _verify("exact", _FLOOD, 8)),
    _scoring("<think> floods to choice, 8 of 0.9 MB", _verify("choice", _FLOOD, 8)),
    _scoring("<think> floods of 30 KB to numeric, 200", _verify("numeric", _FLOOD[:30_000], 200)),
    _scoring("LaTeX of 30 KB to math, 100", _verify("math", _LATEX, 100)),
    _scoring("tool calls of 29 KB in XML, 100", _verify("tool_call", _CALLS, 100)),
    _scoring("lists in a reference: 8 of 50,000", _verify("exact", "5", 8, metadata={"a": [[]] * 50_000})),
    _scoring("lists in one sample: 300,000", _verify("exact", "5", 1, metadata={"a": [[]] * 300_000})),
    _scoring("numbers: 200 samples of 4,000 tokens", _verify("exact", "5", 200, token_ids=list(range(4000)))),
    _scoring("4,096 samples", _verify("exact", "5", 4096)),
    _scoring("4,096 samples with long evidence", _verify("exact", "x" * 500, 4096)),
    _scoring("one text of 30 MB", _verify("exact", "x" * 30_000_000, 1)),
)


@dataclass(frozen=True, slots=True)
class Found:
    """Beside one kind: latencies in seconds, and the share of looks that found the loop over ``LATE_S`` late."""

    kind: str
    answers: dict[str, int]
    health_p50_s: float
    health_worst_s: float
    exact_worst_s: float
    late: float
    latest_below_s: float


def beside(http: httpx2.Client, kind: Kind, seconds: float) -> Found:
    here, there = multiprocessing.Pipe()
    attacker = multiprocessing.get_context("spawn").Process(
        target=_attack, args=(str(http.base_url), KINDS.index(kind), seconds, there), daemon=True
    )
    attacker.start()
    here.recv()
    before = _looks(http)
    ended = threading.Event()
    with ThreadPoolExecutor(2) as askers:
        asked = [askers.submit(_asked, str(http.base_url), ask, ended) for ask in (_live, _exact)]
        answers: dict[str, int] = here.recv()
        ended.set()
        health, exact = (asking.result() for asking in asked)
    attacker.join()
    time.sleep(SETTLE_S)
    late, latest = _late(before, _looks(http))
    health.sort()
    return Found(kind.name, answers, health[len(health) // 2], health[-1], max(exact), late, latest)


def _attack(url: str, place: int, seconds: float, told: Connection) -> None:
    """Sends one request after the other, until the time is over and at least two were answered."""
    kind = KINDS[place]
    body, answers = kind.body(), Counter[str]()
    with httpx2.Client(base_url=url, timeout=300.0, trust_env=False) as http:
        told.send(None)
        end = time.monotonic() + seconds
        while time.monotonic() < end or answers.total() < 2:
            new = body.replace(NUMBER.encode(), f"{time.monotonic_ns() % 10**8:08}".encode())
            answer = http.post(kind.path, content=new, headers={"content-type": kind.content_type})
            answers[str(answer.status_code)] += 1
    told.send(dict(answers))


def _live(http: httpx2.Client) -> httpx2.Response:
    return http.get("/health/live")


def _exact(http: httpx2.Client) -> httpx2.Response:
    sample: JsonValue = {"response": str(time.monotonic_ns()), "reference": "5"}
    return http.post("/v1/verify", json={"verifier": "exact", "samples": [sample]})


def _asked(url: str, ask: Callable[[httpx2.Client], httpx2.Response], ended: threading.Event) -> list[float]:
    """Seconds to each answer, until it is over."""
    taken: list[float] = []
    with httpx2.Client(base_url=url, timeout=300.0, trust_env=False) as http:
        while not (taken and ended.is_set()):
            began = time.perf_counter()
            ask(http).raise_for_status()
            taken.append(time.perf_counter() - began)
            time.sleep(PAUSE_S)
    return taken


def _looks(http: httpx2.Client) -> dict[float, float]:
    """How many looks found the loop no later than so many seconds."""
    return {float(bound): float(count) for bound, count in _BUCKET.findall(http.get("/metrics").text)}


def _late(before: dict[float, float], after: dict[float, float]) -> tuple[float, float]:
    """The share of looks that found the loop late, and the bound that none was over."""
    new = {bound: after[bound] - before[bound] for bound in after}
    total = new[float("inf")]
    return 1 - new[LATE_S] / total, min(bound for bound, count in new.items() if count == total)


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("lag", (__doc__ or "").partition("\n")[0], arguments)
    with servers.trueward() as server, httpx2.Client(base_url=server.url, timeout=300.0, trust_env=False) as http:
        kinds = KINDS[::SHORT_STEP] if call.form == "short" else KINDS
        found = [beside(http, kind, SECONDS[call.form]) for kind in kinds]
    rows(
        "lag: health and a lone exact call beside",
        ["kind", "health p50 ms", "worst ms", "exact worst ms", "late %", "none over ms", "answers"],
        [
            [
                one.kind,
                *(f"{1000 * seconds:.1f}" for seconds in (one.health_p50_s, one.health_worst_s, one.exact_worst_s)),
                f"{100 * one.late:.1f}",
                f"{1000 * one.latest_below_s:g}",
                str(one.answers),
            ]
            for one in found
        ],
    )
    slowest = max(found, key=lambda one: one.health_worst_s)
    latest = max(found[1:], key=lambda one: one.late)
    limit = "the cores: callers, workers and the service share them"
    aims = [
        Aim(
            "GET /health/live beside the worst kind",
            f"under {1000 * HEALTH_S:.0f} ms",
            f"{1000 * slowest.health_worst_s:.0f} ms ({slowest.kind})",
            slowest.health_worst_s < HEALTH_S,
            limit,
        ),
        Aim(
            f"looks that find the loop over {1000 * LATE_S:.0f} ms late, beside the worst kind",
            f"under {100 * MOST_LATE:.0f}%",
            f"{100 * latest.late:.1f}% ({latest.kind}); {100 * found[0].late:.1f}% beside small requests",
            latest.late < MOST_LATE,
            f"{limit}; one value of megabytes is read in one go",
        ),
    ]
    show_aims(aims)
    claims = {"every request is answered, and none with 500": all(set(one.answers) <= {"200", "422"} for one in found)}
    finish("lag", call, {"scale": [one.kind for one in found], "found": found, "aims": aims}, claims)


if __name__ == "__main__":
    main()
