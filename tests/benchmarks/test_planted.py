"""What became of a load with planted hangs, as the soak and the hangs' benchmark count it."""

import json
from collections.abc import Sequence

import pytest

from benchmarks.corpus import Item
from benchmarks.load.generator import Shot, Volley
from benchmarks.measure import EXACT, HANG
from benchmarks.planted import Outcomes

ITEM = Item(response="\\boxed{7}", reference="7", correct=True, symbolic=False)


def answer(outcome: str, reason: str, score: float | None) -> bytes:
    return json.dumps({"verdicts": [{"outcome": outcome, "reason_code": reason, "score": score}]}).encode()


def problem(code: str) -> bytes:
    return json.dumps({"type": f"/problems/{code}", "code": code, "status": 503}).encode()


def outcomes(*ends: tuple[int, int, bytes]) -> Outcomes:
    """Of requests that ended so: tag, status, body."""
    shots = [Shot(number, tag, status, 0.0, 0.0, 1.0, -1) for number, (tag, status, _) in enumerate(ends)]
    bodies = {number: body for number, (_, _, body) in enumerate(ends)}
    found = Outcomes()
    found.add(Volley(shots, bodies, client_cpu_s=0.0, wall_s=1.0, exhausted=True), [ITEM] * len(ends))
    return found


RIGHT = (EXACT, 200, answer("correct", "match", 1.0))
CHARGED = (HANG, 200, answer("invalid", "resource_limit", 0.0))


def failed(found: Outcomes) -> Sequence[str]:
    return [claim.partition(",")[0] for claim, held in found.claims().items() if not held]


def test_a_load_that_was_judged_holds() -> None:
    assert failed(outcomes(RIGHT, CHARGED)) == []


@pytest.mark.parametrize("code", ["overloaded", "deadline_passed_waiting"])
def test_a_refusal_for_overload_is_no_lost_sample(code: str) -> None:
    found = outcomes(*[RIGHT] * 10, CHARGED, (HANG, 503, problem(code)))
    assert found.refused == 1
    assert failed(found) == []


@pytest.mark.parametrize("body", [problem("ledger_unavailable"), problem("unavailable"), b"no JSON", b"[]", b"3"])
def test_another_503_is_a_lost_sample(body: bytes) -> None:
    assert failed(outcomes(*[RIGHT] * 10, (EXACT, 503, body))) == ["every sample got an outcome"]


def test_no_answer_is_a_lost_sample() -> None:
    assert failed(outcomes(RIGHT, (EXACT, 0, b""))) == ["every sample got an outcome"]


def test_a_service_that_refuses_all_fails() -> None:
    assert failed(outcomes(*[(EXACT, 503, problem("overloaded"))] * 5)) == ["at most 10% of the samples were refused"]


def test_a_hang_that_pays_nothing_back_is_told() -> None:
    assert failed(outcomes((HANG, 200, answer("timeout", "timeout", None)))) == [
        "every hang was charged to the response"
    ]


def test_a_wrong_verdict_is_told() -> None:
    assert failed(outcomes((EXACT, 200, answer("incorrect", "mismatch", 0.0)))) == [
        "no other sample was judged wrongly"
    ]
