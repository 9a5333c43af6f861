"""Benchmarks and re-verification through live services: a verifier of one's own, then its next version."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.app.audits.carried import audited
from tests.live import serving

PLUGIN = Path(__file__).parents[2] / "stepwise_plugin"
GROUPED = {"terms": {"stepwise": 1.0, "length": 0.001}, "invalid": 0.0, "shaping": ["z_score"]}


@contextmanager
def served(data_dir: Path, version: str) -> Iterator[httpx2.Client]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(PLUGIN), prepend=os.pathsep)
        patch.setenv("STEPWISE_VERSION", version)
        with (
            serving(data_dir, workers="1") as live,
            httpx2.Client(base_url=live.url, timeout=60.0, trust_env=False) as http,
        ):
            yield http


@pytest.fixture(scope="module")
def http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    """The second version, over a ledger in which the first one judged 0 to 15 in two groups, alone and in a recipe."""
    data_dir = tmp_path_factory.mktemp("anew")
    samples = [{"prompt": f"q{number // 8}", "response": str(number)} for number in range(16)]
    with served(data_dir, "1") as first:
        for path, what in (("verify", {"verifier": "stepwise"}), ("rewards", {"recipe": GROUPED})):
            answer = first.post(f"/v1/{path}", json={**what, "run": f"r-{path}", "samples": samples})
            assert answer.status_code == 200, answer.text
    with served(data_dir, "2") as second:
        yield second


def findings(http: httpx2.Client, audit: dict[str, Any]) -> Any:
    found = audited(http, audit)
    assert found["state"] == "completed", found["failure"]
    return found["report"]["findings"]


def test_a_new_version_flips_what_it_no_longer_accepts(http: httpx2.Client) -> None:
    before = {"verifier": "stepwise", "version": "1"}
    found = findings(http, {"kind": "reverify", "subject": {"verifier": "stepwise"}, "before": before})
    assert (found["flips"]["gained"], found["flips"]["lost"], found["flips"]["items"]) == (0, 4, 16)
    assert found["flips"]["exact"] == pytest.approx(2 / 2**4)
    assert found["by_reason"] == [{"before": "divides", "after": "leaves_a_rest", "gained": 0, "lost": 4}]
    after = http.get(f"/v1/verdicts/{found['flipped'][0]['after']}").json()
    assert (after["verdict"]["producer"]["version"], after["run"]) == ("2", found["run"])


def test_a_recipe_is_judged_again_by_its_groups(http: httpx2.Client) -> None:
    subject = {"recipe": GROUPED}
    found = findings(
        http, {"kind": "reverify", "subject": subject, "before": subject, "population": {"run": "r-rewards"}}
    )
    assert (found["samples"], found["scores"]["groups"], found["flips"]["lost"]) == (16, 2, 4)
    assert 0 < found["scores"]["distance"] < 1
    assert 0 < found["scores"]["kendall_tau"] < 1
    assert found["scores"]["mean"]["after"] == pytest.approx(0.0, abs=1e-9), "z-scores of whole groups"
    assert found["weight_jitter"]["groups"] == 2


def test_labels_on_the_flips_say_that_the_change_was_wrong(http: httpx2.Client) -> None:
    before = {"verifier": "stepwise", "version": "1"}
    audit = {
        "kind": "reverify",
        "subject": {"verifier": "stepwise"},
        "before": before,
        "population": {"run": "r-verify"},
    }
    flipped = findings(http, audit)["flipped"]
    labels = [{"record": one["before"], "right": True, "annotator": "ann"} for one in flipped]
    answer = http.post("/v1/labels", json={"labels": labels})
    assert answer.is_success, answer.text
    found = findings(http, {**audit, "labels": {"annotators": ["ann"]}})["labels"]
    assert (found["labelled_flips"], found["correctness"]["gained"], found["correctness"]["lost"]) == (4, 0, 4)
    assert (found["before"]["false_negative_rate"], found["after"]["false_negative_rate"]) == (0.0, 1.0)


def test_what_was_judged_again_can_be_audited_like_any_run(http: httpx2.Client) -> None:
    before = {"verifier": "stepwise", "version": "1"}
    audit = {
        "kind": "reverify",
        "subject": {"verifier": "stepwise"},
        "before": before,
        "population": {"run": "r-verify"},
    }
    run = findings(http, audit)["run"]
    again = findings(http, {**audit, "before": {"verifier": "stepwise"}, "population": {"run": run}})
    assert (again["samples"], again["flipped"]) == (16, [])


def test_flips_that_are_drawn_and_labelled_give_the_new_version_its_rates(http: httpx2.Client) -> None:
    """The loop of the docs. In truth even numbers are right, so the new version rejects half of what is right."""
    then, now = ({"verifier": "stepwise", "version": version} for version in "12")
    population = {"run": "r-verify"}
    run = findings(http, {"kind": "reverify", "subject": now, "before": then, "population": population})["run"]
    disagreement = {"query": "disagreement", "other": now, "probability": 1.0}
    body = {"subject": then, "population": population, "queries": [disagreement], "rest": 0.9}
    draw = http.post("/v1/labels/draws", json=body).json()
    assert draw["queries"]["disagreement"] == 4
    while (item := http.post(f"/v1/labels/draws/{draw['id']}/next", json={"annotator": "oracle"})).status_code == 200:
        label = {"annotator": "oracle", "right": int(item.json()["response"]) % 2 == 0}
        assert http.post(f"/v1/labels/draws/{draw['id']}/items/{item.json()['position']}", json=label).is_success
    labelled = {"kind": "labelled", "subject": now, "population": {"run": run}, "labels": {"draw": draw["id"]}}
    found = audited(http, labelled)
    assert found["state"] == "completed", found["failure"]
    weighted = [one for one in found["report"]["false_negatives"] if one["method"] == "horvitz_thompson"]
    assert weighted[0]["rate"] == pytest.approx(0.5, abs=0.1)


def test_mixed_kinds_are_refused_at_once(http: httpx2.Client) -> None:
    audit = {"kind": "reverify", "subject": {"verifier": "stepwise"}, "before": {"recipe": "math"}}
    answer = http.post("/v1/audits", json={"audit": audit})
    assert answer.status_code == 422
    assert "both be verifiers or both be recipes" in answer.text


def test_steps_of_a_plugin_find_the_first_error(http: httpx2.Client) -> None:
    rows = [
        {"prompt": "count", "steps": ["0", "4", "6", "7"], "label": 2, "domain": "a"},
        {"prompt": "count on", "steps": ["4", "8"], "label": -1, "domain": "a"},
        {"prompt": "count down", "steps": ["8", "4", "3"], "label": 1, "domain": "a"},
    ]
    found = findings(
        http, {"kind": "bench", "subject": {"verifier": "stepwise"}, "format": "first_error", "rows": rows}
    )
    assert (found["by_example"]["erroneous"]["rate"], found["by_example"]["flawless"]["rate"]) == (0.5, 1.0)
    assert found["by_example"]["f1"] == pytest.approx(2 / 3)
    assert found["worst"][0]["predicted"] == 2


@pytest.mark.parametrize("subject", [{"verifier": "stepwise"}, {"recipe": {"terms": ["stepwise"]}}])
def test_pairs_are_scored_by_a_verifier_and_by_a_recipe(http: httpx2.Client, subject: dict[str, Any]) -> None:
    rows = [{"prompt": f"q{number}", "chosen": "4", "rejected": [str(number)]} for number in (3, 5, 8)]
    found = findings(http, {"kind": "bench", "subject": subject, "format": "pairs", "rows": rows})
    assert found["by_example"]["accuracy"]["rate"] == pytest.approx(2 / 3)
    assert found["by_example"]["tied"]["rate"] == pytest.approx(1 / 3)


def test_a_crash_of_the_verifier_is_missing(http: httpx2.Client) -> None:
    rows = [{"prompt": "q", "chosen": "4", "rejected": ["no number"]}, {"prompt": "p", "chosen": "4", "rejected": "5"}]
    found = findings(http, {"kind": "bench", "subject": {"verifier": "stepwise"}, "format": "pairs", "rows": rows})
    assert found["missing"]["rows"] == 1
    assert found["by_example"]["accuracy"]["rate"] == 1.0


def test_a_bad_row_fails_the_audit_and_names_it(http: httpx2.Client) -> None:
    rows = [{"prompt": "q", "chosen": "4", "rejected": "5"}, {"prompt": "q", "chosen": "4"}]
    found = audited(http, {"kind": "bench", "subject": {"verifier": "stepwise"}, "format": "pairs", "rows": rows})
    assert (found["state"], found["failure"]) == (
        "failed",
        "row 2: rejected: this field is required (the row has prompt, chosen)",
    )


def test_a_label_that_is_a_number_is_told_what_a_label_is(http: httpx2.Client) -> None:
    rows = [{"prompt": "q", "response": "4", "right": 1}]
    found = audited(http, {"kind": "bench", "subject": {"verifier": "stepwise"}, "format": "verdicts", "rows": rows})
    assert (found["state"], found["failure"]) == ("failed", "row 1: right: true or false, without quotes")
