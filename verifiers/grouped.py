"""Verifiers that judge a whole group at once, each by asking another verifier about its members.

Their verdict on a response depends on its company, so it is never kept by response: ``deterministic`` is False, and
whoever runs them (the service, or :meth:`GroupVerifier.verify` in process) hands over whole groups. Not covered: groups
that do not come whole in one request.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Generic, TypeVar

from trueward.authoring.verifier import P, SampleVerifier, Verifier, defect, report_crash
from trueward.blame import PLAIN_CONTROLS, unjudgeable
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict

T = TypeVar("T")
Ask = Callable[[Sequence[tuple[int, Sample]]], Awaitable[list[Verdict]]]
"""Has the inner verifier judge samples, each beside its member's position; one verdict a sample, never raises."""


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


class GroupVerifier(SampleVerifier[P], Generic[P]):
    """Write ``inner``, ``alone`` and ``together``; ``paired`` where it looks at the pair's group too."""

    deterministic: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ("response",)
    paired: ClassVar[bool] = False

    @property
    @abstractmethod
    def inner(self) -> Verifier:
        """Whom it asks about the members."""

    @abstractmethod
    def judge_alone(self) -> Verdict:
        """The verdict on a response, fit to be judged, that stands alone."""

    @abstractmethod
    async def together(
        self, members: Sequence[Sample], size: int, ask: Ask, known: Mapping[int, Verdict]
    ) -> list[Verdict]:
        """One verdict a member of the group: the first ``size`` of ``members``; the others are those of the pair.

        ``ask`` has ``inner`` judge samples that are made of members; ``known`` are verdicts that some have already.
        """

    def lacking(self, company: Company) -> Verdict | None:
        """Why a group cannot be judged at all; None where it can."""
        if self.paired:
            return company.pair if isinstance(company.pair, Verdict) else None
        return self.judge_alone() if len(company.group) < 2 else None

    def verify_one(self, sample: Sample) -> Verdict:
        return self.judge_alone()

    def verify(self, samples: Sequence[Sample]) -> list[Verdict]:
        """In process, whatever the inner verifier can say there."""

        async def ask(asked: Sequence[tuple[int, Sample]]) -> list[Verdict]:
            return self.inner.verify([sample for _, sample in asked])

        return _at_once(self.verify_all(samples, ask))

    async def verify_all(self, samples: Sequence[Sample], ask: Ask) -> list[Verdict]:
        """One verdict a sample, in order: groups by name, else by prompt."""
        names = [
            f"prompt {sample.prompt_text}" if sample.group is None else f"group {sample.group}" for sample in samples
        ]
        found: dict[int, Verdict] = {}
        for company in companies(names, samples).values():
            members = [samples[place] for place in company.everyone]
            found |= zip(company.group, await self.judge_group(members, company, ask), strict=True)
        stamp = {"producer": self.producer}
        return [found[place].model_copy(update={**stamp, "id": one.id}) for place, one in enumerate(samples)]

    async def judge_group(
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
            return await self.together(members, size, ask, known)
        except Exception as failure:  # noqa: BLE001 - a bug in a verifier never fails a batch
            return await self._one_by_one(members, size, ask, known, report_crash(failure))

    async def _one_by_one(
        self, members: Sequence[Sample], size: int, ask: Ask, known: Mapping[int, Verdict], crash: Verdict
    ) -> list[Verdict]:
        """The verdicts without the members whose responses crash the judging of the group, which are unjudgeable.

        Where a group of harmless responses crashes too, the crash is ours: nobody has a score.
        """
        harmless = [
            member.model_copy(update={"response": PLAIN_CONTROLS[place % len(PLAIN_CONTROLS)]})
            for place, member in enumerate(members)
        ]
        absent = {place: unjudgeable(crash) for place in range(len(members)) if place not in known}
        found = [crash.model_copy() for _ in range(size)]
        try:
            await self.together(harmless, size, ask, {})
            found = await self.together(members, size, ask, {**known, **absent})
        except Exception:  # noqa: BLE001 - the bug has been named, and it is no member's doing
            return found
        for place in list(absent):
            others = {other: verdict for other, verdict in absent.items() if other != place}
            with suppress(Exception):  # whoever cannot join without a crash stays away
                found = await self.together(members, size, ask, {**known, **others})
                absent = others
        return found


def _at_once(work: Coroutine[Any, Any, T]) -> T:
    """What a coroutine gives that never has to wait; a notebook's event loop is left alone."""
    try:
        work.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    raise RuntimeError("an inner verifier in process does not wait")
