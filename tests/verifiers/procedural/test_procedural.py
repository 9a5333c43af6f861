"""The data sets of reasoning-gym: which scorers are safe, that they agree with their own answers, and what hangs."""

from __future__ import annotations

import subprocess
import sys

import pytest

from app.path.caller import Caller
from app.path.in_process import open_path
from app.settings import Settings
from tests.each import check_each
from tests.verifiers.procedural.reachable import forbidden
from trueward import Outcome, Sample
from trueward.wire.scoring import VerifyRequest
from verifiers.procedural import ProceduralVerifier, library
from verifiers.procedural.reference import Reference
from verifiers.procedural.tasks import ALLOWED, REFUSED

PROCEDURAL = ProceduralVerifier()
WITHOUT_OWN_ANSWER = {"boxnet", "graph_color", "propositional_logic", "rubiks_cube", "rush_hour"}
OUR_OWN_REASONS = {"complex_arithmetic", "composite", "game_of_life_halting"}


def kinds() -> dict[str, type]:
    from reasoning_gym.factory import DATASETS

    return {name: kind for name, (kind, _) in DATASETS.items()}


def test_every_data_set_of_the_library_is_either_judged_or_refused_with_a_reason() -> None:
    assert set(kinds()) == ALLOWED | set(REFUSED)
    assert not ALLOWED & set(REFUSED)
    assert all(REFUSED.values())


def test_no_scorer_that_is_used_can_reach_anything_that_runs_text() -> None:
    every = kinds()
    assert {name for name in ALLOWED if forbidden(every[name], "score_answer")} == set()


def test_every_scorer_that_is_refused_for_it_does_reach_it() -> None:
    every = kinds()
    refused = REFUSED.keys() - OUR_OWN_REASONS
    assert refused
    assert {name for name in refused if not forbidden(every[name], "score_answer")} == set()


def right_and_nonsense(name: str) -> None:
    _, entry = library.load_entry(Reference(name, '{"seed":7}', "", 0))
    answer = entry["answer"]
    assert isinstance(answer, str)
    generated = {"dataset": name, "config": {"seed": 7}, "index": 0}
    responses = (f"<answer>{answer}</answer>", "<answer>?!</answer>", "<answer>nan</answer>")
    right, *wrong = PROCEDURAL.verify([Sample(response=text, reference=generated) for text in responses])
    assert right.outcome is Outcome.CORRECT, right
    assert all(verdict.outcome not in (Outcome.CORRECT, Outcome.ERROR) for verdict in wrong), wrong


def test_the_librarys_own_answer_is_right_and_nonsense_is_not() -> None:
    check_each(((name, name) for name in sorted(ALLOWED - WITHOUT_OWN_ANSWER)), right_and_nonsense)


def test_what_can_draw_is_loaded_for_games_of_life_alone() -> None:
    code = (
        "import sys; from verifiers.procedural import library; from verifiers.procedural.reference import Reference;"
        "assert 'matplotlib' not in sys.modules; entry = library.load_entry(Reference('game_of_life', '{}', '', 0))[1];"
        "assert 'matplotlib' in sys.modules; assert entry['answer']"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_a_generated_task_is_the_same_in_every_process() -> None:
    one = library.load_entry(Reference("sudoku", '{"seed":3}', "", 1))[1]
    library.load_entry.cache_clear()
    assert library.load_entry(Reference("sudoku", '{"seed":3}', "", 1))[1]["answer"] == one["answer"]


def test_without_the_library_the_verdict_names_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifiers.procedural.reference.find_spec", lambda name: None)
    reference = {"dataset": "gcd", "answer": "12", "metadata": {}}
    [verdict] = PROCEDURAL.verify([Sample(response="12", reference=reference)])
    assert (verdict.outcome, verdict.reason_code) == (Outcome.ABSTAINED, "missing_extra")
    assert "pip install" in verdict.reason


async def test_an_answer_that_hangs_its_scorer_costs_the_policy_and_the_pool_goes_on() -> None:
    reference = {"dataset": "coin_flip", "answer": "0.5", "metadata": {}}
    samples = [Sample(response=f"<answer>{text}</answer>", reference=reference) for text in ("1e999999999", "0.5")]
    async with open_path(Settings(workers=1)) as path:
        request = VerifyRequest(verifier="procedural", samples=samples, deadline_s=60)
        hung, right = await path.verify(request, Caller())
    assert (hung.outcome, hung.reason_code) == (Outcome.INVALID, "resource_limit")
    assert right.outcome is Outcome.CORRECT
