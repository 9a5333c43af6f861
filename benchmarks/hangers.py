"""Programs that hang beside programs that do not, in one request: is any of them spared, is any of the others harmed?

``python -m benchmarks.hangers [--short | --long]``. A service with its defaults (two places for programs, 30 seconds a
request, 5 a test, 15 a suite) gets one request of as many hangers as honest programs, in random order, each with
three tests. Hangers of five kinds: a busy loop, sleep, a lock that nobody opens, endless output, processes that wait
for each other; and, apart, of busy loops alone, the kind that costs the most. The answer is streamed, so each sample's
latency is its own; that of an honest program is held against its latency alone.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

import httpx2
from pydantic import JsonValue

from benchmarks import servers
from benchmarks.report import Aim, Form, called, finish, rows, show_aims

KINDS = {
    "busy": "while True: pass",
    "sleep": "time.sleep(1000)",
    "lock": "gate = threading.Lock()\ngate.acquire()\ngate.acquire()",
    "flood": "while True: print('x' * 1000)",
    "forks": "for _ in range(8):\n    if not os.fork(): time.sleep(1000)\nos.wait()",
}
MIXED, BUSY = tuple(KINDS), ("busy",)
LONE = 8
DEADLINE_S = 30.0

REFERENCES: dict[str, JsonValue] = {
    "stdio": {"stdio": [{"stdin": f"{n}\n", "stdout": f"{n * n}\n"} for n in (3, 4, 5)]},
    "assertions": {"assertions": [f"assert square({n}) == {n * n}" for n in (3, 4, 5)]},
}
HONEST = {
    "stdio": "n = int(input())\nprint(n * n)",
    "assertions": "def square(n):\n    return n * n",
}


@dataclass(frozen=True, slots=True)
class Case:
    """``count`` hangers, and as many honest programs."""

    tests: str
    kinds: tuple[str, ...]
    count: int

    @property
    def name(self) -> str:
        return f"{self.count} {'mixed' if len(self.kinds) > 1 else self.kinds[0]} + {self.count} honest, {self.tests}"


CASES: dict[Form, tuple[Case, ...]] = {
    "short": (Case("stdio", MIXED, 2),),
    "quick": (Case("stdio", MIXED, 16), Case("assertions", MIXED, 16), Case("stdio", BUSY, 16)),
    "long": tuple(Case(tests, kinds, count) for tests in REFERENCES for kinds in (MIXED, BUSY) for count in (16, 64)),
}


@dataclass(slots=True)
class Told:
    """What a request was told of its hangers, by kind, and of its honest programs; seconds to each of those.

    ``load``: processes that were ready to run in the minute before, on the whole machine.
    """

    case: Case
    lone_s: list[float]
    load: float
    seconds: float = 0.0
    hangers: Counter[str] = field(default_factory=Counter)
    spared: Counter[str] = field(default_factory=Counter)
    honest: Counter[str] = field(default_factory=Counter)
    honest_s: list[float] = field(default_factory=list)

    @property
    def harmed(self) -> int:
        return self.case.count - self.honest["correct"]


def response(tests: str, kind: str | None, number: int) -> str:
    """Programs differ by a comment, so that none is judged with another."""
    if kind is None:
        source = HONEST[tests]
    elif tests == "stdio":
        source = f"import os, threading, time\n{KINDS[kind]}"
    else:
        body = KINDS[kind].replace("\n", "\n    ")
        source = f"import os, threading, time\ndef square(n):\n    {body}"
    return f"```python\n{source}\n# {number}\n```"


def ask(client: httpx2.Client, case: Case, kinds: Sequence[str | None], first: int, told: Told) -> None:
    """Sends one request, and notes what comes of each program as it comes."""
    samples: list[dict[str, JsonValue]] = [
        {"id": str(place), "response": response(case.tests, kind, first + place), "reference": REFERENCES[case.tests]}
        for place, kind in enumerate(kinds)
    ]
    body = {"recipe": {"terms": [{"verifier": "code"}]}, "samples": samples}
    began = time.perf_counter()
    headers = {"Accept": "application/x-ndjson"}
    with client.stream("POST", "/v1/rewards", json=body, headers=headers) as answer:
        answer.raise_for_status()
        for line in answer.iter_lines():
            reward = json.loads(line).get("reward") if line else None
            if reward is None:
                continue
            kind, outcome = kinds[int(reward["id"])], reward["outcome"]
            if kind is None:
                told.honest[outcome] += 1
                told.honest_s.append(time.perf_counter() - began)
            else:
                told.hangers[outcome] += 1
                told.spared[kind] += reward["reward"] is None
    told.seconds = time.perf_counter() - began


def measure(case: Case, dice: random.Random) -> Told:
    with servers.trueward() as server, httpx2.Client(base_url=server.url, timeout=4 * DEADLINE_S) as client:
        told = Told(case, [], os.getloadavg()[0])
        for number in range(LONE):
            alone = Told(case, [], 0.0)
            ask(client, case, [None], number, alone)
            told.lone_s += alone.honest_s
        kinds: list[str | None] = [case.kinds[place % len(case.kinds)] for place in range(case.count)]
        kinds += [None] * case.count
        dice.shuffle(kinds)
        ask(client, case, kinds, LONE, told)
        return told


def aims(found: Sequence[Told]) -> list[Aim]:
    judged = []
    for told in found:
        spared, harmed = told.spared.total(), told.harmed
        work = "CPU seconds: cores x deadline / limit of a test bounds how many busy loops can be proven to hang"
        judged.append(Aim(f"{told.case.name}: null hangers", "0", str(spared), spared == 0, work))
        judged.append(
            Aim(f"{told.case.name}: honest harmed", "0", str(harmed), harmed == 0, "first turns of all others")
        )
    return judged


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("hangers", (__doc__ or "").partition("\n")[0], arguments)
    dice = random.Random(0)
    found = [measure(case, dice) for case in CASES[call.form]]
    rows(
        "Hangers and honest programs in one request",
        (
            "case",
            "null hangers",
            "priced",
            "honest right",
            "alone p50",
            "beside p50",
            "beside max",
            "request",
            "load before",
        ),
        [
            (
                told.case.name,
                str(told.spared.total()),
                str(told.hangers.total() - told.spared.total()),
                f"{told.honest['correct']} of {told.case.count}",
                f"{median(told.lone_s[1:]):.2f} s",
                f"{median(told.honest_s):.2f} s",
                f"{max(told.honest_s):.2f} s",
                f"{told.seconds:.1f} s",
                f"{told.load:.1f}",
            )
            for told in found
        ],
    )
    judged = aims(found)
    show_aims(judged)
    paid = all(told.honest["incorrect"] + told.honest["partial"] + told.honest["invalid"] == 0 for told in found)
    finish(
        "hangers",
        call,
        {"scale": CASES[call.form], "found": found, "aims": judged},
        {
            "no hanger is told correct": all(told.hangers["correct"] == 0 for told in found),
            "no honest program is told wrong": paid,
        },
    )


if __name__ == "__main__":
    main()
