"""Uploads through the service: all or nothing, nothing twice, and what is wrong is named by its place."""

from __future__ import annotations

import json
import uuid
from typing import Any

import httpx2
import pytest

from app.settings import Settings
from tests.app.conftest import Api

LIMIT = int(Settings.model_fields["max_body_bytes"].default)


def verdicts(api: Api, count: int = 3) -> list[dict[str, Any]]:
    """Recorded verdicts on responses that nobody else has."""
    samples = [{"prompt": uuid.uuid4().hex, "response": "=2+2", "reference": "2"} for _ in range(count)]
    answer = api.post("/v1/verify", {"verifier": "exact", "samples": samples})
    return [api.get(f"/v1/verdicts/{one['record']}").json() for one in answer.json()["verdicts"]]


def store(api: Api, *labels: dict[str, Any]) -> httpx2.Response:
    return api.post("/v1/labels", {"labels": list(labels)})


def labels_of(api: Api, sample: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = api.get(f"/v1/labels?sample={sample}").json()["labels"]
    return found


def test_labels_of_records_and_samples_are_stored_and_listed(api: Api) -> None:
    one, other, _ = verdicts(api)
    answer = store(
        api,
        {"record": one["record"], "right": False, "annotator": "ann", "probability": 0.5, "note": "no"},
        {"sample": other["sample"], "right": True, "score": 1, "source": "oracle"},
        {"sample": one["sample"], "right": True, "annotator": "bob"},
    )
    assert (answer.status_code, answer.json()) == (200, {"stored": 3, "known": 0, "changed": 0})
    assert [label["annotator"] for label in labels_of(api, one["sample"])] == ["bob", "ann"]
    stored = labels_of(api, one["sample"])[1]
    assert (stored["right"], stored["probability"], stored["after_reveal"]) == (False, 0.5, False)
    by_record = api.get(f"/v1/labels?record={one['record']}&annotator=bob").json()["labels"]
    assert [label["record"] for label in by_record] == [None]
    assert labels_of(api, other["sample"])[0]["score"] == 1.0


def test_the_very_same_label_is_stored_once(api: Api) -> None:
    (one,) = verdicts(api, 1)
    label = {"record": one["record"], "right": True, "annotator": "ann"}
    assert store(api, label).json()["stored"] == 1
    assert store(api, {**label, "note": "again"}).json() == {"stored": 0, "known": 1, "changed": 0}
    assert store(api, {**label, "right": False}).json() == {"stored": 1, "known": 0, "changed": 1}
    assert store(api, {**label, "source": "oracle"}).json()["stored"] == 1
    assert len(labels_of(api, one["sample"])) == 3


def test_nothing_is_stored_where_anything_is_wrong_and_the_places_are_named(api: Api) -> None:
    one, other, third = verdicts(api)
    refusal = store(
        api,
        {"record": one["record"], "right": True, "annotator": "ann"},
        {"record": "nobody", "right": True},
        {"sample": "", "right": True},
        {"sample": one["sample"], "right": False, "annotator": "ann"},
        {"record": other["record"], "right": False},
        {"sample": other["sample"], "right": False},
        {"record": third["record"], "right": None},
        {"record": third["record"], "right": None, "annotator": "ann"},
    )
    assert refusal.status_code == 422
    assert [(problem["field"], problem["code"]) for problem in refusal.json()["errors"]] == [
        ("labels.1", "unknown_record"),
        ("labels.2", "unknown_sample"),
        ("labels.3", "contradiction"),
    ]
    assert "Nothing was stored" in refusal.json()["detail"]
    assert labels_of(api, one["sample"]) == []


def test_what_people_write_instead_is_told_what_is_meant(api: Api) -> None:
    (one,) = verdicts(api, 1)
    sample = {"id": "q1", "prompt": "2 + 2?", "response": "4", "reference": "4", "right": True}
    wrong = [{"record": one["record"], "right": "yes"}, {"id": "q1", "right": True}, {"right": True}, sample]
    refusal = api.http.post("/v1/labels/import", content="\n".join(map(json.dumps, wrong)).encode())
    said = [problem["detail"] for problem in refusal.json()["errors"]]
    assert said[0] == "right is true, false, or null where it cannot be told"
    assert said[1].startswith("an id is that of an exported label; leave it out, and name the record")
    assert said[2] == "a label names a record or a sample, exactly one of them"
    assert said[3].startswith("this is a sample, not a label: have the service judge the samples first")


def test_what_is_said_of_one_item_by_two_names_is_stored_once(api: Api) -> None:
    one, *_ = verdicts(api)
    label = {"right": True, "annotator": "ann"}
    answer = store(api, {"record": one["record"], **label}, {"sample": one["sample"], **label})
    assert answer.json() == {"stored": 1, "known": 1, "changed": 0}
    assert [found["record"] for found in labels_of(api, one["sample"])] == [one["record"]]


def test_only_the_first_twenty_are_named(api: Api) -> None:
    refusal = store(api, *({"record": f"r{number}", "right": True} for number in range(50)))
    assert len(refusal.json()["errors"]) == 20
    told = refusal.json()["detail"]
    assert "50 labels are wrong: labels.0: the ledger has no record 'r0'; " in told
    assert told.endswith(" and 47 more, see errors. Nothing was stored.")
    assert store(api).json() == {"stored": 0, "known": 0, "changed": 0}


@pytest.mark.parametrize("form", ["jsonl", "csv", "label_studio"])
def test_an_export_imports_to_the_same_labels(api: Api, form: str) -> None:
    one, other, _ = verdicts(api)
    source = uuid.uuid4().hex
    notes = ["=cmd|' /C calc'!A0", "two\nlines", ""]
    for number, note in enumerate(notes):
        label = {"record": one["record"], "right": bool(number % 2), "source": source, "note": note}
        store(api, {**label, "annotator": f"a{number}", "reference": {"x": [number]}})
    store(api, {"sample": other["sample"], "right": None, "source": source, "score": -0.5})
    asked = f"/v1/labels/export?source={source}&format={form}"
    exported = api.http.get(asked)
    assert exported.status_code == 200
    answer = api.http.post(f"/v1/labels/import?format={form}", content=exported.content)
    assert answer.json() == {"stored": 0, "known": 4, "changed": 0}
    assert api.http.get(asked).content == exported.content


def test_an_export_restores_labels_where_they_are_not(api: Api) -> None:
    """As in another database that has the same samples: ids, times and second thoughts stay what they were."""
    (one,) = verdicts(api, 1)
    line = {
        "id": "01M7ZQGR5F8CDBBH21DHZ6XC80",
        "sample": one["sample"],
        "record": one["record"],
        "right": True,
        "annotator": "ann",
        "draw": "elsewhere",
        "position": 3,
        "probability": 0.25,
        "created_at": "2026-01-01T00:00:00Z",
    }
    later = {**line, "id": "01M7ZQGR5F8CDBBH21DHZ6XC81", "right": False, "after_reveal": True}
    body = f"{json.dumps(line)}\n{json.dumps(later)}\n".encode()
    assert api.http.post("/v1/labels/import", content=body).json() == {"stored": 2, "known": 0, "changed": 0}
    assert api.http.post("/v1/labels/import", content=body).json() == {"stored": 0, "known": 2, "changed": 0}
    stored = labels_of(api, one["sample"])
    assert {(label["id"], label["after_reveal"]) for label in stored} == {(line["id"], False), (later["id"], True)}
    assert stored[0]["created_at"].startswith("2026-01-01T00:00:00")
    taken = api.http.post("/v1/labels/import", content=json.dumps({**line, "right": False}).encode())
    assert [problem["code"] for problem in taken.json()["errors"]] == ["taken_id"]
    twice = api.http.post("/v1/labels/import", content=(json.dumps(line) + "\n").encode() * 2)
    assert [(problem["field"], problem["code"]) for problem in twice.json()["errors"]] == [("line 2", "duplicate_id")]


def test_a_file_names_its_lines(api: Api) -> None:
    (one,) = verdicts(api, 1)
    body = f'{{"sample": "{one["sample"]}", "right": true}}\n\nnot json\n{{"sample": "x", "right": true}}\n'
    refusal = api.http.post("/v1/labels/import", content=body.encode())
    assert [(problem["field"], problem["line"]) for problem in refusal.json()["errors"]] == [
        ("line 3", 3),
        ("line 4", 4),
    ]
    assert labels_of(api, one["sample"]) == []


def test_a_file_that_is_too_large_is_told_to_come_in_parts(api: Api) -> None:
    refusal = api.http.post("/v1/labels/import", content=b"\n" * (LIMIT + 1))
    assert (refusal.status_code, refusal.json()["code"]) == (413, "too_large")
    assert "in parts" in refusal.json()["detail"]


@pytest.mark.parametrize(
    "path", ["/v1/labels?record=nobody", "/v1/labels/draws/none", "/v1/labels/agreement?draw=none"]
)
def test_what_is_not_there_is_not_found(api: Api, path: str) -> None:
    assert api.get(path).status_code == 404


def test_pages_follow_each_other(api: Api) -> None:
    (one,) = verdicts(api, 1)
    store(api, *({"record": one["record"], "right": True, "annotator": f"a{number}"} for number in range(5)))
    asked = f"/v1/labels?sample={one['sample']}&limit=3"
    first = api.get(asked).json()
    second = api.get(f"{asked}&after={first['next']}").json()
    assert [label["annotator"] for label in first["labels"] + second["labels"]] == ["a4", "a3", "a2", "a1", "a0"]
    assert second["next"] is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"population": {"first_step": 2**70}},
        {"population": {"since": "0001-01-01T00:00:00+05:00"}},
        {"population": {"run": "\x00'; DROP TABLE labels; --"}},
        {"seed": 10**100, "limit": 10**30},
        {"queries": [{"query": "near_threshold", "threshold": 10**400, "margin": 1, "probability": 1}]},
        {"hold_s": 1e308},
        {"subject": {"verifier": "math", "params": {"nonsense": 1}}},
        {"subject": {"recipe": {"terms": "nonsense"}}},
    ],
)
def test_a_hostile_draw_is_no_crash(api: Api, wrong: dict[str, Any]) -> None:
    verdicts(api, 1)
    answer = api.post("/v1/labels/draws", {"subject": {"verifier": "exact"}, "rest": 1, **wrong})
    assert answer.status_code in (201, 422), answer.text


def test_items_are_asked_for_by_whatever_names_their_draw(api: Api) -> None:
    verdicts(api, 3)
    made = api.post("/v1/labels/draws", {"subject": {"verifier": "exact"}, "rest": 1, "name": "monday"}).json()
    for said in ("latest", "monday", made["id"][:20], made["id"]):
        item = api.post(f"/v1/labels/draws/{said}/next", {"annotator": "ann"}).json()
        assert item["draw"] == made["id"]
        back = api.post(f"/v1/labels/draws/{said}/items/{item['position']}/release", {"annotator": "ann"})
        assert back.status_code == 200
    item = api.post("/v1/labels/draws/latest/next", {"annotator": "ann"}).json()
    label = api.post(f"/v1/labels/draws/latest/items/{item['position']}", {"annotator": "ann", "right": True})
    assert label.status_code == 200, label.text
    assert api.post("/v1/labels/draws/none/next", {"annotator": "ann"}).status_code == 404


@pytest.mark.parametrize("position", ["-1", str(2**40), "one"])
def test_a_position_that_cannot_be_is_refused(api: Api, position: str) -> None:
    assert api.post(f"/v1/labels/draws/d/items/{position}/skip", {"annotator": "ann"}).status_code == 422
