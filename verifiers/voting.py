"""Verifiers that let a group vote: by its own answers, with an inner verifier's idea of when two are the same.

They need no reference, and a reward that they make can collapse unnoticed: recipes that pay them say so. Judged alone a
response is ``abstained``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Annotated, Generic, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue

from trueward.authoring.verifier import Params, Verifier
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict
from verifiers import registry
from verifiers.ballot import Ballot
from verifiers.election import Election
from verifiers.grouped import Ask, GroupVerifier
from verifiers.legible import shorten


class Inner(BaseModel):
    """The verifier that says which answers are the same; of those whose reference is an answer."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    verifier: Literal["choice", "exact", "label", "math", "numeric", "qa", "quantity", "sets"]
    params: Mapping[str, JsonValue] = {}


def _named(value: object) -> object:
    return {"verifier": value} if isinstance(value, str) else value


class VoteParams(Params):
    inner: Annotated[Inner, BeforeValidator(_named)] = Field(
        default=Inner(verifier="math"),
        description="the verifier that says which answers are the same, `{verifier, params}` or its name",
    )
    at_least: Annotated[float, Field(ge=0, le=1)] = Field(
        default=0.0, description="the share of the votes that the majority must have; below it nobody is judged"
    )
    seed: int | None = Field(
        default=None,
        description="answers with as many votes: without a seed the first of the group wins, with one it is drawn",
    )


P = TypeVar("P", bound=VoteParams)


class VotingVerifier(GroupVerifier[P], Generic[P]):
    """Write ``alone`` and ``judge``."""

    def __init__(self, params: P | None = None) -> None:
        super().__init__(params)
        asked = self.params.inner
        self._inner: Verifier = registry.create(asked.verifier, asked.params)

    @property
    def inner(self) -> Verifier:
        return self._inner

    @abstractmethod
    async def judge(self, ballot: Ballot, group: Sequence[int], pair: Sequence[int]) -> list[Verdict]:
        """One verdict a member of ``group``, in order; both are positions in the ballot. ``pair`` has members
        where ``paired``."""

    async def together(
        self, members: Sequence[Sample], size: int, ask: Ask, known: Mapping[int, Verdict]
    ) -> list[Verdict]:
        ballot = await Ballot.read(self.inner, members, ask, known)
        verdicts = await self.judge(ballot, range(size), range(size, len(members)))
        for verdict in verdicts:
            verdict.elapsed_s = ballot.elapsed_s / size
        return verdicts


def outcome(ballot: Ballot, place: int, same: bool | None, election: Election, params: VoteParams) -> Verdict:
    """The verdict on one member, by whether its answer is that of the majority (None: it could not be compared)."""
    answer = ballot.answers[place]
    if isinstance(answer, Verdict):
        return answer.model_copy()
    winner = election.winner
    told = ballot.answers[winner] if winner is not None else None
    evidence: dict[str, JsonValue] = {
        "extracted": shorten(answer),
        "majority": shorten(told) if isinstance(told, str) else None,
        "ratio": election.share,
        "votes": [*election.votes],
        "tied": election.tied,
    }
    failure = ballot.failure or election.failure
    if failure is not None and (same is None or not election.certain):
        missing = Verdict.timeout if failure.outcome is Outcome.TIMEOUT else Verdict.error
        return missing("vote_unknown", f"answers could not be compared: {failure.reason}", evidence=evidence)
    if winner is None and not election.silent:
        return Verdict.abstained("no_majority", "nobody there could be judged", evidence=evidence)
    if winner is None:
        return Verdict.incorrect("no_majority", "nobody there has an answer", evidence=evidence)
    if election.share < params.at_least:
        detail = f"the majority has {election.share:.3g} of the votes, asked for are {params.at_least:g}"
        return Verdict.abstained("narrow_majority", detail, evidence=evidence)
    rest = {"evidence": evidence, "confidence": election.share}
    if same:
        return Verdict.correct("with_majority", "its answer is the majority's", **rest)
    return Verdict.incorrect("against_majority", "the majority has another answer", **rest)
