"""Verifiers that judge a whole group by its own answers, with an inner verifier's idea of when two are the same.

They need no reference, and a reward that they make can collapse unnoticed: recipes that pay them say so. Their
verdict on a response depends on its company, so it is never kept by response: ``deterministic`` is False, and whoever
runs them (the service, or :meth:`GroupVerifier.verify` in process) hands over whole groups. Judged alone a response
is ``abstained``. Not covered: groups that do not come whole in one request.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue

from trueward.types import Outcome, Sample, Verdict
from trueward.verifier import Params, SampleVerifier, Verifier, crashed, defect
from verifiers import registry
from verifiers.ballot import Ask, Ballot
from verifiers.election import Election
from verifiers.legible import shown

T = TypeVar("T")


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


@dataclass(frozen=True, slots=True)
class Company:
    """The positions of a group's members in their request, and those of its pair; a verdict where that is not clear."""

    group: Sequence[int]
    pair: Sequence[int] | Verdict

    @property
    def everyone(self) -> list[int]:
        """The group's positions, then those of its pair."""
        return [*self.group, *(() if isinstance(self.pair, Verdict) else self.pair)]


def companies(names: Sequence[str], samples: Sequence[Sample]) -> dict[str, Company]:
    """The company of each group, by name; ``names`` is the group of each sample."""
    groups: defaultdict[str, list[int]] = defaultdict(list)
    joined: defaultdict[str | None, dict[str, None]] = defaultdict(dict)
    for place, (name, sample) in enumerate(zip(names, samples, strict=True)):
        groups[name].append(place)
        joined[sample.pair][name] = None
    return {name: Company(group, _pair(name, groups, samples, joined)) for name, group in groups.items()}


def _pair(
    name: str,
    groups: Mapping[str, Sequence[int]],
    samples: Sequence[Sample],
    joined: Mapping[str | None, Mapping[str, None]],
) -> Sequence[int] | Verdict:
    pairs = {samples[place].pair for place in groups[name]}
    if len(pairs) > 1 or None in pairs:
        return Verdict.abstained("no_pair", "the samples of this group do not share a `pair`")
    others = [other for other in joined[pairs.pop()] if other != name]
    if len(others) == 1:
        return groups[others[0]]
    detail = f"{len(others)} other groups of this request have the same `pair`: it takes one"
    return Verdict.abstained("several_pairs" if others else "no_pair", detail)


P = TypeVar("P", bound=VoteParams)


class GroupVerifier(SampleVerifier[P], Generic[P]):
    """Write ``judge``; ``paired`` where it looks at the pair's group too."""

    deterministic: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ("response",)
    paired: ClassVar[bool] = False

    def __init__(self, params: P | None = None) -> None:
        super().__init__(params)
        asked = self.params.inner
        self.inner: Verifier = registry.create(asked.verifier, asked.params)

    @abstractmethod
    async def judge(self, ballot: Ballot, group: Sequence[int], pair: Sequence[int]) -> list[Verdict]:
        """One verdict a member of ``group``, in order; both are positions in the ballot. ``pair`` has members
        where ``paired``."""

    @abstractmethod
    def alone(self) -> Verdict:
        """The verdict on a response with an answer that stands alone."""

    def lacking(self, company: Company) -> Verdict | None:
        """Why a group cannot be judged at all; None where it can."""
        if self.paired:
            return company.pair if isinstance(company.pair, Verdict) else None
        return self.alone() if len(company.group) < 2 else None

    def verify_one(self, sample: Sample) -> Verdict:
        return self.alone()

    def verify(self, samples: Sequence[Sample]) -> list[Verdict]:
        """In process: groups by name, else by prompt."""
        names = [
            f"prompt {sample.prompt_text}" if sample.group is None else f"group {sample.group}" for sample in samples
        ]

        async def ask(asked: Sequence[tuple[int, Sample]]) -> list[Verdict]:
            return self.inner.verify([sample for _, sample in asked])

        found: dict[int, Verdict] = {}
        for company in companies(names, samples).values():
            members = [samples[place] for place in company.everyone]
            found |= zip(company.group, _at_once(self.judged(members, company, ask)), strict=True)
        stamp = {"producer": self.producer}
        return [found[place].model_copy(update={**stamp, "id": one.id}) for place, one in enumerate(samples)]

    async def judged(
        self, members: Sequence[Sample], company: Company, ask: Ask, known: Mapping[int, Verdict] = MappingProxyType({})
    ) -> list[Verdict]:
        """One verdict a member of the group; never raises.

        ``members`` are the samples of the company, in its order; ``known`` are verdicts that some have already.
        """
        size = len(company.group)
        lacking = self.lacking(company)
        if lacking is not None:
            own = enumerate(members[:size])
            return [known.get(place) or defect(sample, self.needs) or lacking for place, sample in own]
        try:
            ballot = await Ballot.read(self.inner, members, ask, known)
            verdicts = await self.judge(ballot, range(size), range(size, len(members)))
        except Exception as failure:  # noqa: BLE001 - a bug in a verifier is a null score, never a failed batch
            return [crashed(failure) for _ in range(size)]
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
        "extracted": shown(answer),
        "majority": shown(told) if isinstance(told, str) else None,
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


def _at_once(work: Coroutine[Any, Any, T]) -> T:
    """What a coroutine gives that never has to wait; a notebook's event loop is left alone."""
    try:
        work.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    raise RuntimeError("an inner verifier in process does not wait")
