"""Every endpoint that takes the one path waits for its turn, and leaves it; one whose client bears it is refused.

None waits beyond its deadline: it is told that its time has passed when it has.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest
import pytest_asyncio
from pydantic import JsonValue

from app.line import AT_ONCE, Coming, Line, Turn
from tests.walk import service
from trueward.errors import Overloaded

pytestmark = pytest.mark.asyncio(loop_scope="module")

SAMPLES: JsonValue = [{"id": "a", "response": "4", "reference": "4"}]
CANDIDATES: JsonValue = [{"response": "4"}, {"response": "5"}]
GRADER: JsonValue = {
    "type": "string_check",
    "name": "same",
    "input": "{{sample.output_text}}",
    "reference": "{{item.answer}}",
    "operation": "eq",
}
REFUSED: dict[str, JsonValue] = {
    "/v1/verify": {"verifier": "exact", "samples": SAMPLES},
    "/v1/rewards": {"recipe": "exact", "samples": SAMPLES},
    "/v1/select": {"method": "majority", "verifier": "exact", "candidates": CANDIDATES},
}
HELD: dict[str, JsonValue] = {
    "/v1/fine_tuning/alpha/graders/run": {"grader": GRADER, "item": {"answer": "4"}, "model_sample": "4"},
    "/t/exact/openrlhf": {"query": ["2+2=4"], "prompts": ["2+2="], "labels": ["4"]},
}


class Noted(Line):
    """Knows whose turns were taken, and for how long each may wait; ``full`` refuses whoever can be refused."""

    taken: dict[str, float | None]
    full = False

    def announce(self, project: str | None, kind: str, size: int) -> Coming:
        if self.full:
            raise Overloaded("full", retry_after_s=7.0)
        return super().announce(project, kind, size)

    async def take(self, project: str | None, kind: str, size: int, held_s: float | None = None) -> Turn:
        turn = await super().take(project, kind, size, held_s)
        self.taken[kind] = held_s
        return turn


@pytest.fixture(scope="module")
def line() -> Noted:
    made = Noted()
    made.taken = {}
    return made


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def http(line: Noted, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[httpx2.AsyncClient]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("app.composition.Line", lambda weights: line)
        folder: Path = tmp_path_factory.mktemp("data")
        async with service(folder) as http:
            yield http


@pytest.mark.parametrize("path", [*REFUSED, *HELD])
async def test_it_takes_its_turn_and_leaves_it(http: httpx2.AsyncClient, line: Noted, path: str) -> None:
    line.taken.clear()
    answer = await http.post(path, json={**REFUSED, **HELD}[path])
    assert answer.status_code == 200, answer.text
    [(_, held_s)] = line.taken.items()
    assert held_s is not None
    assert 0 < held_s <= 600
    assert (line.running, line.waiting) == (0, 0)


@pytest.mark.parametrize("path", [*REFUSED, *HELD])
async def test_who_can_be_refused_is_refused_before_the_body_is_read(
    http: httpx2.AsyncClient, line: Noted, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(line, "full", True)
    answer = await http.post(path, json={**REFUSED, **HELD}[path])
    if path in REFUSED:
        assert (answer.status_code, answer.json()["code"], answer.headers["retry-after"]) == (503, "overloaded", "7")
    else:
        assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("path", ["/v1/verify", "/v1/rewards"])
async def test_who_waits_in_vain_is_told_so_when_its_time_has_passed(
    http: httpx2.AsyncClient, line: Noted, path: str
) -> None:
    others = [await line.take(None, f"others of {path}", 10**5) for _ in range(AT_ONCE)]
    began = time.perf_counter()
    body = REFUSED[path]
    assert isinstance(body, dict)
    try:
        answer = await http.post(path, json={**body, "deadline_s": 0.8})
    finally:
        for turn in others:
            turn.leave()
    assert (answer.status_code, answer.json()["code"]) == (503, "deadline_passed_waiting")
    assert time.perf_counter() - began == pytest.approx(0.6, abs=0.3)
