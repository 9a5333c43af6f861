"""Suspected references, corrected ones as versions, and what flips under them, on both databases and the service."""

from __future__ import annotations

import pytest

from app.kit.db import Database
from app.references.suspects import suspects
from tests.app.conftest import Api
from tests.app.rewards.asking import Json, fresh
from tests.app.watch.recording import entry, record


async def test_a_prompt_whose_answers_agree_against_its_reference_is_suspect(db: Database) -> None:
    """Three of four parsed answers are 12, which the reference 13 rejects and the second verifier accepts."""
    given = [("12", "incorrect"), ("12", "incorrect"), ("12", "incorrect"), ("9", "incorrect"), (None, "invalid")]
    rows = [
        entry("6+6?", f"{place}: {answer}", outcome, extracted=answer, reference="13", data_source="a")
        for place, (answer, outcome) in enumerate(given)
    ]
    fine = [entry("2+2?", f"{place}", "correct", extracted="4", data_source="a") for place in range(4)]
    other = [entry("1+1?", "one", "incorrect", extracted="3", data_source="b") for _ in range(1)]
    await record(db, "r", [[*rows, *fine, *other]])
    second = [
        entry("6+6?", f"{place}: {answer}", "correct", verifier="qa", reference="13", data_source="a")
        for place, (answer, _) in enumerate(given)
        if answer == "12"
    ]
    await record(db, "elsewhere", [second])
    report = await suspects(db, "r", "math", "qa")
    [found] = report.suspects
    assert (found.answer, found.share, found.answers, found.reference) == ("12", 0.75, 4, "13")
    assert found.record in {one.verdicts[0].record for one in rows[:3]}
    assert [(one.data_source, one.prompts, one.suspects, one.share) for one in report.sources] == [
        ("a", 2, 1, 0.5),
        ("b", 0, 0, None),
    ]
    assert (await suspects(db, "r", "math", "qa", agree=0.8)).suspects == []
    assert (await suspects(db, "r", "math", "exact")).suspects == []
    nobody = await suspects(db, "nobody", "math", "qa")
    assert (nobody.records, nobody.notes) == (0, ["the ledger has no verdict of 'math' in run 'nobody'"])


async def test_an_empty_list_says_where_nothing_could_be_suspected(db: Database) -> None:
    math, numeric, judge = (
        [entry("p", f"{place}", outcome, verifier=verifier, extracted="2", reference="1") for place in range(4)]
        for verifier, outcome in (("math", "incorrect"), ("numeric", "incorrect"), ("judge", "correct"))
    )
    await record(db, "r", [[*math, *numeric, *judge[:1]]])
    [unknown] = (never := await suspects(db, "r", "math", "nope")).notes
    assert (never.responses, never.seconded) == (4, 0)
    assert "judged none of these 4 responses" in unknown
    [same] = (await suspects(db, "r", "math", "numeric")).notes
    assert "accepts none" in same
    assert "judge" in same
    [some] = (await suspects(db, "r", "math", "judge")).notes
    assert "judged 1 of 4 responses" in some


async def test_a_missing_verdict_of_the_second_verifier_is_no_acceptance(db: Database) -> None:
    rows = [entry("p", f"{place}", "incorrect", extracted="12", reference="13") for place in range(4)]
    await record(db, "r", [rows])
    await record(
        db, "s", [[entry("p", f"{place}", "timeout", verifier="qa", code="t", reference="13") for place in range(4)]]
    )
    assert (await suspects(db, "r", "math", "qa")).suspects == []


def _verified(api: Api, run: str, prompt: str, responses: list[str], reference: object = "13") -> list[Json]:
    samples = [{"prompt": prompt, "response": one, "reference": reference} for one in responses]
    answer = api.post("/v1/verify", {"verifier": "math", "run": run, "samples": samples})
    assert answer.status_code == 200, answer.text
    found: list[Json] = answer.json()["verdicts"]
    return found


def _correct(api: Api, reference: object, **named: str) -> Json:
    body = {"reference": reference, "reason": "6 + 6 is 12", "annotator": "me", **named}
    answer = api.http.put("/v1/references", json=body)
    assert answer.status_code == 200, answer.text
    found: Json = answer.json()
    return found


def test_a_correction_is_a_version_and_reverifies_the_stored_samples(api: Api) -> None:
    run, prompt = fresh(), f'6+6? {fresh()} "quoted" \u00fc'
    verdicts = _verified(api, run, prompt, ["\\boxed{12}", "it is \\boxed{12}", "\\boxed{13}", "\\boxed{9}", "none"])
    _verified(api, run, prompt, ["\\boxed{99}"], reference="98")
    first = _correct(api, "11", record=verdicts[0]["record"])
    second = _correct(api, "12", prompt=first["prompt"])
    assert (first["version"], second["version"], second["was"]) == (1, 2, "13")
    listed = api.get(f"/v1/references?prompt={first['prompt']}").json()["references"]
    assert [one["id"] for one in listed] == [second["id"], first["id"]]
    said = api.post(f"/v1/references/{second['id']}/reverify", {}).json()
    counts = {name: said[name] for name in ("samples", "now_accepted", "now_rejected", "same", "without_verdict")}
    assert counts == {"samples": 5, "now_accepted": 2, "now_rejected": 1, "same": 2, "without_verdict": 0}
    assert (said["subject"], said["left_out"]) == ("math", 0)
    stored = api.get(f"/v1/verdicts?run={said['run']}").json()["verdicts"]
    assert len(stored) == 5
    again = _verified(api, run, prompt, ["\\boxed{12} again"])
    assert again[0]["outcome"] == "incorrect", "a corrected reference is never applied to what comes in"


def test_another_subject_judges_where_it_is_named(api: Api) -> None:
    verdicts = _verified(api, fresh(), fresh(), ["\\boxed{12}"])
    reference = _correct(api, "12", record=verdicts[0]["record"])
    path = f"/v1/references/{reference['id']}/reverify"
    said = api.post(path, {"subject": {"verifier": "numeric"}}).json()
    assert (said["samples"], said["without_verdict"]) == (1, 1)
    assert api.post(path, {"subject": {"verifier": "nobody"}}).json()["code"] == "unknown_verifier"
    assert api.post("/v1/references/none/reverify", {}).status_code == 404


@pytest.mark.parametrize(
    ("named", "status"),
    [
        ({"record": "none"}, 404),
        ({"sample": "none"}, 404),
        ({"prompt": "prompt:none"}, 404),
        ({}, 422),
        ({"record": "a", "sample": "b"}, 422),
        ({"record": "a", "reference": None}, 422),
        ({"record": "a", "reason": ""}, 422),
    ],
)
def test_a_wrong_correction_is_refused(api: Api, named: Json, status: int) -> None:
    body = {"reference": "12", "reason": "r", "annotator": "me", **named}
    assert api.http.put("/v1/references", json=body).status_code == status


def test_a_sample_without_a_prompt_cannot_be_corrected(api: Api) -> None:
    answer = api.post("/v1/verify", {"verifier": "math", "samples": [{"response": "\\boxed{1}", "reference": "2"}]})
    [verdict] = answer.json()["verdicts"]
    body = {"record": verdict["record"], "reference": "1", "reason": "r", "annotator": "me"}
    assert api.http.put("/v1/references", json=body).status_code == 422
