"""Two real replicas on one PostgreSQL and one Redis do as one would."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import httpx2
import pytest
import yaml

from tests.app.replicas.pair import Replica, pair
from tests.databases import on_server, postgres_url
from tests.redis import RedisServer

pytestmark = pytest.mark.postgres

RECIPES = {
    "centred": {"terms": {"math": 1}, "shaping": ["z_score"], "group": {"size": 4, "wait_s": 60}},
    "missing": {"terms": {"math": 1}, "shaping": ["z_score"], "group": {"size": 4, "wait_s": 1}},
    "alone": {"terms": {"math": 1}, "shaping": ["z_score"], "group": {"size": 4, "wait_s": 1, "when_apart": "alone"}},
}
HIGH, LOW = 0.8660254037844387, -0.8660254037844387
RIGHT, WRONG = "\\boxed{4}", "\\boxed{5}"
near = partial(pytest.approx, abs=1e-5)


@pytest.fixture(scope="module")
def replicas(tmp_path_factory: pytest.TempPathFactory, redis: RedisServer) -> Iterator[tuple[Replica, Replica]]:
    name = f"trueward_pair_{uuid.uuid4().hex}"
    folder = tmp_path_factory.mktemp("pair")
    recipes = folder / "recipes"
    recipes.mkdir()
    for title, recipe in RECIPES.items():
        (recipes / f"{title}.yaml").write_text(yaml.safe_dump(recipe))
    asyncio.run(on_server(f'CREATE DATABASE "{name}"'))
    try:
        with pair(folder, postgres_url(name), redis.url, recipes_dir=str(recipes)) as both:
            yield both
    finally:
        asyncio.run(on_server(f'DROP DATABASE "{name}" WITH (FORCE)'))


def symbolic(number: int) -> dict[str, Any]:
    """A check that needs a worker."""
    sample = {"response": f"\\boxed{{\\int_0^{{{number}}} x dx}}", "reference": str(number * number / 2)}
    return {"verifier": "math", "samples": [sample]}


def verdict(replica: Replica, body: dict[str, Any]) -> dict[str, Any]:
    answer = replica.http.post("/v1/verify", json=body)
    assert answer.status_code == 200, answer.text
    said: dict[str, Any] = answer.json()["verdicts"][0]
    return said


def shared(replicas: Sequence[Replica], found: str) -> float:
    return sum(replica.metric(f'trueward_shared_checks_total{{found="{found}"}}') for replica in replicas)


def test_what_one_replica_has_judged_the_other_gives_again(replicas: tuple[Replica, Replica]) -> None:
    one, other = replicas
    first = verdict(one, symbolic(17))
    again = verdict(other, symbolic(17))
    assert (first["outcome"], first["cached"]) == ("correct", False)
    assert (again["outcome"], again["cached"], again["evidence"]) == ("correct", True, first["evidence"])
    assert first["record"] != again["record"]


def test_what_is_judged_in_microseconds_does_not_go_to_redis(replicas: tuple[Replica, Replica]) -> None:
    before = [shared(replicas, found) for found in ("known", "judged", "alone")]
    for replica in replicas:
        assert not verdict(
            replica, {"verifier": "math", "samples": [{"response": "\\boxed{12345}", "reference": "12345"}]}
        )["cached"]
    assert [shared(replicas, found) for found in ("known", "judged", "alone")] == before


async def test_a_program_that_both_are_asked_about_at_once_is_run_once(replicas: tuple[Replica, Replica]) -> None:
    code = "import time\ntime.sleep(1.0)\nprint(int(input()) + 1)"
    sample = {"response": f"```python\n{code}\n```", "reference": {"stdio": [{"stdin": "1\n", "stdout": "2\n"}]}}
    body = {"verifier": "code", "samples": [sample]}
    judged, known = shared(replicas, "judged"), shared(replicas, "known")
    async with httpx2.AsyncClient(timeout=60, trust_env=False) as http:
        asked = (http.post(f"{replica.url}/v1/verify", json=body) for replica in replicas * 4)
        said = [answer.json()["verdicts"][0] for answer in await asyncio.gather(*asked)]
    assert [one["outcome"] for one in said] == ["correct"] * 8
    assert sum(not one["cached"] for one in said) == 1
    assert (shared(replicas, "judged") - judged, shared(replicas, "known") - known) == (1, 1)


def payload(response: str, prompt: str = "2+2?") -> dict[str, list[Any]]:
    return {"query": [f"{prompt} {response}"], "prompts": [prompt], "labels": ["4"]}


async def ask(http: httpx2.AsyncClient, replica: Replica, recipe: str, run: str, body: dict[str, Any]) -> float:
    answer = await http.post(f"{replica.url}/t/{recipe}/openrlhf?run={run}", json=body)
    assert answer.status_code == 200, answer.text
    return float(answer.json()["rewards"][0])


async def until_waiting(replica: Replica, count: int) -> None:
    async with asyncio.timeout(20):
        while replica.metric("trueward_assembly_waiting") != count:
            await asyncio.sleep(0.02)


def recorded(replica: Replica, run: str) -> int:
    return len(replica.http.get("/v1/verdicts", params={"run": run, "limit": 200}).json()["verdicts"])


async def test_a_group_is_assembled_over_two_replicas(replicas: tuple[Replica, Replica]) -> None:
    one, other = replicas
    run = uuid.uuid4().hex
    async with httpx2.AsyncClient(timeout=60, trust_env=False) as http:
        members = [(one, RIGHT), (other, WRONG), (other, RIGHT), (one, WRONG)]
        found = await asyncio.gather(*(ask(http, where, "centred", run, payload(text)) for where, text in members))
    assert found == near([HIGH, LOW, HIGH, LOW])
    assert recorded(one, run) == 4


async def test_many_groups_over_two_replicas(replicas: tuple[Replica, Replica]) -> None:
    run = uuid.uuid4().hex
    places = [(prompt, member) for member in range(4) for prompt in range(40)]
    async with httpx2.AsyncClient(timeout=60, trust_env=False, limits=httpx2.Limits(max_connections=200)) as http:
        asked = [
            ask(
                http, replicas[(prompt + member) % 2], "centred", run, payload((RIGHT, WRONG)[member % 2], f"{prompt}?")
            )
            for prompt, member in places
        ]
        found = await asyncio.gather(*asked)
    assert found == near([(HIGH, LOW)[member % 2] for _, member in places])
    assert recorded(replicas[0], run) == 160


async def test_a_client_that_goes_away_on_the_other_replica_leaves_the_group(replicas: tuple[Replica, Replica]) -> None:
    one, other = replicas
    run = uuid.uuid4().hex
    async with httpx2.AsyncClient(timeout=60, trust_env=False) as http:
        first = asyncio.ensure_future(ask(http, one, "centred", run, payload(RIGHT)))
        await until_waiting(one, 1)
        leaves = asyncio.ensure_future(ask(http, other, "centred", run, payload(RIGHT)))
        await until_waiting(one, 2)
        leaves.cancel()
        await until_waiting(one, 1)
        rest = (ask(http, other, "centred", run, payload(text)) for text in (WRONG, RIGHT, WRONG))
        assert await asyncio.gather(first, *rest) == near([HIGH, LOW, HIGH, LOW])
    assert recorded(one, run) == 4


@pytest.mark.parametrize(("recipe", "rewards"), [("alone", [1.0, 0.0]), ("missing", [0.0, 0.0])])
async def test_what_does_not_fill_in_time_is_priced_apart_or_missing_on_both(
    replicas: tuple[Replica, Replica], recipe: str, rewards: list[float]
) -> None:
    one, other = replicas
    run = uuid.uuid4().hex
    async with httpx2.AsyncClient(timeout=60, trust_env=False) as http:
        asked = [ask(http, where, recipe, run, payload(text)) for where, text in ((one, RIGHT), (other, WRONG))]
        assert await asyncio.gather(*asked) == rewards
    assert recorded(one, run) == 2


async def test_one_idempotency_key_on_both_replicas_is_one_request(replicas: tuple[Replica, Replica]) -> None:
    one, other = replicas
    run, key = uuid.uuid4().hex, uuid.uuid4().hex
    body = {**symbolic(4711), "run": run}
    async with httpx2.AsyncClient(timeout=60, trust_env=False) as http:
        asked = (
            http.post(f"{replica.url}/v1/verify", json=body, headers={"Idempotency-Key": key})
            for replica in (one, other) * 3
        )
        answers = await asyncio.gather(*asked)
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.text for answer in answers}) == 1
    assert sum("idempotency-replayed" not in answer.headers for answer in answers) == 1
    assert recorded(one, run) == 1


def test_readiness_names_redis(replicas: tuple[Replica, Replica]) -> None:
    for replica in replicas:
        assert replica.readiness()["redis"]
        assert replica.metric("trueward_redis_up") == 1
