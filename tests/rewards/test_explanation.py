"""An explanation shows the very arithmetic of the reward, line by line."""

from __future__ import annotations

from collections.abc import Mapping

from rewards.explanation import explain_member
from rewards.price import Member, price
from rewards.recipe import Recipe, parse_recipe
from tests.rewards.situation import NO, OURS, YES, members, recipe
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict


def explain(made: Recipe, sample: Sample, verdicts: Mapping[str, Verdict]) -> list[str]:
    """The lines of a sample that is its own group."""
    return explain_member(made, "g", [Member(sample, verdicts, price(made, sample, verdicts))], 0)


def test_every_step_has_a_line() -> None:
    made = parse_recipe(
        {
            "routes": [
                {
                    "when": {"data_source": "gsm8k"},
                    "terms": [
                        {
                            "verifier": "math",
                            "fallback": "judge",
                            "noise": {"false_positive": 0.1, "false_negative": 0.2},
                        },
                        {"verifier": "format", "weight": 0.5, "gate": "math"},
                        {"verifier": "spy", "shadow": 1},
                    ],
                }
            ],
            "shaping": [{"clip": [-1, 1]}],
            "on_truncated": {"penalty": 0.5},
        }
    )
    sample = Sample(response="x", data_source="gsm8k", finish_reason="length")
    assert explain(made, sample, {"math": NO, "math:1": YES, "format": YES, "spy": NO}) == [
        "route: number 1, by data_source",
        "math: incorrect, score 0 (unequal)",
        "math, by its fallback judge: correct, score 1 (equal)",
        "format: correct, score 1 (equal)",
        "spy: incorrect, score 0 (unequal) (a shadow, not paid)",
        "math: backward, constant: 1 -> 1.28571",
        "math: weight 1: 1.28571 -> 1.28571",
        "format: weight 0.5: 1 -> 0.5",
        "reward: sum: 1.78571",
        "reward: clip: 1.78571 -> 1",
        "reward: truncated: penalty 0.5: 1 -> 0.5",
        "reward: 0.5",
    ]


def test_a_missing_reward_says_why() -> None:
    assert explain(recipe(), Sample(response="x"), {"math": OURS})[-1] == "reward: none (timeout, deadline)"
    lost = parse_recipe({"routes": [{"when": {"data_source": "a"}, "terms": ["math"]}]})
    [line] = explain(lost, Sample(response="x"), {})
    assert line.startswith("reward: none (abstained, no_route): no route of the recipe takes data_source")
    noise = {"audit": "aud-1"}
    uncorrected = recipe(terms=[{"verifier": "math", "noise": noise}])
    said = "reward: none (abstained, uncorrectable): the rates of audit 'aud-1' are not known"
    assert explain(uncorrected, Sample(response="x"), {"math": YES})[-1] == said


def test_a_member_is_explained_within_its_group() -> None:
    made = recipe(shaping=["kimi_length"], group={"rules": ["dynamic_sampling"]})
    group = members(made, [{"math": YES}, {"math": YES}], tokens=[100, 300])
    assert explain_member(made, "g", group, 1) == [
        "math: correct, score 1 (equal)",
        "math: weight 1: 1 -> 1",
        "reward: kimi_length: 1 -> 0.5",
        "reward: 0.5",
        "group g: not kept, all_right",
    ]
    plain = recipe()
    alone = members(plain, [{"math": Verdict.partial(0.5, "some")}])
    assert explain_member(plain, "g", alone, 0)[-1] == "reward: 0.5"
