"""Problem documents become the errors of the tree; what is not of the protocol is said to be so."""

from __future__ import annotations

import json

import pytest

from tests.client.conftest import Ask
from tests.client.fake_service import FakeService, Fault
from trueward import Client
from trueward.errors import (
    AnsweredError,
    Conflict,
    FieldProblem,
    Forbidden,
    RequestRefused,
    ServiceFailed,
    TooLarge,
    Unauthorized,
    UnexpectedAnswer,
)


def _tree(root: type[AnsweredError]) -> list[type[AnsweredError]]:
    return [root, *(kind for child in root.__subclasses__() for kind in _tree(child))]


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("kind", _tree(RequestRefused) + _tree(ServiceFailed), ids=lambda kind: kind.code)
def test_every_code_of_the_tree_arrives_as_its_own_error(
    url: str, service: FakeService, kind: type[AnsweredError]
) -> None:
    field = FieldProblem(field="samples.3.response", code="string_type", detail="a text, please")
    service.faults = [Fault.of(kind("what happened and what to do", errors=[field]))] * 2
    with Client(url, attempts=2) as client, pytest.raises(kind) as raised:
        client.verify([{"response": "a"}], verifier="exact")
    assert type(raised.value) is kind
    assert raised.value.detail == "what happened and what to do"
    assert raised.value.errors == [field]


def test_both_clients_raise_the_service_s_errors(ask: Ask) -> None:
    with pytest.raises(RequestRefused, match="no verifier 'nope'"):
        ask("verify", [{"response": "a"}], verifier="nope")
    with pytest.raises(RequestRefused, match="no recipe 'nope'"):
        ask("reward", [{"response": "a"}], recipe="nope")


@pytest.mark.parametrize(
    ("code", "status", "kind"), [("brand_new", 418, RequestRefused), ("brand_new", 599, ServiceFailed)]
)
def test_a_code_of_a_newer_service_falls_back_on_its_status(
    client: Client, service: FakeService, code: str, status: int, kind: type[AnsweredError]
) -> None:
    problem = {"title": "New", "status": status, "detail": "news", "code": code, "more": 1}
    service.faults = [Fault(status, json.dumps(problem), {"content-type": "application/problem+json"})]
    with pytest.raises(kind, match="news"):
        client.verify([{}], verifier="exact")


@pytest.mark.parametrize(("status", "kind"), [(401, Unauthorized), (403, Forbidden), (413, TooLarge)])
def test_a_proxy_s_refusal_is_told_from_the_service_s(
    client: Client, service: FakeService, status: int, kind: type[AnsweredError]
) -> None:
    service.faults = [Fault(status, "<html>no</html>", {"content-type": "text/html"})]
    with pytest.raises(kind, match="proxy"):
        client.verify([{}], verifier="exact")


@pytest.mark.parametrize(
    "fault",
    [
        Fault(404, "<html>not here</html>", {"content-type": "text/html"}),
        Fault(308, "", {"location": "https://elsewhere.example/v1/verify"}),
        Fault(200, "<html>welcome</html>", {"content-type": "text/html"}),
        Fault(200, ""),
        Fault(200, "null"),
        Fault(200, '{"verdicts": []}'),
        Fault(200, '{"verdicts": [{"id": "other", "outcome": "correct", "score": 1.0, "reason_code": "x"}]}'),
        Fault(200, '{"verdicts": [{"id": "0", "outcome": "splendid", "score": 1.0, "reason_code": "x"}]}'),
        Fault(200, '{"verdicts": [{"id": "0", "outcome": "timeout", "score": 1.0, "reason_code": "x"}]}'),
        Fault(200, '{"verdicts": [{"id": "0", "outcome": "correct", "score": NaN, "reason_code": "x"}]}'),
        Fault(200, '\ufffd{"verdicts": '),
    ],
    ids=[
        "404 page", "redirect", "page", "empty", "null", "too few", "other id",
        "unknown outcome", "score of a timeout", "NaN", "no JSON",
    ],
)  # fmt: skip
def test_an_answer_that_is_not_of_the_protocol_is_unexpected(ask: Ask, service: FakeService, fault: Fault) -> None:
    service.faults = [fault]
    with pytest.raises(UnexpectedAnswer):
        ask("verify", [{"response": "a"}], verifier="exact")
    assert len(service.received) == 1


def test_members_of_a_newer_service_are_ignored(client: Client) -> None:
    assert client.verify([{"response": "a", "reference": "a"}], verifier="exact")[0].score == 1.0


def test_a_recipe_that_changes_between_chunks_is_a_conflict(url: str, service: FakeService) -> None:
    other = {
        "rewards": [{"id": "0", "outcome": "correct", "reward": 1.0, "components": {"math": 1.0}}],
        "groups": [],
        "recipe": "sha256:other",
    }
    service.faults = [Fault(200, json.dumps(other))]
    with Client(url, chunk_samples=1, concurrency=1) as client, pytest.raises(Conflict, match="changed"):
        client.reward([{"prompt": "a"}, {"prompt": "b"}], recipe="math")
