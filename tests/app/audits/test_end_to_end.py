"""The whole loop on a real service: a verifier with planted error rates, a draw by disagreement, an oracle's labels, an
audit, its gate, and a recipe that corrects with what was measured."""

from __future__ import annotations

import json
import time
from typing import Any, NamedTuple

import httpx2
import numpy as np
import pytest
from sqlalchemy import select

from app import tables
from app.kit.db import Database
from app.kit.tokens import new_id
from tests.app.conftest import Api
from tests.audits.labelled.planted import Row, put_judged, sample, verdict

RULES = {"boxed": (0.05, 0.05), "sentence": (0.4, 0.1)}
"""Planted false-positive and false-negative rates of the subject by the rule that found the answer."""
COUNT = 3200
GROUP = 8
RUN = "the whole loop"


class Planted(NamedTuple):
    """What the oracle knows: truth by sample; and the true error rates of the stored verdicts."""

    right: dict[str, bool]
    false_positive: float
    false_negative: float


async def plant(db: Database) -> Planted:
    """Two verifiers whose errors are independent given the truth: ``math`` by rule, ``exact`` one time in ten."""
    chance = np.random.default_rng(3)
    judged: list[tuple[Row, Row]] = []
    right: dict[str, bool] = {}
    wrongly = {True: [0, 0], False: [0, 0]}
    for place in range(COUNT):
        truth = bool(chance.random() < 0.5)
        rule = "boxed" if place // GROUP % 2 else "sentence"
        erred = bool(chance.random() < RULES[rule][truth])
        one = sample(f"response {place}", prompt=f"question {place // GROUP}")
        common: dict[str, Any] = {"group": f"g{place // GROUP}", "run": RUN, "evidence": {"rule": rule}}
        said = [truth != erred, truth != bool(chance.random() < 0.1)]
        for verifier, accepted in zip(("math", "exact"), said, strict=True):
            judged.append((one, verdict(one, "correct" if accepted else "incorrect", verifier=verifier, **common)))
        right[one["fingerprint"]] = truth
        wrongly[truth][0] += erred
        wrongly[truth][1] += 1
    await put_judged(db, judged)
    return Planted(right, wrongly[False][0] / wrongly[False][1], wrongly[True][0] / wrongly[True][1])


async def label_drawn(db: Database, http: httpx2.Client, draw: str, planted: Planted) -> int:
    """The oracle labels every item of the draw, as a file with the queue's labels has them."""
    async with db.read() as connection:
        items = (await connection.execute(select(tables.DrawItem.__table__).where(tables.DrawItem.draw == draw))).all()
    lines = [
        {
            "id": new_id(),
            "sample": item.sample,
            "record": item.record,
            "right": planted.right[item.sample],
            "annotator": "oracle",
            "source": "oracle",
            "draw": draw,
            "position": item.position,
            "probability": item.probability,
        }
        for item in items
    ]
    body = "".join(json.dumps(line) + "\n" for line in lines)
    answer = http.post("/v1/labels/import", params={"format": "jsonl"}, content=body)
    assert answer.status_code == 200, answer.text
    return len(items)


def audited(http: httpx2.Client, spec: dict[str, Any]) -> dict[str, Any]:
    """The completed audit."""
    answer = http.post("/v1/audits", json={"audit": spec})
    assert answer.status_code == 202, answer.text
    deadline = time.monotonic() + 30
    while (audit := http.get(f"/v1/audits/{answer.json()['id']}").json())["state"] in ("waiting", "running"):
        assert time.monotonic() < deadline, audit
        time.sleep(0.1)
    found: dict[str, Any] = audit
    return found


def interval(audit: dict[str, Any], rate: str, method: str) -> tuple[float, float]:
    [found] = [one for one in audit["report"][rate] if one["method"] == method]
    low, high = found["interval"]
    return low, high


async def test_the_loop_from_a_draw_to_a_corrected_reward(service: tuple[httpx2.Client, str]) -> None:
    http, url = service
    async with Database(url) as db:
        planted = await plant(db)
        draw = http.post(
            "/v1/labels/draws",
            json={
                "subject": {"verifier": "math"},
                "population": {"run": RUN},
                "queries": [{"query": "disagreement", "other": {"verifier": "exact"}, "probability": 0.8}],
                "rest": 0.1,
                "seed": 7,
            },
        )
        assert draw.status_code == 201, draw.text
        name = draw.json()["id"]
        labelled = await label_drawn(db, http, name, planted)
    audit = audited(
        http,
        {
            "kind": "labelled",
            "subject": {"verifier": "math"},
            "population": {"run": RUN},
            "labels": {"draw": name},
            "by": ["rule"],
            "rates_by": ["rule"],
        },
    )
    assert audit["state"] == "completed", audit
    assert audit["report"]["origins"] == {"oracle": labelled}
    assert audit["report"]["findings"]["drawn"] == labelled
    # weighted, the truth is covered; what was sampled for its disagreement is not the run
    for rate, true in (("false_positives", planted.false_positive), ("false_negatives", planted.false_negative)):
        low, high = interval(audit, rate, "horvitz_thompson")
        assert low < true < high
        for method in ("wilson", "clopper_pearson", "cluster_bootstrap"):
            assert not interval(audit, rate, method)[0] < true < interval(audit, rate, method)[1]
    worst = audit["report"]["findings"]["slices"][0]
    assert (worst["feature"], worst["value"], worst["rate"]) == ("rule", "sentence", "false_positive")
    _the_gate_decides(http, audit)
    _rewards_are_corrected(http, audit)


def _the_gate_decides(http: httpx2.Client, audit: dict[str, Any]) -> None:
    """By the upper end of the weighted interval, not by the labelled items."""
    upper = interval(audit, "false_positives", "horvitz_thompson")[1]
    assert upper < interval(audit, "false_positives", "wilson")[0]
    for limit, passed in ((upper + 0.001, True), (upper - 0.001, False)):
        answer = http.get(f"/v1/audits/{audit['id']}/check", params={"max_fpr": limit}).json()
        assert (answer["passed"], answer["checks"][0]["method"]) == (passed, "horvitz_thompson")


def _rewards_are_corrected(http: httpx2.Client, audit: dict[str, Any]) -> None:
    """The slice of the response decides which rates its reward is corrected with."""
    noise = {"method": "backward", "audit": audit["id"], "by": ["rule"]}
    body = {
        "recipe": {"terms": [{"verifier": "math", "noise": noise}]},
        "samples": [{"response": "\\boxed{5}", "reference": "5"}, {"response": "\\boxed{6}", "reference": "5"}],
        "run": "corrected",
    }
    deadline = time.monotonic() + 10
    while (answer := http.post("/v1/rewards", json=body)).status_code == 422 and time.monotonic() < deadline:
        time.sleep(0.2)
    assert answer.status_code == 200, answer.text
    slices = audit["report"]["rates"]["slices"]
    assert slices.keys() == {"rule=boxed", "rule=sentence"}
    boxed = slices["rule=boxed"]
    index = 1 - boxed["false_positive"] - boxed["false_negative"]
    right, wrong = answer.json()["rewards"]
    assert right["reward"] == pytest.approx((1 - boxed["false_positive"]) / index)
    assert wrong["reward"] == pytest.approx(-boxed["false_positive"] / index)
    assert right["estimate"] == f"audit:{audit['id']}[rule=boxed]"
    for rule, (false, missed) in RULES.items():
        rate = slices[f"rule={rule}"]
        assert rate["false_positive_interval"][0] < false < rate["false_positive_interval"][1]
        assert rate["false_negative_interval"][0] < missed < rate["false_negative_interval"][1]


def test_what_an_audit_cannot_do_is_its_failure(api: Api) -> None:
    nowhere = {"run": "a run of nobody"}
    failed = audited(api.http, {"kind": "labelled", "subject": {"verifier": "math"}, "population": nowhere})
    assert (failed["state"], failed["report"]) == ("failed", None)
    # by itself this test finds an empty ledger
    assert failed["failure"].startswith(
        ("the ledger has verdicts of math, and none in", "the ledger has no verdict of math")
    )
    assert api.get(f"/v1/audits/{failed['id']}/check?max_fpr=0.1").status_code == 409
    two = [{"verifier": "math"}, {"verifier": "exact"}]
    refused = audited(api.http, {"kind": "consensus", "subjects": two, "population": nowhere})
    assert refused["failure"].startswith("math has accepted or rejected nothing")
