"""What a recipe reads and gives: by its shapings, its verifiers' declarations, its rules."""

from __future__ import annotations

import pytest

from app.path.facts import FACTS
from rewards.interface import exchange
from tests.rewards.situation import recipe


@pytest.mark.parametrize(
    ("body", "reads"),
    [
        ({"terms": ["math"]}, ("reference", "response")),
        ({"terms": [{"verifier": "math", "required": False}, "format"]}, ("response",)),
        ({"terms": ["math"], "shaping": ["unlikeliness"]}, ("logprobs", "reference", "response")),
        ({"terms": ["format"], "shaping": ["par"]}, ("baseline_scores", "response")),
        ({"terms": ["format"], "shaping": ["log_sigmoid"], "invalid": -9}, ("baseline_scores", "response")),
        ({"terms": ["format"], "shaping": [{"log_sigmoid": {"centre": 0}}], "invalid": -9}, ("response",)),
        ({"terms": ["format"], "shaping": ["kimi_length"]}, ("response", "tokens")),
        ({"terms": ["format"], "shaping": ["overlong"]}, ("response", "tokens")),
        ({"terms": ["compare"]}, ("baselines", "response")),
        ({"terms": [{"verifier": "compare", "gate": "format"}, "format"]}, ("response",)),
    ],
)
def test_what_a_recipe_reads(body: dict[str, object], reads: tuple[str, ...]) -> None:
    assert exchange(recipe(**body), FACTS).reads == reads


def test_what_a_recipe_gives() -> None:
    steps = {"terms": ["math", "critique"], "shaping": [{"method": "renorm", "term": "critique"}]}
    assert exchange(recipe(**steps)).gives == ("step_rewards",)
    tokens = {"terms": ["process_reward"], "shaping": [{"method": "tokens", "term": "process_reward"}], "invalid": 0}
    assert exchange(recipe(**tokens)).gives == ("token_rewards",)
    forward = {"method": "forward", "false_positive": 0.1, "false_negative": 0.1}
    assert exchange(recipe(terms=["math"], noise=forward)).gives == ("weight",)
    assert exchange(recipe(group={"rules": ["policy_filtration"]})).gives == ("draw",)
    assert exchange(recipe()).gives == ()
