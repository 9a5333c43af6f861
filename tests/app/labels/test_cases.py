"""A label becomes a line that the suite of contract cases takes as it is."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import pytest

from tests.app.conftest import Api
from trueward import Sample
from verifiers import registry


def labelled(api: Api, response: str, right: bool | None, **label: Any) -> str:
    """The id of a new label of math's verdict on a response whose reference is 5."""
    sample = {"prompt": uuid.uuid4().hex, "response": response, "reference": "5", "id": "x", "group": "g"}
    asked = {"verifier": "math", "params": {"extract": "boxed"}, "samples": [sample]}
    record = api.post("/v1/verify", asked).json()["verdicts"][0]["record"]
    api.post("/v1/labels", {"labels": [{"record": record, "right": right, **label}]})
    found: str = api.get(f"/v1/labels?record={record}").json()["labels"][0]["id"]
    return found


def case_of(api: Api, label: str, **asked: Any) -> dict[str, Any]:
    answer = api.post(f"/v1/labels/{label}/case", asked)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    assert "\n" not in found["line"]
    assert (Path(__file__).parents[3] / found["file"]).is_file()
    return {**json.loads(found["line"]), "verifier": found["verifier"]}


def outcome(case: dict[str, Any]) -> str:
    """What the verifier says of it today, as the suite asks it."""
    verifier = registry.create(case["verifier"], case["params"])
    verdict, *_ = verifier.verify([Sample.model_validate(case["sample"])])
    return verdict.outcome.value


@pytest.mark.parametrize(
    ("response", "right", "expected"),
    [("\\boxed{5}", True, "correct"), ("\\boxed{6}", False, "incorrect"), ("I give up", False, "invalid")],
)
def test_where_the_verifier_was_right_the_case_passes(api: Api, response: str, right: bool, expected: str) -> None:
    case = case_of(api, labelled(api, response, right))
    assert (case["outcome"], outcome(case)) == (expected, expected)
    assert case["params"] == {"extract": "boxed"}
    assert set(case["sample"]) == {"prompt", "response", "reference"}


def test_where_it_was_wrong_the_case_fails_until_it_is_mended(api: Api) -> None:
    case = case_of(api, labelled(api, "\\boxed{V}", True, note="a Roman number"))
    assert (case["outcome"], case["note"]) == ("correct", "a Roman number")
    assert outcome(case) != "correct"


def test_a_corrected_reference_is_the_cases(api: Api) -> None:
    case = case_of(api, labelled(api, "\\boxed{6}", True, reference="6"))
    assert (case["sample"]["reference"], case["outcome"], outcome(case)) == ("6", "correct", "correct")


def test_a_case_may_be_for_another_verifier(api: Api) -> None:
    case = case_of(api, labelled(api, "\\boxed{5}", True), verifier="exact")
    assert (case["verifier"], case["params"], case["outcome"]) == ("exact", {}, "correct")


def test_what_makes_no_case_says_why(api: Api) -> None:
    cannot_tell = api.post(f"/v1/labels/{labelled(api, 'x', None)}/case", {})
    assert (cannot_tell.status_code, "cannot tell" in cannot_tell.json()["detail"]) == (422, True)
    label = labelled(api, "\\boxed{5}", True)
    unknown = api.post(f"/v1/labels/{label}/case", {"verifier": "maths"})
    assert (unknown.status_code, unknown.json()["code"]) == (422, "unknown_verifier")
    assert api.post("/v1/labels/nothing/case", {}).status_code == 404
    sample = api.get("/v1/labels?limit=1").json()["labels"][0]["sample"]
    api.post("/v1/labels", {"labels": [{"sample": sample, "right": True, "annotator": "of no record"}]})
    of_sample = api.get(f"/v1/labels?sample={sample}&annotator=of no record").json()["labels"][0]["id"]
    nameless = api.post(f"/v1/labels/{of_sample}/case", {})
    assert (nameless.status_code, nameless.json()["errors"][0]["field"]) == (422, "verifier")
