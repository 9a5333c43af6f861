"""A real service with real, tiny models: the command line, the client, and the check against a plain forward."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from pydantic import JsonValue
from typer.testing import CliRunner, Result

from tests.judges.gguf_file import packed
from tests.judges.tiny import Family, Tiny
from tests.live import Service
from trueward import AsyncClient, Client, cli
from trueward.errors import Conflict, InvalidRequest, NotFound
from trueward.wire.model import ModelEntry

Run = Callable[..., Result]
TEXT: JsonValue = [{"role": "user", "content": "What is 2 + 3?"}, {"role": "assistant", "content": "It is 5."}]
QUESTION: dict[str, JsonValue] = {"kind": "classify", "text": TEXT}


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    torch.set_num_threads(1)
    return Tiny(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def url(keyless: Service) -> str:
    return keyless.url


@pytest.fixture
def run(url: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("TRUEWARD_URL", url)
    return lambda *args: CliRunner().invoke(cli.app, ["models", *args])


def test_models_are_added_listed_and_removed_from_the_command_line(run: Run, tiny: Tiny) -> None:
    path = str(tiny.classifier("llama"))
    added = run("add", "short-lived", "--kind", "reward", "--path", path, "--field", "max_tokens=64")
    assert added.exit_code == 0, added.output
    [one] = [model for model in json.loads(run("list", "--json").stdout) if model["id"] == "short-lived"]
    assert (one["kind"], one["entry"]["path"], one["entry"]["max_tokens"]) == ("reward", path, 64)
    assert json.loads(run("show", "short-lived").stdout) == one
    assert "short-lived" in run("list").stdout
    assert run("remove", "short-lived").exit_code == 0
    assert isinstance(run("show", "short-lived").exception, NotFound)
    assert run("add", "x", "--kind", "reward", "--path", path, "--field", "dtype=float8").exit_code == 2
    assert run("add", "x", "--kind", "reward").exit_code == 2


def test_a_judge_of_another_server_is_added_with_its_price_and_the_name_of_its_key(run: Run) -> None:
    far = ("add", "judge", "--kind", "causal", "--backend", "openai", "--server", "https://host.example/v1")
    added = run(*far, "--secret", "TRUEWARD_SECRET_HOST", "--price-read", "0.5", "--price-written", "1.5")
    assert added.exit_code == 0, added.output
    entry = json.loads(run("show", "judge").stdout)["entry"]
    assert (entry["backend"], entry["url"]) == ("openai", "https://host.example/v1")
    assert (entry["secret"], entry["price"]) == ("TRUEWARD_SECRET_HOST", {"read": 0.5, "written": 1.5, "cached": None})
    assert run("remove", "judge").exit_code == 0
    assert run(*far, "--secret", "sk-a-key-itself").exit_code == 2


@pytest.mark.parametrize("kind", ["reward", "process", "causal"])
def test_the_engine_says_what_a_plain_forward_says(run: Run, tiny: Tiny, kind: str) -> None:
    build: dict[str, Callable[[Family], Path]] = {
        "reward": tiny.classifier,
        "process": tiny.steps,
        "causal": tiny.causal,
    }
    name = f"plain-{kind}"
    assert run("add", name, "--kind", kind, "--path", str(build[kind]("qwen2"))).exit_code == 0
    checked = run("check", name, "--json")
    assert checked.exit_code == 0, checked.output
    found = json.loads(checked.stdout)
    assert len(found) == 3
    for one in found:
        assert one["difference"] < 1e-4
        assert one["engine_tokens"] == one["plain_tokens"]
        assert one["bos"] <= 1
        assert one["text"].startswith("<|im_start|>")
    shown = run("check", name).stdout
    assert "same" in shown
    assert "DIFFERS" not in shown


def test_a_gguf_file_is_a_model(run: Run, tiny: Tiny, tmp_path: Path) -> None:
    file = packed(tiny.causal("llama"), tmp_path / "tiny.gguf")
    assert run("add", "packed", "--kind", "causal", "--path", str(file)).exit_code == 0
    checked = run("check", "packed", "--json")
    assert checked.exit_code == 0, checked.output
    for one in json.loads(checked.stdout):
        assert one["difference"] < 1e-4
        assert one["engine_tokens"] == one["plain_tokens"]
    (tmp_path / "none.gguf").write_text("pickled weights")
    assert isinstance(
        run("add", "no", "--kind", "causal", "--path", str(tmp_path / "none.gguf")).exception, InvalidRequest
    )


def test_the_check_finds_a_model_that_is_another_one(run: Run, tiny: Tiny) -> None:
    assert run("add", "another", "--kind", "reward", "--path", str(tiny.classifier("llama"))).exit_code == 0
    checked = run("check", "another", "--path", str(tiny.classifier("llama", seed=1)))
    assert checked.exit_code == 1, checked.output
    assert "DIFFERS" in checked.stdout


def test_new_weights_answer_from_then_on(url: str, run: Run, tiny: Tiny) -> None:
    first, second = tiny.classifier("llama"), tiny.classifier("llama", seed=1)
    with Client(url) as client:
        client.add_model(ModelEntry(name="moving", kind="reward", path=str(first)))
        before = client.ask_model("moving", QUESTION)
        pushed = client.push_weights("moving", str(second), version=5)
        after = client.ask_model("moving", QUESTION, min_weights=5)
        assert (before.weights, pushed.version, after.weights) == (0, 5, 5)
        assert before.rows != after.rows
        with pytest.raises(Conflict, match="not above"):
            client.push_weights("moving", str(second), version=5)
        client.add_model(ModelEntry(name="moved", kind="reward", path=str(second)))
        assert client.ask_model("moved", QUESTION).rows[0] == pytest.approx(after.rows[0], abs=1e-5)
        uploaded = client.upload_weights("moving", first / "model.safetensors", version=6)
        again = client.ask_model("moving", QUESTION)
        assert (uploaded.version, again.weights) == (6, 6)
        assert again.rows[0] == pytest.approx(before.rows[0], abs=1e-5)
        assert client.model("moving").weights == 6
    assert isinstance(run("check", "moving").exception, Conflict)
    assert run("check", "moving", "--path", str(first)).exit_code == 0
    given = run("weights", "moving", str(second))
    assert given.stdout.startswith("moving: version 7, "), given.output


async def test_the_client_that_awaits_does_the_same(url: str, tiny: Tiny, tmp_path: Path) -> None:
    path = await asyncio.to_thread(tiny.classifier, "llama")
    async with AsyncClient(url) as client:
        entry: dict[str, JsonValue] = {"name": "awaited", "kind": "reward", "path": str(path)}
        made = await client.add_model(entry)
        assert made == await client.add_model(ModelEntry.model_validate(entry))
        assert (await client.load_model("awaited")).state == "ready"
        assert "awaited" in [model.id for model in await client.models()]
        answer = await client.ask_model("awaited", QUESTION)
        assert (len(answer.rows), answer.weights) == (1, 0)
        assert (await client.push_weights("awaited", str(path))).version == 1
        assert (await client.upload_weights("awaited", path / "model.safetensors")).version == 2
        with pytest.raises(InvalidRequest, match="has no safetensors"):
            await client.push_weights("awaited", str(tmp_path))
        with pytest.raises(InvalidRequest, match="cannot be read"):
            await client.upload_weights("awaited", tmp_path / "nothing")
        assert (await client.model("awaited")).weights == 2
        await client.delete_model("awaited")
        with pytest.raises(NotFound):
            await client.model("awaited")
