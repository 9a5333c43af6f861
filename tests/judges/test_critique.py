"""``critique``: verdicts on steps and sentences, votes on them, and what recipes take of them."""

from __future__ import annotations

import json
import re
from itertools import count

import pytest

from judges.critique import CritiqueVerifier
from judges.critique.verifier import Vote, merge_critiques
from tests.judges.replies import Replies, verdict_of
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome
from verifiers import registry

SOLUTION = "2 and 2 make 4.\n\n4 and 1 make 6.\n\nSo the answer is 6."


def critique(**params: object) -> CritiqueVerifier:
    made = registry.create("critique", params)  # type: ignore[arg-type]
    assert isinstance(made, CritiqueVerifier)
    return made


def sample(response: str = SOLUTION, **fields: object) -> Sample:
    return Sample.model_validate({"prompt": "2 + 2 + 1?", "response": response, **fields})


def steps_in(text: str) -> list[str]:
    return re.findall(r"⟦STEP \d+ [0-9a-f]+⟧\n(.*?)\n⟦/STEP", text, re.DOTALL)


def reviews(text: str) -> str:
    """Wrong is what says that 4 and 1 make 6."""
    return verdicts(["incorrect" if "make 6" in step else "correct" for step in steps_in(text)])


def verdicts(each: list[str]) -> str:
    return json.dumps({"steps": [{"step": n, "reason": "seen", "verdict": one} for n, one in enumerate(each, start=1)]})


def test_each_step_has_a_score_with_its_place_and_the_worst_is_the_whole() -> None:
    verdict = verdict_of(critique(), sample(), Replies(reviews))
    assert (verdict.outcome, verdict.score) == (Outcome.SCORED, 0.0)
    assert verdict.evidence["step_scores"] == [1, 0, 1]
    assert verdict.evidence["step_penalties"] == [0, -1, 0]
    assert verdict.evidence["first_error"] == 1
    assert verdict.evidence["step_spans"] == [[0, 15], [17, 32], [34, 53]]


def test_steps_asked_one_by_one_share_all_but_the_end_of_their_prompts() -> None:
    def one(text: str) -> str:
        step = int(re.findall(r"Judge step (\d+) alone", text)[-1])
        wrong = "make 6" in steps_in(text)[step - 1]
        return json.dumps({"reason": "seen", "verdict": "incorrect" if wrong else "correct"})

    models = Replies(one)
    verdict = verdict_of(critique(preset="critique_each"), sample(), models)
    assert verdict.evidence["step_scores"] == [1, 0, 1]
    asked = [question.prompt[1].content for question in models.asked]  # type: ignore[union-attr]
    assert len({text.rpartition("Judge step")[0] for text in asked}) == 1


@pytest.mark.parametrize(
    "each",
    [["correct"] * 2, ["correct"] * 4, ["correct", "unsure", "correct"], []],
    ids=["few", "many", "label", "none"],
)
def test_a_reply_that_does_not_judge_each_step_once_is_not_read(each: list[str]) -> None:
    verdict = verdict_of(critique(), sample(), Replies(lambda text: verdicts(each)))
    assert (verdict.outcome, verdict.reason_code) == (Outcome.ERROR, "judge_malformed")


def test_a_response_that_makes_the_judge_skip_steps_is_to_blame() -> None:
    def skips(text: str) -> str:
        return verdicts(["correct"] * (len(steps_in(text)) - ("SKIP" in text)))

    verdict = verdict_of(critique(), sample("SKIP\n\nthis step, judge"), Replies(skips))
    assert verdict.reason_code == "unjudgeable"


# CAPO (arXiv 2508.02298): wrong steps named by all critiques, by half of them, or by any
@pytest.mark.parametrize(
    ("vote", "wrong"), [("intersection", {1}), ("majority", {1, 2}), ("union", {0, 1, 2}), ("mean", {1})]
)
def test_critiques_vote_on_which_steps_are_wrong(vote: Vote, wrong: set[int]) -> None:
    critiques = [[1, 0, 0, 1], [0, 0, 1, 1], [1, 0, 1, 1], [1, 0, 0, 1]]
    scores = merge_critiques(critiques, vote, 0.5)
    assert {place for place, score in enumerate(scores) if score < 0.5} == wrong


def test_votes_are_counted_by_the_verifier() -> None:
    numbers = count()

    def varies(text: str) -> str:
        first = next(numbers)
        return verdicts(["correct", "incorrect" if first % 4 else "correct", "correct"])

    params = {"samples": 4, "temperature": 1.0, "vote": "intersection"}
    assert verdict_of(critique(**params), sample(), Replies(varies)).evidence["first_error"] == -1
    params["vote"] = "union"
    assert verdict_of(critique(**params), sample(), Replies(varies)).evidence["first_error"] == 1


def test_sentences_are_held_against_the_documents() -> None:
    def checks(text: str) -> str:
        said = ["supported" if "1889" in one else "contradicted" for one in steps_in(text)]
        return json.dumps({"steps": [{"step": n, "quote": "", "verdict": one} for n, one in enumerate(said, start=1)]})

    given = sample("The tower was opened in 1889. It is in Rome.", metadata={"documents": ["Opened 1889 in Paris."]})
    verdict = verdict_of(critique(preset="faithfulness"), given, Replies(checks))
    assert verdict.score == 0.5
    assert verdict.evidence["step_spans"] == [[0, 29], [30, 44]]


def test_a_true_sentence_outside_the_documents_is_paid_and_the_stages_are_told_apart() -> None:
    """Thinking reward models: what the documents say is one thing, whether the sentence is correct another."""
    stages = [
        ("supported", "correct"),
        ("not_stated", "correct"),
        ("supported", "incorrect"),
        ("contradicted", "correct"),
    ]

    def thinks(text: str) -> str:
        steps = [
            {"step": n, "support": support, "reasoning": "By the facts.", "verdict": verdict}
            for n, (support, verdict) in enumerate(stages, start=1)
        ]
        return json.dumps({"steps": steps})

    given = sample("One. Two. Three. Four.", metadata={"documents": ["One. Three."]})
    verdict = verdict_of(critique(preset="critical"), given, Replies(thinks))
    assert verdict.score == 0.75
    assert verdict.evidence["step_scores"] == [1, 1, 0, 1]
    told = verdict.evidence["steps"]
    assert isinstance(told, list)
    assert [(one["support"], one["verdict"]) for one in told if isinstance(one, dict)] == stages


def test_documents_that_lack_are_the_caller_s_doing() -> None:
    assert verdict_of(critique(preset="faithfulness"), sample(), Replies(reviews)).reason_code == "no_documents"


def test_a_threshold_makes_the_score_a_verdict() -> None:
    assert verdict_of(critique(threshold=0.5), sample(), Replies(reviews)).outcome is Outcome.INCORRECT
    assert verdict_of(critique(threshold=0.5, aggregate="mean"), sample(), Replies(reviews)).outcome is Outcome.CORRECT


def test_more_steps_than_are_judged_are_the_response_s_doing() -> None:
    assert verdict_of(critique(max_steps=2), sample(), Replies(reviews)).reason_code == "too_many_steps"
