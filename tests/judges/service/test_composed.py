"""Panels and judges with tools through a service: scripted judges over a socket, programs in a real sandbox."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.judges.openai_server import JudgeServer, Request, prompt_of
from tests.judges.replies import response_in
from trueward import Client, Sample, Verdict
from trueward.errors import InvalidParameters


def reply(request: Request) -> str:
    """``strict`` wants an exact answer, ``kind`` any; ``solver`` computes twice, then believes what it saw."""
    text = prompt_of(request)
    said = response_in(text)
    if request["model"] == "solver":
        return _solved(text)
    right = said == "The answer is 1024." if request["model"] == "strict" else "1024" in said
    return json.dumps({"analysis": "read", "verdict": "correct" if right else "incorrect"})


def _solved(text: str) -> str:
    if "⟦OUTPUT" not in text:
        return json.dumps({"thought": "first", "action": "python", "code": "print(2 ** 10)"})
    if text.count("⟦OUTPUT") == 1:
        code = "import socket\ntry:\n    socket.create_connection(('127.0.0.1', 80), 1)\n"
        code += "except OSError as no:\n    print('no', no)"
        return json.dumps({"thought": "and the network?", "action": "python", "code": code})
    right = "1024\n" in text and "no " in response_in(text, "OUTPUT")
    return json.dumps({"analysis": "computed", "verdict": "correct" if right else "incorrect"})


@pytest.fixture(scope="module", autouse=True)
def _judges(client: Client) -> Iterator[None]:
    names = ("strict", "kind", "solver")
    with JudgeServer(reply, models=names) as server:
        for name in names:
            client.add_model(server.entry(name))
        yield


def judge(model: str, **fields: object) -> dict[str, object]:
    return {"verifier": "judge", "params": {"model": model}, "name": model, **fields}


def verdict_of(client: Client, response: str, verifier: str, **params: object) -> Verdict:
    sample = Sample(prompt="What is 2^10?", response=response, reference="1024")
    [verdict] = client.verify([sample], verifier=verifier, params=params)  # type: ignore[arg-type]
    return verdict


def test_a_panel_of_two_models_and_their_disagreement(client: Client) -> None:
    members = [judge("strict"), judge("kind")]
    agreed = verdict_of(client, "The answer is 1024.", "panel", members=members)
    assert (agreed.outcome, agreed.score, agreed.evidence["agreement"]) == ("scored", 1.0, 1.0)
    split = verdict_of(client, "1024, I think.", "panel", members=members)
    assert (split.score, split.evidence["agreement"], split.evidence["spread"]) == (0.5, 0.5, 0.5)
    told = split.evidence["members"]
    assert isinstance(told, dict)
    assert [one["outcome"] for one in told.values()] == ["incorrect", "correct"]  # type: ignore[index,call-overload]
    held = verdict_of(client, "1024, I think.", "panel", members=[judge("strict", role="constraint"), judge("kind")])
    assert (held.outcome, held.reason_code) == ("incorrect", "constraint_violated")


def test_an_unknown_model_of_a_member_is_refused_at_its_place(client: Client) -> None:
    with pytest.raises(InvalidParameters) as refused:
        verdict_of(client, "1024", "panel", members=[judge("kind"), judge("nobody")])
    assert [one.field for one in refused.value.errors] == ["params.members.1.params.model"]


def test_a_judge_runs_its_programs_in_the_sandbox(client: Client) -> None:
    verdict = verdict_of(client, "It is 2 to the tenth.", "tooled", model="solver")
    assert verdict.outcome == "correct"
    trace = verdict.evidence["trace"]
    assert isinstance(trace, list)
    assert [call["status"] for call in trace] == ["finished", "finished"]  # type: ignore[index,call-overload]
    assert trace[0]["output"] == "1024\n"  # type: ignore[index,call-overload]
    assert trace[1]["output"].startswith("no ")  # type: ignore[index,call-overload,union-attr]
    assert verdict.evidence["usage"]["tool_calls"] == 2  # type: ignore[index,call-overload]


def test_a_judge_with_tools_sits_on_a_panel(client: Client) -> None:
    members = [judge("kind"), {"verifier": "tooled", "params": {"model": "solver"}}]
    verdict = verdict_of(client, "1024, surely.", "panel", members=members, combine="unanimous")
    assert (verdict.outcome, verdict.confidence) == ("correct", 1.0)
    assert verdict.evidence["usage"]["calls"] == 4  # type: ignore[index,call-overload]
