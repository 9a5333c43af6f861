"""Verifiers in a process of their own that answers one request after the other: what ``trueward.compat`` starts.

A request is a line of JSON on the standard input, its answer a line of JSON on the standard output:

* ``{"text": ...}`` gives ``{"answer": ..., "rule": ...}``: the final answer by the rules of ``math``, or null;
* ``{"verifier": ..., "params": {...}, "sample": {...}, "cpu_s": ...}`` gives ``{"verdict": {...}}``; with
  ``"controls": true`` it gives ``{"sound": ...}`` instead: are harmless responses judged against that reference?

The first line of all says ``{"ready": true}``. The kernel ends the process where a request takes more CPU seconds than
it may; its memory is bounded; it ends when its standard input does. What is printed afterwards goes nowhere.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from functools import lru_cache
from importlib import import_module
from typing import TextIO

from pydantic import JsonValue

from trueward.authoring.verifier import Verifier
from trueward.blame import controls, sound
from trueward.wire.sample import Sample
from verifiers import registry
from verifiers.extract import Answer, Policy, extract

MEMORY_BYTES = 2 * 2**30
"""Address space."""

_EXTRACTION_S = 5.0
"""CPU seconds for finding an answer, which is linear in the text."""


def main() -> None:
    """Answers until the standard input ends."""
    requests, answers = sys.stdin, os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)  # a verifier that prints writes no answers, and warns nobody who reads
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    import_module("verifiers.math.worker")  # the algebra system: a second that no response has to answer for
    _write(answers, {"ready": True})
    for line in requests:
        request = json.loads(line)
        cpu_s = float(request.get("cpu_s", _EXTRACTION_S))
        # whole seconds are all that the kernel takes: up to one more than asked for
        _limit(int(_used_s() + cpu_s) + 1)
        answer = _answer(request)
        _limit(resource.RLIM_INFINITY)
        _write(answers, answer)


def _answer(request: dict[str, JsonValue]) -> dict[str, JsonValue]:
    if "text" in request:
        found = extract(Sample(response=str(request["text"])), Policy.MATH)
        if isinstance(found, Answer):
            return {"answer": found.text, "rule": found.rule}
        return {"answer": None, "rule": found.reason_code}
    verifier = _verifier(str(request["verifier"]), json.dumps(request["params"]))
    sample = Sample.model_validate(request["sample"])
    if request.get("controls"):
        return {"sound": sound(verifier.verify(controls(verifier, sample)))}
    return {"verdict": verifier.verify([sample])[0].model_dump(mode="json")}


@lru_cache(32)
def _verifier(name: str, params: str) -> Verifier:
    return registry.create(name, json.loads(params))


def _used_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _limit(cpu_s: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, resource.RLIM_INFINITY))


def _write(answers: TextIO, answer: dict[str, JsonValue]) -> None:
    answers.write(json.dumps(answer) + "\n")
    answers.flush()
