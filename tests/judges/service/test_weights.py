"""Weights that move while a service judges: what is said is of the new ones, and nothing old is given again."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from statistics import fmean

import pytest

from tests.judges.service.by_hand import QUESTION, TOLERANCE, forced, logits, samples, scores, turns
from tests.judges.service.conftest import Add
from tests.judges.tiny import Tiny
from trueward import Client

REASONING = ("10 + 30 = 40 and 2 more, so \\boxed{", "It is right: \\boxed{")
SAMPLES = samples(*(one + "41}" for one in REASONING), reference="42")


def test_new_weights_change_the_score_and_their_version_is_told(client: Client, add: Add, tiny: Tiny) -> None:
    paths = tiny.causal("llama"), tiny.causal("llama", seed=1)
    model = add("trained", "causal", paths[0])

    def expect(wanted: list[float], version: int, *, cached: bool) -> None:
        found = client.verify(SAMPLES, verifier="likelihood", params={"model": model})
        assert scores(found) == pytest.approx(wanted, abs=TOLERANCE)
        assert [one.evidence["weights"] for one in found] == [{model: version}] * 2
        assert [one.cached for one in found] == [cached] * 2

    wanted = [[fmean(forced(path, turns(QUESTION), one, "42")) for one in REASONING] for path in paths]
    expect(wanted[0], 0, cached=False)
    expect(wanted[0], 0, cached=True)
    client.push_weights(model, str(paths[1]), version=3)
    expect(wanted[1], 3, cached=False)
    client.push_weights(model, str(paths[0]))
    expect(wanted[0], 4, cached=False)


def test_a_demand_for_newer_weights_waits_for_them(client: Client, add: Add, tiny: Tiny) -> None:
    paths = tiny.classifier("llama"), tiny.classifier("llama", seed=1)
    model = add("awaited", "reward", paths[0])
    asked = {"verifier": "reward_model", "params": {"model": model}, "min_weights": {model: 2}}
    [late] = client.verify(SAMPLES[:1], deadline_s=1.0, **asked)  # type: ignore[arg-type]
    assert (late.outcome, late.score, late.reason_code) == ("error", None, "weights_behind")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(client.verify, SAMPLES, **asked)  # type: ignore[arg-type]
        client.push_weights(model, str(paths[0]), version=1)
        assert not waiting.done()
        client.push_weights(model, str(paths[1]), version=2)
        found = waiting.result(60)
    replies = [one.response for one in SAMPLES]
    wanted = [logits(paths[1], turns(QUESTION, reply))[0] for reply in replies if isinstance(reply, str)]
    assert scores(found) == pytest.approx(wanted, abs=TOLERANCE)
    assert [one.evidence["weights"] for one in found] == [{model: 2}] * 2
