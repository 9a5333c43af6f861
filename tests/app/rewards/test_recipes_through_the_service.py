"""Recipes through the service: what is judged, what is paid, what a run learns, over every way in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import httpx2
import pytest

from tests.app.conftest import Api
from tests.app.rewards.asking import (
    APPEALS,
    MISSED,
    RIGHT,
    WRONG,
    Json,
    eventually,
    fresh,
    pay,
    price,
    refused,
    row,
    verdicts,
)
from tests.live import serving

# --- what is judged -----------------------------------------------------------------------------------------------


def test_behind_a_shut_gate_nothing_is_judged(api: Api) -> None:
    run = fresh()
    recipe = {"terms": {"math": 1, "format": {"params": {"tags": ["answer"]}, "gate": "math", "weight": 0.5}}}
    answer = price(api, recipe, [row("<answer>4</answer>"), row("<answer>5</answer>")], run=run)
    assert [reward["reward"] for reward in answer["rewards"]] == [1.5, 0.0]
    assert [reward["components"]["format"] for reward in answer["rewards"]] == [1.0, None]
    assert len(verdicts(api, run, "format")) == 1


def test_a_fallback_is_asked_only_about_what_the_rule_did_not_accept(api: Api) -> None:
    run = fresh()
    recipe = {"terms": [{"verifier": "math", "fallback": {"verifier": "exact", "params": {"extract": "whole"}}}]}
    rows = [row(RIGHT), row("four", "four"), row("five", "four")]
    assert pay(api, recipe, rows, run=run) == [1.0, 1.0, 0.0]
    assert len(verdicts(api, run, "math")) == 3
    assert {one["verdict"]["id"] for one in verdicts(api, run, "exact")} == {"1", "2"}


def test_a_route_takes_what_it_matches_and_the_rest_is_named(api: Api) -> None:
    recipe = {
        "routes": [
            {"when": {"data_source": "gsm8k"}, "terms": "math"},
            {"when": {"metadata": {"kind": "text"}}, "terms": "exact"},
        ]
    }
    rows = [
        row(RIGHT, data_source="gsm8k"),
        row("4.", "4.", metadata={"kind": "text"}),
        row(RIGHT, data_source="poems"),
    ]
    found = price(api, recipe, rows)["rewards"]
    assert [reward["reward"] for reward in found] == [1.0, 1.0, None]
    assert (found[2]["outcome"], found[2]["reason_code"]) == ("abstained", "no_route")
    assert "poems" in found[2]["reason"]
    assert all(set(reward["components"]) == {"math", "exact"} for reward in found)


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("score", [1.0, 0.0]),
        ("floor", [-1.0, -1.0]),
        ("mask", [None, None]),
        ({"penalty": 0.25}, [0.25, 0.0]),
        ({"penalty": -0.5}, [-0.5, -0.5]),
    ],
)
def test_what_was_cut_off_is_priced_as_the_recipe_says(api: Api, policy: object, expected: list[float | None]) -> None:
    recipe = {"terms": "math", "range": [-1, 1], "on_truncated": policy}
    cut = [row(RIGHT, finish_reason="length"), row(WRONG, finish_reason="length")]
    assert pay(api, recipe, [*cut, row(RIGHT)]) == [*expected, 1.0]


# --- shadows ------------------------------------------------------------------------------------------------------


def test_a_slow_shadow_delays_no_answer_is_recorded_and_never_paid(api: Api) -> None:
    run = fresh()
    params = {"pattern": "(a+)+$", "mode": "search", "scope": "response"}
    recipe = {"terms": ["math", {"verifier": "regex", "params": params, "shadow": 1}]}
    reward = price(api, recipe, [row("a" * 60 + "! " + RIGHT)], run=run)["rewards"][0]
    assert (reward["reward"], reward["components"]) == (1.0, {"math": 1.0, "regex": None})
    assert verdicts(api, run, "regex") == []
    eventually(lambda: len(verdicts(api, run, "regex")) == 1)
    assert verdicts(api, run, "regex")[0]["verdict"]["outcome"] == "invalid"
    shown = api.get(f"/v1/verdicts/{reward['record']}").json()
    assert shown["reward"]["reward"] == 1.0


def test_a_group_verifier_may_be_a_shadow(api: Api) -> None:
    run = fresh()
    recipe = {"terms": ["math", {"verifier": "majority", "shadow": 1}]}
    rows = [row(RIGHT), row(WRONG), row("\\boxed{5.0}")]
    assert pay(api, recipe, rows, run=run) == [1.0, 0.0, 0.0]
    eventually(lambda: len(verdicts(api, run, "majority")) == 3)
    said = {one["verdict"]["id"]: one["verdict"]["outcome"] for one in verdicts(api, run, "majority")}
    assert said == {"0": "incorrect", "1": "correct", "2": "correct"}


# --- noise --------------------------------------------------------------------------------------------------------

RATES = {"false_positive": 0.1, "false_negative": 0.2}


def test_backward_correction_is_in_the_reward_and_names_its_estimate(api: Api) -> None:
    found = price(api, {"terms": "math", "noise": {"method": "backward", **RATES}}, [row(RIGHT), row(WRONG)])["rewards"]
    assert [reward["reward"] for reward in found] == pytest.approx([0.9 / 0.7, -0.1 / 0.7])
    for reward in found:
        assert (reward["corrected"], reward["weight"]) == (reward["reward"], None)
        assert "constant" in reward["estimate"]


def test_forward_correction_leaves_the_reward_and_gives_a_weight(api: Api) -> None:
    found = price(api, {"terms": "math", "noise": {"method": "forward", **RATES}}, [row(RIGHT), row(WRONG)])["rewards"]
    assert [reward["reward"] for reward in found] == [1.0, 0.0]
    assert [reward["corrected"] for reward in found] == [None, None]
    assert [reward["weight"] for reward in found] == pytest.approx([0.2, -0.8])
    assert all(reward["estimate"] for reward in found)


def test_constant_rates_without_information_are_refused_by_field(api: Api) -> None:
    noise = {"method": "backward", "false_positive": 0.6, "false_negative": 0.4}
    problem = refused(api, {"terms": [{"verifier": "math", "noise": noise}]})
    assert any("noise" in one["field"] for one in problem["errors"])


def test_a_run_learns_from_appeals_what_the_rule_misses(api: Api) -> None:
    run = fresh()
    rows = [row(text, prompt=f"{place} + 2?") for place in range(30) for text in (RIGHT, RIGHT, RIGHT, MISSED)]
    first = price(api, APPEALS, rows, run=run)["rewards"]
    assert [reward["corrected"] for reward in first[:4]] == [1.0, 1.0, 1.0, 0.0]

    def corrected(of: str) -> Json:
        found: Json = price(api, APPEALS, [row(RIGHT)], run=of, split="eval")["rewards"][0]
        return found

    eventually(lambda: corrected(run)["corrected"] != 1.0)
    # one missed, three found: a quarter of the right ones, whatever the recipe stated to start from
    assert corrected(run)["corrected"] == pytest.approx(1 / (1 - 0.25))
    assert corrected(run)["estimate"] != first[0]["estimate"]
    assert corrected(run)["uncertainty"] > 0
    assert corrected(fresh())["corrected"] == 1.0


def test_what_few_appeals_say_is_not_corrected_with(api: Api) -> None:
    run = fresh()
    price(api, APPEALS, [row(RIGHT), row(MISSED)], run=run)

    def estimate() -> str:
        [reward] = price(api, APPEALS, [row(RIGHT)], run=run, split="eval")["rewards"]
        assert reward["corrected"] == 1.0
        return str(reward["estimate"])

    eventually(lambda: estimate() == "appeals@1: false_negative as stated")
    assert len(verdicts(api, run, "regex")) == 1


def test_an_overturned_rejection_is_paid_where_the_recipe_says_so(api: Api) -> None:
    noise = APPEALS["terms"][0]["noise"]
    overturning = {**noise, "appeals": {**noise["appeals"], "overturn": True}}
    recipe = {"terms": [{"verifier": "math", "noise": overturning}]}
    found = price(api, recipe, [row(MISSED), row(WRONG)])["rewards"]
    assert [reward["reward"] for reward in found] == [1.0, 0.0]
    assert [reward["outcome"] for reward in found] == ["correct", "incorrect"]


# --- groups -------------------------------------------------------------------------------------------------------


def test_standing_in_the_group_is_by_group_and_streams_alike(api: Api) -> None:
    recipe = {"terms": "math", "shaping": ["z_score"]}
    rows = [row(text, group=name) for text in (RIGHT, WRONG) for name in ("a", "b")] + [row(RIGHT, group="c")]
    whole = price(api, recipe, rows)
    assert [reward["reward"] for reward in whole["rewards"]] == pytest.approx(
        [0.7071, 0.7071, -0.7071, -0.7071, 0], abs=1e-4
    )
    raw = api.post("/v1/rewards", {"recipe": recipe, "samples": rows}, accept="application/x-ndjson").text
    lines = [json.loads(line) for line in raw.splitlines()]
    rewards = {line["reward"]["id"]: line["reward"]["reward"] for line in lines if "reward" in line}
    assert [rewards[str(n)] for n in range(5)] == [reward["reward"] for reward in whole["rewards"]]
    assert {line["group"]["group"] for line in lines if "group" in line} == {"a", "b", "c"}
    assert lines[-1]["end"] == {"recipe": whole["recipe"], "count": 5}


@pytest.mark.parametrize(
    ("missing", "rewards", "kept"),
    [
        ("null", [1, 0, None], [None] * 3),
        ("mean", [1, 0, 0.5], [None] * 3),
        ("drop", [1, 0, None], [None, None, False]),
    ],
)
def test_a_missing_score_becomes_what_the_recipe_says(
    api: Api, missing: str, rewards: list[float | None], kept: list[bool | None]
) -> None:
    found = price(api, {"terms": "math", "missing": missing}, [row(RIGHT), row(WRONG), row(RIGHT, None)])
    assert [reward["reward"] for reward in found["rewards"]] == rewards
    assert [reward["kept"] for reward in found["rewards"]] == kept
    assert (found["rewards"][2]["outcome"], found["groups"][0]["success_rate"]) == ("abstained", 0.5)


def test_groups_of_one_kind_are_dropped_and_say_why(api: Api) -> None:
    recipe = {"terms": "math", "group": {"rules": ["dynamic_sampling"]}}
    rows = [row(RIGHT, group="mixed"), row(WRONG, group="mixed"), row(RIGHT, group="easy"), row(RIGHT, group="easy")]
    found = price(api, recipe, rows)
    assert {group["group"]: group["kept"] for group in found["groups"]} == {"mixed": True, "easy": False}
    assert [reward["kept"] for reward in found["rewards"]] == [True, True, False, False]
    assert next(group["reason"] for group in found["groups"] if group["group"] == "easy")


def test_a_run_learns_how_groups_spread_and_evaluation_does_not_count(api: Api) -> None:
    rule = {"rule": "std_filter", "share": 0.9, "momentum": 0.5, "collect_from": 0, "filter_from": 0}
    recipe = {"terms": {"math": 1, "exact": {"weight": 0.1}}, "group": {"rules": [rule]}}
    run = fresh()
    wide, narrow = [row(RIGHT), row(WRONG)], [row("\\boxed{4.0}"), row(RIGHT)]
    assert price(api, recipe, narrow, run=run, split="eval")["groups"][0]["kept"] is True
    assert price(api, recipe, wide, run=run)["groups"][0]["kept"] is True
    low = price(api, recipe, narrow, run=run)["groups"][0]
    assert (low["kept"], low["reason"]) == (False, "low_spread")
    assert price(api, recipe, narrow, run=fresh())["groups"][0]["kept"] is True


# --- two servers, one database; and a restart ---------------------------------------------------------------------


@pytest.fixture
def servers(empty_postgres: str, tmp_path: Path) -> Iterator[list[Api]]:
    """Two services on one PostgreSQL."""
    with ExitStack() as stack:
        found = []
        for name in ("one", "two"):
            (tmp_path / name).mkdir()
            live = stack.enter_context(serving(tmp_path / name, database_url=empty_postgres, workers="1"))
            http = stack.enter_context(httpx2.Client(base_url=live.url, timeout=60.0, trust_env=False))
            found.append(Api(live.url, http))
        yield found


RULE = {"rule": "std_filter", "share": 0.9, "momentum": 0.5, "collect_from": 0, "filter_from": 0}
LEARNS = {"terms": "math", "group": {"rules": [RULE]}}


@pytest.mark.postgres
def test_two_servers_share_what_a_run_learns(servers: list[Api]) -> None:
    wide = [row(RIGHT), row(WRONG)]
    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(price, servers[n % 2], LEARNS, wide, run="shared") for n in range(20)]
        assert all(job.result()["groups"][0]["kept"] is True for job in jobs)
    for server in servers:
        low = price(server, LEARNS, [row(RIGHT), row(RIGHT)], run="shared")["groups"][0]
        assert (low["kept"], low["reason"]) == (False, "low_spread")
    report = json.loads(servers[0].post("/v1/runs/shared/replay").text.splitlines()[-1])["report"]
    assert report["states"] == 22, report


def test_a_run_goes_on_after_a_restart_with_what_it_learned(tmp_path: Path) -> None:
    for wait in (True, False):
        with (
            serving(tmp_path, workers="1") as live,
            httpx2.Client(base_url=live.url, timeout=60.0, trust_env=False) as http,
        ):
            api = Api(live.url, http)
            if wait:
                assert price(api, LEARNS, [row(RIGHT), row(WRONG)], run="r")["groups"][0]["kept"] is True
            else:
                assert price(api, LEARNS, [row(RIGHT), row(RIGHT)], run="r")["groups"][0]["kept"] is False
                assert len(api.get("/v1/prompts?run=r").json()["prompts"]) == 1
