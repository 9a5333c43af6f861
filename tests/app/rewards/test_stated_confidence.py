"""A stated confidence through the service: priced, and not seen by whoever judges the answer."""

from __future__ import annotations

import json

from tests.app.conftest import Api
from tests.app.rewards.asking import RIGHT, WRONG, Json, fresh, price, row

RECIPE: Json = {
    "terms": [
        {"verifier": "math", "answer": True},
        {"verifier": "length", "weight": 0},
        {"verifier": "stated_confidence", "weight": 0},
    ],
    "shaping": [{"ppo_c": {"confidence": "stated_confidence", "start": 0.4}}],
    "range": [-10, 10],
    "invalid": -10,
}


def test_what_is_stated_is_priced_and_seen_by_nobody_else(api: Api) -> None:
    said = ["\nConfidence: 9/10", "\nConfidence: 1/10", "", "\nConfidence: 11"]
    found = price(api, RECIPE, [row(RIGHT + one) for one in said])["rewards"]
    assert [round(one["reward"], 9) for one in found] == [1.48, 0.52, 1.0, 1.0], "PPO-C's worked numbers"
    assert {one["components"]["length"] for one in found} == {len(RIGHT)}
    wrong = price(api, RECIPE, [row(WRONG + one) for one in said])["rewards"]
    assert [round(one["reward"], 9) for one in wrong] == [-0.32, 0.32, 0.0, 0.0], "being sure of it costs"
    kept = api.get(f"/v1/verdicts/{found[0]['record']}").json()["content"]
    assert (kept["response"], kept["metadata"]) == (RIGHT, {"stated_confidence": "Confidence: 9/10"})


def test_a_recipe_that_reads_no_statement_leaves_it_in(api: Api) -> None:
    [reward] = price(api, {"terms": ["length"], "range": [0, 999], "invalid": 0}, [row("4. Confidence: 9")])["rewards"]
    assert reward["reward"] == len("4. Confidence: 9")


def test_what_is_judged_again_finds_the_same(api: Api) -> None:
    run = fresh()
    price(api, RECIPE, [row(RIGHT + "\nConfidence: 9/10")], run=run, step=0)
    told = api.post(f"/v1/runs/{run}/replay", {}).text.splitlines()
    report = json.loads(told[-1])["report"]
    assert (report["rewards"], report["differ"], report["unknown"]) == (1, 0, 0), report
