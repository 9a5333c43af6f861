"""A run's rewards come out of the ledger bit for bit, its state included, on both databases, through a live service."""

from __future__ import annotations

import json
import math
import random
import sqlite3
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest

from tests.live import Service
from tests.services import ON_BOTH

NOISE = {"false_positive": 0.05, "false_negative": 0.2}
APPEALS = {"verifier": "numeric", "share": 0.6, "rate": 0.3}
RECIPES: dict[str, dict[str, Any]] = {
    "plain": {"terms": ["math"]},
    "z_score": {"terms": ["math", {"verifier": "length", "weight": -0.001}], "invalid": -1, "shaping": ["z_score"]},
    "mo_grpo": {"terms": ["math", "format"], "combine": "mo_grpo", "missing": "mean"},
    "noise by slice": {
        "terms": ["math"],
        "noise": {**NOISE, "by": ["rule"], "slices": {"rule=boxed": {"false_positive": 0.3, "false_negative": 0.1}}},
    },
    "forward": {"terms": ["math"], "noise": {"method": "forward", "false_negative": 0.1}},
    "appeals that measure": {"terms": ["math"], "noise": {**NOISE, "appeals": APPEALS}},
    "appeals that overturn": {"terms": ["math"], "noise": {**NOISE, "appeals": {**APPEALS, "overturn": True}}},
    "std_filter": {
        "terms": [{"verifier": "overlap"}],
        "group": {"rules": [{"std_filter": {"collect_from": 0, "filter_from": 0, "share": 0.9, "momentum": 0.7}}]},
    },
    "verpo": {
        "terms": ["code"],
        "shaping": [{"verpo": {"statistics": "ema", "rate": 0.3}, "term": "code"}],
    },
    "ppo_c": {"terms": ["math", "overlap"], "shaping": [{"ppo_c": {"confidence": "overlap"}}]},
    "missing drop": {"terms": ["math"], "missing": "drop", "group": {"rules": ["dynamic_sampling"]}},
    "histories": {"terms": ["math"], "group": {"rules": [{"semi_supervised": {"at_least": 0.9}}]}},
    "shadows": {
        "terms": ["math", {"verifier": "exact", "shadow": 0.5}, {"verifier": "length", "shadow": 0.3}],
        "invalid": 0,
        "shaping": ["rank"],
    },
    "fallbacks and gates": {
        "terms": [
            {"verifier": "choice", "fallback": [{"verifier": "math", "when": ["missing"]}, "exact"], "name": "answer"},
            {"verifier": "format", "weight": {"points": [[0, 0.1], [9, 0.7]]}, "gate": "answer"},
        ],
        "on_truncated": {"penalty": 0.3},
    },
    "routes": {
        "routes": [
            {"when": {"data_source": "gsm8k"}, "terms": {"math": 1, "format": 0.1}, "shaping": ["min_max"]},
            {"when": {"metadata": {"kind": ["words"]}}, "terms": ["overlap"]},
        ],
        "missing": "mean",
    },
    "controls": {
        "terms": [
            {"verifier": "random", "params": {"p": 0.3}},
            {"verifier": "flip", "params": {"inner": {"verifier": "math"}, "p": 0.5}},
            {"verifier": "length", "weight": 1e-3, "gate": "flip"},
        ],
        "control": True,
        "invalid": 0,
        "shaping": [{"cosine": {"limit": 100}}],
    },
}


@pytest.fixture(scope="module", params=ON_BOTH)
def service(request: pytest.FixtureRequest) -> Iterator[httpx2.Client]:
    live: Service = request.getfixturevalue(request.param)
    with httpx2.Client(base_url=live.url, timeout=60.0, trust_env=False) as http:
        yield http


def samples(chance: random.Random, prompts: int = 3, size: int = 4) -> list[dict[str, Any]]:
    """Right, wrong, empty and cut responses, references that are missing, groups named and unnamed, in any order."""
    made = []
    for prompt in range(prompts):
        for _ in range(size):
            answer = chance.choice(["5", "5.0", "6", r"\frac{10}{2}", "five, words", ""])
            sample: dict[str, Any] = {
                "prompt": f"{prompt}+2?",
                "response": chance.choice([rf"so \boxed{{{answer}}}", f"The answer is {answer}.", ""]),
                "reference": chance.choice(["5", "5", "5", None]),
                "finish_reason": chance.choice(["stop", "length"]),
                "tokens": chance.randrange(1, 90),
                "data_source": chance.choice(["gsm8k", "other", None]),
                "metadata": {"kind": chance.choice(["words", "none", None])},
            }
            if prompt == 0:
                sample["group"] = f"g{prompt}"
            made.append(sample)
    chance.shuffle(made)
    return [{**sample, "id": str(place)} for place, sample in enumerate(made)]


def programs(chance: random.Random) -> list[dict[str, Any]]:
    tests = [{"stdin": f"{a} {b}\n", "stdout": f"{a + b}\n"} for a, b in ((2, 3), (4, 1), (0, 0))]
    bodies = ["print(sum(map(int, input().split())))", "print(5)", "print(0)", "nothing at all"]
    return [
        {
            "id": str(place),
            "prompt": f"p{place % 3}",
            "reference": {"stdio": tests},
            "response": f"```python\n{body}\n```",
        }
        for place, body in enumerate(chance.choices(bodies, k=12))
    ]


def report(service: httpx2.Client, run: str) -> dict[str, Any]:
    answer = service.post(f"/v1/runs/{run}/replay")
    assert answer.status_code == 200, answer.text
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert all("progress" in line for line in lines[:-1])
    found: dict[str, Any] = lines[-1]["report"]
    return found


def trained(service: httpx2.Client, recipe: dict[str, Any], name: str, requests: int = 8) -> tuple[str, list[Any]]:
    """A run of requests, some at the same time, one an evaluation; and its rewards."""
    run = uuid.uuid4().hex
    chance = random.Random(name)
    bodies = []
    for step in range(requests):
        rows = programs(chance) if name == "verpo" else samples(chance)
        split = "eval" if step == 5 else "train"
        bodies.append({"recipe": recipe, "run": run, "step": step, "split": split, "samples": rows})

    def post(body: dict[str, Any]) -> list[Any]:
        answer = service.post("/v1/rewards", json=body)
        assert answer.status_code == 200, answer.text
        return [reward["reward"] for reward in answer.json()["rewards"]]

    with ThreadPoolExecutor(3) as pool:
        return run, sum(pool.map(post, bodies[1:]), post(bodies[0]))


def settled(service: httpx2.Client, run: str, states: int) -> dict[str, Any]:
    """The report once the shadows of the last request have taught the run."""
    for _ in range(40):
        found = report(service, run)
        if found["states"] >= states:
            break
        time.sleep(0.05)
    return found


@pytest.mark.parametrize("name", RECIPES)
def test_a_run_comes_out_bit_for_bit(service: httpx2.Client, name: str) -> None:
    run, rewards = trained(service, RECIPES[name], name)
    assert len(set(rewards) - {None}) > 1, "rewards that are all the same show nothing"
    learns = name in ("appeals that measure", "appeals that overturn", "std_filter", "verpo", "ppo_c")
    found = settled(service, run, 7 if learns else 0)
    assert found["differing"] == []
    assert (found["rewards"], found["differ"], found["unknown"]) == (len(rewards), 0, 0)
    assert (found["states"], found["states_differ"]) == (7 if learns else 0, 0)


def test_the_state_matters_to_the_rewards(service: httpx2.Client) -> None:
    """Else a replay that ignored it would pass too."""
    run, _ = trained(service, RECIPES["appeals that measure"], "appeals that measure")
    settled(service, run, 7)
    row = {"response": r"\boxed{5}", "reference": "5"}
    body = {"recipe": RECIPES["appeals that measure"], "run": run, "samples": [row]}
    [reward] = service.post("/v1/rewards", json=body).json()["rewards"]
    assert reward["estimate"] == "appeals@7"
    shown = service.get(f"/v1/verdicts/{reward['record']}/explanation").json()
    assert (shown["state_version"], shown["agrees"], shown["reward"]) == (7, True, reward["reward"])
    assert any("appeals@7" in line for line in shown["lines"])


def test_a_job_is_replayed_like_a_request(service: httpx2.Client) -> None:
    run = uuid.uuid4().hex
    body = {"recipe": RECIPES["z_score"], "run": run, "samples": samples(random.Random(1), prompts=40)}
    job = service.post("/v1/jobs", json=body).json()["id"]
    for _ in range(200):
        if service.get(f"/v1/jobs/{job}").json()["state"] == "completed":
            break
        time.sleep(0.05)
    found = report(service, run)
    assert (found["rewards"], found["differ"]) == (160, 0)


@pytest.mark.parametrize(("apart", "reward"), [("alone", 1.0), ("missing", 0.0)])
def test_what_was_priced_apart_comes_out_apart(service: httpx2.Client, apart: str, reward: float) -> None:
    """One-sample requests whose group does not fill in time: priced without its group's shaping, or missing."""
    run = uuid.uuid4().hex
    group = {"size": 3, "wait_s": 0.1, "when_apart": apart}
    recipe = {"terms": ["math"], "shaping": ["z_score"], "group": group}
    assert service.put(f"/v1/recipes/apart_{apart}", json=recipe).status_code == 200
    body = {"query": [r"2+3? \boxed{5}"], "prompts": ["2+3? "], "labels": ["5"]}
    assert service.post(f"/t/apart_{apart}/openrlhf?run={run}", json=body).json()["rewards"] == [reward]
    found = report(service, run)
    assert (found["rewards"], found["differ"]) == (1, 0)


def test_group_verifiers_come_out_too(service: httpx2.Client) -> None:
    run, rewards = trained(service, {"terms": ["majority"], "unsupervised": True}, "majority", requests=3)
    assert {0.0, 1.0} <= set(rewards)
    found = report(service, run)
    assert (found["rewards"], found["differ"]) == (len(rewards), 0)


def test_an_unknown_run_is_not_found(service: httpx2.Client) -> None:
    assert service.post("/v1/runs/nothing/replay").status_code == 404


def test_a_run_named_like_a_path_is_replayed(service: httpx2.Client) -> None:
    run = f"team/{uuid.uuid4().hex}/replay"
    row = {"response": r"\boxed{5}", "reference": "5"}
    assert service.post("/v1/rewards", json={"recipe": "math", "run": run, "samples": [row]}).status_code == 200
    assert report(service, run)["rewards"] == 1
    assert service.get(f"/v1/runs/{run}").json()["id"] == run


def test_what_was_changed_in_the_ledger_is_found(keyless: Service) -> None:
    with httpx2.Client(base_url=keyless.url, timeout=60.0, trust_env=False) as http:
        run, rewards = trained(http, RECIPES["std_filter"], "std_filter", requests=3)
        settled(http, run, 3)
        with sqlite3.connect(keyless.data_dir / "trueward.db") as ledger:
            [record, before] = ledger.execute(
                "SELECT record, reward FROM rewards WHERE reward BETWEEN 0.1 AND 0.9 AND run = ?", (run,)
            ).fetchone()
            # the last bit of one reward, and one state
            ledger.execute("UPDATE rewards SET reward = ? WHERE record = ?", (math.nextafter(before, 2), record))
            third = "WHERE version = 3 AND run = ?"
            [learned] = ledger.execute(f"SELECT state FROM run_states {third}", (run,)).fetchone()
            other = learned.replace('"std_filter": 0.', '"std_filter": 1.')
            assert other != learned
            ledger.execute(f"UPDATE run_states SET state = ? {third}", (other, run))
        found = report(http, run)
        assert (found["rewards"], found["differ"]) == (len(rewards), 1)
        [one] = found["differing"]
        assert (one["recorded"]["record"], one["fields"]) == (record, ["reward"])
        assert (one["recorded"]["reward"], one["computed"]["reward"]) == (math.nextafter(before, 2), before)
        assert (found["states_differ"], found["differing_states"]) == (1, [3])
        shown = http.get(f"/v1/verdicts/{record}/explanation").json()
        assert (shown["agrees"], shown["reward"]) == (False, math.nextafter(before, 2))
