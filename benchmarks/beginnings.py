"""What it saves to know what a judge's prompts begin with: one judgement after another, as trainers send them.

``python -m benchmarks.beginnings [--short | --long]``, after ``make real``.

SmolLM2-135M-Instruct, on the engine in this process, judges answers by the preset ``xverify``, each of another
question, one a request. Each is judged twice in turns: with what earlier prompts began with, and with that forgotten
before it. The questions are made up, for nothing here depends on them. Claim: each reply is the same. Aim: the median
judgement takes half the CPU time, which on a machine that others share says more than the clock.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from app.demo.real.model import NAME, unpack_model
from benchmarks.real import device
from benchmarks.report import Aim, Form, called, finish, rows, show_aims
from judges.engine.beginnings import Beginnings
from judges.engine.load import load
from judges.engine.loaded import LoadedModel
from judges.judge import JudgeVerifier
from judges.standalone import Standalone, verify
from trueward import Sample
from trueward.wire.model import ModelEntry
from trueward.wire.verdict import Verdict
from verifiers.registry import create

COUNTS: dict[Form, int] = {"short": 2, "quick": 8, "long": 60}
PRESET = "xverify"
"""Its reply is short, so that what is read counts."""


@dataclass(frozen=True, slots=True)
class Way:
    """Seconds of each judgement, and of its CPU; ``read`` and ``written`` are tokens of all."""

    name: str
    seconds: list[float]
    cpu_s: list[float]
    read: int
    written: int


def samples(count: int) -> list[Sample]:
    return [
        Sample(
            prompt=f"Ann has {n + 3} boxes with {n + 5} pens each and gives {n} pens away. How many has she left?",
            response=f"She had {(n + 3) * (n + 5)} pens, so {(n + 3) * (n + 5) - n} are left.",
            reference=str((n + 3) * (n + 5) - n),
        )
        for n in range(count)
    ]


async def judge(count: int) -> tuple[list[Way], int]:
    """Both ways, and how many replies differ."""
    loaded: list[LoadedModel] = []

    def loader(entry: ModelEntry) -> LoadedModel:
        loaded.append(load(entry))
        return loaded[0]

    ways = [Way("known", [], [], 0, 0), Way("forgotten", [], [], 0, 0)]
    differ = 0
    with Standalone(
        [ModelEntry(name="judge", kind="causal", path=str(unpack_model().resolve()))], loader=loader
    ) as models:
        verifier = create("judge", {"preset": PRESET, "attempts": 1})
        assert isinstance(verifier, JudgeVerifier), "a judge asks models"
        await verify(verifier, samples(1), models)  # loads, and knows the rules
        known = loaded[0].network.beginnings
        for place, sample in enumerate(samples(count + 1)[1:]):
            said: list[object] = [None, None]
            for way in (0, 1) if place % 2 else (1, 0):
                loaded[0].network.beginnings = Beginnings() if way else known
                started, used = time.perf_counter(), time.process_time()
                [verdict] = await verify(verifier, [sample], models)
                ways[way] = _with(ways[way], time.perf_counter() - started, time.process_time() - used, verdict)
                said[way] = verdict.evidence.get("reply")
            differ += said[0] != said[1]
            print(f"{ways[0].cpu_s[-1]:.2f} s of CPU, forgotten {ways[1].cpu_s[-1]:.2f} s", flush=True)
    return ways, differ


def _with(way: Way, seconds: float, cpu_s: float, verdict: Verdict) -> Way:
    usage: Any = verdict.evidence["usage"]
    return Way(
        way.name,
        [*way.seconds, seconds],
        [*way.cpu_s, cpu_s],
        way.read + int(usage["tokens_read"]),
        way.written + int(usage["tokens_written"]),
    )


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("beginnings", (__doc__ or "").partition("\n")[0], arguments)
    ways, differ = asyncio.run(judge(COUNTS[call.form]))
    gain = median(ways[1].cpu_s) / median(ways[0].cpu_s)
    rows(
        f"{NAME} judges by {PRESET}, one answer a request; {device()}",
        ["what prompts begin with is", "judgements", "tokens read", "written", "median s", "of CPU"],
        [
            [
                way.name,
                str(len(way.seconds)),
                str(way.read),
                str(way.written),
                f"{median(way.seconds):.2f}",
                f"{median(way.cpu_s):.2f}",
            ]
            for way in ways
        ],
    )
    aim = Aim(
        "CPU time of the median judgement, forgotten over known",
        "2",
        f"{gain:.2f}",
        gain >= 2,
        "what is written, and the rest",
    )
    show_aims([aim])
    claims = {"each reply is the same": differ == 0}
    finish("beginnings", call, {"device": device(), "ways": ways, "gain": gain, "aims": [aim]}, claims)


if __name__ == "__main__":
    main()
