"""What the shipped presets are worth with a small real model as judge, on answers that others labelled.

``python -m benchmarks.real_judges --data FILE [--short | --long]``.

SmolLM2-135M-Instruct (``make real``) judges answers to questions, as a model of the service's own engine. FILE has a
JSON object a line: ``prompt``, ``references``, ``response``, ``right``, as EVOUNA's human judgements have them
(arXiv 2305.12421). Of each preset: replies that cannot be read, false positives and negatives of those that can, and
seconds and tokens a judgement. A model of this size is no judge: the numbers show what the mechanism does with one.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from app.demo.real.model import NAME, unpack_model
from audits.statistics.proportion import clopper_pearson
from benchmarks import servers
from benchmarks.real import device
from benchmarks.report import Form, called, finish, rows
from trueward import Client, Sample
from trueward.wire.model import ModelEntry
from trueward.wire.verdict import Verdict

PRESETS = ("correctness", "xverify", "soft_correctness", "graded_correctness", "against_reference", "quality")
COUNTS: dict[Form, int] = {"short": 2, "quick": 24, "long": 200}
PASS = 0.5
DEADLINE_S = 1_200.0


@dataclass(frozen=True, slots=True)
class Judged:
    """``unread`` have no verdict because a reply could not be read, ``missing`` for another reason, by code."""

    preset: str
    count: int
    unread: int
    missing: dict[str, int]
    false_positives: tuple[int, int]
    false_negatives: tuple[int, int]
    seconds: float
    read: int
    written: int


def judge(client: Client, preset: str, items: Sequence[dict[str, Any]]) -> Judged:
    samples = [Sample(prompt=one["prompt"], reference=one["references"], response=one["response"]) for one in items]
    params: dict[str, JsonValue] = {"preset": preset, "attempts": 1, "nothing_said": "off"}
    if preset in ("soft_correctness", "graded_correctness", "against_reference", "quality"):
        params["threshold"] = PASS
    started = time.perf_counter()
    verdicts = client.verify(samples, verifier="judge", params=params, deadline_s=DEADLINE_S)
    seconds = time.perf_counter() - started
    codes = [one.reason_code for one in verdicts if one.outcome.missing]
    pairs = list(zip(items, verdicts, strict=True))
    return Judged(
        preset=preset,
        count=len(items),
        unread=codes.count("judge_malformed"),
        missing={code: codes.count(code) for code in sorted(set(codes) - {"judge_malformed"})},
        false_positives=_rate([verdict for item, verdict in pairs if not item["right"]], wrongly="correct"),
        false_negatives=_rate([verdict for item, verdict in pairs if item["right"]], wrongly="incorrect"),
        seconds=seconds,
        read=sum(_usage(one, "tokens_read") for one in verdicts),
        written=sum(_usage(one, "tokens_written") for one in verdicts),
    )


def main(arguments: Sequence[str] | None = None) -> None:
    own = argparse.ArgumentParser(add_help=False)
    own.add_argument("--data", type=Path, required=True)
    said, rest = own.parse_known_args(arguments)
    call = called("real_judges", (__doc__ or "").partition("\n")[0], rest)
    items = drawn(said.data, COUNTS[call.form])
    path = str(unpack_model().resolve())
    found = []
    with servers.trueward(workers=1, max_deadline_s=DEADLINE_S) as server, Client(server.url) as client:
        client.add_model(ModelEntry(name="judge", kind="causal", path=path))
        client.load_model("judge")
        for preset in PRESETS:
            found.append(judge(client, preset, items))
            print(found[-1], flush=True)
    rows(
        f"{NAME} as judge of {len(items)} answers, half of them right by people's word; {device()}",
        ["preset", "unread", "other missing", "false positives", "false negatives", "s each", "tokens each"],
        [
            [
                one.preset,
                f"{one.unread / one.count:.1%}",
                str(sum(one.missing.values())),
                _shown(one.false_positives),
                _shown(one.false_negatives),
                f"{one.seconds / one.count:.3f}",
                f"{one.read / one.count:.0f} + {one.written / one.count:.0f}",
            ]
            for one in found
        ],
    )
    finish("real_judges", call, {"device": device(), "presets": found}, {})


def drawn(path: Path, count: int) -> list[dict[str, Any]]:
    """``count`` rows, half of them right, the same at each call."""
    with path.open(encoding="utf-8") as file:
        every = [json.loads(line) for line in file]
    random.Random(7).shuffle(every)
    right = [one for one in every if one["right"]][: count // 2]
    wrong = [one for one in every if not one["right"]][: count // 2]
    return [one for pair in zip(right, wrong, strict=True) for one in pair]


def _rate(verdicts: Sequence[Verdict], wrongly: str) -> tuple[int, int]:
    judged = [one for one in verdicts if not one.outcome.missing]
    return sum(one.outcome == wrongly for one in judged), len(judged)


def _shown(rate: tuple[int, int]) -> str:
    count, of = rate
    if not of:
        return "none judged"
    low, high = clopper_pearson(count, of)
    return f"{count / of:.0%} [{low:.0%}, {high:.0%}]"


def _usage(verdict: Verdict, what: str) -> int:
    usage = verdict.evidence.get("usage")
    said = usage.get(what) if isinstance(usage, dict) else None
    return int(said) if isinstance(said, int | float) else 0


if __name__ == "__main__":
    main()
