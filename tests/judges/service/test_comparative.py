"""Comparisons through a service: a scripted judge over a socket, groups in one request and in requests of one each."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass

import httpx2
import pytest
from pydantic import JsonValue

from tests.judges.comparative.contests import number_in, pair_in, prefers, says
from tests.judges.openai_server import JudgeServer, Request, Scripted, prompt_of
from tests.judges.service.conftest import registered
from trueward import Client, Reward, Sample
from trueward.errors import InvalidParameters
from trueward.wire.scoring import RewardsResponse

TOURNAMENT: dict[str, JsonValue] = {"verifier": "tournament", "name": "standing"}
RECIPES: dict[str, dict[str, JsonValue]] = {
    "contest": {"terms": [{**TOURNAMENT, "params": {"pairs": "all"}}], "invalid": 0, "group": {"size": 4}},
    "contest-alone": {"terms": [TOURNAMENT], "invalid": 0},
}


def reply(request: Request) -> str | Scripted:
    """The larger number is better; GONE is what its server refuses, BREAK makes it talk nonsense."""
    text = prompt_of(request)
    if "BREAK" in text:
        return "I would rather not."
    if "GONE" in text:
        return Scripted("flagged by moderation", status=403)
    if "score_1" in text:
        first, second = map(number_in, pair_in(text))
        return says(score_1=int(first), score_2=int(second), ranking=2 if first >= second else 5)
    return prefers()(text)


@dataclass(frozen=True, slots=True)
class Judged:
    client: Client
    server: JudgeServer


@pytest.fixture(scope="module")
def judged(client: Client) -> Iterator[Judged]:
    with JudgeServer(reply) as server, registered(client, server.entry(price={"read": 1, "written": 2})):
        for name, recipe in RECIPES.items():
            client.put_recipe(name, recipe)
        yield Judged(client, server)
        for name in RECIPES:
            client.delete_recipe(name)


def group(*responses: str, prompt: str = "Name a number.") -> list[Sample]:
    return [Sample(prompt=prompt, response=text) for text in responses]


def rewarded(judged: Judged, recipe: str | dict[str, object], *responses: str, **context: object) -> RewardsResponse:
    samples = group(*responses, prompt=f"Name a number, {uuid.uuid4().hex}.")
    return judged.client.reward(samples, recipe=recipe, **context)  # type: ignore[arg-type]


def values(rewards: list[Reward]) -> list[float | None]:
    return [one.reward for one in rewards]


def test_a_group_of_eight_is_one_tournament(judged: Judged) -> None:
    recipe: dict[str, object] = {"terms": [{**TOURNAMENT, "params": {"pairs": "all"}}], "invalid": 0}
    before = len(judged.server.asked)
    found = rewarded(judged, recipe, *(f"I say {number}" for number in range(8)), run="eight")
    assert values(found.rewards) == pytest.approx([number / 7 for number in range(8)])
    assert len(judged.server.asked) - before == 56
    assert found.groups[0].mean == pytest.approx(0.5)
    assert {producer.name for producer in found.rewards[0].producers} == {"tournament"}


def test_the_built_in_recipes_pay_as_their_sources_do(judged: Judged) -> None:
    mean = rewarded(judged, "genrm", "I say 4", "I say 2", "I say 2 too", "I say 1")
    assert max(values(mean.rewards)) == mean.rewards[0].reward == 4  # type: ignore[type-var]
    direct = rewarded(judged, "writing-zero", "I say 1", "I say 2", "I say 3", "I say 4", "I say 5")
    found = sorted(one for one in values(direct.rewards) if one is not None)
    assert found.count(0) == 1
    assert set(found) <= {-1, 0, 1}
    lead = abs(sum(found)) / 5
    assert (direct.groups[0].kept, direct.groups[0].reason) == ((False, "one_sided") if lead > 0.6 else (True, ""))


def test_what_breaks_the_judge_or_its_server_is_priced(judged: Judged) -> None:
    broken = rewarded(judged, "contest-alone", "I say 1", "BREAK 9", "I say 3")
    assert values(broken.rewards) == [0, 0, 1]
    assert [one.outcome for one in broken.rewards] == ["scored", "invalid", "scored"]
    # every comparison with it fails, and those two have one with each other
    for place in range(2):  # shown first, and shown second
        texts = ["I say 1", f"GONE {place}", "I say 3"][place:] + ["I say 2"] * place
        gone = rewarded(judged, "contest-alone", *texts, deadline_s=20)
        assert sum(one.outcome == "invalid" for one in gone.rewards) == 1
        assert gone.rewards[1 - place].outcome == "invalid", "its server answers all others"


def test_a_group_is_judged_anew_in_other_company(judged: Judged) -> None:
    samples = group("I say 2", "I say 3")
    params: dict[str, object] = {}
    for other, expected in (("I say 3", [0, 1]), ("I say 1", [1, 0])):
        pair = [samples[0], Sample(prompt=samples[0].prompt, response=other)]
        verdicts = judged.client.verify(pair, verifier="tournament", params=params)  # type: ignore[arg-type]
        assert [one.score for one in verdicts] == expected


def test_each_baseline_is_its_own_question(judged: Judged) -> None:
    samples = [Sample(prompt="q", response="I say 2", baselines=[f"I say {other}"]) for other in (1, 2, 3)]
    verdicts = judged.client.verify(samples, verifier="compare")
    assert [one.score for one in verdicts] == [1, 0.5, 0]
    assert [one.cached for one in verdicts] == [False] * 3


def test_an_unknown_model_is_refused_before_anything_is_asked(judged: Judged) -> None:
    with pytest.raises(InvalidParameters, match="no model"):
        judged.client.verify(group("1", "2"), verifier="tournament", params={"compare": {"model": "nobody"}})


async def _one_by_one(url: str, responses: list[str]) -> list[dict[str, object]]:
    prompt = f"Name a number, {uuid.uuid4().hex}."
    bodies = [{"query": [f"{prompt} {text}"], "prompts": [prompt], "labels": [None]} for text in responses]
    async with httpx2.AsyncClient(timeout=60) as http:
        answers = await asyncio.gather(*(http.post(url, json=body) for body in bodies))
    return [{"status": answer.status_code, **json.loads(answer.text)} for answer in answers]


def test_requests_of_one_sample_are_gathered_into_a_group(judged: Judged) -> None:
    url = f"{judged.client.url}/t/contest/openrlhf"
    found = asyncio.run(_one_by_one(url, [f"I say {number}" for number in (1, 4, 2, 3)]))
    assert [one["rewards"] for one in found] == [[pytest.approx(place / 3)] for place in (0, 3, 1, 2)]


def test_a_recipe_that_does_not_say_how_many_belong_together_is_refused_there(judged: Judged) -> None:
    [found] = asyncio.run(_one_by_one(f"{judged.client.url}/t/contest-alone/openrlhf", ["I say 1"]))
    assert found["status"] == 422
    assert "group.size" in json.dumps(found)
