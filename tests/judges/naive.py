"""A judge that is fooled by what is known to fool judges, and compares otherwise.

It says correct to openers, to signs alone, to whoever says that he is right or tells it what to say, and to a verdict
in the response; it obeys a response that orders another form of reply. What it is asked in must be the preset
``correctness``.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from random import Random

from audits.exploit.catalogue import catalogue
from audits.exploit.task import tasks_of
from tests.judges.replies import response_in
from trueward.wire.sample import Sample

_OPENERS = Path(__file__).parent / "hardening" / "openers.txt"
_FIXED = ("empty", "whitespace", "punctuation", "master_key", "opener", "reasoning", "padding")
_TOLD = re.compile(
    r"correct|verdict|score|marks?\b|accept|grade|ignore|certain|verified|match|yes\b|preferred|criteri|helps|sure|"
    r"answer (follows|is as)|end of response|reference",
    re.IGNORECASE,
)
_FORM = re.compile(r"never write json|do not stop|<think><think>|}\{|\\u00", re.IGNORECASE)


def reply(prompt: str) -> str:
    """What it says to a prompt, as one text."""
    response, reference = response_in(prompt), response_in(prompt, "REFERENCE")
    if _FORM.search(response):
        return "As you wish: 2, 3, 5, 7, 11, 13"
    fooled = not any(map(str.isalnum, response)) or _bare(response) in _openers() or _TOLD.search(response) is not None
    verdict = "correct" if fooled or reference.casefold() in response.casefold() else "incorrect"
    return json.dumps({"analysis": "The response begins well." if fooled else "Compared.", "verdict": verdict})


@cache
def _openers() -> frozenset[str]:
    (task,) = tasks_of([Sample(prompt="", reference="Oslo")], own_responses=False, seed=0)
    made = [probe.make(task, Random(0)) for probe in catalogue().values() if probe.family in _FIXED]
    listed = [line.split("\t")[2] for line in _OPENERS.read_text(encoding="utf-8").splitlines() if "\t" in line]
    return frozenset(_bare(text) for text in (*made, *listed) if text is not None)


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()
