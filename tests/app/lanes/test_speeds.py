"""Default deadlines follow what models write and how fast they do; a timeout says where the time went."""

from __future__ import annotations

import pytest

from app.lanes.speeds import UNKNOWN_S, UNKNOWN_TOKEN_S, Speeds, judging_s, model_verifiers
from judges.panel.members import Member, PanelParams
from judges.panel.verifier import PanelVerifier
from judges.pointwise import JudgeOneVerifier, PointwiseParams
from judges.questions import Answer
from trueward.wire.model import ModelEntry, RequestLimits
from verifiers.registry import create


def entry(limits: RequestLimits | None = None) -> ModelEntry:
    return ModelEntry(name="judge", kind="causal", backend="openai", url="http://far", limits=limits)


def test_a_judge_that_nobody_asked_yet_is_allowed_its_tokens() -> None:
    judge = JudgeOneVerifier(PointwiseParams(max_tokens=500))
    assert judging_s(Speeds(), judge, [entry()], 64, 64) == pytest.approx(3 * (UNKNOWN_S + 500 * UNKNOWN_TOKEN_S))


def test_a_measured_speed_counts_for_three_replies_of_the_greatest_length_and_by_rounds() -> None:
    speeds = Speeds()
    for _ in range(10):
        speeds.record_answer("judge", 14.0, Answer(text="...", written=100))
    judge = JudgeOneVerifier(PointwiseParams(max_tokens=200))
    assert judging_s(speeds, judge, [entry()], 64, 64) == pytest.approx(3 * 28.0)
    assert judging_s(speeds, judge, [entry()], 65, 64) == pytest.approx(4 * 28.0)
    assert judging_s(speeds, judge, [entry(RequestLimits(at_once=16))], 64, 64) == pytest.approx(6 * 28.0)
    assert judging_s(speeds, judge, [entry(RequestLimits(requests_per_minute=6))], 64, 64) == pytest.approx(640.0)


def test_what_reads_a_token_writes_none() -> None:
    assert JudgeOneVerifier(PointwiseParams(preset="soft_correctness")).most_written == 1
    assert create("reward_model", {}).most_written == 1  # type: ignore[attr-defined]


def test_a_panel_takes_as_long_as_its_slowest_member() -> None:
    members = (Member(verifier="judge", params={"max_tokens": 7}), Member(verifier="judge", params={"max_tokens": 70}))
    assert PanelVerifier(PanelParams(members=members)).most_written == 70


def test_of_other_verifiers_none_is_slow_and_a_tournament_is_what_it_asks() -> None:
    assert model_verifiers([create("exact", {})]) == []
    assert len(model_verifiers([create("tournament", {})])) == 1
