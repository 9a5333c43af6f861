"""Can the replies of a small local judge be read, held to the form of each shipped preset?

``python -m benchmarks.held [--short | --long]``, after ``make real``.

SmolLM2-135M-Instruct, on the engine in this process, judges made-up answers by each preset whose reply has a form, one
reply a question, which the engine holds to it. What is decided is not looked at: a reply is read, or it is not.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from pydantic import JsonValue

from app.demo.real.model import NAME, unpack_model
from audits.statistics.proportion import clopper_pearson
from benchmarks.real import device
from benchmarks.report import Aim, Form, called, finish, rows, show_aims
from judges import presets
from judges.judge import JudgeVerifier
from judges.presets.check import VERIFIERS
from judges.standalone import Standalone, verify
from trueward import Sample
from trueward.wire.model import ModelEntry
from verifiers import registry

COUNTS: dict[Form, int] = {"short": 1, "quick": 2, "long": 4}
"""Samples a preset; some ask several questions of each."""

SHORT = ("xverify", "safety")
"""Presets of the short form."""

MOST_TOKENS = 256
"""Of a reply. Most presets allow a thousand and more; less makes it harder to be whole in time."""

MOST_MALFORMED = 0.01


@dataclass(frozen=True, slots=True)
class Read:
    """Of one preset: replies, those that cannot be read, and verdicts that are missing for another reason, by code."""

    preset: str
    calls: int
    malformed: int
    written: int
    missing: dict[str, int]


def with_forms() -> list[str]:
    """Presets whose reply has a form, but those whose judge calls tools, which take a service."""
    known = map(presets.find, presets.names())
    return [one.name for one in known if one.forms and one.head.mechanism != "tooled"]


async def read_replies(models: Standalone, model: str, names: Sequence[str], count: int) -> list[Read]:
    """``count`` samples judged by each preset."""
    found = []
    for name in names:
        params: dict[str, JsonValue] = {
            "model": model,
            "preset": name,
            "attempts": 1,
            "max_tokens": MOST_TOKENS,
            "nothing_said": "off",
        }
        verifier = registry.create(VERIFIERS[presets.find(name).head.mechanism], params)
        assert isinstance(verifier, JudgeVerifier), "presets are asked by judges"
        verdicts = await verify(verifier, samples(count), models)
        used: list[dict[str, Any]] = [usage for one in verdicts if isinstance(usage := one.evidence.get("usage"), dict)]
        codes = [one.reason_code for one in verdicts if one.outcome.missing]
        found.append(
            Read(
                preset=name,
                calls=sum(one["calls"] for one in used),
                malformed=sum(one["malformed"] for one in used),
                written=sum(one["tokens_written"] for one in used),
                missing={code: codes.count(code) for code in sorted(set(codes))},
            )
        )
        print(found[-1], flush=True)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("held", (__doc__ or "").partition("\n")[0], arguments)
    torch.set_num_threads(1)  # several wait for each other where the cores are shared
    entry = ModelEntry(name="judge", kind="causal", path=str(unpack_model().resolve()))
    names = SHORT if call.form == "short" else with_forms()
    with Standalone([entry]) as models:
        found = asyncio.run(read_replies(models, "judge", names, COUNTS[call.form]))
    rows(
        f"Replies of {NAME} by preset; {device()}",
        ["preset", "replies", "cannot be read", "written, tokens a reply"],
        [[one.preset, str(one.calls), str(one.malformed), f"{one.written / max(1, one.calls):.0f}"] for one in found],
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
    finish("held", call, {"device": device(), "scale": COUNTS[call.form], "presets": found, "aims": [aim]}, claims)


def samples(count: int) -> Sequence[Sample]:
    """With what any mechanism asks for."""
    return [_sample(number) for number in range(count)]


def _sample(number: int) -> Sample:
    boxes, pens = number + 3, number + 5
    right = boxes * pens
    said = right if number % 2 else right + number + 1
    return Sample(
        prompt=f"Ann has {boxes} boxes with {pens} pens each. How many pens does she have?",
        response=f"Each box has {pens} pens, and there are {boxes} boxes.\n\nSo it is {boxes} * {pens} = {said} pens.",
        reference=str(right),
        baselines=[f"She has {right + 2} pens.", f"{boxes} + {pens} = {boxes + pens} pens."],
        metadata={
            "principle": "Show how the number is found.",
            "documents": [f"Ann's boxes hold {pens} pens each. She has {boxes} of them."],
            "rubric": {
                "criteria": [
                    {"id": "product", "text": "Multiplies boxes and pens.", "category": "essential"},
                    {"id": "short", "text": "Has three sentences at most.", "category": "optional"},
                    {"id": "aside", "text": "Speaks of other things.", "category": "pitfall"},
                ]
            },
            "checklist": {"turns": [[{"question": "Is a product given?"}, {"question": "Are pens named?"}]]},
        },
    )


if __name__ == "__main__":
    main()
