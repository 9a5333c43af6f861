"""From a run that somebody suspects to a corrected recipe by three forms of the pages, and no id copied by hand."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from html import unescape
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from app.pages.paths import run_path
from tests.pages.audited import audited, plant
from tests.pages.labeller import Labeller, written
from tests.pages.markup import Elements

COUNT = 128
ACCEPTED_WRONGLY = frozenset(range(0, COUNT, 32))
REJECTED_WRONGLY = frozenset(range(1, COUNT, 32))


@pytest.fixture
def run(site: str) -> str:
    """Priced by the recipe ``exact``, which is wrong in every sixteenth of them, half of these times in either way.

    So few that whatever half is drawn the audit knows the verifier to be better than a coin, and corrects with it.
    """
    run = f"suspected/{uuid4().hex[:8]}?"
    samples = [{"id": str(n), "prompt": f"{n}? {uuid4().hex}", **_answered(n)} for n in range(COUNT)]
    body = {"recipe": "exact", "run": run, "samples": samples}
    httpx2.post(f"{site}/v1/rewards", json=body, timeout=60.0).raise_for_status()
    return run


def _answered(n: int) -> dict[str, str]:
    if n in REJECTED_WRONGLY:
        return {"response": f"{n}.0", "reference": f"{n}"}
    right = n in ACCEPTED_WRONGLY or n % 2
    return {"response": f"{n}", "reference": f"{n}" if right else f"{n + 1}"}


@pytest.fixture
def ann(site: str) -> Iterator[Labeller]:
    with Labeller.named(site, "ann") as ann:
        yield ann


def form(page: str, action: str) -> tuple[str, dict[str, str]]:
    """The form with such an action, as a browser sends it when nothing in it is touched."""
    [(target, inside)] = re.findall(rf'<form[^>]* action="({action})"[^>]*>(.*?)</form>', page, re.DOTALL)
    fields, chosen = {}, ""
    for tag, attributes in Elements(inside).tags:
        value = attributes.get("value") or ""
        if tag == "input":
            fields[attributes.get("name") or ""] = value
        elif tag == "select":
            chosen = attributes.get("name") or ""
        elif tag == "option":
            fields.setdefault(chosen, value)
    return unescape(target), fields


def click(ann: Labeller, address: str, action: str) -> str:
    """Sends the form of a page, and gives the address that it leads to."""
    page = ann.http.get(address)
    assert page.status_code == 200, page.text
    target, fields = form(page.text, action)
    sent = ann.http.post(target, data=fields)
    assert sent.status_code == 303, sent.text
    return str(sent.headers["location"])


def label_all(ann: Labeller, draw: str) -> int:
    """Labels every item by what it says, as somebody does who knows the truth."""
    count = 0
    while (address := ann.next(draw)) != f"/ui/labels/{draw}?waiting=true":
        item = ann.look(address)
        n = int(written(item, "prompt").partition("?")[0])
        right = (n % 2 == 1 or n in REJECTED_WRONGLY) and n not in ACCEPTED_WRONGLY
        ann.label(address, "right" if right else "wrong")
        count += 1
    return count


def ended(ann: Labeller, address: str) -> dict[str, Any]:
    deadline = time.monotonic() + 60
    while (view := ann.look(address))["state"] in ("waiting", "running"):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return view


def test_three_clicks_lead_from_a_run_to_a_corrected_recipe(site: str, run: str, ann: Labeller) -> None:
    desk = click(ann, run_path(run), "/ui/labels/run")
    draw = desk.removeprefix("/ui/labels/")
    assert label_all(ann, draw) >= COUNT / 2
    audit = click(ann, desk, "/ui/labels/[^/]+/audit")
    assert ended(ann, audit)["state"] == "completed"
    recipe = click(ann, audit, "/ui/audits/[^/]+/correct")
    assert recipe == "/ui/recipes/exact-corrected"
    stored = httpx2.get(f"{site}/v1/recipes/exact-corrected", timeout=60.0).json()
    noise = [term["noise"] for term in stored["recipe"]["terms"]]
    assert [one["audit"] for one in noise] == [audit.removeprefix("/ui/audits/")]
    rates = httpx2.get(f"{site}/v1/{audit.removeprefix('/ui/')}", timeout=60.0).json()["report"]["rates"]["pooled"]
    falsely, missed = rates["false_positive"], rates["false_negative"]
    # half of the responses are drawn, so now and then none of the four that were wrong in one way
    assert 0 <= falsely < 0.4
    assert 0 <= missed < 0.4
    body = {"recipe": "exact-corrected", "samples": [{"response": "1", "reference": said} for said in ("1", "2")]}
    rewards = httpx2.post(f"{site}/v1/rewards", json=body, timeout=60.0).json()["rewards"]
    assert [one["reward"] for one in rewards] == pytest.approx(  # of a verdict r: (r - fp) / (1 - fp - fn)
        [(1 - falsely) / (1 - falsely - missed), -falsely / (1 - falsely - missed)]
    )


def test_a_run_whose_verifier_has_said_nothing_is_refused_beside_a_plan(ann: Labeller, run: str) -> None:
    sent = ann.send("/ui/labels/run", run="nobody's", verifier="exact")
    assert sent.status_code == 422
    assert "none in this population" in sent.text
    assert form(sent.text, "/ui/labels/new")[0] == "/ui/labels/new"


def test_a_recipe_without_the_audited_verifier_is_refused_with_the_audit(site: str, ann: Labeller) -> None:
    with httpx2.Client(base_url=site, timeout=60.0, trust_env=False) as http:
        planted = plant(http, f"planted {uuid4().hex[:8]}")
        spec = {"kind": "labelled", "subject": {"verifier": "exact"}, "population": {"run": planted.run}}
        audit = audited(http, spec)["id"]
    assert form(ann.http.get(f"/ui/audits/{audit}").text, "/ui/audits/[^/]+/correct")[1]["recipe"] == "exact"
    sent = ann.send(f"/ui/audits/{audit}/correct", recipe="math")
    assert sent.status_code == 422
    assert "measured rates of math" in sent.text
    assert "How often it is wrong" in sent.text
