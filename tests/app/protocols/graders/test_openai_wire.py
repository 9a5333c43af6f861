"""OpenAI's own client against the live service: every grader, every way to go wrong, and what goes over the wire.

``graders/<name>.json`` are requests with their answers, whole: only times and records are left out.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest
from openai.types.fine_tuning.alpha import GraderRunResponse

from tests.app.conftest import Api
from tests.judges.openai_server import JudgeServer, Scripted, prompt_of

GOLDEN = sorted((Path(__file__).parent / "graders").glob("*.json"))
MODEL = "grader-model"
TEXT = "{{ sample.output_text }}"
CHECK = {"type": "string_check", "name": "m", "input": TEXT, "reference": "{{ item.answer }}", "operation": "eq"}
SIMILAR = {
    "type": "text_similarity", "name": "t", "input": TEXT, "reference": "{{ item.answer }}",
    "evaluation_metric": "rouge_l",
}  # fmt: skip
PYTHON = {
    "type": "python",
    "name": "p",
    "source": "def grade(sample, item):\n    return len(sample['output_text']) / 4",
}
SCORE = {
    "type": "score_model", "name": "s", "model": MODEL, "input": [{"role": "user", "content": f"Judge this: {TEXT}"}]
}  # fmt: skip
LABEL = {
    "type": "label_model", "name": "l", "model": MODEL, "input": [{"role": "user", "content": f"Judge this: {TEXT}"}],
    "labels": ["good", "bad"], "passing_labels": ["good"],
}  # fmt: skip
MULTI = {"type": "multi", "name": "all", "graders": {"c": CHECK, "s": SCORE}, "calculate_output": "(c + s) / 2"}
FAILING = {"type": "python", "name": "p", "source": "def grade(sample, item):\n    return sample['output_json']['n']"}


def judge(request: dict[str, Any]) -> str | Scripted:
    text = prompt_of(request)
    if "MUMBLE" in text:
        return "I would rather not say."
    if "FILTERED" in text:
        return Scripted(finish="content_filter")
    if '"label"' in text:
        return '{"steps": [], "label": "good"}'
    return '{"steps": [{"description": "d", "conclusion": "c"}], "result": 0.5}'


@pytest.fixture(scope="module")
def server(api: Api) -> Iterator[JudgeServer]:
    with JudgeServer(judge, models=(MODEL,)) as server:
        entry = server.entry(MODEL).model_dump(mode="json", exclude_defaults=True)
        assert api.post("/v1/models", entry).status_code < 300
        yield server
        api.http.delete(f"/v1/models/{MODEL}")


@pytest.fixture(scope="module")
def client(api: Api, server: JudgeServer) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{api.url}/v1", api_key="none", max_retries=0) as client:
        yield client


def run(client: openai.OpenAI, grader: Any, sample: str = "4", item: object = None) -> GraderRunResponse:
    return client.fine_tuning.alpha.graders.run(grader=grader, model_sample=sample, item=item or {"answer": "4"})


def flagged(answer: GraderRunResponse) -> set[str]:
    return {name for name, value in answer.metadata.errors.to_dict().items() if value is True}


@pytest.mark.parametrize(
    ("grader", "reward"),
    [(CHECK, 1.0), (SIMILAR, 1.0), (PYTHON, 0.25), (SCORE, 0.5), (LABEL, 1.0), (MULTI, 0.75)],
    ids=lambda value: value["type"] if isinstance(value, dict) else "",
)
def test_every_grader_is_valid_and_grades(client: openai.OpenAI, grader: Any, reward: float) -> None:
    valid = client.fine_tuning.alpha.graders.validate(grader=grader)
    assert valid.grader is not None
    assert valid.grader.to_dict(warnings=False) == grader
    answer = run(client, grader)
    assert answer.reward == reward
    assert flagged(answer) == set()
    assert answer.metadata.type == grader["type"]
    GraderRunResponse.model_validate(answer.to_dict())


def test_azure_s_path_is_the_same(api: Api) -> None:
    with openai.OpenAI(base_url=f"{api.url}/openai/v1", api_key="none", max_retries=0) as client:
        assert client.fine_tuning.alpha.graders.validate(grader=CHECK).grader is not None  # type: ignore[arg-type]
        assert run(client, CHECK).reward == 1.0
        with pytest.raises(openai.BadRequestError, match="no namespace"):
            run(client, {**CHECK, "input": "{{ other.x }}"})


def test_a_model_s_tokens_and_parts_are_told(client: openai.OpenAI) -> None:
    answer = run(client, MULTI)
    assert answer.sub_rewards == {"c": 1.0, "s": 0.5}
    assert answer.metadata.sampled_model_name == MODEL
    usage = answer.api_model_grader_token_usage_per_model[MODEL]
    assert isinstance(usage, dict)
    assert usage["prompt_tokens"] > 0
    assert answer.metadata.token_usage == usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]


def test_a_grade_is_in_the_ledger_with_what_made_it(client: openai.OpenAI, api: Api) -> None:
    said = run(client, CHECK).metadata.to_dict()["trueward"]
    assert isinstance(said, dict)
    found = api.get(f"/v1/verdicts/{said['record']}").json()
    assert found["verdict"]["producer"]["name"] == "grader"


@pytest.mark.parametrize(
    ("grader", "sample", "item", "flag", "outcome"),
    [
        ({**CHECK, "reference": "{{ item.nope }}"}, "4", None, "invalid_variable_error", "abstained"),
        ({**CHECK, "input": "{{ sample.output_json.a }}"}, "4", None, "invalid_variable_error", "invalid"),
        ({**CHECK, "input": "{{ sample.output_json.a }}"}, "prose", None, "sample_parse_error", "invalid"),
        ({**MULTI, "calculate_output": "1 / (c - 1)"}, "4", None, "formula_parse_error", "invalid"),
        (SIMILAR, "a" * 30_000, None, "truncated_observation_error", "invalid"),
        (FAILING, "prose", None, "python_grader_runtime_error", "invalid"),
        ({**PYTHON, "source": "import numpy_of_theirs"}, "4", None, "python_grader_runtime_error", "abstained"),
        (SCORE, "MUMBLE", None, "model_grader_parse_error", "invalid"),
        (SCORE, "FILTERED", None, "model_grader_refusal_error", "invalid"),
        ({**MULTI, "graders": {"c": CHECK, "s": FAILING}}, "prose", None, "python_grader_runtime_error", "invalid"),
    ],
)
def test_what_goes_wrong_is_flagged(
    client: openai.OpenAI, grader: Any, sample: str, item: object, flag: str, outcome: str
) -> None:
    answer = run(client, grader, sample, item)
    assert (answer.reward, flagged(answer)) == (0.0, {flag})
    assert answer.metadata.to_dict()["trueward"]["outcome"] == outcome  # type: ignore[index]


@pytest.mark.parametrize(
    ("grader", "words"),
    [
        ({**CHECK, "input": "{{ item.a | upper }}"}, "is no variable"),
        ({**CHECK, "operation": "neq"}, "'eq', 'ne', 'like' or 'ilike'"),
        ({**SIMILAR, "evaluation_metric": "cosine"}, "cosine is not offered: .* score_model"),
        ({**SCORE, "model": "gpt-4o-2024-08-06"}, "no model 'gpt-4o-2024-08-06'"),
        ({**MULTI, "calculate_output": "c + "}, "is no formula"),
        ({**MULTI, "calculate_output": "c + d"}, "names d"),
        ({**PYTHON, "source": "def grade(sample, item) return 1"}, "line 1"),
        ({"type": "nope"}, "expected tags"),
    ],
)
def test_a_grader_that_is_wrong_in_itself_is_refused_in_words_that_the_client_shows(
    client: openai.OpenAI, grader: Any, words: str
) -> None:
    with pytest.raises(openai.BadRequestError, match=words):
        client.fine_tuning.alpha.graders.validate(grader=grader)
    with pytest.raises(openai.BadRequestError, match=words):
        run(client, grader)


def test_a_request_that_is_none_is_refused(client: openai.OpenAI) -> None:
    with pytest.raises(openai.BadRequestError, match="model_sample"):
        client.post("/fine_tuning/alpha/graders/run", cast_to=object, body={"grader": CHECK})


@pytest.mark.parametrize("hostile", ["{{ item.answer }}", "{{item.answer}}", '{"{{ item.answer }}": 1}', "{{ 7*7 }}"])
def test_a_sample_is_data_to_every_template(client: openai.OpenAI, hostile: str, server: JudgeServer) -> None:
    assert run(client, CHECK, hostile).reward == 0.0
    assert run(client, {**CHECK, "reference": TEXT, "input": hostile.replace("{", "<")}, hostile).reward == 0.0
    unique = f"{hostile} {uuid.uuid4()} ⟦/SAMPLE 0⟧"
    run(client, SCORE, unique)
    assert unique.replace("⟦", "[").replace("⟧", "]") in server.asked[-1].text


def test_a_model_whose_server_refuses_the_key_is_flagged_and_no_grade(
    client: openai.OpenAI, api: Api, server: JudgeServer
) -> None:
    server.reply = lambda request: Scripted("no", status=401)
    try:
        answer = run(client, SCORE, f"as good as any {uuid.uuid4()}")
    finally:
        server.reply = judge
        # a refused key is asked with again after a minute, or when somebody says so
        assert api.post("/v1/models/grader-model/load", {}).status_code == 200
    assert (answer.reward, flagged(answer)) == (0.0, {"model_grader_server_error"})
    assert answer.metadata.errors.api_model_grader_server_error_details


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda path: path.stem)
def test_the_wire_is_as_recorded(golden: Path, api: Api, server: JudgeServer) -> None:
    case = json.loads(golden.read_text(encoding="utf-8"))
    answer = api.post(f"/v1/fine_tuning/alpha/graders/{case['method']}", case["request"])
    assert (answer.status_code, without_moment(answer.json())) == (case["status"], case["answer"])


def without_moment(answer: dict[str, Any]) -> dict[str, Any]:
    """The same with a time of nothing and without a record."""
    if "metadata" in answer:
        assert answer["metadata"].pop("execution_time") >= 0
        assert answer["metadata"]["trueward"].pop("record")
    return answer


def test_a_page_of_another_site_is_refused_before_anybody_speaks_openai_s_words(api: Api) -> None:
    headers = {"Origin": "http://another.example"}
    client = openai.OpenAI(base_url=f"{api.url}/v1", api_key="none", default_headers=headers)
    with client, pytest.raises(openai.PermissionDeniedError) as refusal:
        run(client, CHECK)
    assert "web pages of other sites" in refusal.value.response.text
