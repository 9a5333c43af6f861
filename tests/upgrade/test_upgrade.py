"""A data directory of an earlier release: what it held is there, what was under way goes on, what it answered holds.

``tests/upgrade/record.py`` filled a service of that release, which was then killed. Beside the dump of its database
stand the calls that it had answered. The folder is named for the day of its code; there was no tag then.
"""

from __future__ import annotations

import asyncio
import json
import lzma
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2
import pytest

from tests.databases import BOTH, fresh_name, on_server, postgres_url
from tests.live import serving

RELEASES = sorted(path for path in Path(__file__).parent.iterdir() if (path / "sqlite.sql.xz").exists())


@dataclass(frozen=True, slots=True)
class Upgraded:
    """The present service over the old data, and the calls that the old one had answered."""

    http: httpx2.Client
    calls: list[dict[str, Any]]

    def old(self, method: str, path: str) -> list[dict[str, Any]]:
        found = [call for call in self.calls if call["method"] == method and call["path"].partition("?")[0] == path]
        assert found, f"{method} {path} was recorded"
        return found

    def get(self, path: str) -> Any:
        answer = self.http.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json()


def text_of(release: Path, name: str) -> str:
    return lzma.decompress((release / f"{name}.xz").read_bytes()).decode()


@contextmanager
def restored(release: Path, database: str, data_dir: Path) -> Iterator[dict[str, str]]:
    """The settings of a service over the old data."""
    (data_dir / "secret").write_text((release / f"{database}.secret").read_text())
    (data_dir / "secret").chmod(0o600)
    schema = "" if database == "sqlite" else "public."
    # as if it had been killed a moment ago: what an Idempotency-Key fixed is kept for a day
    recent = f"\nUPDATE {schema}idempotency SET created_at = CURRENT_TIMESTAMP;\n"
    dump = text_of(release, f"{database}.sql") + recent
    if database == "sqlite":
        with closing(sqlite3.connect(data_dir / "trueward.db")) as connection:
            connection.executescript(dump)
        yield {}
        return
    name = fresh_name()
    url = postgres_url(name)
    asyncio.run(on_server(f'CREATE DATABASE "{name}"'))
    try:
        load = ["psql", "--quiet", "--set", "ON_ERROR_STOP=1", "--dbname", url]
        subprocess.run(load, input=dump, text=True, check=True, stdout=subprocess.DEVNULL)
        yield {"database_url": url}
    finally:
        asyncio.run(on_server(f'DROP DATABASE "{name}" WITH (FORCE)'))


@pytest.fixture(
    scope="module",
    params=[
        pytest.param((release, database.values[0]), marks=database.marks, id=f"{release.name}-{database.values[0]}")
        for release in RELEASES
        for database in BOTH
    ],
)
def upgraded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Upgraded]:
    release, database = request.param
    data_dir = tmp_path_factory.mktemp("upgraded")
    calls = [json.loads(line) for line in text_of(release, f"{database}.jsonl").splitlines()]
    with (
        restored(release, database, data_dir) as settings,
        serving(data_dir, **settings) as live,
        httpx2.Client(base_url=live.url, timeout=60.0, trust_env=False) as http,
    ):
        yield Upgraded(http, calls)


def lost(old: Any, new: Any, at: str = "") -> Iterator[str]:
    """Where an answer of now lacks what the old one had, or says something else. Lists of things with an id are
    compared by it, for there may be more by now."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key, value in old.items():
            if key not in new:
                yield f"{at}.{key} is gone"
            else:
                yield from lost(value, new[key], f"{at}.{key}")
    elif isinstance(old, list) and isinstance(new, list):
        keys = [
            key
            for key in ("record", "id", "name", "run", "version")
            if old and isinstance(old[0], dict) and key in old[0]
        ]
        if keys:
            there = {json.dumps(one[keys[0]]): one for one in new}
            for one in old:
                name = json.dumps(one[keys[0]])
                yield from lost(one, there.get(name, {}), f"{at}[{name}]")
        elif old != new:
            yield f"{at} was {old}, is {new}"
    elif old != new:
        yield f"{at} was {old!r:.200}, is {new!r:.200}"


def test_everything_that_was_read_is_read_as_it_was(upgraded: Upgraded) -> None:
    found = []
    for call in upgraded.calls:
        if call["method"] == "GET" and isinstance(call["answer"], dict):
            found += [f"{call['path']}: {what}" for what in lost(call["answer"], upgraded.get(call["path"]))]
    # a watch of now looks for more, and says so of the old records too, in its own words
    assert [what for what in found if "/watch: .findings" not in what and "/watch: .notes was" not in what] == []


def of_run(call: dict[str, Any], run: str) -> bool:
    return bool(call["path"] == "/v1/rewards" and call["body"].get("run") == run)


def said_of(answer: dict[str, Any]) -> list[tuple[Any, ...]]:
    """What each verdict or reward of an answer says, without ids, times and producers."""
    found = answer.get("verdicts") or answer["rewards"]
    return [(one["id"], one["outcome"], one.get("score"), one.get("reward")) for one in found]


@pytest.mark.parametrize("path", ["/v1/verify", "/v1/rewards"])
def test_the_calls_of_then_are_answered_as_then(upgraded: Upgraded, path: str) -> None:
    for call in upgraded.old("POST", path):
        body = call["body"] | {"run": f"new/{call['body'].get('run', 'none')}"}
        again = upgraded.http.post(path, json=body)
        assert again.status_code == 200, again.text
        assert said_of(again.json()) == said_of(call["answer"])


@pytest.mark.parametrize("path", ["/t/math/openrlhf", "/t/math/slime"])
def test_trainers_hear_what_they_heard(upgraded: Upgraded, path: str) -> None:
    for call in upgraded.old("POST", path):
        again = upgraded.http.post(path, json=call["body"])
        assert (again.status_code, again.json()) == (call["status"], call["answer"])


def test_a_request_that_comes_again_with_its_key_gets_the_answer_of_then(upgraded: Upgraded) -> None:
    [call] = [call for call in upgraded.old("POST", "/v1/rewards") if call["headers"]]
    again = upgraded.http.post(call["path"], json=call["body"], headers=call["headers"])
    assert [one["record"] for one in again.json()["rewards"]] == [one["record"] for one in call["answer"]["rewards"]]


def test_a_job_that_was_under_way_ends_with_each_sample_judged_once(upgraded: Upgraded) -> None:
    submitted = upgraded.old("POST", "/v1/jobs")[-1]
    assert submitted["body"]["run"] == "old/in-flight"
    job = submitted["answer"]["id"]
    for _ in range(600):
        if (state := upgraded.get(f"/v1/jobs/{job}")["state"]) in ("completed", "failed", "cancelled"):
            break
        time.sleep(0.1)
    assert state == "completed"
    lines = [json.loads(line) for line in upgraded.http.get(f"/v1/jobs/{job}/results").text.splitlines()]
    assert sorted(line["id"] for line in lines) == sorted(sample["id"] for sample in submitted["body"]["samples"])
    assert {line["outcome"] for line in lines} == {"correct"}


def test_every_reward_of_then_is_replayed_to_the_bit(upgraded: Upgraded) -> None:
    for run in ("old/run", "old/noisy", "old/repeated"):
        answer = upgraded.http.post(f"/v1/runs/{quote(run, safe='')}/replay", json={})
        assert answer.status_code == 200, answer.text
        lines = [json.loads(line) for line in answer.text.splitlines()]
        report = lines[-1]["report"]
        assert (report["differ"], report["unknown"]) == (0, 0)
        assert report["rewards"] >= sum(len(call["answer"]["rewards"]) for call in upgraded.calls if of_run(call, run))


def test_a_run_goes_on_with_the_recipe_that_it_pinned(upgraded: Upgraded) -> None:
    *_, last = [call for call in upgraded.old("POST", "/v1/rewards") if of_run(call, "old/run")]
    body = last["body"] | {"step": last["body"]["step"] + 1}
    answer = upgraded.http.post("/v1/rewards", json=body).json()
    assert answer["recipe"] == last["answer"]["recipe"]
    assert said_of(answer) == said_of(last["answer"])


def test_the_queue_of_labels_goes_on_where_the_annotator_was(upgraded: Upgraded) -> None:
    draw = upgraded.old("POST", "/v1/labels/draws")[0]["answer"]["id"]
    held = upgraded.old("POST", f"/v1/labels/draws/{draw}/next")[-1]["answer"]
    item = upgraded.http.post(f"/v1/labels/draws/{draw}/next", json={"annotator": "ann"}).json()
    # the hold has run out meanwhile, so any open item may come; none that ann has labelled
    labelled = {call["path"].rpartition("/")[2] for call in upgraded.calls if f"{draw}/items/" in call["path"]}
    assert str(item["position"]) not in labelled
    assert item["draw"] == held["draw"]
    given = upgraded.http.post(
        f"/v1/labels/draws/{draw}/items/{item['position']}", json={"annotator": "ann", "right": True}
    )
    assert given.status_code == 200, given.text


def test_audits_of_then_can_be_looked_at_gated_and_corrected_with(upgraded: Upgraded) -> None:
    started = {call["body"]["audit"]["kind"]: call["answer"]["id"] for call in upgraded.old("POST", "/v1/audits")}
    for audit in started.values():
        for path in (f"/v1/audits/{audit}", f"/v1/audits/{audit}/report", f"/ui/audits/{audit}"):
            answer = upgraded.http.get(path, headers={"accept": "text/html"}, follow_redirects=True)
            assert answer.status_code == 200, f"{path}: {answer.text[:500]}"
    gate = upgraded.get(f"/v1/audits/{started['labelled']}/check?max_fnr=0.9")
    assert gate["passed"] in (True, False)


def test_pages_show_the_records_of_then(upgraded: Upgraded) -> None:
    record = upgraded.old("POST", "/v1/rewards")[0]["answer"]["rewards"][0]["record"]
    for path in (
        "/ui/runs",
        "/ui/runs/old%2Frun",
        "/ui/ledger?run=old%2Fverify",
        f"/ui/ledger/{record}",
        "/ui/recipes/halves",
    ):
        answer = upgraded.http.get(path, headers={"accept": "text/html"})
        assert answer.status_code == 200, f"{path}: {answer.text[:500]}"
        assert "halves" in answer.text or "old/" in answer.text


def test_the_key_of_then_opens_what_it_opened(tmp_path: Path) -> None:
    release = RELEASES[0]
    calls = [json.loads(line) for line in text_of(release, "sqlite.jsonl").splitlines()]
    [key] = [call["answer"]["key"] for call in calls if (call["method"], call["path"]) == ("POST", "/v1/keys")]
    body = {"verifier": "exact", "samples": [{"response": "1", "reference": "1"}]}
    with (
        restored(release, "sqlite", tmp_path) as settings,
        serving(tmp_path, auth="keys", **settings) as live,
        httpx2.Client(base_url=live.url, timeout=60.0, trust_env=False) as http,
    ):
        assert http.post("/v1/verify", json=body).status_code == 401
        http.headers["Authorization"] = f"Bearer {key}"
        assert http.post("/v1/verify", json=body).status_code == 200
        assert http.get("/v1/keys").status_code == 403
