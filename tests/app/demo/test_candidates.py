"""The recorded run of the guide: what is said of a response is true of it, and listing begins where it is said to."""

from __future__ import annotations

import json
import re
from itertools import chain
from pathlib import Path

import pytest

from app.demo.candidates import GROUP, PROMPTS, STEPS, TURN, DemoResponse, main, steps
from tests.services import Keyless
from trueward import Client

RUN, RECIPE = "candidates-test", "candidates-test"


def text(one: DemoResponse) -> str:
    assert isinstance(one.sample.response, str)
    return one.sample.response


def boxed(one: DemoResponse) -> str:
    [number] = re.findall(r"\\boxed\{(\d+)\}", text(one))
    return str(number)


def test_a_response_is_right_where_the_number_in_its_box_is_the_sum() -> None:
    for one in chain.from_iterable(steps()):
        terms = re.findall(r"\d+", str(one.sample.prompt))
        assert one.sample.reference == str(sum(map(int, terms)))
        assert one.right is (boxed(one) == one.sample.reference)


def test_the_policy_adds_until_the_turn_and_then_lists() -> None:
    listed = [sum("one of" in text(one) for one in responses) for responses in steps()]
    assert len(listed) == STEPS
    assert set(listed[:TURN]) == {0}
    assert 0 < listed[TURN] < PROMPTS * GROUP / 2
    assert min(listed[TURN + 6 :]) > PROMPTS * GROUP * 3 / 4


def test_the_same_seed_makes_the_same_responses() -> None:
    assert list(steps(seed=3)) == list(steps(seed=3))
    assert list(steps(seed=3)) != list(steps(seed=4))


def test_labels_are_of_the_records_that_were_sent(
    keyless: Keyless, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "labels.jsonl"
    with Client(keyless.url) as client:
        client.put_recipe(RECIPE, {"terms": [{"verifier": "exact", "params": {"extract": "boxed"}}]})
        main(["--url", keyless.url, "--recipe", RECIPE, "--run", RUN, "--labels", str(file)])
        labels = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        assert f"{len(labels)} labels" in capsys.readouterr().out
        page = client.run_rewards(RUN, limit=1000)
        outcomes = {one.record: one.reward.outcome for one in page.rewards}
    said = {label["record"]: label["right"] for label in labels}
    assert 200 < len(said) == len(labels) < 320
    newest = said.keys() & outcomes.keys()
    assert newest
    assert all((outcomes[record] == "correct") is said[record] for record in newest)
