"""Rubrics and scripted judges of them, for the tests beside this file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from pydantic import JsonValue

from judges.rubric import RubricVerifier
from tests.judges.replies import Reply, response_in
from trueward.wire.sample import Sample
from verifiers import registry

PRESETS = ("rubric_each", "rubric_all", "rubric_implicit")


def rubric(**params: object) -> RubricVerifier:
    made = registry.create("rubric", params)  # type: ignore[arg-type]
    assert isinstance(made, RubricVerifier)
    return made


def criteria(*weights: float, **fields: object) -> dict[str, JsonValue]:
    """``c1``, ``c2`` ...: the response says ``one``, ``two`` ..."""
    words = ("one", "two", "three", "four", "five", "six")
    listed = [{"id": f"c{n}", "text": f"Says {words[n - 1]}.", "weight": w} for n, w in enumerate(weights, start=1)]
    return {"criteria": listed, **fields}  # type: ignore[dict-item]


def sample(response: str, rubric: JsonValue = None, **fields: object) -> Sample:
    metadata = {} if rubric is None else {"metadata": {"rubric": rubric}}
    return Sample.model_validate({"prompt": "Count.", "response": response, **metadata, **fields})


def asked_about(text: str) -> list[str]:
    """The criteria in a prompt."""
    return [part.partition("⟧\n")[2].partition("\n⟦/")[0] for part in text.split("⟦CRITERION ")[1:]]


def said(score: float, reason: str = "seen") -> str:
    return json.dumps({"reason": reason, "score": score})


def each(scores: Mapping[str, Reply]) -> Callable[[str], Reply]:
    """A judge of one criterion: the reply by its text."""

    def reply(text: str) -> Reply:
        [criterion] = asked_about(text)
        return scores[criterion]

    return reply


def honest(text: str) -> str:
    """Meets a criterion ``Says X.`` where the response has the word X."""
    words = response_in(text).split()
    met = [int(one.removeprefix("Says ").removesuffix(".") in words) for one in asked_about(text)]
    if '{"criteria"' in text:
        entries = [{"id": f"c{n}", "reason": "seen", "score": one} for n, one in enumerate(met, start=1)]
        return json.dumps({"criteria": entries})
    if "from 1 to 10" in text:
        return said(1 + round(9 * sum(met) / len(met)), "by the share that is met")
    return said(met[0])
