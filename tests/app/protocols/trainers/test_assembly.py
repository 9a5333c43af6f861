"""Groups of one-sample requests, against the live service, with OpenRLHF's request sequence."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import time
import uuid
from collections.abc import AsyncIterator, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import httpx2
import pytest
import yaml

from tests.live import Service, serving
from tests.services import Keyed

RECIPES = {
    "centred": {"terms": {"math": 1}, "shaping": ["z_score"], "group": {"size": 4, "wait_s": 60}},
    "hasty": {"terms": {"math": 1}, "shaping": ["z_score"], "group": {"size": 4, "wait_s": 1, "when_apart": "alone"}},
    "strict": {"terms": {"math": 1}, "shaping": ["z_score"], "group": {"size": 4, "wait_s": 1}},
    "voted": {"terms": {"majority": 1}, "unsupervised": True, "group": {"size": 4, "wait_s": 60}},
    "alone": {"terms": {"math": 1}, "shaping": ["z_score"]},
    "ruled": {"terms": {"math": 1}, "group": {"rules": ["dynamic_sampling"]}},
}
HIGH, LOW = 0.8660254037844387, -0.8660254037844387
"""The z-scores of two right and two wrong answers, with n - 1."""
near = partial(pytest.approx, abs=1e-5)


def _write_recipes(directory: Path) -> str:
    directory.mkdir()
    for name, recipe in RECIPES.items():
        (directory / f"{name}.yaml").write_text(yaml.safe_dump(recipe))
    return str(directory)


def _put_recipes(url: str) -> None:
    for name, recipe in RECIPES.items():
        httpx2.put(f"{url}/v1/recipes/{name}", json=recipe, timeout=30.0).raise_for_status()


@pytest.fixture(scope="module")
def service(keyless: Service) -> Iterator[Service]:
    _put_recipes(keyless.url)
    yield keyless
    for name in RECIPES:
        httpx2.delete(f"{keyless.url}/v1/recipes/{name}", timeout=30.0).raise_for_status()


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=60)) as client:
        yield client


def url(service: Service, recipe: str, run: str | None = None) -> str:
    return f"{service.url}/t/{recipe}/openrlhf?run={run or uuid.uuid4().hex}"


def payload(response: str, prompt: str = "2+2?", label: str | None = "4") -> dict[str, list[Any]]:
    return {"query": [f"{prompt} {response}"], "prompts": [prompt], "labels": [label]}


async def ask(session: aiohttp.ClientSession, where: str, body: dict[str, list[Any]]) -> dict[str, Any]:
    async with session.post(where, json=body) as answer:
        assert answer.status == 200, await answer.text()
        said: dict[str, Any] = await answer.json()
        return said


async def rewards(session: aiohttp.ClientSession, where: str, bodies: Sequence[dict[str, list[Any]]]) -> list[float]:
    answers = await asyncio.gather(*(ask(session, where, body) for body in bodies))
    return [answer["rewards"][0] for answer in answers]


def metric(service: Service, line: str) -> float:
    shown = httpx2.get(f"{service.url}/metrics", timeout=30.0).text
    found = re.search(rf"^{re.escape(line)} (\S+)$", shown, re.MULTILINE)
    return float(found[1]) if found else 0.0


async def until_waiting(service: Service, count: int) -> None:
    for _ in range(200):
        if metric(service, "trueward_assembly_waiting") == count:
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"never {count} waiting")


RIGHT, WRONG = "\\boxed{4}", "\\boxed{5}"


async def test_members_that_come_one_by_one_are_priced_together(
    service: Service, session: aiohttp.ClientSession
) -> None:
    bodies = [payload(RIGHT), payload(WRONG), payload(RIGHT), payload(WRONG)]
    found = await rewards(session, url(service, "centred"), bodies)
    assert found == near([HIGH, LOW, HIGH, LOW])


async def test_many_prompts_fill_their_groups_at_once(service: Service, session: aiohttp.ClientSession) -> None:
    bodies = [payload(text, f"{n}+0?", str(n)) for n in range(16) for text in (f"\\boxed{{{n}}}", "no") * 2]
    found = await rewards(session, url(service, "centred"), bodies)
    assert found == near([HIGH, LOW] * 32)


async def test_a_group_verifier_sees_the_whole_group(service: Service, session: aiohttp.ClientSession) -> None:
    run = uuid.uuid4().hex
    texts = ["\\boxed{1/2}", "\\boxed{0.5}", "\\boxed{3}", "I do not know"]
    answers = await asyncio.gather(*(ask(session, url(service, "voted", run), payload(t, label=None)) for t in texts))
    assert [answer["rewards"][0] for answer in answers] == [1, 1, 0, 0]
    assert [answer["extra_logs"]["trueward_invalid"][0] for answer in answers] == [0, 0, 0, 1]


@pytest.mark.parametrize("recipe", ["alone", "ruled", "dapo"])
async def test_a_recipe_that_needs_its_group_is_refused_without_a_size(
    service: Service, session: aiohttp.ClientSession, recipe: str
) -> None:
    async with session.post(url(service, recipe), json=payload(RIGHT)) as answer:
        refusal = await answer.json()
    assert answer.status == 422
    assert (refusal["code"], refusal["errors"][0]["field"]) == ("invalid_recipe", "recipe.group.size")
    assert "group: {size" in refusal["detail"]


async def test_a_request_with_a_whole_group_does_not_wait(service: Service, session: aiohttp.ClientSession) -> None:
    whole = {"query": [f"2+2? {text}" for text in (RIGHT, WRONG) * 2], "prompts": ["2+2?"] * 4, "labels": ["4"] * 4}
    start = time.monotonic()
    for recipe in ("centred", "alone"):
        answer = await ask(session, url(service, recipe), whole)
        assert answer["rewards"] == near([HIGH, LOW, HIGH, LOW])
    assert time.monotonic() - start < 20
    assert (await ask(session, url(service, "alone"), {"query": [], "prompts": [], "labels": []}))["rewards"] == []


async def test_a_request_with_part_of_a_group_waits_for_the_rest(
    service: Service, session: aiohttp.ClientSession
) -> None:
    where = url(service, "centred")
    part = {"query": [f"2+2? {RIGHT}", f"2+2? {WRONG}"], "prompts": ["2+2?"] * 2, "labels": ["4"] * 2}
    first, second = await asyncio.gather(ask(session, where, part), ask(session, where, part))
    assert first["rewards"] + second["rewards"] == near([HIGH, LOW] * 2)


async def test_the_fifth_member_opens_a_new_group(service: Service, session: aiohttp.ClientSession) -> None:
    where = url(service, "centred")
    bodies = [payload(RIGHT), payload(WRONG)] * 2 + [payload(RIGHT)] * 3
    waiting = [asyncio.create_task(ask(session, where, body)) for body in bodies]
    done, pending = await asyncio.wait(waiting, timeout=5)
    assert (len(done), len(pending)) == (4, 3)
    await ask(session, where, payload(WRONG))
    last = [answer["rewards"][0] for answer in await asyncio.gather(*pending)]
    assert last == near([0.5] * 3)


async def test_what_does_not_fill_in_time_is_priced_singly_and_counted(
    service: Service, session: aiohttp.ClientSession
) -> None:
    before = metric(service, "trueward_assembly_apart_total")
    start = time.monotonic()
    found = await rewards(session, url(service, "hasty"), [payload(RIGHT), payload(WRONG), payload(RIGHT)])
    assert 1 <= time.monotonic() - start < 10
    assert found == [1, 0, 1]
    assert metric(service, "trueward_assembly_apart_total") - before == 3
    assert metric(service, 'trueward_groups_assembled_total{state="incomplete"}') >= 1


async def test_a_member_whose_group_did_not_come_is_missing_and_not_paid_on_another_scale(
    service: Service, session: aiohttp.ClientSession
) -> None:
    where = url(service, "strict")
    answers = await asyncio.gather(*(ask(session, where, payload(text)) for text in (RIGHT, WRONG, RIGHT)))
    assert [answer["extra_logs"]["trueward_missing"][0] for answer in answers] == [1.0] * 3
    assert len({answer["rewards"][0] for answer in answers}) == 1


async def test_the_url_may_say_how_many_belong_together(service: Service, session: aiohttp.ClientSession) -> None:
    where = url(service, "alone") + "&group_size=4"
    found = await rewards(session, where, [payload(RIGHT), payload(WRONG), payload(RIGHT), payload(WRONG)])
    assert found == near([HIGH, LOW, HIGH, LOW])


async def test_what_was_priced_in_a_group_or_apart_from_it_replays_alike(
    service: Service, session: aiohttp.ClientSession
) -> None:
    runs = {recipe: uuid.uuid4().hex for recipe in ("hasty", "strict", "voted")}
    await rewards(session, url(service, "hasty", runs["hasty"]), [payload(RIGHT), payload(WRONG), payload(RIGHT)])
    await rewards(session, url(service, "hasty", runs["hasty"]), [payload(RIGHT), payload(WRONG)] * 2)
    await rewards(session, url(service, "voted", runs["voted"]), [payload(RIGHT, label=None)] * 3 + [payload("no")])
    await rewards(session, url(service, "strict", runs["strict"]), [payload(RIGHT), payload(WRONG)])
    for run, count in ((runs["hasty"], 7), (runs["strict"], 2), (runs["voted"], 4)):
        async with session.post(f"{service.url}/v1/runs/{run}/replay") as answer:
            report = json.loads((await answer.text()).splitlines()[-1])["report"]
        assert (report["rewards"], report["differ"], report["unknown"]) == (count, 0, 0), report


async def test_other_runs_and_other_prompts_are_other_groups(service: Service, session: aiohttp.ClientSession) -> None:
    one, other = url(service, "hasty"), url(service, "hasty")
    same = [payload(RIGHT), payload(WRONG)]
    halves = await asyncio.gather(
        rewards(session, one, same), rewards(session, other, same), rewards(session, one, [payload(RIGHT, "1+3?")] * 2)
    )
    assert [*halves] == [[1, 0], [1, 0], [1, 1]]


async def test_a_client_that_goes_away_leaves_its_group(service: Service, session: aiohttp.ClientSession) -> None:
    where = url(service, "centred")
    left = metric(service, "trueward_assembly_left_total")
    leaving = asyncio.create_task(ask(session, where, payload("\\boxed{4.0}")))
    await until_waiting(service, 1)
    leaving.cancel()
    await until_waiting(service, 0)
    assert metric(service, "trueward_assembly_left_total") - left == 1
    stays = asyncio.create_task(rewards(session, where, [payload(RIGHT), payload(WRONG), payload(RIGHT)]))
    await until_waiting(service, 3)
    assert not stays.done()
    assert await rewards(session, where, [payload(WRONG)]) == near([LOW])
    assert await stays == near([HIGH, LOW, HIGH])


async def test_a_refusal_reaches_every_member(service: Service, session: aiohttp.ClientSession) -> None:
    run = uuid.uuid4().hex
    await ask(session, url(service, "math", run), payload(RIGHT))

    async def status() -> tuple[int, str]:
        async with session.post(url(service, "centred", run), json=payload(RIGHT)) as answer:
            return answer.status, (await answer.json())["code"]

    assert await asyncio.gather(*(status() for _ in range(4))) == [(409, "run_pinned")] * 4


async def test_keys_do_not_share_groups(keyed: Keyed, session: aiohttp.ClientSession) -> None:
    _put_recipes(f"{keyed.url}/k/{keyed.admin}")
    run = uuid.uuid4().hex
    paths = [f"{keyed.url}/k/{keyed.key('score')['key']}/t/hasty/openrlhf?run={run}" for _ in range(2)]
    halves = await asyncio.gather(*(rewards(session, path, [payload(RIGHT), payload(WRONG)]) for path in paths))
    assert halves == [[1, 0], [1, 0]]


async def test_an_orderly_stop_answers_what_waits(tmp_path: Path, session: aiohttp.ClientSession) -> None:
    with serving(tmp_path, recipes_dir=_write_recipes(tmp_path / "recipes")) as service:
        waiting = asyncio.create_task(rewards(session, url(service, "centred"), [payload(RIGHT), payload(WRONG)]))
        await until_waiting(service, 2)
        start = time.monotonic()
        service.process.send_signal(signal.SIGTERM)
        # neither group came: alone they would be paid on another scale, so both have the missing reward
        assert await waiting == [0, 0]
        assert time.monotonic() - start < 9
        assert await asyncio.to_thread(service.process.wait, 30) == 0


async def test_after_a_kill_the_members_come_again_and_fill_a_group(
    tmp_path: Path, session: aiohttp.ClientSession
) -> None:
    recipes = _write_recipes(tmp_path / "recipes")
    with serving(tmp_path, recipes_dir=recipes) as service:
        waiting = asyncio.create_task(rewards(session, url(service, "centred"), [payload(RIGHT), payload(WRONG)]))
        await until_waiting(service, 2)
        service.process.kill()
        with pytest.raises(aiohttp.ClientError):
            await waiting
    with serving(tmp_path, recipes_dir=recipes) as service:
        bodies = [payload(RIGHT), payload(WRONG)] * 2
        assert await rewards(session, url(service, "centred"), bodies) == near([HIGH, LOW] * 2)
