"""Verifiers that judge whole groups: what failures of ours cost, what a policy can make of them, and their sets."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueward import Outcome, Sample, Verdict
from trueward.errors import InvalidParameters
from trueward.wire.verifier import GROUP_VERIFIERS
from verifiers import registry
from verifiers.agreement import AgreementVerifier
from verifiers.ballot import Ballot
from verifiers.grouped import Company, GroupVerifier
from verifiers.majority import MajorityVerifier
from verifiers.voting import Inner, VoteParams

EXACT = VoteParams(inner=Inner(verifier="exact"))
EXACT_VERIFIER = MajorityVerifier(EXACT).inner
LATE = Verdict.timeout("deadline", "too late")
DEAD = Verdict.error("worker_crashed", "died twice")
Failures = Mapping[tuple[str, str], Verdict]
"""What happens to the comparison of a response with a reference, where it fails."""

answers = st.lists(st.sampled_from(["A", "B", "C", ""]), min_size=2, max_size=8)


def judged(
    texts: Sequence[str], failures: Failures | None = None, pair: Sequence[str] = (), params: VoteParams = EXACT
) -> list[Verdict]:
    """The verdicts on a group whose inner verifier fails at some comparisons."""
    verifier: GroupVerifier[VoteParams] = AgreementVerifier(params) if pair else MajorityVerifier(params)
    samples = [Sample(response=text) for text in (*texts, *pair)]

    async def ask(asked: Sequence[tuple[int, Sample]]) -> list[Verdict]:
        await asyncio.sleep(0)
        return [
            (failures or {}).get((sample.response_text, str(sample.reference))) or verifier.inner.verify([sample])[0]
            for _, sample in asked
        ]

    company = Company(range(len(texts)), range(len(texts), len(samples)))
    return asyncio.run(verifier.judge_group(samples, company, ask))


def outcomes(verdicts: Sequence[Verdict]) -> list[str]:
    return [verdict.outcome.value for verdict in verdicts]


def test_the_group_verifiers_are_those_that_requests_keep_whole() -> None:
    found = {point.name for point in registry.BUILT_INS if issubclass(registry.get(point.name), GroupVerifier)}
    assert found == GROUP_VERIFIERS


def test_the_worked_majority() -> None:
    verdicts = judged(["A", "A", "B", "C"])
    assert [verdict.score for verdict in verdicts] == [1, 1, 0, 0]
    assert {verdict.evidence["ratio"] for verdict in verdicts} == {0.5}
    assert verdicts[0].evidence["votes"] == [2, 1, 1]


def test_the_worked_agreement() -> None:
    one, other = ["A", "A", "B"], ["B", "B", "A"]
    assert [verdict.score for verdict in judged(one, pair=other)] == [0, 0, 1]
    assert [verdict.score for verdict in judged(other, pair=one)] == [0, 0, 1]


def test_an_answer_that_was_not_read_in_time_could_have_voted_for_anything() -> None:
    unread = {("C", "C"): LATE}
    missing = LATE.outcome.value
    assert outcomes(judged(["A", "B", "C"], unread)) == [missing] * 3
    assert outcomes(judged(["A", "A", "B", "C"], unread)) == [missing] * 4
    assert outcomes(judged(["A", "A", "A", "B", "C"], unread)) == ["correct"] * 3 + ["incorrect", missing]


def test_an_answer_that_crashes_us_has_no_vote_where_others_are_read() -> None:
    unread = {("C", "C"): DEAD}
    assert outcomes(judged(["A", "B", "C"], unread))[2] == "invalid"
    assert outcomes(judged(["A", "A", "B", "C"], unread)) == ["correct", "correct", "incorrect", "invalid"]
    assert outcomes(judged(["C", "C"], unread)) == ["error"] * 2


def test_a_comparison_that_failed_is_no_rejection() -> None:
    assert outcomes(judged(["A", "A", "A", "B"], {("B", "A"): LATE})) == ["correct"] * 3 + ["timeout"]
    assert outcomes(judged(["A", "A", "B", "B"], {("B", "A"): LATE})) == ["timeout"] * 4
    assert outcomes(judged(["A", "B"], {("A", "B"): DEAD}, pair=["B"])) == ["error", "correct"]


def test_a_share_that_unknown_votes_could_change_judges_nobody() -> None:
    wide = VoteParams(inner=Inner(verifier="exact"), at_least=0.7)
    assert outcomes(judged(["A", "A", "A", "B", "C"], {("C", "C"): LATE}, params=wide))[0] == "abstained"


@pytest.mark.parametrize("costly", [Verdict.invalid("resource_limit"), Verdict.abstained("reference_resource_limit")])
def test_an_answer_that_is_costly_to_compare_with_takes_nobody_along(costly: Verdict) -> None:
    hard = {(text, "bomb"): costly for text in "AB"} | {("bomb", text): costly for text in "AB"}
    assert outcomes(judged(["bomb", "A", "A", "B"], hard)) == ["incorrect", "correct", "correct", "incorrect"]
    assert outcomes(judged(["A", "A", "bomb"], {("bomb", "bomb"): costly}))[2] == "invalid"


def test_a_crash_while_judging_is_ours() -> None:
    async def ask(asked: Sequence[tuple[int, Sample]]) -> list[Verdict]:
        raise RuntimeError("a bug")

    verifier = MajorityVerifier(EXACT)
    verdicts = asyncio.run(verifier.judge_group([Sample(response="A")] * 2, Company([0, 1], []), ask))
    assert [(one.outcome, one.reason_code) for one in verdicts] == [(Outcome.ERROR, "verifier_crashed")] * 2


class Fragile(MajorityVerifier):
    """Crashes where some of the answers meet."""

    def __init__(self, *together: str) -> None:
        super().__init__(EXACT)
        self._together = set(together)

    async def judge(self, ballot: Ballot, group: Sequence[int], pair: Sequence[int]) -> list[Verdict]:
        if self._together <= {answer for answer in ballot.answers if isinstance(answer, str)}:
            raise RuntimeError("a bug")
        return await super().judge(ballot, group, pair)


@pytest.mark.parametrize(
    ("crashers", "answers", "expected"),
    [
        (["boom"], ["A", "boom", "A", "B"], ["correct", "invalid", "correct", "incorrect"]),
        (["boom", "bang"], ["boom", "A", "bang"], ["correct", "incorrect", "invalid"]),
        (["boom"], ["boom", "boom"], ["invalid", "invalid"]),
    ],
)
def test_whoever_crashes_the_judging_of_a_group_is_left_out(
    crashers: list[str], answers: list[str], expected: list[str]
) -> None:
    async def ask(asked: Sequence[tuple[int, Sample]]) -> list[Verdict]:
        return EXACT_VERIFIER.verify([sample for _, sample in asked])

    samples = [Sample(response=text) for text in answers]
    verdicts = asyncio.run(Fragile(*crashers).judge_group(samples, Company(range(len(samples)), []), ask))
    assert outcomes(verdicts) == expected
    left_out = [one for one in verdicts if one.outcome is Outcome.INVALID]
    assert {one.reason_code for one in left_out} == {"unjudgeable_response"}


def test_a_seed_draws_among_equals_whatever_their_order() -> None:
    seeded = [VoteParams(inner=Inner(verifier="exact"), seed=seed) for seed in range(20)]
    won = set()
    for params in seeded:
        one, other = judged(["A", "B", ""], params=params), judged(["", "B", "A"], params=params)
        assert outcomes(one) == outcomes(other)[::-1]
        won.add(outcomes(one)[0])
    assert won == {"correct", "incorrect"}


@given(answers)
def test_exactly_the_winners_class_is_right_and_silence_never(texts: list[str]) -> None:
    verdicts = judged(texts)
    there = [text for text in texts if text]
    most = max((there.count(text) for text in there), default=0)
    assert sum(one.outcome is Outcome.CORRECT for one in verdicts) == most
    right = {text for text, one in zip(texts, verdicts, strict=True) if one.outcome is Outcome.CORRECT}
    assert len(right) <= 1
    assert [one.outcome is Outcome.INVALID for one in verdicts] == [not text for text in texts]


@given(answers, st.data())
def test_a_failure_of_ours_rejects_nobody_whom_the_truth_accepts(texts: list[str], data: st.DataObject) -> None:
    pairs = data.draw(st.sets(st.tuples(st.sampled_from("ABC"), st.sampled_from("ABC"))))
    truth, found = judged(texts), judged(texts, dict.fromkeys(pairs, LATE))
    for text, true, said in zip(texts, truth, found, strict=True):
        assert said.outcome in (true.outcome, Outcome.TIMEOUT), (text, texts, pairs)


@pytest.mark.parametrize("inner", ["majority", "code", "regex", "nothing"])
def test_only_verifiers_whose_reference_is_an_answer_can_compare_answers(inner: str) -> None:
    with pytest.raises(InvalidParameters, match="inner"):
        registry.create("majority", {"inner": inner})


def test_bad_parameters_of_the_inner_verifier_are_refused() -> None:
    with pytest.raises(InvalidParameters, match="casefold"):
        registry.create("agreement", {"inner": {"verifier": "exact", "params": {"casefold": 7}}})


def test_a_batch_of_many_groups_is_judged_group_by_group_and_in_order() -> None:
    samples = [Sample(id=f"{n}", prompt=f"p{n % 3}", response="AB"[n % 2]) for n in range(12)]
    verdicts = registry.create("majority", {"inner": "exact"}).verify(samples)
    assert [verdict.id for verdict in verdicts] == [sample.id for sample in samples]
    assert {verdict.evidence["ratio"] for verdict in verdicts} == {0.5}
    assert [n for n, verdict in enumerate(verdicts) if verdict.outcome is Outcome.CORRECT] == [0, 1, 2, 6, 7, 8]
