"""POST /v1/presets/{name}/try: all that a judge is asked and says about one sample, and nothing of it is recorded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from typer.testing import CliRunner

from tests.judges.openai_server import JudgeServer, Request, Scripted
from tests.judges.service.conftest import registered
from tests.live import Service
from trueward import Client
from trueward.cli import app

SAMPLE = {"prompt": "What is 2 + 2?", "response": "It is \x1b[31m5.", "reference": "4"}
RIGHT = '{"analysis": "as the reference", "verdict": "correct"}'
WRONG = '{"analysis": "not the reference", "verdict": "incorrect"}'


@pytest.fixture(scope="module")
def server(keyless: Service) -> Iterator[JudgeServer]:
    price = {"read": 1, "written": 2}
    with (
        JudgeServer(lambda request: "not asked yet") as server,
        Client(keyless.url) as client,
        registered(client, server.entry("trial", price=price)),
    ):
        yield server


def tried(url: str, preset: str = "correctness", **body: object) -> httpx2.Response:
    asked = {"sample": SAMPLE, "params": {"model": "trial"}, **body}
    return httpx2.post(f"{url}/v1/presets/{preset}/try", json=asked, timeout=60.0)


def counted(url: str) -> int:
    """Verdicts that the service has written down."""
    lines = httpx2.get(f"{url}/metrics").text.splitlines()
    return sum(int(float(line.rpartition(" ")[2])) for line in lines if line.startswith("trueward_verdicts_total"))


def test_the_prompt_the_raw_reply_its_reading_and_its_cost_are_shown(keyless: Service, server: JudgeServer) -> None:
    server.reply = lambda request: WRONG
    before = counted(keyless.url)
    answer = tried(keyless.url).json()
    [exchange] = answer["exchanges"]
    assert [turn["role"] for turn in exchange["prompt"]] == ["system", "user"]
    assert exchange["prompt"] == server.asked[-1].body["messages"]
    assert exchange["reply"] == WRONG
    assert exchange["read"] is True
    assert exchange["tokens_read"] > 0
    assert exchange["cost"] * 1_000_000 == pytest.approx(exchange["tokens_read"] + 2 * exchange["tokens_written"])
    assert (answer["verifier"], answer["verdict"]["outcome"], answer["verdict"]["score"]) == ("judge", "incorrect", 0.0)
    assert answer["verdict"]["record"] is None
    assert counted(keyless.url) == before


def test_a_reply_that_cannot_be_read_is_shown_as_it_was_given(keyless: Service, server: JudgeServer) -> None:
    replies = ["I think so.", RIGHT]

    def reply(request: Request) -> str:
        return replies[min(len(server.asked) - begun, len(replies)) - 1]

    begun = len(server.asked)
    server.reply = reply
    answer = tried(keyless.url, sample={**SAMPLE, "response": "It is four."}).json()
    assert [(one["reply"], one["read"]) for one in answer["exchanges"]] == [("I think so.", False), (RIGHT, True)]
    assert answer["verdict"]["outcome"] == "correct"


def test_what_is_asked_of_harmless_responses_is_told_apart(keyless: Service, server: JudgeServer) -> None:
    def reply(request: Request) -> str:
        return "I cannot say." if "seventeen" in str(request["messages"]) else RIGHT

    server.reply = reply
    answer = tried(keyless.url, sample={**SAMPLE, "response": "It is seventeen."}).json()
    assert answer["verdict"]["reason_code"] == "unjudgeable"
    assert {one["probe"] for one in answer["exchanges"]} == {False, True}
    assert all(one["read"] is one["probe"] for one in answer["exchanges"])


def test_labels_are_shown_with_their_log_probabilities(keyless: Service, server: JudgeServer) -> None:
    server.reply = lambda request: Scripted("Yes", alternatives=[{"Yes": -0.1, "No": -2.4}])
    answer = tried(keyless.url, preset="soft_correctness").json()
    [exchange] = answer["exchanges"]
    assert exchange["alternatives"] == pytest.approx({"Yes": -0.1, "No": -2.4})


def test_a_model_that_there_is_not_is_told_and_no_failure_of_the_service(keyless: Service) -> None:
    answer = tried(keyless.url, params={"model": "nobody"})
    assert answer.status_code == 200
    assert answer.json()["verdict"]["outcome"] == "error"
    assert "nobody" in answer.json()["verdict"]["reason"]
    assert answer.json()["exchanges"] == []


@pytest.mark.parametrize(
    ("preset", "body", "status", "field"),
    [
        ("nothing", {}, 404, None),
        ("correctness", {"params": {"modell": "trial"}}, 400, "params.modell"),
        ("correctness", {"params": {"model": ""}}, 400, "params.model"),
        ("correctness", {"sample": {"response": 5}}, 400, "sample.response"),
        ("correctness", {"deadline_s": 0}, 400, "deadline_s"),
    ],
)
def test_bad_input_is_refused_by_its_field(
    keyless: Service, preset: str, body: dict[str, object], status: int, field: str | None
) -> None:
    answer = tried(keyless.url, preset=preset, **body)
    assert answer.status_code in (status, 422)
    assert answer.headers["content-type"] == "application/problem+json"
    if field is not None:
        assert any(one["field"].startswith(field) for one in answer.json()["errors"]), answer.text


def test_an_over_long_response_is_the_policys_doing_and_asks_nothing(keyless: Service, server: JudgeServer) -> None:
    begun = len(server.asked)
    answer = tried(keyless.url, sample={**SAMPLE, "response": "a" * 2_000_000}).json()
    assert (answer["verdict"]["outcome"], answer["verdict"]["reason_code"]) == ("invalid", "too_long")
    assert len(server.asked) == begun


def test_the_command_shows_the_same_and_no_control_character(
    keyless: Service, server: JudgeServer, tmp_path: Path
) -> None:
    server.reply = lambda request: RIGHT
    file = tmp_path / "sample.json"
    file.write_text(json.dumps({**SAMPLE, "response": "The answer is \x1b[2J4."}))
    asked = ["preset", "try", "correctness", "--sample", str(file), "--model", "trial", "--url", keyless.url]
    shown = CliRunner().invoke(app, asked)
    assert shown.exit_code == 0, shown.output
    assert "--- question 1 to trial" in shown.output
    assert RIGHT in shown.output
    assert "judge: correct, score 1" in shown.output
    assert "\x1b" not in shown.output
    listed = CliRunner().invoke(app, ["preset", "list", "--url", keyless.url])
    assert "correctness" in listed.output
    files = CliRunner().invoke(app, ["preset", "show", "correctness", "--url", keyless.url])
    assert "--- prompt.md" in files.output


def test_the_command_that_checks_a_folder_says_what_is_wrong(tmp_path: Path) -> None:
    from tests.judges.presets.folder import write

    write(tmp_path, "good")
    assert CliRunner().invoke(app, ["preset", "check", str(tmp_path)]).exit_code == 0
    write(tmp_path, "bad", prompt_md="=== user\n{{ response }} {{ metadata.persona }}\n")
    shown = CliRunner().invoke(app, ["preset", "check", str(tmp_path)])
    assert shown.exit_code == 1
    assert "metadata" in shown.output
    assert "good: ok" in shown.output
