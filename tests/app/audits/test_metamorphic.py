"""Metamorphic audits of the real verifiers, through a live service."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.app.conftest import Api

ADD = "```python\ndef add(a, b):\n    return a + b\n```"


def carried_out(api: Api, audit: dict[str, Any]) -> dict[str, Any]:
    started = api.post("/v1/audits", {"audit": {"kind": "metamorphic", **audit}})
    assert started.status_code == 202, started.text
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found: dict[str, Any] = api.get(f"/v1/audits/{started.json()['id']}").json()
        if found["state"] in ("completed", "failed"):
            return found
        time.sleep(0.1)
    raise AssertionError("the audit does not end")


@pytest.mark.parametrize(
    ("subject", "references", "least"),
    [
        (
            {"verifier": "math"},
            ["1234", "0.125", "5/6", r"2\sqrt{3}", "x^2 - 3x + 2", r"\{1, 2\}", "[0, 1)", "5 km"],
            120,
        ),
        ({"verifier": "numeric"}, ["1234", "-0.125", "5/8"], 40),
        ({"recipe": {"terms": ["math", "format"]}}, ["1234", r"\frac{3\pi}{4}"], 30),
    ],
)
def test_the_real_ones_keep_and_break_as_they_should(
    api: Api, subject: dict[str, Any], references: list[str], least: int
) -> None:
    samples = [{"prompt": reference, "reference": reference} for reference in references]
    audit = carried_out(api, {"subject": subject, "given": {"samples": samples}})
    assert audit["state"] == "completed", audit["failure"]
    assert audit["report"]["findings"]["worst"] == []
    assert audit["report"]["findings"]["tried"] >= least
    assert audit["report"]["findings"]["no_verdict"] == 0
    assert audit["done"] == audit["total"]


def test_programs_in_a_sandbox(api: Api) -> None:
    tests = {"assertions": ["assert add(1, 2) == 3", "assert add(0, 5) == 5"]}
    given = {"samples": [{"response": ADD, "reference": tests}]}
    audit = carried_out(api, {"subject": {"verifier": "code"}, "given": given})
    assert audit["state"] == "completed", audit["failure"]
    found = audit["report"]["findings"]
    assert (found["worst"], found["survivors"], found["left_out"]) == ([], [], 0)
    assert {each["kind"] for each in found["transformations"]} == {"keeps", "breaks"}


def test_an_unknown_name_fails_the_audit_with_the_list(api: Api) -> None:
    audit = carried_out(
        api,
        {
            "subject": {"verifier": "math"},
            "given": {"samples": [{"reference": "5"}]},
            "transformations": ["turn_around"],
        },
    )
    assert audit["state"] == "failed"
    assert "turn_around" in audit["failure"]
    assert "digit_changed" in audit["failure"]
