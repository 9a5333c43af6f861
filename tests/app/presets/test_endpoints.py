"""GET /v1/presets, and the setting that adds folders of them."""

from __future__ import annotations

from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI
from starlette.types import Receive, Scope, Send

from app.kit import problems
from app.main import create_app
from app.presets import endpoints
from app.settings import Settings
from judges import presets
from trueward.errors import Unusable


@pytest.fixture
def http(tmp_path: Path) -> httpx2.AsyncClient:
    app = FastAPI()
    app.include_router(endpoints.router)
    problems.install(app)
    state = {"settings": Settings(data_dir=tmp_path)}

    async def with_state(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "state": dict(state)}, receive, send)

    return httpx2.AsyncClient(transport=httpx2.ASGITransport(with_state), base_url="http://test")


async def test_all_presets_are_listed_by_name_with_their_hashes(http: httpx2.AsyncClient) -> None:
    listed = (await http.get("/v1/presets")).json()["presets"]
    assert [one["name"] for one in listed] == presets.names()
    [one] = [one for one in listed if one["name"] == "soft_correctness"]
    head = presets.find("soft_correctness").head
    assert one == {
        "name": "soft_correctness",
        "mechanism": "pointwise",
        "version": head.version,
        "summary": head.summary,
        "source": head.source,
        "experimental": False,
        "hash": presets.find("soft_correctness").hash,
    }


async def test_one_preset_has_its_files(http: httpx2.AsyncClient) -> None:
    one = (await http.get("/v1/presets/rubric_each")).json()
    assert set(one["files"]) == {"preset.yaml", "prompt.md", "reply.json"}
    assert one["files"]["prompt.md"].startswith("=== system")


async def test_a_name_that_there_is_not_is_404(http: httpx2.AsyncClient) -> None:
    answer = await http.get("/v1/presets/%2e%2e%2fapp")
    assert answer.status_code == 404
    assert (await http.get("/v1/presets/library")).status_code == 404


async def test_a_folder_that_cannot_be_read_stops_the_start(tmp_path: Path) -> None:
    (tmp_path / "own/bad").mkdir(parents=True)
    (tmp_path / "own/bad/preset.yaml").write_text("mechanism: guess")
    app = create_app(Settings(data_dir=tmp_path / "data", presets=(tmp_path / "own",)))
    with pytest.raises(Unusable, match="the preset in bad cannot be used"):
        async with app.router.lifespan_context(app):
            pass
