"""Numbers that JSON can write and no float holds, and floats whose sum none does: nothing fails."""

from __future__ import annotations

import pytest

from tests.security.conftest import Target

BEYOND = b"9" * 400
LARGEST = b"1e308"
CANDIDATES = b'[{"prompt":"p","response":"a"},{"prompt":"p","response":"a"},{"prompt":"p","response":"b"}]'


def vote(method: bytes, score: bytes) -> bytes:
    scores = b"[" + b",".join([score] * 3) + b"]"
    return b'{"method":"%b","verifier":"exact","candidates":%b,"scores":%b}' % (method, CANDIDATES, scores)


def shaped(shaping: bytes, score: bytes) -> bytes:
    recipe = b'{"terms":[{"verifier":"exact"}],"shaping":["%b"]}' % shaping
    sample = b'{"response":"a","prompt":"p","reference":"a","baseline_scores":[%b,-1,1]}' % score
    return b'{"recipe":%b,"samples":[%b]}' % (recipe, sample)


def likely(logprob: bytes) -> bytes:
    logprobs = b'{"token_ids":[1,2],"logprobs":[%b,%b],"offsets":[[0,16],[16,17]],"model":"m"}' % (logprob, logprob)
    sample = b'{"response":"<think>t</think>a","reference":"a","reference_logprobs":%b}' % logprobs
    return b'{"verifier":"likelihood","samples":[%b]}' % sample


@pytest.mark.parametrize("number", [BEYOND, b"-" + BEYOND, LARGEST, b"-" + LARGEST], ids=len)
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/select", lambda number: vote(b"majority", number)),
        ("/v1/select", lambda number: vote(b"weighted_vote", number)),
        ("/v1/rewards", lambda number: shaped(b"par", number)),
        ("/v1/rewards", lambda number: shaped(b"log_sigmoid", number)),
        ("/v1/verify", likely),
        (
            "/t/math/nemo-gym/aggregate_metrics",
            lambda n: b'{"verify_responses":[{"reward":%b},{"reward":%b}]}' % (n, n),
        ),
    ],
    ids=["majority", "weighted vote", "par", "log sigmoid", "likelihood", "aggregate"],
)
def test_a_number_that_no_float_holds_breaks_nothing(target: Target, path: str, body: object, number: bytes) -> None:
    assert callable(body)
    answer = target.post(body(number), path)
    assert answer.status_code in (200, 422), answer.text
    assert len(answer.content) < 10_000


@pytest.mark.parametrize("score", [b"1e300", b"-1e300", b"0"])
def test_scores_that_can_be_summed_are_taken(target: Target, score: bytes) -> None:
    assert target.post(vote(b"majority", score), "/v1/select").status_code == 200
    assert target.post(shaped(b"par", score), "/v1/rewards").status_code == 200


def test_a_mean_of_large_rewards_is_their_mean(target: Target) -> None:
    rewards = b",".join(b'{"reward":%b}' % one for one in (LARGEST, LARGEST, BEYOND))
    answer = target.post(b'{"verify_responses":[%b]}' % rewards, "/t/math/nemo-gym/aggregate_metrics")
    assert answer.json()["metrics"] == {"mean_reward": pytest.approx(1e308)}
