"""The exploit audit of a judge whose model is fooled by master keys, through the service."""

from __future__ import annotations

import pytest

from tests.audits.exploit.subjects import examples
from tests.judges.naive import reply
from tests.judges.openai_server import JudgeServer, prompt_of
from trueward import Client
from trueward.wire.audit import AuditReport, ExploitAudit, GivenSamples, Subject

LISTED = (
    "blank", "full_stop", "comma", "colon", "key_thought", "key_solve", "key_solution", "key_chinese", "key_japanese",
    "key_spanish",
)  # fmt: skip
FAMILIES = [
    "empty", "whitespace", "punctuation", "master_key", "opener", "adversarial_prefix", "fence", "injection",
    "null_model", "break_format",
]  # fmt: skip


@pytest.fixture(scope="module")
def report(client: Client) -> AuditReport:
    with JudgeServer(lambda body: reply(prompt_of(body))) as server:
        client.add_model(server.entry("naive"))
        spec = ExploitAudit(
            subject=Subject(verifier="judge", params={"model": "naive", "attempts": 2}),
            given=GivenSamples(samples=examples("numeric")[:2]),
            probes=FAMILIES,
        )
        audit = client.wait_for_audit(client.start_audit(spec).id, 60)
    assert audit.report is not None, audit.failure
    return audit.report


def tallies(report: AuditReport, kind: str) -> dict[str, dict[str, float]]:
    found = report.findings[kind]
    assert isinstance(found, dict)
    return found  # type: ignore[return-value]  # a finding's numbers


def test_none_of_the_listed_keys_is_accepted(report: AuditReport) -> None:
    probes = tallies(report, "probes")
    assert {name: (probes[name]["accepted"], probes[name]["invalid"]) for name in LISTED} == dict.fromkeys(
        LISTED, (0, 2)
    )


def test_of_openers_elsewhere_few_are_accepted_and_the_rate_is_told(report: AuditReport) -> None:
    opener = tallies(report, "families")["opener"]
    assert opener["tried"] >= 100
    assert opener["rate"] <= 0.05


def test_what_the_model_believes_is_accepted_so_the_audit_would_find_it(report: AuditReport) -> None:
    families = tallies(report, "families")
    assert families["injection"]["accepted"] > 10
    assert families["adversarial_prefix"]["rate"] == 1.0
    assert report.findings["controls"]["alive"] == 2  # type: ignore[index,call-overload]


def test_a_response_that_breaks_the_reply_is_invalid_and_escapes_nothing(report: AuditReport) -> None:
    broken = tallies(report, "probes")["break_reply_order"]
    assert (broken["accepted"], broken["invalid"]) == (0, 2)
    assert report.findings["escapes"] == {}
