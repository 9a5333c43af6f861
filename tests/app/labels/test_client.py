"""The whole loop with both clients and the command, against the real service."""

from __future__ import annotations

import asyncio
import inspect
import json
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tests.app.conftest import Api
from trueward import AsyncClient, Client, cli
from trueward.commands import label_parts
from trueward.errors import ConnectionFailed, InvalidRequest
from trueward.wire.draw import DrawRequest

Ask = Callable[..., Any]


@pytest.fixture(params=["sync", "async"])
def ask(request: pytest.FixtureRequest, api: Api) -> Iterator[Ask]:
    if request.param == "sync":
        with Client(api.url) as client:
            yield lambda asked, /, *args, **kwargs: getattr(client, asked)(*args, **kwargs)
        return
    with asyncio.Runner() as runner:
        awaiting = AsyncClient(api.url)

        async def call(asked: str, /, *args: Any, **kwargs: Any) -> Any:
            answer = getattr(awaiting, asked)(*args, **kwargs)
            return await answer if inspect.isawaitable(answer) else answer

        yield lambda asked, /, *args, **kwargs: runner.run(call(asked, *args, **kwargs))
        runner.run(awaiting.aclose())


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, api: Api) -> Callable[..., Result]:
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("TRUEWARD_URL", api.url)
    return lambda *args, stdin=None: CliRunner().invoke(cli.app, ["labels", *args], input=stdin)


def judged(api: Api, run: str, count: int = 4) -> list[str]:
    """Records of a new run."""
    samples = [{"prompt": run, "response": f"\\boxed{{{place}}}", "reference": "1"} for place in range(count)]
    answer = api.post("/v1/verify", {"verifier": "math", "samples": samples, "run": run})
    return [verdict["record"] for verdict in answer.json()["verdicts"]]


def test_the_command_draws_until_the_question_is_answered(run: Callable[..., Result], api: Api) -> None:
    name = uuid.uuid4().hex
    judged(api, name, 40)
    asked = ("plan", "--verifier", "math", "--run", name, "--max-fpr", "0.5")

    def plan(*more: str) -> Result:
        return CliRunner().invoke(cli.app, ["audit", *asked, *more])

    first = plan()
    assert first.exit_code == 3, first.output
    assert "batch 1: " in first.stdout
    assert "0 of 40 responses are drawn and labelled" in first.stdout
    last = first
    while last.exit_code == 3:
        draw = json.loads(plan("--json").stdout)["draw"]
        assert f"{api.url}/ui/labels/{draw}" in last.stdout
        with Client(api.url) as client:
            while (item := client.next_item(draw, "ann")) is not None:
                client.submit_label(item, right=item.response == "\\boxed{1}")
        last = plan()
    assert last.exit_code == 0, last.output
    assert "below 0.5" in last.stdout
    assert "reached: " in last.stdout
    above = CliRunner().invoke(cli.app, ["audit", *asked[:-1], "0.5", "--max-fnr", "0.5"])
    assert above.exit_code == 2


def test_draw_label_and_agree(api: Api, ask: Ask) -> None:
    name = uuid.uuid4().hex
    judged(api, name)
    spec = {"subject": {"verifier": "math"}, "population": {"run": name}, "rest": 1, "annotators_per_item": 2}
    draw = ask("draw", DrawRequest.model_validate(spec))
    assert (draw.drawn, draw.states) == (4, {"open": 4})
    for annotator in ("ann", "bob"):
        while (item := ask("next_item", draw.id, annotator)) is not None:
            found = ask("submit_label", item, "1" in str(item.response), note="n", reference="1")
            assert [said.name for said in found.said] == ["math"]
            assert (found.said[0].outcome == "correct") is found.label.right
    agreed = ask("label_agreement", draw.id)
    assert (agreed.items, agreed.alpha, agreed.pairs[0].kappa) == (4, 1.0, 1.0)
    assert ask("draw", spec).id != draw.id


def test_labels_go_all_or_none(api: Api, ask: Ask) -> None:
    records = judged(api, uuid.uuid4().hex)
    labels: list[dict[str, Any]] = [{"record": record, "right": True} for record in records]
    with pytest.raises(InvalidRequest) as refusal:
        ask("label", [*labels, {"record": "nobody", "right": True}])
    assert refusal.value.errors[0].field == "labels.4"
    assert ask("label", labels).stored == 4
    with pytest.raises(InvalidRequest, match="JSON"):
        ask("label", [{"record": "r", "right": True, "score": float("nan")}])


def test_a_file_comes_in_parts_goes_out_and_comes_in_again(
    api: Api, run: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(label_parts, "PART_LABELS", 3)
    source = uuid.uuid4().hex
    lines = [json.dumps({"record": one, "right": True, "source": source}) for one in judged(api, source, 8)]
    file = tmp_path / "labels.jsonl"
    file.write_text("\n".join(lines))
    assert run("import", str(file)).output == "8 labels stored; 0 were there already\n"
    for form, name in (("csv", "labels.csv"), ("label_studio", "labels.json"), ("jsonl", "-")):
        exported = run(
            "export", "--source", source, "--format", form, "--out", str(tmp_path / name) if name != "-" else "-"
        )
        assert exported.exit_code == 0, exported.output
        again = run("import", str(tmp_path / name) if name != "-" else "-", stdin=exported.output)
        assert again.output == "0 labels stored; 8 were there already\n"
    listed = run("list", "--source", source, "--limit", "2")
    assert listed.output.count("right") == 3  # two labels under the heading
    assert len(json.loads(run("list", "--source", source, "--json").output)["labels"]) == 8


def test_a_service_that_is_away_is_said_to_be(run: Callable[..., Result]) -> None:
    found = run("export", "--url", "http://127.0.0.1:9")
    assert isinstance(found.exception, ConnectionFailed)


def test_what_is_wrong_is_named_by_the_line_of_the_file(
    api: Api, run: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(label_parts, "PART_LABELS", 3)
    lines = [json.dumps({"record": one, "right": True}) for one in judged(api, uuid.uuid4().hex, 5)]
    file = tmp_path / "labels.jsonl"
    file.write_text("\n".join([*lines[:4], "nonsense", lines[4]]))
    refused = run("import", str(file)).exception
    assert isinstance(refused, InvalidRequest)
    assert (refused.errors[0].field, refused.errors[0].line) == ("line 5", 5)
    assert "The 3 labels before this part are stored" in refused.detail
    file.write_text("\n".join(lines))
    assert run("import", str(file)).output == "2 labels stored; 3 were there already\n"
    assert run("import", str(tmp_path / "nothing.csv")).exit_code == 2
    (tmp_path / "empty.csv").write_text("record,right\n")
    assert "empty.csv has no label" in run("import", str(tmp_path / "empty.csv")).output


def test_a_draw_of_the_command_line(api: Api, run: Callable[..., Result], tmp_path: Path) -> None:
    name = uuid.uuid4().hex
    judged(api, name)
    spec = tmp_path / "draw.yaml"
    spec.write_text(
        f"subject: {{verifier: math}}\npopulation: {{run: {name}}}\nqueries:\n"
        "  - {query: group_jump, probability: 1}\n"
    )
    drawn = run("draw", str(spec))
    assert drawn.exit_code == 0, drawn.output
    assert "nothing is drawn of the rest: the draw says nothing of 3 of 4 responses" in drawn.stderr
    draw, *said = drawn.stdout.split()
    assert " ".join(said) == "1 of 4 responses: 1 by group_jump"
    assert "alpha undefined over 0 items" in run("agreement", draw).output
    assert json.loads(run("agreement", draw, "--json").output)["draw"] == draw
    spec.write_text("subject: {verifier: math}\nqueries: [{query: nonsense, probability: 1}]\n")
    assert run("draw", str(spec)).exit_code == 2


def test_a_draw_by_options_names_the_page_and_what_to_do_next_and_a_larger_one_goes_on(
    api: Api, run: Callable[..., Result]
) -> None:
    name = uuid.uuid4().hex
    judged(api, name)
    options = ["draw", "--verifier", "math", "--run", name, "--rest", "1", "--name", "all of it"]
    drawn = run(*options)
    assert drawn.exit_code == 0, drawn.output
    draw = drawn.stdout.split()[0]
    assert f"4 to label: {api.url}/ui/labels/{draw}" in drawn.stderr
    assert f"then: trueward audit run labelled --verifier math --run {name}" in drawn.stderr
    with Client(api.url) as client:
        item = client.next_item(draw, "ann")
        assert item is not None
        client.submit_label(item, right=True)
    assert "3 to label, 1 were labelled before" in run(*options).stderr
    assert run("draw", "--verifier", "math", "spec.yaml").exit_code == 2
    assert run("draw").exit_code == 2


def test_a_case_of_the_command_line(api: Api, run: Callable[..., Result]) -> None:
    (record,) = judged(api, uuid.uuid4().hex, 1)
    run("import", "-", stdin=json.dumps({"record": record, "right": False}))
    label = json.loads(run("list", "--record", record, "--json").output)["labels"][0]["id"]
    case = run("case", label)
    assert (case.stderr, json.loads(case.stdout)["outcome"]) == ("tests/cases/math.jsonl\n", "incorrect")


def test_a_list_on_a_narrow_terminal_has_whole_ids(
    api: Api, run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    [record] = judged(api, uuid.uuid4().hex, 1)
    line = json.dumps({"record": record, "right": True, "annotator": "ann", "note": "a note that is rather long " * 2})
    assert run("import", "-", stdin=line).exit_code == 0
    [label] = json.loads(run("list", "--record", record, "--json").stdout)["labels"]
    assert label["id"] in run("list", "--record", record).stdout
