"""``majority``: is the answer that of most responses to the same prompt?

TTRL (arXiv 2504.16084): answers are classes by an inner verifier's equivalence, responses without an answer do not
vote, and who is in the largest class is ``correct``. Nobody knows whether the majority is right. A response that is
alone in its group is ``abstained``: it would always agree with itself.
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


class MajorityVerifier(VotingVerifier[VoteParams]):
    name: ClassVar[str] = "majority"
    version: ClassVar[str] = "6"
    summary: ClassVar[str] = "Agreement with the most frequent answer of the group: no label needed"
    Params: ClassVar[type[Params]] = VoteParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(sample=Sample(prompt="6 * 7?", response="\\boxed{42}"), outcome="abstained"),
        Example(sample=Sample(prompt="6 * 7?", response=""), outcome="invalid"),
    )

    def judge_alone(self) -> Verdict:
        return Verdict.abstained("group_of_one", "a response alone in its group always agrees with itself")

    async def judge(self, ballot: Ballot, group: Sequence[int], pair: Sequence[int]) -> list[Verdict]:
        election = await elect(ballot, group, self.params.seed)
        winners = frozenset(election.classes[0]) if election.classes else frozenset()
        same = [None if place in election.doubtful else place in winners for place in group]
        return [outcome(ballot, place, said, election, self.params) for place, said in zip(group, same, strict=True)]
