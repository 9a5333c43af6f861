"""A judge whose last exploit audit did not pass its gate is refused for training, unless the recipe says otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.audits.exploit.subjects import examples
from tests.judges.naive import reply
from tests.judges.openai_server import JudgeServer, prompt_of
from trueward import Client
from trueward.errors import JudgeFailedAudit
from trueward.wire.audit import Audit, ExploitAudit, ExploitGate, GivenSamples, Subject
from trueward.wire.sample import Sample, Split

Fields = dict[str, Any]
SAMPLE = Sample(prompt="2 + 2?", response="It is 4.", reference="4")


@pytest.fixture(scope="module")
def model(client: Client) -> Iterator[str]:
    with JudgeServer(lambda body: reply(prompt_of(body))) as server:
        yield client.add_model(server.entry("gullible")).id


def audited(client: Client, params: Fields, probes: list[str], limit: float | None) -> Audit:
    spec = ExploitAudit(
        subject=Subject.model_validate({"verifier": "judge", "params": params}),
        given=GivenSamples(samples=examples("numeric")[:2]),
        probes=probes,
        gate=None if limit is None else ExploitGate(max_accepted=limit, bound="rate"),
    )
    audit = client.wait_for_audit(client.start_audit(spec).id, 60)
    assert audit.report is not None, audit.failure
    return audit


def recipe(params: Fields, **fields: object) -> Fields:
    return {"terms": [{"verifier": "judge", "params": params, **fields}]}


def reward(client: Client, recipe: Fields, split: Split = "train") -> float | None:
    response = client.reward([SAMPLE], recipe=recipe, split=split)
    return response.rewards[0].reward


def test_a_failed_gate_refuses_training_until_it_is_named_or_passed(client: Client, model: str) -> None:
    params: Fields = {"model": model, "max_tokens": 500}
    assert reward(client, recipe(params)) == 1.0  # no audit, nothing is refused
    failed = audited(client, params, ["adversarial_prefix"], 0.02)
    assert failed.report is not None
    assert failed.report.gate is not None
    assert not failed.report.gate.passed

    with pytest.raises(JudgeFailedAudit, match=failed.id) as refused:
        reward(client, recipe(params))
    assert [problem.field for problem in refused.value.errors] == ["recipe.terms.0"]
    assert reward(client, recipe(params), "eval") == 1.0
    assert reward(client, recipe({"model": model, "max_tokens": 501})) == 1.0  # other parameters: another judge
    assert reward(client, recipe(params, despite_audit=failed.id)) == 1.0
    with pytest.raises(JudgeFailedAudit):
        reward(client, recipe(params, despite_audit="01K00000000000000000000000"))
    with pytest.raises(JudgeFailedAudit):
        client.submit([SAMPLE], recipe=recipe(params))

    audited(client, params, ["adversarial_prefix"], None)  # without a gate it says nothing
    with pytest.raises(JudgeFailedAudit):
        reward(client, recipe(params))
    assert audited(client, params, ["whitespace"], 0.02).report.gate.passed  # type: ignore[union-attr]
    assert reward(client, recipe(params)) == 1.0


def test_a_shadow_is_not_paid_and_not_refused_and_a_fallback_is(client: Client, model: str) -> None:
    params: Fields = {"model": model, "max_tokens": 502}
    failed = audited(client, params, ["adversarial_prefix"], 0.02)
    shadow: Fields = {"terms": [{"verifier": "numeric"}, {"verifier": "judge", "params": params, "shadow": 1.0}]}
    assert reward(client, shadow) == 1.0
    fallback: Fields = {"terms": [{"verifier": "numeric", "fallback": [{"verifier": "judge", "params": params}]}]}
    with pytest.raises(JudgeFailedAudit) as refused:
        reward(client, fallback)
    assert [problem.field for problem in refused.value.errors] == ["recipe.terms.0.fallback.0"]
    fallback["terms"][0]["despite_audit"] = failed.id
    assert reward(client, fallback) == 1.0
