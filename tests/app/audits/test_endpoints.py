"""Audits over HTTP: started once, listed, read as a page and as JSON, held against limits; plans of labels."""

from __future__ import annotations

import time
import uuid
from typing import Any

import pytest

from tests.app.conftest import Api
from tests.audits.report.reading import Page

GIVEN = {"samples": [{"prompt": "1/2+1/3?", "reference": "5/6"}]}
EXPLOIT = {"kind": "exploit", "subject": {"verifier": "math"}, "given": GIVEN, "probes": ["empty", "whitespace"]}
HOSTILE = "<script>alert(1)</script>\u202e"


def ended(api: Api, audit: str) -> dict[str, Any]:
    for _ in range(400):
        found: dict[str, Any] = api.get(f"/v1/audits/{audit}").json()
        if found["state"] in ("completed", "failed"):
            return found
        time.sleep(0.05)
    raise AssertionError(found)


@pytest.fixture(scope="module")
def completed(api: Api) -> str:
    answer = api.post("/v1/audits", {"name": HOSTILE, "audit": EXPLOIT})
    assert answer.status_code == 202, answer.text
    assert ended(api, answer.json()["id"])["state"] == "completed"
    return str(answer.json()["id"])


def test_an_audit_is_carried_out_and_listed(api: Api, completed: str) -> None:
    shown = api.get(f"/v1/audits/{completed}").json()
    assert shown["report"]["versions"].keys() == {"math"}
    page = api.get("/v1/audits?kind=exploit&subject=math").json()
    assert completed in [one["id"] for one in page["audits"]]
    others = api.get("/v1/audits?kind=labelled&subject=math").json()["audits"]
    assert {one["kind"] for one in others} <= {"labelled"}
    assert completed not in [one["id"] for one in others]
    rates = [line for line in api.get("/metrics").text.splitlines() if line.startswith("trueward_audited_rate")]
    assert any('rate="false_positive"' in line and 'subject="math"' in line for line in rates)


def test_progress_is_the_audit_without_its_weight(api: Api, completed: str) -> None:
    found = api.get(f"/v1/audits/{completed}/progress").json()
    whole = api.get(f"/v1/audits/{completed}").json()
    assert found.keys() & {"spec", "report"} == set()
    assert {name: found[name] for name in ("id", "state", "done")} == {
        name: whole[name] for name in ("id", "state", "done")
    }
    assert api.get("/v1/audits/nobody/progress").status_code == 404


def test_the_page_is_closed_to_everything(api: Api, completed: str) -> None:
    answer = api.get(f"/v1/audits/{completed}/report")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-security-policy"].startswith("default-src 'none'; style-src 'unsafe-inline'")
    assert answer.headers["x-content-type-options"] == "nosniff"
    page = Page(answer.text)
    assert "script" not in page.tags
    assert "<script>alert(1)</script>\ufffd" in page.text


def test_the_json_report_is_the_audit(api: Api, completed: str) -> None:
    answer = api.get(f"/v1/audits/{completed}/report?format=json")
    assert answer.headers["content-type"] == "application/json"
    assert answer.json() == api.get(f"/v1/audits/{completed}").json()


def test_a_gate_passes_and_fails(api: Api, completed: str) -> None:
    def check(query: str) -> dict[str, Any]:
        found: dict[str, Any] = api.get(f"/v1/audits/{completed}/check?{query}").json()
        return found

    assert check("max_fpr=1")["passed"] is True
    assert check("max_fpr=0")["passed"] is False
    unknown = check("max_fpr=1&max_fnr=0.5")
    assert (unknown["passed"], unknown["checks"][1]["value"]) == (False, None)
    assert api.get(f"/v1/audits/{completed}/check").status_code == 422
    assert api.get(f"/v1/audits/{completed}/check?max_fpr=nan").status_code == 422


def test_a_failed_audit_has_no_report(api: Api) -> None:
    run = uuid.uuid4().hex
    spec = {"kind": "labelled", "subject": {"verifier": "math"}, "population": {"run": run}}
    audit = api.post("/v1/audits", {"audit": spec}).json()["id"]
    failure = ended(api, audit)["failure"]
    for path in ("report", "report?format=json", "check?max_fpr=0.1"):
        answer = api.get(f"/v1/audits/{audit}/{path}")
        assert answer.status_code == 409
        assert failure in answer.json()["detail"]


def test_sent_again_under_its_key_it_is_one_audit(api: Api) -> None:
    name = uuid.uuid4().hex
    body = {"name": name, "audit": EXPLOIT}
    first, second = (api.post("/v1/audits", body, Idempotency_Key=name) for _ in range(2))
    assert first.json() == second.json()
    named = [one for one in api.get("/v1/audits").json()["audits"] if one["name"] == name]
    assert len(named) == 1


@pytest.mark.parametrize(
    ("audit", "field"),
    [
        ({"kind": "nothing"}, "audit"),
        ({"kind": "exploit", "subject": {}, "given": GIVEN}, "audit.exploit.subject"),
        ({**EXPLOIT, "level": 0.4}, "audit.exploit.level"),
        ({**EXPLOIT, "level": 1 - 1e-16}, "audit.exploit.level"),
        ({**EXPLOIT, "given": {**GIVEN, "seed": -1}}, "audit.exploit.given.seed"),
        ({**EXPLOIT, "more": 1}, "audit.exploit.more"),
        ({"kind": "consensus", "subjects": [{"verifier": "math"}]}, "audit.consensus.subjects"),
    ],
)
def test_a_specification_that_is_none_is_refused_by_field(api: Api, audit: object, field: str) -> None:
    answer = api.post("/v1/audits", {"audit": audit})
    assert answer.status_code == 422
    assert [problem["field"] for problem in answer.json()["errors"]] == [field]


def test_an_unknown_subject_is_refused_at_once(api: Api) -> None:
    answer = api.post("/v1/audits", {"audit": {**EXPLOIT, "subject": {"verifier": "nope"}}})
    assert (answer.status_code, answer.json()["code"]) == (422, "unknown_verifier")


def test_nul_and_lone_surrogates_are_stored_as_text(api: Api) -> None:
    raw = b'{"name": "a\\u0000\\ud800", "audit": {"kind": "labelled", "subject": {"verifier": "x\\u0000"}}}'
    answer = api.post("/v1/audits", raw=raw)
    assert (answer.status_code, answer.json()["name"]) == (202, "a\ufffd\ufffd")


def test_an_audit_is_cancelled_for_good_and_a_completed_one_is_not(api: Api, completed: str) -> None:
    long = {**EXPLOIT, "given": {"samples": [{"reference": str(number)} for number in range(2000)]}, "probes": None}
    audit = api.post("/v1/audits", {"audit": long}).json()["id"]
    found = api.http.delete(f"/v1/audits/{audit}").json()
    assert (found["state"], found["failure"], found["report"]) == ("failed", "cancelled", None)
    assert api.http.delete(f"/v1/audits/{completed}").json() == api.get(f"/v1/audits/{completed}").json()
    assert api.http.delete("/v1/audits/nope").status_code == 404


def test_an_unknown_audit_is_not_found(api: Api) -> None:
    for path in ("", "/report", "/check?max_fpr=0.1"):
        assert api.get(f"/v1/audits/nope{path}").status_code == 404


def test_a_plan_of_labels(api: Api) -> None:
    plan = api.post("/v1/audits/plan", {"max_fpr": 0.02, "expected_fpr": 0.005, "share_wrong": 0.5}).json()
    assert plan == {"wrong": 509, "right": None, "responses": 1018, "notes": []}
    refused = api.post("/v1/audits/plan", {"max_fpr": 0.02, "expected_fpr": 0.3})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "max_fpr")
    assert api.post("/v1/audits/plan", {}).status_code == 422
    assert api.post("/v1/audits/plan", {"max_fpr": 0}).status_code == 422
