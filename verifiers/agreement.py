"""``agreement``: is the answer that of most responses to a paraphrase of the prompt?

Co-rewarding-I (arXiv 2508.00410): a question and its paraphrase are two groups of one request, joined by the same
``pair``; each is judged by the other's majority, which a policy can bend less easily than its own. Where nobody
answered the paraphrase all answers are ``incorrect``. A group whose pair is not in the request is ``abstained``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from trueward.authoring.verifier import Example, Params
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from verifiers.ballot import Ballot
from verifiers.election import elect
from verifiers.voting import VoteParams, VotingVerifier, outcome


class AgreementVerifier(VotingVerifier[VoteParams]):
    name: ClassVar[str] = "agreement"
    version: ClassVar[str] = "6"
    summary: ClassVar[str] = "Agreement with the most frequent answer to a paraphrase of the prompt: no label needed"
    paired: ClassVar[bool] = True
    Params: ClassVar[type[Params]] = VoteParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(sample=Sample(prompt="6 * 7?", response="\\boxed{42}", pair="p"), outcome="abstained"),
        Example(sample=Sample(prompt="6 * 7?", response="", pair="p"), outcome="invalid"),
    )

    def judge_alone(self) -> Verdict:
        return Verdict.abstained("no_pair", "no group of the same `pair` is beside it")

    async def judge(self, ballot: Ballot, group: Sequence[int], pair: Sequence[int]) -> list[Verdict]:
        election = await elect(ballot, pair, self.params.seed)
        same: dict[int, bool | None] = dict.fromkeys(group, False)
        voters = [place for place in group if isinstance(ballot.answers[place], str)]
        if election.winner is not None:
            same |= zip(voters, await ballot.equivalent(voters, election.winner), strict=True)
        return [outcome(ballot, place, same[place], election, self.params) for place in group]
