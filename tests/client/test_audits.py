"""Audits through both clients: started once, followed to their end, read, held against limits."""

from __future__ import annotations

import pytest

from tests.audits.made import report
from tests.client.conftest import Ask
from tests.client.fake_audits import FakeAudits
from tests.client.fake_service import Fault
from trueward.errors import Conflict, DeadlineExceeded, InvalidRequest, NotFound
from trueward.wire.audit import ExploitAudit, GivenSamples, LabelledAudit, Subject
from trueward.wire.label_plan import LabelQuestion
from trueward.wire.sample import Sample

SPEC = LabelledAudit(subject=Subject(verifier="math"), level=0.9)


@pytest.fixture
def service() -> FakeAudits:
    return FakeAudits()


def test_an_audit_from_start_to_end(ask: Ask, service: FakeAudits) -> None:
    seen: list[tuple[int, int]] = []
    started = ask("start_audit", SPEC, name="nightly")
    assert (started.name, started.spec, started.state) == ("nightly", SPEC, "waiting")
    found = ask("wait_for_audit", started.id, progress=lambda *counts: seen.append(counts))
    assert (found.state, found.report) == ("completed", report())
    assert seen == [(3, 9), (3, 9), (9, 9)]
    assert service.received[0].body == {"name": "nightly", "audit": SPEC.model_dump(mode="json")}


def test_a_mapping_will_do_and_its_text_is_cleaned(ask: Ask, service: FakeAudits) -> None:
    spec = {"kind": "exploit", "subject": {"verifier": "math"}, "given": {"samples": [{"prompt": "a\x00\ud800"}]}}
    ask("start_audit", spec)
    assert service.audits["audit1"].spec == ExploitAudit(
        subject=Subject(verifier="math"), given=GivenSamples(samples=[Sample(prompt="a\ufffd\ufffd")])
    )


@pytest.mark.usefixtures("at_once")
def test_a_try_never_starts_a_second_audit(ask: Ask, service: FakeAudits) -> None:
    service.faults = [Fault(cut=True), Fault(503)]
    assert ask("start_audit", SPEC).id == "audit1"
    assert list(service.audits) == ["audit1"]
    assert len({one.headers["idempotency-key"] for one in service.received}) == 1


def test_a_failed_audit_is_an_answer(ask: Ask, service: FakeAudits) -> None:
    service.failure = "there are no labels"
    found = ask("wait_for_audit", ask("start_audit", SPEC).id)
    assert (found.state, found.failure, found.report) == ("failed", "there are no labels", None)
    with pytest.raises(Conflict, match="no labels"):
        ask("audit_report", found.id)


def test_an_audit_is_cancelled(ask: Ask) -> None:
    found = ask("cancel_audit", ask("start_audit", SPEC).id)
    assert (found.state, found.failure) == ("failed", "cancelled")
    with pytest.raises(NotFound):
        ask("cancel_audit", "nope")


def test_waiting_has_an_end_and_the_audit_goes_on(ask: Ask, service: FakeAudits) -> None:
    service.looks = -1000
    audit = ask("start_audit", SPEC).id
    with pytest.raises(DeadlineExceeded, match="audit audit1 has not ended within"):
        ask("wait_for_audit", audit, timeout_s=0.1)


def test_lists_go_page_by_page(ask: Ask, service: FakeAudits) -> None:
    page = ask("audits", kind="labelled", subject="math", after="01JB", limit=5)
    assert ([one.id for one in page.audits], page.next) == (["01JABC"], "01JA")
    assert service.received[0].body == {"kind": "labelled", "subject": "math", "after": "01JB", "limit": "5"}
    ask("audits")
    assert service.received[1].body == {"limit": "100"}


def test_limits_are_checked(ask: Ask) -> None:
    audit = ask("start_audit", SPEC).id
    assert not ask("check_audit", audit, max_fpr=0.02).passed
    found = ask("check_audit", audit, max_fpr=0.02, max_fnr=0.08, bound="rate")
    assert (found.passed, [check.value for check in found.checks]) == (True, [12 / 976, 0.08])


def test_reports_come_as_a_page_and_as_json(ask: Ask) -> None:
    audit = ask("start_audit", SPEC).id
    assert ask("audit_report", audit) == "<!DOCTYPE html>\u00e9"
    assert '"state":"completed"' in ask("audit_report", audit, "json")
    with pytest.raises(InvalidRequest, match="html or json"):
        ask("audit_report", audit, "pdf")


def test_labels_are_planned(ask: Ask, service: FakeAudits) -> None:
    question = LabelQuestion(max_fpr=0.02, expected_fpr=0.005, share_wrong=0.5)
    assert ask("plan_labels", question).responses == 1018
    assert service.questions == [question]


def test_a_strange_id_stays_one_segment_of_the_path(ask: Ask) -> None:
    with pytest.raises(NotFound, match="no such audit"):
        ask("audit", "a b?x#y")


def test_what_json_cannot_say_is_refused_here(ask: Ask, service: FakeAudits) -> None:
    with pytest.raises(InvalidRequest, match="cannot be written as JSON"):
        ask("start_audit", {"kind": "labelled", "subject": {"verifier": "math", "params": {"x": object()}}})
    assert service.received == []
