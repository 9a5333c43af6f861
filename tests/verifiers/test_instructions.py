"""Constraints: each id has its cases and its line on the page; loose accepts more than strict; long ones travel."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from trueward import Sample, Verdict
from verifiers.instructions import InstructionsVerifier, sets
from verifiers.instructions.catalogue import CONSTRAINTS, REVISED, find_constraints
from verifiers.instructions.english.sentences import sentences
from verifiers.instructions.verifier import INLINE, InstructionsParams, readings

ROOT = Path(__file__).parents[2]
NO_COMMA: dict[str, JsonValue] = {"constraints": [{"id": "punctuation:no_comma"}]}


def judged(response: str, reference: JsonValue, *, loose: bool = False) -> Verdict:
    verifier = InstructionsVerifier(InstructionsParams(loose=loose))
    return verifier.verify([Sample(response=response, reference=reference)])[0]


def cases() -> list[dict[str, dict[str, JsonValue]]]:
    lines = (ROOT / "tests" / "cases" / "instructions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("name", sorted(CONSTRAINTS))
def test_every_constraint_has_a_case_that_follows_it_and_one_that_does_not(name: str) -> None:
    outcomes = {str(case["outcome"]) for case in cases() if f'"{name}"' in json.dumps(case["sample"])}
    assert {"correct", "incorrect"} <= outcomes


def test_the_page_lists_every_constraint_with_its_arguments() -> None:
    page = (ROOT / "docs" / "verifiers" / "instructions.md").read_text(encoding="utf-8")
    for name, kind in CONSTRAINTS.items():
        [line] = [line for line in page.splitlines() if line.startswith(f"| `{name}` |")]
        assert set(kind.model_fields) <= set(re.findall(r"`(\w+)`", line)), name


_FAMILY = """
from typing import ClassVar
from verifiers.instructions.constraint import Constraint

class Made(Constraint):
    id: ClassVar[str] = "{}"
"""


def test_a_set_is_added_by_adding_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "one_more").mkdir()
    (tmp_path / "one_more" / "__init__.py").touch()
    (tmp_path / "one_more" / "family.py").write_text(_FAMILY.format("made:up"), encoding="utf-8")
    monkeypatch.setattr(sets, "__path__", [*sets.__path__, str(tmp_path)])
    assert find_constraints(revised=False).keys() == CONSTRAINTS.keys() | {"made:up"}


def test_an_id_stands_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "again.py").write_text(_FAMILY.format("punctuation:no_comma"), encoding="utf-8")
    monkeypatch.setattr(sets, "__path__", [*sets.__path__, str(tmp_path)])
    with pytest.raises(ValueError, match="punctuation:no_comma"):
        find_constraints(revised=False)


@settings(deadline=None, max_examples=300)
@given(st.text(alphabet="aB1 .!?*-[]<>\n\"'\u0130\u0301", max_size=60), st.sampled_from(sorted(CONSTRAINTS)))
def test_no_response_raises(response: str, name: str) -> None:
    follows = (case["sample"] for case in cases() if str(case["outcome"]) == "correct")
    reference = next(sample["reference"] for sample in follows if f'"{name}"' in json.dumps(sample))
    assert not judged(f"a{response}", reference, loose=True).outcome.missing


def test_the_page_names_what_is_judged_otherwise_today() -> None:
    page = (ROOT / "docs" / "verifiers" / "instructions.md").read_text(encoding="utf-8")
    today = page.partition("### IFBench today")[2].partition("\n## ")[0]
    changed = {name for name, kind in REVISED.items() if kind is not CONSTRAINTS[name]}
    assert set(re.findall(r"`(\w+:[\w-]+)`", today)) == changed


def test_evidence_tells_what_was_found_for_each_constraint() -> None:
    two: list[JsonValue] = [
        {"id": "length_constraints:number_words", "kwargs": {"num_words": 3}},
        {"id": "punctuation:no_comma"},
    ]
    verdict = judged("One, two.", {"constraints": two})
    assert verdict.evidence["constraints"] == [
        {"id": "length_constraints:number_words", "followed": False, "found": "2 words, wanted at least 3"},
        {"id": "punctuation:no_comma", "followed": False, "found": "1 commas, wanted exactly 0"},
    ]


def test_partial_scores_the_share_that_is_followed() -> None:
    words: list[JsonValue] = [{"id": "length_constraints:number_words", "kwargs": {"num_words": n}} for n in (1, 2, 3)]
    assert judged("One two.", {"constraints": words}).score == pytest.approx(2 / 3)


def test_the_readings_of_the_loose_mode_are_those_of_the_paper() -> None:
    assert list(readings("a\n*b*\nc")) == ["a\n*b*\nc", "*b*\nc", "a\n*b*", "*b*", "a\nb\nc", "b\nc", "a\nb", "b"]


@settings(deadline=None)
@given(st.text(max_size=200), st.sampled_from([case["sample"]["reference"] for case in cases()]))
def test_loose_never_rejects_what_strict_accepts(response: str, reference: JsonValue) -> None:
    strict, loose = judged(response, reference), judged(response, reference, loose=True)
    assert "error" not in (strict.outcome, loose.outcome)
    assert strict.outcome.missing == loose.outcome.missing
    assert (loose.score or 0.0) >= (strict.score or 0.0)


@settings(deadline=None)
@given(st.text(alphabet="aB1 .!?…\n\"')e.g", max_size=300))
def test_sentences_lose_no_word(text: str) -> None:
    assert re.findall(r"\w+", " ".join(sentences(text))) == re.findall(r"\w+", text)


def test_a_long_response_is_a_task_for_a_worker_with_the_same_verdict() -> None:
    verifier = InstructionsVerifier()
    sample = Sample(response="word " * INLINE, reference=NO_COMMA)
    task = verifier.triage(sample)
    assert not isinstance(task, Verdict)
    again = pickle.loads(pickle.dumps(task))
    verifier.prepare(again)
    assert verifier.check(again).reason_code == verifier.verify([sample])[0].reason_code == "all_followed"


def test_a_short_response_is_judged_at_once() -> None:
    assert isinstance(InstructionsVerifier().triage(Sample(response="word", reference=NO_COMMA)), Verdict)


@pytest.mark.parametrize("piece", ["*", "<<", "[", ". ", "- ", "\n\n", "Mr. ", "***", "# 1", "a-", '"', "_*", "...a"])
def test_time_is_linear_in_hostile_repetition(piece: str) -> None:
    every: list[JsonValue] = [
        {"id": "detectable_format:title"},
        {"id": "detectable_format:number_highlighted_sections", "kwargs": {"num_highlights": 1}},
        {"id": "detectable_format:number_bullet_lists", "kwargs": {"num_bullets": 1}},
        {"id": "detectable_format:multiple_sections", "kwargs": {"section_spliter": "#", "num_sections": 1}},
        {"id": "detectable_content:number_placeholders", "kwargs": {"num_placeholders": 1}},
        {"id": "length_constraints:number_sentences", "kwargs": {"num_sentences": 1}},
        {"id": "change_case:capital_word_frequency", "kwargs": {"capital_frequency": 1}},
        {"id": "combination:two_responses"},
    ]
    # quadratic work on half a million characters would take hours, not the test's time limit
    assert not judged(piece * (500_000 // len(piece)), {"constraints": every}).outcome.missing
