"""A judge behind OpenAI's protocol that is slow, full, down or talks nonsense: null in time, and what it cost."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest

from app.audits.ledger import StoredLedger
from judges import probing
from judges.pointwise import JudgeOneVerifier
from judges.remote import RemoteBackend, backend, server
from tests.app.models.conftest import Serve, Served
from tests.app.models.scripted import OneBackend
from tests.judges.openai_server import JudgeServer, Request, Scripted, prompt_of
from tests.judges.replies import response_in
from trueward.wire.audit import Population
from verifiers import registry

CONNECTIONS = 4
KEY = "sk-very-secret-0123"
RIGHT, WRONG = "It is 4.", "It is 5."


@dataclass(frozen=True, slots=True)
class Judging:
    """A service with the model ``judge`` of a scripted server."""

    api: Served
    server: JudgeServer

    async def verdicts(
        self, responses: list[str], prompt: str = "What is 2 + 2?", **body: object
    ) -> list[dict[str, Any]]:
        samples = [{"prompt": prompt, "reference": "4", "response": one} for one in responses]
        answer = await self.api.http.post("/v1/verify", json={"verifier": "judge", "samples": samples, **body})
        assert answer.status_code == 200, answer.text
        found: list[dict[str, Any]] = answer.json()["verdicts"]
        return found

    async def metric(self, name: str) -> float:
        """A metric of the model ``judge``."""
        shown = (await self.api.http.get("/metrics")).text
        found = re.search(rf"^{re.escape(name)} (\S+)$", shown, re.MULTILINE)
        return float(found[1]) if found else 0.0


Start = Callable[..., AbstractAsyncContextManager[Judging]]


def says(verdict: str) -> str:
    return json.dumps({"analysis": "compared", "verdict": verdict})


def compares(request: Request) -> str:
    return says("correct" if "4" in response_in(prompt_of(request)) else "incorrect")


@pytest.fixture
def judging(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> Start:
    """Tries follow each other at once."""
    monkeypatch.setattr(server, "LONGEST_PAUSE_S", 0.01)
    monkeypatch.setitem(registry._installed()._loaded, "judge", JudgeOneVerifier)

    @asynccontextmanager
    async def start(reply: Callable[[Request], str | Scripted], key: str | None = None) -> AsyncIterator[Judging]:
        backend = RemoteBackend("openai", connections=CONNECTIONS)
        with JudgeServer(reply, key=key) as judge:
            async with serve() as api:
                lane = api.state["models"].lane
                lane.engines = lane.weight_sync._engines = OneBackend(backend)
                entry = judge.entry(
                    price={"read": 1.0, "written": 4.0}, secret="TRUEWARD_SECRET_JUDGE" if key else None
                )
                added = await api.http.post("/v1/models", json=entry.model_dump(mode="json"))
                assert added.status_code == 201, added.text
                yield Judging(api, judge)
                await backend.close()

    return start


async def test_a_verdict_tells_what_it_cost_and_the_service_counts_it(judging: Start) -> None:
    replies = iter(["I cannot say.", says("correct")])
    async with judging(lambda request: next(replies)) as judge:
        [right] = await judge.verdicts([RIGHT])
        assert right["outcome"] == "correct"
        read = sum(len(asked.text.split()) for asked in judge.server.asked)
        written = 3 + len(says("correct").split())
        cost = (read + 4 * written) / 1e6
        usage = {"calls": 2, "malformed": 1, "tokens_read": read, "tokens_written": written, "cost": cost}
        assert right["evidence"]["usage"] == pytest.approx(usage)
        assert await judge.metric('trueward_model_answers_total{had="asked",model="judge"}') == 2
        assert await judge.metric('trueward_model_unreadable_total{model="judge"}') == 1
        assert await judge.metric('trueward_model_tokens_total{direction="read",model="judge"}') == read
        assert await judge.metric('trueward_model_tokens_total{direction="written",model="judge"}') == written
        assert await judge.metric('trueward_model_cost_total{model="judge"}') == pytest.approx(cost)


async def test_equal_questions_are_asked_once_and_the_shared_answers_cost_nothing(judging: Start) -> None:
    async with judging(compares) as judge:
        assert {one["outcome"] for one in await judge.verdicts([RIGHT] * 3)} == {"correct"}
        await judge.verdicts([RIGHT])
        assert len(judge.server.asked) == 1
        assert await judge.metric('trueward_model_answers_total{had="asked",model="judge"}') == 1
        assert await judge.metric('trueward_model_answers_total{had="shared",model="judge"}') == 3
        words = len(judge.server.asked[0].text.split())
        assert await judge.metric('trueward_model_tokens_total{direction="read",model="judge"}') == words


async def test_the_questions_of_a_group_are_alike_but_for_the_response_at_their_end(judging: Start) -> None:
    async with judging(compares) as judge:
        await judge.verdicts([RIGHT, WRONG, "Six, I would say."])
        systems = {body["messages"][0]["content"] for body in judge.server.bodies}
        users = [body["messages"][1]["content"].partition("⟦RESPONSE ") for body in judge.server.bodies]
        forms = {json.dumps(body["response_format"]) for body in judge.server.bodies}
    assert len(users) == 3
    assert (len(systems), len({before for before, _, _ in users}), len(forms)) == (1, 1, 1)
    assert "What is 2 + 2?" in users[0][0]


async def test_questions_on_their_way_are_bounded(judging: Start) -> None:
    together = Scripted(says("correct"), delay_s=0.02)
    async with judging(lambda request: together) as judge:
        found = await judge.verdicts([f"It is 4, number {place}." for place in range(24)])
        assert {one["outcome"] for one in found} == {"correct"}
        assert judge.server.most_in_flight == CONNECTIONS


async def test_a_storm_of_429_is_waited_out_within_the_deadline_and_null_beyond_it(judging: Start) -> None:
    responses = [f"It is 4, number {place}." for place in range(12)]
    full = Scripted("slow down", status=429)
    async with judging(lambda request: full) as judge:
        found = await judge.verdicts(responses, deadline_s=1.0)
        assert {(one["outcome"], one["score"]) for one in found} <= {("error", None), ("timeout", None)}
        assert "model_busy" in {one["reason_code"] for one in found}
        assert len(judge.server.asked) <= 2 * len(responses)
        seen: set[str] = set()

        def full_at_first(request: Request) -> str | Scripted:
            new = prompt_of(request) not in seen and len(seen) < 2
            seen.add(prompt_of(request))
            return full if new else compares(request)

        judge.server.reply = full_at_first
        assert {one["outcome"] for one in await judge.verdicts(responses[:3])} == {"correct"}
        assert await judge.metric('trueward_model_cost_total{model="judge"}') > 0


async def test_of_half_the_replies_malformed_none_is_a_pass_and_hardly_a_response_is_blamed(judging: Start) -> None:
    random = Random(7)
    nonsense = ["", "perhaps correct", '{"analysis": "correct"}', says("correct")[:-1], says("splendid")]
    told: list[str] = []

    def flaky(request: Request) -> str:
        told.append(random.choice(nonsense) if random.random() < 0.5 else says("incorrect"))
        return told[-1]

    async with judging(flaky) as judge:
        found = await judge.verdicts([f"It is 5, number {place}." for place in range(60)])
        outcomes = {(one["outcome"], one["reason_code"], one["score"]) for one in found}
        assert outcomes <= {
            ("incorrect", "rejected", 0.0),
            ("error", "judge_malformed", None),
            ("invalid", "unjudgeable", 0.0),
        }
        assert sum(one["outcome"] == "incorrect" for one in found) >= 40
        assert sum(one["outcome"] == "invalid" for one in found) <= 2
        unread = sum(one != says("incorrect") for one in told)
        assert await judge.metric('trueward_model_unreadable_total{model="judge"}') >= unread  # shared ones each time


@pytest.mark.parametrize("margin_s", [0.25, -1.0], ids=["told in time", "found out late"])
async def test_a_judge_that_is_down_is_waited_for_and_null_at_the_deadline(
    judging: Start, monkeypatch: pytest.MonkeyPatch, margin_s: float
) -> None:
    monkeypatch.setattr(backend, "_MARGIN_S", margin_s)
    responses = [f"It is 4, number {place}." for place in range(40)]
    async with judging(lambda request: Scripted(drop=True)) as judge:
        found = await judge.verdicts(responses, deadline_s=1.0)
        assert {(one["outcome"], one["reason_code"]) for one in found} == {("error", "model_unavailable")}
        assert "to the deadline" in found[0]["reason"]
        assert len(judge.server.asked) <= 2 * CONNECTIONS
        shown = (await judge.api.http.get("/v1/models/judge")).json()
        assert shown["state"] == "failed"
        assert "down for" in shown["detail"]
        ready = (await judge.api.http.get("/health/ready")).json()
        assert [one["ok"] for one in ready["checks"] if one["name"] == "models"] == [False]
        waiting = asyncio.ensure_future(judge.verdicts(responses))
        await asyncio.sleep(0.1)
        judge.server.reply = compares
        assert {one["outcome"] for one in await waiting} == {"correct"}
        assert (await judge.api.http.get("/v1/models/judge")).json()["state"] == "ready"


async def test_a_refused_key_is_told_at_once_and_tried_when_somebody_says_that_it_is_mended(
    judging: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRUEWARD_SECRET_JUDGE", "wrong")
    async with judging(compares, key=KEY) as judge:
        await judge.verdicts([RIGHT])
        asked = len(judge.server.asked)
        found = await judge.verdicts([f"It is 4, number {place}." for place in range(20)])
        assert {(one["outcome"], one["reason_code"], one["score"]) for one in found} == {("error", "key_refused", None)}
        assert len(judge.server.asked) == asked == 1
        assert (await judge.api.http.get("/v1/models/judge")).json()["state"] == "failed"
        judge.server.key = "wrong"
        assert (await judge.api.http.post("/v1/models/judge/load")).status_code == 200
        assert {one["outcome"] for one in await judge.verdicts([RIGHT])} == {"correct"}


async def test_replies_that_take_a_minute_end_by_the_deadline_and_leave_no_request_behind(judging: Start) -> None:
    async with judging(lambda request: Scripted(says("correct"), delay_s=60.0)) as judge:
        now = asyncio.get_running_loop().time
        started = now()
        found = await judge.verdicts([f"It is 4, number {place}." for place in range(12)], deadline_s=1.0)
        assert now() - started < 2.0
        assert {(one["outcome"], one["reason_code"], one["score"]) for one in found} == {("timeout", "deadline", None)}
        assert len(judge.server.asked) <= 12
        judge.server.reply = compares
        assert {one["outcome"] for one in await judge.verdicts([RIGHT, WRONG])} == {"correct", "incorrect"}
        assert judge.server.in_flight == 0


async def test_a_response_that_the_servers_filter_refuses_is_to_blame_and_a_server_that_refuses_all_is_not(
    judging: Start,
) -> None:
    def filtering(request: Request) -> str | Scripted:
        if "poison" in prompt_of(request):
            return Scripted("The response was filtered due to the prompt", status=400)
        return compares(request)

    async with judging(filtering) as judge:
        poisoned, right = await judge.verdicts(["It is 4, poison.", RIGHT])
        assert (poisoned["outcome"], poisoned["reason_code"], poisoned["score"]) == ("invalid", "unjudgeable", 0.0)
        assert right["outcome"] == "correct"
        judge.server.reply = lambda request: Scripted("no such parameter", status=400)
        [refused] = await judge.verdicts([RIGHT], prompt="What is 1 + 3?")
        assert (refused["outcome"], refused["reason_code"], refused["score"]) == ("error", "unaskable", None)


async def test_a_response_after_which_no_label_is_told_is_to_blame_and_a_model_without_labels_is_not(
    judging: Start,
) -> None:
    def labels(request: Request) -> Scripted:
        odd = "odd" in response_in(prompt_of(request))
        told = {"Hmm": -0.1} if odd else {"A": -0.2, "B": -2.0, "C": -9.0, "Yes": -0.2, "No": -2.0}
        return Scripted(next(iter(told)), alternatives=[told])

    async with judging(labels) as judge:
        params = {"preset": "soft_correctness"}
        odd, right = await judge.verdicts(["odd: It is 4.", RIGHT], params=params)
        assert (odd["outcome"], odd["reason_code"], odd["score"]) == ("invalid", "unjudgeable", 0.0)
        assert right["outcome"] == "scored"
        judge.server.reply = lambda request: Scripted("Hmm", alternatives=[{"Hmm": -0.1}])
        [lost] = await judge.verdicts([RIGHT], prompt="What is 1 + 3?", params=params)
        assert (lost["outcome"], lost["reason_code"], lost["score"]) == ("error", "judge_malformed", None)


async def test_another_model_behind_a_servers_name_is_seen(judging: Start) -> None:
    """What the first one answered is not given again, the run has a mark of each, and audits of it tell."""

    def saying(verdict: str, model: str) -> Callable[[Request], Scripted]:
        choice = {"message": {"content": says(verdict)}, "finish_reason": "stop"}
        body = json.dumps({"model": "m", "system_fingerprint": model, "choices": [choice]}).encode()
        return lambda request: Scripted(raw=body)

    async with judging(saying("correct", "fp_1")) as judge:
        for _ in range(2):
            [first] = await judge.verdicts([RIGHT], run="swapped")
            assert first["outcome"] == "correct"
        assert len(judge.server.asked) == 1
        judge.server.reply = saying("incorrect", "fp_2")
        await judge.verdicts(["It is four."], run="swapped")
        [then] = await judge.verdicts([RIGHT], run="swapped")
        assert (then["outcome"], then["evidence"]["asked"]["judge"]["reported"]) == ("incorrect", "m fp_2")
        marks = (await judge.api.http.get("/v1/runs/swapped")).json()["marks"]
        audited = await StoredLedger(judge.api.state["db"]).model_changes(Population(run="swapped"))
    assert [(mark["kind"], mark["model"], mark["to"]) for mark in marks] == [
        ("model_reported", "judge", "m fp_1"),
        ("model_reported", "judge", "m fp_2"),
    ]
    assert ["m fp_1 and m fp_2" in note for note in audited] == [True]


async def test_a_judge_that_was_broken_and_is_mended_blames_no_response(
    judging: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its unreadable replies are forgotten with those to harmless responses."""
    async with judging(lambda request: '{"analysis": "correct"}') as judge:
        [lost] = await judge.verdicts([RIGHT])
        assert (lost["outcome"], lost["reason_code"], lost["score"]) == ("error", "judge_malformed", None)
        judge.server.reply = compares
        monkeypatch.setattr(probing, "FRESH_S", 1e-9)  # as after twenty seconds
        [right] = await judge.verdicts([RIGHT])
        assert right["outcome"] == "correct"


async def test_the_key_is_sent_and_shown_nowhere(
    judging: Start,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(0)
    async with judging(compares, key=KEY) as judge:
        [without] = await judge.verdicts([RIGHT])
        assert (without["reason_code"], without["score"]) == ("model_unavailable", None)
        assert "TRUEWARD_SECRET_JUDGE" in without["reason"]
        monkeypatch.setenv("TRUEWARD_SECRET_JUDGE", KEY)
        [right] = await judge.verdicts([RIGHT])
        assert right["outcome"] == "correct"
        shown = [(await judge.api.http.get(path)).text for path in ("/v1/models", "/v1/models/judge", "/metrics")]
        shown.append((await judge.api.http.get(f"/v1/verdicts/{right['record']}")).text)
        judge.server.reply = lambda request: Scripted(f"Incorrect API key provided: {KEY}", status=403)
        [refused] = await judge.verdicts([WRONG])
        assert (refused["reason_code"], refused["score"]) == ("model_unavailable", None)
        assert "***" in refused["reason"]
        shown.append(json.dumps(refused))
        assert "TRUEWARD_SECRET_JUDGE" in shown[0]
    printed = capfd.readouterr()
    assert KEY[:5] not in "".join([*shown, caplog.text, printed.out, printed.err])
