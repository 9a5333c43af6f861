"""verl's ``compute_score`` under its own signature: scales, keys, and what is missing."""

from __future__ import annotations

import numpy as np
import pytest

from trueward.compat.verl import ProcessMeans, compute_score


@pytest.mark.parametrize(
    ("source", "said", "gold", "score"),
    [
        ("openai/gsm8k", "48 + 24 = 72\n#### 72", "72", 1.0),
        ("openai/gsm8k", "48 + 24 = 71\n#### 71", "72", 0.0),
        ("HuggingFaceH4/MATH-500", "\\boxed{\\frac{1}{2}}", "0.5", 1.0),
        ("math_dapo", "Answer: 34", "34", 1.0),
        ("math_dapo", "Answer: 35", "34", -1.0),
        ("aime2025", "", "34", -1.0),
        ("numina_olympiads", "\\boxed{x+1}", "1+x", 1.0),
        ("hiyouga/geometry3k", "<think>so</think> \\boxed{3}", "3", 1.0),
        ("hiyouga/geometry3k", "\\boxed{3}", "3", 0.9),
        ("hiyouga/geometry3k", "<think>so</think> \\boxed{4}", "3", 0.1),
        ("searchR1_nq", "<answer>The Louvre</answer>", {"target": np.array(["Louvre", "the Louvre museum"])}, 1.0),
        ("searchR1_nq", "<answer>Louvre in Paris</answer>", {"target": ["Louvre"]}, 0.0),
        ("searchR1_nq", "Louvre", {"target": "Louvre"}, 0.0),
    ],
)
def test_a_data_source_is_scored_on_verl_s_scale(source: str, said: str, gold: object, score: float) -> None:
    found = compute_score(source, said, gold, {"index": 0})
    assert found["score"] == pytest.approx(score)
    assert found["trueward_missing"] == 0.0


def test_every_result_has_the_same_keys() -> None:
    cases = [("openai/gsm8k", "#### 1", "1"), ("aime24", "", "1"), ("math", "Answer: 1", None)]
    results = [compute_score(*case) for case in cases]
    assert {tuple(result) for result in results} == {("score", "acc", "pred", "trueward_outcome", "trueward_missing")}
    assert [result["pred"] for result in results] == ["1", "", ""]


def test_a_missing_score_is_the_mean_of_its_group_and_flagged() -> None:
    for said in ("Answer: 5", "Answer: 5", "Answer: 5", "Answer: 6"):
        compute_score("aime26", said, "5", {"index": 7})
    lost = compute_score("aime26", "Answer: 5", None, {"index": 7})
    assert (lost["score"], lost["acc"], lost["trueward_missing"]) == (0.5, 0.75, 1.0)


@pytest.mark.parametrize("extra", [None, {}, {"index": 8}])
def test_a_group_without_a_reference_has_one_number_whatever_was_judged_before(
    extra: dict[str, int] | None,
) -> None:
    scores = []
    for said in ("Answer: 5", "Answer: 6", "I do not know"):
        scores.append(compute_score("openai/gsm8k", said, None, extra)["score"])
        compute_score("openai/gsm8k", "#### 5", "5", {"index": 9})
    assert scores == [0.5, 0.5, 0.5]


def test_groups_that_are_long_gone_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ProcessMeans, "_MOST", 2)
    siblings = ProcessMeans()
    for group in ("a", "b", "c", "b"):
        siblings.number(group, 1.0, 0.5)
    assert [siblings.number(group, None, 0.5) for group in ("a", "b", "c")] == [0.5, 1.0, 1.0]


def test_programs_and_unknown_data_sources_are_refused() -> None:
    with pytest.raises(NotImplementedError, match="sandbox_fusion"):
        compute_score("codecontests", "print(1)", "{}")
    with pytest.raises(NotImplementedError, match="no check for the data source 'mine'; known: openai/gsm8k"):
        compute_score("mine", "1", "1")
