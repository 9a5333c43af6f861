"""What a Python client that was generated out of the OpenAPI document does with a service: one line of JSON.

Arguments: the service's URL and a key. It runs in an environment of its own, beside the generated package.
"""

from __future__ import annotations

import json
import sys
import time
from datetime import UTC, datetime

from trueward_api import AuthenticatedClient
from trueward_api.api.audits import list_audits, show_audit, start_audit
from trueward_api.api.jobs import create_job, show_job
from trueward_api.api.scoring import rewards, verify
from trueward_api.models import (
    Audit,
    AuditPage,
    AuditRequest,
    GivenSamples,
    JobView,
    MetamorphicAudit,
    Problem,
    RewardsRequest,
    RewardsResponse,
    Sample,
    Subject,
    VerifyRequest,
    VerifyResponse,
)

SAMPLES = [
    Sample(response="\\boxed{5/6}", reference="\\frac56"),
    Sample(response="\\boxed{2/5}", reference="\\frac56"),
]


def main(url: str, key: str) -> dict[str, object]:
    with AuthenticatedClient(base_url=url, token=key) as client:
        asked = VerifyRequest(verifier="math", samples=SAMPLES)
        verified = verify.sync(client=client, body=asked, idempotency_key=f"{key}-once")
        assert isinstance(verified, VerifyResponse), verified
        rewarded = rewards.sync(client=client, body=RewardsRequest(recipe="math", samples=SAMPLES))
        assert isinstance(rewarded, RewardsResponse), rewarded
        refused = verify.sync(client=client, body=VerifyRequest(verifier="nothing", samples=SAMPLES))
        assert isinstance(refused, Problem), refused
        return {
            "outcomes": [verdict.outcome.value for verdict in verified.verdicts],
            "rewards": [reward.reward for reward in rewarded.rewards],
            "refused": refused.code,
            "job": finish_job(client, asked),
            "audit": finish_audit(client),
        }


def finish_job(client: AuthenticatedClient, asked: VerifyRequest) -> dict[str, int]:
    submitted = create_job.sync(client=client, body=asked)
    assert isinstance(submitted, JobView), submitted
    while True:
        looked = show_job.sync(submitted.id, client=client)
        assert isinstance(looked, JobView), looked
        if looked.state.value == "completed":
            return dict(looked.counts.additional_properties)
        time.sleep(0.05)


def finish_audit(client: AuthenticatedClient) -> dict[str, object]:
    spec = MetamorphicAudit(subject=Subject(verifier="math"), given=GivenSamples(samples=SAMPLES))
    begun = start_audit.sync(client=client, body=AuditRequest(audit=spec, name="generated"))
    assert isinstance(begun, Audit), begun
    while True:
        looked = show_audit.sync(begun.id, client=client)
        assert isinstance(looked, Audit), looked
        if looked.state.value in ("completed", "failed"):
            listed = list_audits.sync(client=client, limit=1, since=datetime(2026, 1, 1, tzinfo=UTC))
            assert isinstance(listed, AuditPage), listed
            return {
                "name": looked.name,
                "state": looked.state.value,
                "listed": [audit.id for audit in listed.audits] == [begun.id],
            }
        time.sleep(0.05)


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
