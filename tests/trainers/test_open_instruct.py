"""The verifier for open-instruct, in a module of its name that has what the contract says.

open-instruct cannot be installed from an index; ``contracts/open-instruct.json`` has its verifiers' form, with source
and date.
"""

from __future__ import annotations

import asyncio
import inspect
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import pytest

from tests.client.fake_service import FakeService
from tests.live import Service
from tests.trainers.printed import arguments, blocks
from tests.trainers.test_pages import contract
from trueward.trainers.open_instruct import verifier

KNOWN = contract("open-instruct")


@dataclass
class Result:
    score: float
    cost: float = 0.0
    reasoning: str | None = None


@pytest.fixture(autouse=True)
def base(monkeypatch: pytest.MonkeyPatch) -> type[Any]:
    """open-instruct's base, in its place."""

    class VerifierFunction:
        def __init__(self, name: str, weight: float = 1.0, verifier_config: object = None) -> None:
            self.name, self.weight, self.verifier_config = name, weight, verifier_config

    module = ModuleType("open_instruct.ground_truth_utils")
    module.__dict__.update(VerifierFunction=VerifierFunction, VerificationResult=Result)
    monkeypatch.setitem(sys.modules, "open_instruct", ModuleType("open_instruct"))
    monkeypatch.setitem(sys.modules, "open_instruct.ground_truth_utils", module)
    return VerifierFunction


def built(base: type[Any]) -> dict[str, Any]:
    """As ``build_all_verifiers`` makes them."""
    made = [kind("configuration") for kind in base.__subclasses__()]
    return {one.name.lower(): one for one in made}


async def scores(made: Any, answers: Sequence[tuple[str, str | None]], query: str = "1+1?") -> list[float]:
    """As ``apply_verifiable_reward`` asks: all at once."""
    calls = [
        made.async_call(tokenized_prediction=[1, 2], prediction=said, label=gold, query=query, rollout_state=None)
        for said, gold in answers
    ]
    return [result.score for result in await asyncio.gather(*calls)]


async def test_rows_find_it_by_its_name(base: type[Any], url: str, service: FakeService) -> None:
    kind = verifier(url, recipe="exact", run="r1", group_size=8)
    made = built(base)["trueward"]
    assert isinstance(made, kind)
    assert (made.weight, made.verifier_config) == (1.0, "configuration")
    assert sorted(await scores(made, [("2", "2"), ("3", "2")])) == [0.0, 1.0]
    sample = next(one.body["samples"][0] for one in service.received if one.body["samples"][0]["response"] == "2")
    assert sample == {"id": "0", "prompt": "1+1?", "response": "2", "reference": "2", "tokens": 2}
    assert service.received[0].body["gather"] == {"size": 8, "at_once": 64}


def test_it_can_be_called_without_a_loop_and_without_a_prompt(url: str, service: FakeService) -> None:
    result = verifier(url, recipe="exact")()([1], "2", "2")
    assert (result.score, result.reasoning.split(":")[0]) == (1.0, "equal")
    assert not service.received[0].body.get("gather")


async def test_a_template_s_opened_tag_is_told(url: str, service: FakeService) -> None:
    await scores(verifier(url, recipe="exact")(), [("2", "2")], "<|assistant|>\n<think>")
    assert service.received[0].body["samples"][0]["prefix"] == "<think>"


def test_it_has_the_form_of_open_instruct_s_own(url: str) -> None:
    kind = verifier(url, recipe="exact")
    wanted = [*KNOWN["verifier"]["call"], *KNOWN["verifier"]["later"]]
    for call in (kind.__call__, kind.async_call):
        assert list(inspect.signature(call).parameters)[1:] == wanted
    assert set(Result.__dataclass_fields__) <= set(KNOWN["verifier"]["result"]["fields"])


@pytest.mark.parametrize("place", [0, 3, 7])
async def test_a_missing_score_has_an_advantage_near_0(keyless: Service, place: int) -> None:
    made = verifier(keyless.url, recipe="math", run="open-instruct", group_size=8)()
    answers: list[tuple[str, str | None]] = [(f"\\boxed{{{2 + turn % 2}}}", "2") for turn in range(8)]
    answers[place] = ("\\boxed{2}", None)
    assert abs(advantages(await scores(made, answers, f"one of eight, {place}"))[place]) < 0.05
    lost = await scores(made, [("\\boxed{2}", None)] * 8, f"whole group, {place}")
    assert max(map(abs, advantages(lost))) < 0.05


def advantages(found: Sequence[float]) -> list[float]:
    """As GRPO has them there, with the standard deviation."""
    return [(one - statistics.fmean(found)) / (statistics.pstdev(found) + 1e-8) for one in found]


def test_open_instruct_knows_every_argument_of_its_page() -> None:
    given = arguments("\n".join(blocks("open-instruct", "bash")), "grpo_trueward.py")
    flags = [word.removeprefix("--") for word in given if word.startswith("--")]
    assert "remap_verifier" in flags
    assert [flag for flag in flags if flag not in KNOWN["arguments"]] == []
