"""What is each shipped preset worth, and what does it cost, with a small real model that is held to its form?

``python -m benchmarks.held [--data FOLDER] [--only PRESET ...] [--short | --long]``, after
``make real .venv-llama/llama.stamp``.

SmolLM2-135M-Instruct, on a live llama.cpp server of one thread, judges by each preset, one attempt a question. Told of
each: replies that cannot be read, CPU seconds of service and server, and tokens, a judgement, and, where FOLDER has
what people labelled (``benchmarks.judge_material``), the labelled audit: J with both error rates. Without FOLDER, and
for presets that decide what no set there has labels for, the answers are our own, and nothing is said of their rates.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from app.demo.real.model import NAME
from audits.statistics.proportion import clopper_pearson
from benchmarks import servers
from benchmarks.judge_material import Material, Source, material
from benchmarks.llama import llama_cpp
from benchmarks.pieces import find_all
from benchmarks.processes import Tree
from benchmarks.report import Aim, Form, called, finish, rows, show_aims
from judges import presets
from judges.presets.check import VERIFIERS
from judges.presets.preset import Preset
from trueward import Client
from trueward.wire.model import ModelEntry
from trueward.wire.verdict import Verdict

COUNTS: dict[Form, tuple[int, int]] = {"short": (2, 1), "quick": (8, 2), "long": (24, 4)}
"""Samples a preset, where they are labelled and where they are our own; some ask several questions of each."""

SHORT = ("xverify", "safety")
"""Presets of the short form."""

A_PIECE = 3
"""Presets that one service of the long form judges by: what they found is kept."""

MOST_TOKENS = 256
"""Of a reply. Most presets allow a thousand and more; less makes it harder to be whole in time."""

PASS_LINES = {"principle": 0.0}
"""Where a score is an acceptance: half of the range, and even odds where it is log odds."""

DEADLINE_S = 1_800.0
MOST_MALFORMED = 0.01


@dataclass(frozen=True, slots=True)
class Audit:
    """Each rate is how many of how many; ``youden`` is J with its interval, ``area`` that under the ROC of scores."""

    false_positives: tuple[int, int]
    false_negatives: tuple[int, int]
    youden: tuple[float, float, float] | None
    fate: str | None
    area: float | None


@dataclass(frozen=True, slots=True)
class Held:
    """Of one preset: replies, those that cannot be read, and verdicts that are missing, by code."""

    preset: str
    source: Source
    count: int
    calls: int
    malformed: int
    missing: dict[str, int]
    cpu_s: float
    read: int
    written: int
    audit: Audit | None


def judge_by(names: Sequence[str], folder: Path | None, counts: tuple[int, int]) -> list[Held]:
    """By a service and a model's server of their own. One thread: several wait for each other on shared cores."""
    with (
        llama_cpp(threads=1) as llama,
        servers.trueward(workers=1, max_deadline_s=DEADLINE_S) as server,
        Client(server.url) as client,
    ):
        model = ModelEntry(name="judge", kind="causal", backend="openai", url=f"{llama.url}/v1", served_name=NAME)
        client.add_model(model)
        found = []
        for name in names:
            preset = presets.find(name)
            asked = material(preset, folder, *counts)
            found.append(_judge(client, [server.tree, Tree(llama.pid)], preset, asked))
            print(found[-1], flush=True)
    return found


def _judge(client: Client, computing: Sequence[Tree], preset: Preset, asked: Material) -> Held:
    params: dict[str, JsonValue] = {
        "preset": preset.name,
        "attempts": 1,
        "max_tokens": MOST_TOKENS,
        "seed": 7,
        "nothing_said": "off",
    }
    verifier, run = VERIFIERS[preset.head.mechanism], f"held-{preset.name}"
    before = sum(sum(tree.cpu_s()) for tree in computing)
    verdicts = client.verify(asked.samples, verifier=verifier, params=params, run=run, deadline_s=DEADLINE_S)
    cpu_s = sum(sum(tree.cpu_s()) for tree in computing) - before
    used: list[dict[str, Any]] = [usage for one in verdicts if isinstance(usage := one.evidence.get("usage"), dict)]
    codes = [one.reason_code for one in verdicts if one.outcome.missing]
    return Held(
        preset=preset.name,
        source=asked.source,
        count=len(verdicts),
        calls=sum(one["calls"] for one in used),
        malformed=sum(one["malformed"] for one in used),
        missing={code: codes.count(code) for code in sorted(set(codes))},
        cpu_s=cpu_s,
        read=sum(one["tokens_read"] for one in used),
        written=sum(one["tokens_written"] for one in used),
        audit=None if asked.right is None else audit(client, preset, run, verdicts, asked.right),
    )


def audit(client: Client, preset: Preset, run: str, verdicts: Sequence[Verdict], right: Sequence[bool]) -> Audit | None:
    """None where no verdict came: there is nothing to hold against the labels."""
    if all(one.outcome.missing for one in verdicts):
        return None
    client.label([{"record": one.record, "right": said} for one, said in zip(verdicts, right, strict=True)])
    line = PASS_LINES.get(preset.name, 0.5)
    subject: JsonValue = {"verifier": VERIFIERS[preset.head.mechanism], "threshold": line}
    started = client.start_audit({"kind": "labelled", "subject": subject, "population": {"run": run}})
    report = client.wait_for_audit(started.id, timeout_s=DEADLINE_S).report
    assert report is not None, "the audit failed"
    found: Any = report.findings
    counts, scores, youden = found["confusion"], found["scores"], found["youden"]
    return Audit(
        false_positives=(counts["wrong_accepted"], counts["wrong_accepted"] + counts["wrong_rejected"]),
        false_negatives=(counts["right_rejected"], counts["right_accepted"] + counts["right_rejected"]),
        youden=None if youden is None else (youden["value"], *youden["interval"]),
        fate=found["fate"],
        area=None if scores is None else scores["auc"],
    )


def main(arguments: Sequence[str] | None = None) -> None:
    own = argparse.ArgumentParser(add_help=False)
    own.add_argument("--data", type=Path)
    own.add_argument("--only", nargs="+", choices=presets.names())
    said, rest = own.parse_known_args(arguments)
    call = called("held", (__doc__ or "").partition("\n")[0], rest)
    names = said.only or (SHORT if call.form == "short" else presets.names())
    counts = COUNTS[call.form]
    pieces = [(names[at : at + A_PIECE], said.data, counts) for at in range(0, len(names), A_PIECE)]
    found = [one for piece in find_all("held", call, judge_by, pieces) for one in piece]
    rows(
        f"{NAME} as judge, in four bits, {counts[0]} labelled samples a preset or {counts[1]} others",
        ["preset", "cannot be read", "CPU s", "tokens", "J", "false positives", "false negatives", "area", "labels"],
        [row(one) for one in found],
    )
    malformed, calls = sum(one.malformed for one in found), sum(one.calls for one in found)
    low, high = clopper_pearson(malformed, calls)
    aim = Aim(
        "replies that cannot be read",
        f"under {MOST_MALFORMED:.0%}",
        f"{malformed / calls:.1%} ({malformed} of {calls:,}, 95% interval [{low:.1%}, {high:.1%}])",
        malformed / calls < MOST_MALFORMED if call.form != "short" else None,
        "replies that are cut off before they are whole",
    )
    show_aims([aim])
    claims = {"every preset's judge is asked": all(one.calls for one in found)}
    finish("held", call, {"scale": counts, "presets": found, "aims": [aim]}, claims)


def row(one: Held) -> list[str]:
    found = one.audit
    return [
        one.preset,
        f"{one.malformed} of {one.calls}",
        f"{one.cpu_s / one.count:.1f}",
        f"{one.read / one.count:.0f} + {one.written / one.count:.0f}",
        "" if found is None or found.youden is None else "{:.2f} [{:.2f}, {:.2f}]".format(*found.youden),
        "" if found is None else share(found.false_positives),
        "" if found is None else share(found.false_negatives),
        "" if found is None or found.area is None else f"{found.area:.2f}",
        one.source if one.source != "own" else "none",
    ]


def share(rate: tuple[int, int]) -> str:
    count, of = rate
    if not of:
        return "none judged"
    low, high = clopper_pearson(count, of)
    return f"{count / of:.0%} [{low:.0%}, {high:.0%}]"


if __name__ == "__main__":
    main()
