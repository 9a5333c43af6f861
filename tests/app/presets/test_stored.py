"""POST /v1/presets: presets that are stored are checked, used at once, known after a restart, and never changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
from structlog.testing import capture_logs
from typer.testing import CliRunner

from app.kit.db import Database
from app.kit.migrate import upgrade
from app.presets.repository import PresetsRepository
from app.presets.service import PresetsService
from app.settings import Settings
from judges import presets
from judges.presets import Preset
from tests.judges.openai_server import JudgeServer
from tests.judges.presets.folder import FILES, write
from tests.judges.service.conftest import registered
from tests.live import Service, serving
from trueward import Client
from trueward.cli import app
from trueward.errors import Conflict
from trueward.wire.preset import PresetUpload
from trueward.wire.sample import Sample

PROMPT = "=== system\n{{ rules }}\n=== user\n{{ response }} by {{ metadata.persona }}\n"
YAML = 'mechanism: pointwise\nversion: "1"\nsummary: Is it in character?\nmetadata: [persona]\n' + (
    'judgement: {values: {"yes": 1, "no": 0}, field: verdict}\n'
)
OWN = {**FILES, "prompt.md": PROMPT, "preset.yaml": YAML}


@pytest.fixture(scope="module")
def server(keyless: Service) -> Iterator[JudgeServer]:
    with (
        JudgeServer(lambda request: '{"verdict": "yes"}') as server,
        Client(keyless.url) as client,
        registered(client, server.entry("stored")),
    ):
        yield server


def put(url: str, name: str, files: dict[str, str]) -> httpx2.Response:
    return httpx2.post(f"{url}/v1/presets", json={"name": name, "files": files}, timeout=30.0)


def test_a_stored_preset_judges_at_once(keyless: Service, server: JudgeServer) -> None:
    answer = put(keyless.url, "in_character", OWN)
    assert answer.status_code == 201
    assert answer.json()["hash"] == Preset.of("in_character", OWN).hash
    sample = Sample(prompt="Hi.", response="Arr.", metadata={"persona": "a pirate"})
    with Client(keyless.url) as client:
        params = {"preset": "in_character", "model": "stored"}
        [verdict] = client.verify([sample], verifier="judge", params=params)
    assert (verdict.outcome, verdict.score) == ("scored", 1.0)
    assert verdict.producer is not None
    assert "-in_character-1-" in verdict.producer.version
    assert "⟦PERSONA" in server.asked[-1].text
    listed = httpx2.get(f"{keyless.url}/v1/presets").json()["presets"]
    assert "in_character" in [one["name"] for one in listed]


def test_the_same_files_again_change_nothing_and_others_are_refused(keyless: Service) -> None:
    assert put(keyless.url, "again", OWN).status_code == 201
    assert put(keyless.url, "again", OWN).status_code == 201
    other = put(keyless.url, "again", {**OWN, "prompt.md": PROMPT + "More.\n"})
    assert other.status_code == 409
    assert other.json()["code"] == "conflict"
    assert put(keyless.url, "correctness", OWN).status_code == 409


@pytest.mark.parametrize(
    ("name", "files", "field"),
    [
        ("bad", {**OWN, "prompt.md": "=== user\n{{ response }} {{ nobody }}\n"}, "files"),
        ("bad", {**OWN, "reply.json": '{"type": "object"}'}, "files"),
        ("bad", {name: text for name, text in OWN.items() if name != "preset.yaml"}, "files"),
        ("bad", {**OWN, "prompt.md": "=== user\n{{ response }} {% for %}\n"}, "files"),
        ("bad", {**OWN, "reply.json": "[" * 50_000}, "files"),
        ("bad", {**OWN, "preset.yaml": YAML + "code: import os\n"}, "files"),
        ("../bad", OWN, "name"),
        ("Bad name", OWN, "name"),
        ("bad", {**OWN, "../../etc/passwd": "x"}, "files"),
        ("bad", {**OWN, "module.py": "x"}, "files"),
        ("bad", {}, "files"),
        ("bad", {**OWN, "prompt.md": "a" * 100_001}, "files"),
    ],
)
def test_what_cannot_be_used_is_refused_by_its_field(
    keyless: Service, name: str, files: dict[str, str], field: str
) -> None:
    answer = put(keyless.url, name, files)
    assert answer.status_code in (400, 422), answer.text
    assert any(one["field"].startswith(field) for one in answer.json()["errors"]), answer.text
    assert httpx2.get(f"{keyless.url}/v1/presets/bad").status_code == 404


def test_a_prompt_cannot_reach_out_of_its_template(keyless: Service, server: JudgeServer) -> None:
    reaching = "=== user\n{{ response }} {{ question.__class__.__mro__ }}\n"
    put(keyless.url, "reaching", {**FILES, "prompt.md": reaching})
    body = {"sample": {"prompt": "Hi.", "response": "Hello."}, "params": {"model": "stored"}}
    answer = httpx2.post(f"{keyless.url}/v1/presets/reaching/try", json=body, timeout=30.0)
    assert "class" not in str(answer.json().get("exchanges"))


def test_a_stored_preset_is_there_after_a_restart_and_in_a_recipe(tmp_path: Path) -> None:
    recipe = "terms: {judge: {params: {preset: kept}}}\n"
    with serving(tmp_path) as first:
        assert put(first.url, "kept", {**OWN}).status_code == 201
        with Client(first.url) as client:
            client.add_model({"name": "judge", "kind": "causal", "backend": "openai", "url": "http://127.0.0.1:9"})
            client.put_recipe("judged", recipe)
    with serving(tmp_path) as second:
        assert httpx2.get(f"{second.url}/v1/presets/kept").json()["files"] == OWN
        with Client(second.url) as client:
            assert client.recipe("judged").name == "judged"
            [verdict] = client.verify(
                [{"prompt": "Hi.", "response": "Arr."}], verifier="judge", params={"preset": "kept"}
            )
    assert verdict.reason_code == "no_metadata"


def test_the_command_stores_a_folder(keyless: Service, tmp_path: Path) -> None:
    place = write(tmp_path, "by_command")
    stored = CliRunner().invoke(app, ["preset", "add", str(place), "--url", keyless.url])
    assert stored.exit_code == 0, stored.output
    assert Preset.read(place).hash[:19] in stored.output


def test_what_is_kept_is_beside_the_folders_and_gone_when_it_is_not_kept() -> None:
    own = Preset.of("own", OWN)
    built_in = presets.find("correctness")
    presets.keep({"own": own, "correctness": own})
    try:
        assert presets.find("own") is own
        assert presets.find("correctness") is built_in
        assert presets.names().count("correctness") == 1
    finally:
        presets.keep({})
    with pytest.raises(KeyError):
        presets.find("own")


async def test_a_stored_preset_that_cannot_be_read_is_told_once_and_its_name_stays_taken(
    tmp_path: Path,
) -> None:
    settings = Settings(data_dir=tmp_path)
    await upgrade(settings.url)
    async with Database(settings.url) as db:
        repository = PresetsRepository(db)
        await repository.add(replace(Preset.of("old", OWN), files={"preset.yaml": "mechanism: guess"}), None)
        service = PresetsService(repository)
        with capture_logs() as told:
            for _ in range(3):
                await service.refresh()
        assert [line["preset"] for line in told] == ["old"]
        assert "old" not in presets.names()
        with pytest.raises(Conflict, match="old"):
            await service.add(PresetUpload(name="old", files=OWN), None)
