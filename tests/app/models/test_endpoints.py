"""Models over HTTP: registered, listed, deleted, given weights, asked, and judged by."""

from __future__ import annotations

import asyncio
import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import httpx2
import pytest

from app.lanes.model_source import Source
from app.models.repository import ModelsRepository
from judges.base import ModelBusy, ModelUnavailable, NotFinite, Unaskable
from tests.app.models.conftest import Serve, Served
from tests.app.models.scripted import safetensors
from trueward.wire.key import KeyRequest, KeyScope
from trueward.wire.model import WeightsRequest


def model(directory: Path, name: str = "rm", **more: object) -> dict[str, object]:
    safetensors(directory / "model.safetensors")
    return {"name": name, "kind": "reward", "path": str(directory), **more}


def verify(response: str = "four", **more: object) -> dict[str, object]:
    return {"verifier": "judge", "params": {"model": "rm"}, "samples": [{"response": response}], **more}


def problem(answer: httpx2.Response) -> tuple[int, str, list[str]]:
    body = answer.json()
    return answer.status_code, body["code"], [one["field"] for one in body.get("errors", [])]


async def test_a_model_is_registered_listed_and_deleted(serve: Serve, tmp_path: Path) -> None:
    async with serve() as api:
        made = await api.http.post("/v1/models", json=model(tmp_path / "m"))
        assert made.status_code == 201
        listed = (await api.http.get("/v1/models")).json()
        assert (listed["object"], listed["data"]) == ("list", [made.json()])
        one = made.json()
        assert (one["id"], one["object"], one["owned_by"], one["state"]) == ("rm", "model", "trueward", "registered")
        assert (one["weights"], one["entry"]["path"]) == (0, str(tmp_path / "m"))
        assert isinstance(one["created"], int)
        assert (await api.http.delete("/v1/models/rm")).json()["id"] == "rm"
        assert problem(await api.http.get("/v1/models/rm"))[:2] == (404, "not_found")
        assert problem(await api.http.delete("/v1/models/rm"))[:2] == (404, "not_found")


async def test_the_same_entry_again_changes_nothing_and_another_is_a_conflict(serve: Serve, tmp_path: Path) -> None:
    async with serve() as api:
        first = await api.http.post("/v1/models", json=model(tmp_path / "m"))
        again = await api.http.post("/v1/models", json=model(tmp_path / "m", path=str(tmp_path / "m/../m")))
        assert (again.status_code, again.json()) == (201, first.json())
        other = await api.http.post("/v1/models", json=model(tmp_path / "m", dtype="bfloat16"))
        assert problem(other)[:2] == (409, "conflict")


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("nowhere", "no_such_path"),
        ("empty", "no_safetensors"),
        ("cut", "no_safetensors"),
        ("pickled", "no_safetensors"),
    ],
)
async def test_a_path_without_whole_safetensors_is_refused_by_name(
    serve: Serve, tmp_path: Path, path: str, code: str
) -> None:
    for name in ("empty", "pickled"):
        (tmp_path / name).mkdir()
    (tmp_path / "pickled/pytorch_model.bin").write_bytes(b"\x80\x04")
    safetensors(tmp_path / "cut/model.safetensors", ["a", "b"], cut=1)
    async with serve() as api:
        answer = await api.http.post("/v1/models", json={"name": "rm", "kind": "reward", "path": str(tmp_path / path)})
        assert problem(answer) == (422, "invalid_request", ["path"])
        assert answer.json()["errors"][0]["code"] == code


async def test_paths_outside_of_the_roots_are_refused_symbolic_links_too(serve: Serve, tmp_path: Path) -> None:
    outside = model(tmp_path / "outside")
    (tmp_path / "in").mkdir()
    (tmp_path / "in/link").symlink_to(tmp_path / "outside")
    inside = model(tmp_path / "in/m")
    async with serve(model_roots=[tmp_path / "in"]) as api:
        assert (await api.http.post("/v1/models", json=inside)).status_code == 201
        for path in (outside["path"], str(tmp_path / "in/link"), str(tmp_path / "in/../outside"), "/etc"):
            answer = await api.http.post("/v1/models", json={**outside, "name": "x", "path": path})
            assert problem(answer) == (422, "invalid_request", ["path"])
            assert answer.json()["errors"][0]["code"] == "outside_roots"
            pushed = await api.http.post("/v1/models/rm/weights", json={"path": path})
            assert problem(pushed) == (422, "invalid_request", ["path"])
        assert api.backend.swapped == []


async def test_with_keys_only_admins_change_models_and_paths_need_roots(serve: Serve, tmp_path: Path) -> None:
    async with serve(auth="keys") as api:
        scopes: tuple[KeyScope, ...] = ("admin", "score", "view")
        made = [await api.state["keys"].create(KeyRequest(name=scope, scopes=[scope])) for scope in scopes]
        keys = {new.name: {"authorization": f"Bearer {new.key}"} for new in made}
        entry = model(tmp_path / "m")
        repository = {"name": "rm", "kind": "reward", "path": "org/model"}
        unrooted = await api.http.post("/v1/models", json=entry, headers=keys["admin"])
        assert unrooted.json()["errors"][0]["code"] == "outside_roots"
        assert (await api.http.post("/v1/models", json=repository, headers=keys["admin"])).status_code == 201
        question = {"question": {"kind": "classify", "text": "four"}}
        for scope, changing, asking, looking in (("score", 403, 200, 403), ("view", 403, 403, 200)):
            headers = keys[scope]
            for method, path in (("POST", ""), ("DELETE", "/rm"), ("POST", "/rm/load"), ("POST", "/rm/weights")):
                body = repository if (method, path) == ("POST", "") else None
                answer = await api.http.request(method, f"/v1/models{path}", json=body, headers=headers)
                assert answer.status_code == changing, (scope, path)
            assert (await api.http.post("/v1/models/rm/ask", json=question, headers=headers)).status_code == asking
            assert (await api.http.get("/v1/models", headers=headers)).status_code == looking
            assert (await api.http.get("/v1/models/rm", headers=headers)).status_code == looking
        assert (await api.http.get("/v1/models")).status_code == 401


async def test_weights_rise(serve: Serve, tmp_path: Path) -> None:
    new = safetensors(tmp_path / "new/model.safetensors")
    async with serve() as api:
        await api.http.post("/v1/models", json=model(tmp_path / "m"))
        first = await push(api, path=str(new.parent))
        assert (first.status_code, first.json()["version"]) == (200, 1)
        assert (await push(api, path=str(new), version=7)).json()["version"] == 7
        for version in (7, 3):
            assert problem(await push(api, path=str(new), version=version))[:2] == (409, "conflict")
        assert (await api.http.get("/v1/models/rm")).json()["weights"] == 7
        assert [request.version for request in api.backend.swapped] == [1, 7]
        assert problem(await push(api, path=str(new), version=0)) == (422, "invalid_request", ["version"])


async def test_weights_that_do_not_fit_are_refused_and_the_old_ones_stay(serve: Serve, tmp_path: Path) -> None:
    new = safetensors(tmp_path / "new.safetensors")
    async with serve() as api:
        await api.http.post("/v1/models", json=model(tmp_path / "m"))
        api.backend.unfit = "tensor w has another shape"
        refused = await push(api, path=str(new))
        assert problem(refused) == (422, "invalid_request", ["path"])
        assert "another shape" in refused.json()["detail"]
        assert (await api.http.get("/v1/models/rm")).json()["weights"] == 0
        safetensors(new, ["a", "b"], cut=1)
        assert "cut off" in (await push(api, path=str(new))).json()["detail"]


async def test_weights_that_come_together_each_get_a_version(serve: Serve, tmp_path: Path) -> None:
    new = safetensors(tmp_path / "new.safetensors")
    async with serve() as api:
        await api.http.post("/v1/models", json=model(tmp_path / "m"))
        done = await asyncio.gather(*(push(api, path=str(new)) for _ in range(3)))
        assert sorted(answer.json()["version"] for answer in done) == [1, 2, 3]
        same = await asyncio.gather(*(push(api, path=str(new), version=9) for _ in range(3)))
        assert sorted(answer.status_code for answer in same) == [200, 409, 409]


async def test_weights_that_another_server_registered_first_are_taken_back(serve: Serve, tmp_path: Path) -> None:
    new = safetensors(tmp_path / "new.safetensors")
    async with serve() as api:
        await api.http.post("/v1/models", json=model(tmp_path / "m"))
        models = api.state["models"]
        elsewhere = Source(WeightsRequest(path=str(new), version=4), "w")
        await ModelsRepository(api.state["db"]).reweigh(models.find("rm"), 4, [elsewhere])
        assert problem(await push(api, path=str(new), version=2))[:2] == (409, "conflict")
        assert api.backend.weights == {}
        while models.find("rm").weights != 4:
            await asyncio.sleep(0.02)
        answer = await api.http.post("/v1/models/rm/ask", json=classify("four"))
        assert (answer.json()["rows"], answer.json()["weights"]) == ([[4004.0]], 4)


async def test_an_upload_goes_where_the_service_says(serve: Serve, tmp_path: Path) -> None:
    content = safetensors(tmp_path / "w.safetensors", ["w"]).read_bytes()
    uploads = tmp_path / "data/models/rm"
    async with serve() as api:
        await api.http.post("/v1/models", json=model(tmp_path / "m"))
        for version in (1, 2):
            answer = await upload(api, content)
            assert (answer.status_code, answer.json()["version"]) == (200, version)
        assert [file.parent.name for file in uploads.rglob("*.safetensors")] == ["2"]
        [kept] = uploads.rglob("*.safetensors")
        assert (str(kept), kept.read_bytes()) == (api.backend.swapped[-1].path, content)
        await api.http.delete("/v1/models/rm")
        assert not uploads.exists()


async def test_an_upload_that_is_refused_leaves_nothing_behind(serve: Serve, tmp_path: Path) -> None:
    content = safetensors(tmp_path / "w.safetensors", ["w"]).read_bytes()
    async with serve(model_upload_bytes=len(content)) as api:
        await api.http.post("/v1/models", json=model(tmp_path / "m"))
        assert problem(await upload(api, content + b"x"))[:2] == (413, "too_large")
        assert problem(await upload(api, content[:-1])) == (422, "invalid_request", ["path"])
        assert problem(await upload(api, b"not safetensors")) == (422, "invalid_request", ["path"])
        api.backend.unfit = "no"
        assert problem(await upload(api, content)) == (422, "invalid_request", ["path"])
        assert [file for file in (tmp_path / "data/models").rglob("*") if file.is_file()] == []
        assert problem(await upload(api, content, "../../x"))[:2] == (404, "not_found")


def archives() -> dict[str, bytes]:
    """Archives that would write elsewhere or grow, and a file whose head would be as long as no memory is."""
    zipped, tarred = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../../../outside.safetensors", b"\0" * 2**24)
    with tarfile.open(fileobj=tarred, mode="w:gz") as packed:
        entry = tarfile.TarInfo("../../../../outside.safetensors")
        entry.size = 2**24
        packed.addfile(entry, io.BytesIO(b"\0" * entry.size))
    head = (2**62).to_bytes(8, "little") + b'{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'
    return {
        "zip": zipped.getvalue(),
        "tar": tarred.getvalue(),
        "gzip": gzip.compress(b"\0" * 2**26),
        "head": head,
        "deep head": b'{"a":' * 100_000,
    }


def files_in(folder: Path) -> set[Path]:
    """But those of the database."""
    return {file for file in folder.rglob("*") if file.is_file() and "trueward.db" not in file.name}


@pytest.mark.parametrize("kind", archives())
async def test_an_upload_is_never_unpacked(kind: str, serve: Serve, tmp_path: Path) -> None:
    async with serve(model_upload_bytes=2**20) as api:
        await api.http.post("/v1/models", json=model(tmp_path / "m"))
        before = files_in(tmp_path)
        assert problem(await upload(api, archives()[kind])) == (422, "invalid_request", ["path"])
        assert files_in(tmp_path) == before


async def test_sources_are_those_that_the_present_weights_are_made_of(serve: Serve, tmp_path: Path) -> None:
    async with serve() as api:
        await api.http.post("/v1/models", json=model(tmp_path / "m"))
        for number, names in enumerate((["a"], ["b"], ["a"])):
            await push(api, path=str(safetensors(tmp_path / f"{number}.safetensors", names)))
        registered = api.state["models"].find("rm")
        assert [Path(source.request.path).stem for source in registered.sources] == ["1", "2"]


async def test_a_question_is_answered_with_the_models_own_numbers(serve: Serve, tmp_path: Path) -> None:
    async with serve() as api:
        await api.http.post("/v1/models", json=model(tmp_path / "m"))
        answer = (await api.http.post("/v1/models/rm/ask", json=classify("four"))).json()
        assert (answer["rows"], answer["tokens"], answer["weights"]) == ([[4.0]], 4, 0)
        assert problem(await api.http.post("/v1/models/rn/ask", json=classify("x")))[:2] == (404, "not_found")
        late = await api.http.post("/v1/models/rm/ask", json={**classify("y"), "min_weights": 1, "deadline_s": 0.05})
        assert problem(late)[:2] == (409, "conflict")
        for failure, status in ((ModelBusy("full"), 503), (Unaskable("no"), 422), (NotFinite("nan"), 500)):
            api.backend.failing = failure
            assert (await api.http.post("/v1/models/rm/ask", json=classify("z"))).status_code == status


async def test_a_model_is_loaded_before_it_is_asked(serve: Serve, tmp_path: Path) -> None:
    async with serve() as api:
        await api.http.post("/v1/models", json=model(tmp_path / "m"))
        assert (await api.http.post("/v1/models/rm/load")).json()["state"] == "ready"
        assert (await api.http.get("/v1/models/rm")).json()["state"] == "ready"
        api.backend.failing = ModelUnavailable("no such file")
        answer = await api.http.post("/v1/models/rm/load")
        assert problem(answer)[:2] == (503, "unavailable")
        assert "no such file" in answer.json()["detail"]


async def test_a_verifier_asks_the_model_that_its_parameters_name(serve: Serve, tmp_path: Path) -> None:
    async with serve() as api:
        unknown = await api.http.post("/v1/verify", json=verify())
        assert problem(unknown) == (422, "invalid_parameters", ["params.model"])
        await api.http.post("/v1/models", json=model(tmp_path / "m"))
        [verdict] = (await api.http.post("/v1/verify", json=verify())).json()["verdicts"]
        assert (verdict["outcome"], verdict["score"]) == ("scored", 4.0)
        both = {"model": "rm", "others": ["rm", "gone"]}
        several = await api.http.post("/v1/verify", json={**verify(), "params": both})
        assert problem(several) == (422, "invalid_parameters", ["params.others.1"])
        recipe = {"terms": [{"verifier": "judge", "params": {"model": "gone"}}], "invalid": 0.0}
        priced = await api.http.post("/v1/rewards", json={"recipe": recipe, "samples": []})
        assert problem(priced) == (422, "invalid_recipe", ["recipe.terms.0.params.model"])
        await api.http.delete("/v1/models/rm")
        assert problem(await api.http.post("/v1/verify", json=verify()))[:2] == (422, "invalid_parameters")


async def test_a_request_demands_weights(serve: Serve, tmp_path: Path) -> None:
    new = safetensors(tmp_path / "new.safetensors")
    async with serve() as api:
        await api.http.post("/v1/models", json=model(tmp_path / "m"))
        body = verify(min_weights={"rm": 1}, deadline_s=1.0)
        [behind] = (await api.http.post("/v1/verify", json=body)).json()["verdicts"]
        assert (behind["outcome"], behind["reason_code"]) == ("error", "weights_behind")
        waiting = asyncio.ensure_future(api.http.post("/v1/verify", json={**body, "deadline_s": 20}))
        await asyncio.sleep(0.05)
        await push(api, path=str(new))
        [verdict] = (await waiting).json()["verdicts"]
        assert verdict["score"] == 1004.0
        assert problem(await api.http.post("/v1/verify", json=verify(min_weights={"rm": -1})))[0] == 422


async def test_metrics_and_health_tell_of_models(serve: Serve, tmp_path: Path) -> None:
    async with serve() as api:
        await api.http.post("/v1/models", json=model(tmp_path / "m"))
        api.backend.failing = ModelUnavailable("gone")
        await api.http.post("/v1/verify", json=verify())
        shown = (await api.http.get("/metrics")).text
        assert 'trueward_model_failures{code="model_unavailable",model="rm"} 2.0' in shown
        assert 'trueward_model_answered{device="cpu"} 2.0' in shown
        checks = {one["name"]: one for one in (await api.http.get("/health/ready")).json()["checks"]}
        assert checks["models"] == {"name": "models", "ok": True, "detail": "1 registered, 0 loaded"}


async def push(api: Served, **body: object) -> httpx2.Response:
    return await api.http.post("/v1/models/rm/weights", json=body)


async def upload(api: Served, content: bytes, name: str = "rm") -> httpx2.Response:
    headers = {"content-type": "application/octet-stream"}
    return await api.http.post(f"/v1/models/{name}/weights", content=content, headers=headers)


def classify(text: str) -> dict[str, object]:
    return {"question": {"kind": "classify", "text": text}}


async def test_a_question_of_megabytes_is_refused_before_it_reaches_the_model(serve: Serve, tmp_path: Path) -> None:
    async with serve(max_characters=100) as api:
        await api.http.post("/v1/models", json=model(tmp_path / "m"))
        asked = {
            "/v1/models/rm/ask": {"question": {"kind": "classify", "text": "a" * 101}},
            "/classify": {"model": "rm", "input": ["a", "a" * 101]},
            "/predict": {"model": "rm", "inputs": [["a" * 50, "a" * 51]]},
        }
        for path, body in asked.items():
            answer = await api.http.post(path, json=body)
            assert answer.status_code in (400, 413), path
            assert "TRUEWARD_MAX_CHARACTERS" in answer.text
        assert api.backend.asked == []
