"""Values that programs return are read apart: does one that is costly to read hold up somebody else's answer?

``python -m benchmarks.decoding [--short | --long]``. A service with its defaults; one caller has programs judged that
return what is costly to read, compare or show, over and over; another asks one ``exact`` sample at a time. Its latency,
over HTTP on one connection, is held against that beside programs that return a small number as often: what costs is
then the reading alone. The load client's own share is in both.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from statistics import median

import httpx2
from pydantic import JsonValue

from benchmarks import servers
from benchmarks.report import Aim, Form, called, finish, rows, show_aims

VALUES = {
    "a number": "7",
    "pairs": "[[i, i] for i in range(60000)]",
    "tuples": "tuple((i,) for i in range(60000))",
    "nested lists": "[[[[i]]] for i in range(30000)]",
    "an integer of 4,000 digits": "10**4000",
    "a map to tuples": "{i: (i,) for i in range(40000)}",
    "three million letters": "'x' * 3000000",
    "permutations": "[list(p) for p in __import__('itertools').permutations(range(8))]",
}
"""What the programs return; the first is the control."""

ASKED: dict[Form, int] = {"short": 10, "quick": 60, "long": 300}
PAUSE_S, WARM_S = 0.05, 1.5
AT_ONCE = 4
LIMIT_S = 0.05


@dataclass(frozen=True, slots=True)
class Found:
    """Latencies of the lone caller in seconds; ``judged`` are the attacks' verdicts by reason code."""

    value: str
    asked: int
    p50_s: float
    p99_s: float
    worst_s: float
    judged: dict[str, int]


def beside(http: httpx2.Client, value: str, expression: str, asked: int) -> Found:
    stop = threading.Event()
    judged: Counter[str] = Counter()
    attacker = threading.Thread(target=_attack, args=(str(http.base_url), expression, stop, judged))
    attacker.start()
    try:
        time.sleep(WARM_S)
        taken = sorted(_ask(http, f"{value} {number}") for number in range(asked))
    finally:
        stop.set()
        attacker.join()
    return Found(value, asked, median(taken), taken[int(0.99 * (asked - 1))], taken[-1], dict(judged))


def _ask(http: httpx2.Client, name: str) -> float:
    sample: JsonValue = {"response": f"{name} {time.monotonic_ns()}", "reference": "another"}
    began = time.perf_counter()
    http.post("/v1/verify", json={"verifier": "exact", "samples": [sample]}).raise_for_status()
    taken = time.perf_counter() - began
    time.sleep(PAUSE_S)
    return taken


def _attack(url: str, expression: str, stop: threading.Event, judged: Counter[str]) -> None:
    reference: JsonValue = {"calls": [{"function": "f", "args": [1], "expected": 2}]}
    numbers = count()
    with httpx2.Client(base_url=url, timeout=120.0, trust_env=False) as http:
        while not stop.is_set():
            responses = [
                f"```python\ndef f(x): return {expression}  # {next(numbers)} of {expression[:9]}\n```"
                for _ in range(AT_ONCE)
            ]
            samples = [{"response": response, "reference": reference} for response in responses]
            answer = http.post("/v1/verify", json={"verifier": "code", "samples": samples, "deadline_s": 60})
            judged.update(verdict["reason_code"] for verdict in json.loads(answer.content)["verdicts"])


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("decoding", (__doc__ or "").partition("\n")[0], arguments)
    with servers.trueward() as server, httpx2.Client(base_url=server.url, timeout=60.0, trust_env=False) as http:
        found = [beside(http, value, expression, ASKED[call.form]) for value, expression in VALUES.items()]
    rows(
        "decoding: a lone exact call beside programs that return",
        ["value", "p50 ms", "p99 ms", "worst ms", "verdicts on the programs"],
        [
            [one.value, *(f"{1000 * seconds:.1f}" for seconds in (one.p50_s, one.p99_s, one.worst_s)), str(one.judged)]
            for one in found
        ],
    )
    worst = max(found[1:], key=lambda one: one.p99_s)
    aims = [
        Aim(
            "a lone exact call beside the worst value, p99",
            f"under {1000 * LIMIT_S:.0f} ms",
            f"{1000 * worst.p99_s:.1f} ms ({worst.value}); {1000 * found[0].p99_s:.1f} ms beside a number",
            worst.p99_s < LIMIT_S,
            "the cores: programs, their readers and the service share them",
        )
    ]
    show_aims(aims)
    claims = {"every program is judged": all(set(one.judged) <= {"none_passed"} and one.judged for one in found)}
    scale = {"asked": ASKED[call.form], "attacks_at_once": AT_ONCE}
    finish("decoding", call, {"scale": scale, "found": found, "aims": aims}, claims)


if __name__ == "__main__":
    main()
