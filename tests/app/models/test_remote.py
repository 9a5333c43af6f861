"""A model of another server under a name of ours: asked, judged by, never a score where the server fails."""

from __future__ import annotations

import pytest
from aiohttp import web

from app.lanes.engines import Engines
from app.settings import Settings
from tests.app.models.conftest import Serve, Served
from tests.app.models.scripted import safetensors
from tests.judges.remote.fake import serving, vllm


def on_other_servers(api: Served) -> None:
    lane = api.state["models"].lane
    lane.engines = lane.weight_sync._engines = Engines(Settings())


async def test_a_model_of_another_server_is_asked_and_judged_by(serve: Serve) -> None:
    fake = vllm()
    async with serve() as api, serving(fake) as url:
        on_other_servers(api)
        entry = {"name": "rm", "kind": "reward", "backend": "vllm", "url": url, "served_name": "far"}
        assert (await api.http.post("/v1/models", json=entry)).status_code == 201
        assert (await api.http.post("/v1/models/rm/load")).json()["state"] == "ready"
        question = {"question": {"kind": "classify", "text": "four"}}
        said = (await api.http.post("/v1/models/rm/ask", json=question)).json()
        assert (said["rows"], said["weights"]) == ([[4.0, -4.0]], 0)
        body: dict[str, object] = {"verifier": "judge", "params": {"model": "rm"}, "samples": [{"response": "three"}]}
        [verdict] = (await api.http.post("/v1/verify", json=body)).json()["verdicts"]
        assert (verdict["outcome"], verdict["score"]) == ("scored", 5.0)
        fake.on("/classify", lambda _: web.Response(status=500))
        body = {**body, "samples": [{"response": "seven"}], "deadline_s": 4.0}
        [verdict] = (await api.http.post("/v1/verify", json=body)).json()["verdicts"]
        assert (verdict["outcome"], verdict["score"], verdict["reason_code"]) == ("error", None, "model_unavailable")
        assert (await api.http.get("/v1/models/rm")).json()["state"] == "failed"
        shown = (await api.http.get("/metrics")).text
        assert 'trueward_model_answered{device="vllm"} 2.0' in shown
        await api.state["models"].lane.engines.close()


async def test_weights_are_not_given_to_another_server(serve: Serve) -> None:
    async with serve() as api:
        on_other_servers(api)
        path = api.state["settings"].data_dir / "w.safetensors"
        safetensors(path)
        entry = {"name": "rm", "kind": "reward", "backend": "tei", "url": "http://127.0.0.1:9"}
        assert (await api.http.post("/v1/models", json=entry)).status_code == 201
        pushed = await api.http.post("/v1/models/rm/weights", json={"path": str(path)})
        assert (pushed.status_code, pushed.json()["code"]) == (422, "invalid_request")
        assert "another server's" in pushed.json()["detail"]


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "ftp://gpu", "gpu:8000", "http://", "http://[::1", "http://gpu:99999", "http://a:b@gpu"],
)
async def test_the_url_of_a_server_is_one_without_secrets(serve: Serve, url: str) -> None:
    async with serve() as api:
        entry = {"name": "rm", "kind": "reward", "backend": "vllm"}
        refused = await api.http.post("/v1/models", json={**entry, "url": url})
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "url")
        assert (await api.http.post("/v1/models", json={**entry, "url": "http://[::1]:8000/v"})).status_code == 201
