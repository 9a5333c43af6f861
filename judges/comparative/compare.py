"""``compare``: is the response better than others to the same prompt? The others are the sample's ``baselines``.

The score is the mean preference over them: 1 where the response is better, 0.5 for a tie, 0 where it is worse. A pair
is always asked about in both orders, a list in a new order each time: no place in the prompt pays. A copy of the
response is a tie, whatever the model makes of it. What is asked, and how a reply is read, is a preset's. A baseline is
shown as the response is, by its text, and in the same ``scope``.

With (A, B) and (B, A) asked, probabilities are averaged; verdicts count where both agree, and are a tie where they do
not (arXiv 2306.05685). Of several replies about a list those count that a reward model finds the most valid (arXiv
2504.02495).

Not covered: the members of a group against each other (``tournament``).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Annotated, ClassVar, Self, TypeVar

from pydantic import AfterValidator, Field, JsonValue, model_validator

from judges.asking.gather import gather_readable
from judges.asking.usage import total
from judges.base import Models
from judges.comparative.ballot import Heard, Hearing
from judges.comparative.contestants import as_list, as_pair, contestants
from judges.comparative.orders import orders
from judges.comparative.reading import Comparing, Listed, Said, share, sign
from judges.conclusion import Codes, conclude
from judges.conversation import conversation
from judges.judge import JudgeParams, JudgeVerifier, Name, sample_of
from judges.presets import Mechanism, find, make_name_validator
from judges.reading import calibrate, question_of, read
from trueward.authoring.verifier import Example, Params, Task
from trueward.wire.sample import Message, Sample
from trueward.wire.verdict import Verdict
from verifiers.scope import Scope

CODES = Codes("compared", "accepted", "rejected")
T = TypeVar("T")
_DIGITS = 9
"""Sums of the same scores in another order are the same."""


class CompareParams(JudgeParams):
    preset: Annotated[str, AfterValidator(make_name_validator("comparative"))] = Field(
        "pair", description="what is asked, and how a reply is read"
    )
    samples: Annotated[int, Field(ge=1, le=64)] | None = Field(
        None, description="replies to each question; default: the preset's. Above 1 give the model a temperature"
    )
    threshold: Annotated[float, Field(ge=0, le=1)] | None = Field(
        None, description="the least score of a correct answer; without it the outcome is `scored`"
    )
    meta_model: Name | None = Field(
        None, description="a reward model that says which replies about a list are valid; the others do not count"
    )
    meta_keep: Annotated[int, Field(ge=1, le=64)] | None = Field(
        None, description="how many replies count with a `meta_model`; default: half of them"
    )

    @model_validator(mode="after")
    def _asked_for_what_is_there(self) -> Self:
        reading = self.comparing.reading
        if self.meta_model is not None and reading != "list":
            raise ValueError(f"a meta_model judges replies about lists; the preset {self.preset!r} asks about pairs")
        if reading == "token" and (self.samples or 1) > 1:
            raise ValueError(f"the preset {self.preset!r} reads probabilities: more samples are the same again")
        return self

    @property
    def comparing(self) -> Comparing:
        return find(self.preset).judgement(Comparing)


class CompareVerifier(JudgeVerifier[CompareParams]):
    name: ClassVar[str] = "compare"
    summary: ClassVar[str] = "A model's preference for the response over others, asked in both orders"
    mechanism: ClassVar[Mechanism] = "comparative"
    Params: ClassVar[type[Params]] = CompareParams
    reads: ClassVar[tuple[str, ...]] = ("baselines",)
    examples: ClassVar[tuple[Example, ...]] = (
        Example(sample=Sample(prompt="Name a prime.", response=":", baselines=["4"]), outcome="invalid"),
        Example(sample=Sample(prompt="Name a prime.", response="It is 7."), outcome="abstained"),
    )

    @cached_property
    def comparing(self) -> Comparing:
        return self.params.comparing

    @property
    def models(self) -> tuple[str, ...]:
        meta = self.params.meta_model
        return (self.params.model,) if meta is None else (self.params.model, meta)

    def triage(self, sample: Sample) -> Verdict | Task:
        """Of several messages the judge sees the policy's text alone, as it sees a baseline's."""
        if self.params.scope is Scope.RESPONSE:
            sample = sample.model_copy(update={"response": sample.response_text})
        return super().triage(sample)

    def slots(self, sample: Sample) -> dict[str, object]:
        texts = contestants(sample, self.params.scope)
        return {**super().slots(sample), **as_pair(*texts[:2]), **as_list(texts, range(len(texts)))}

    async def execute(self, task: Task, models: Models) -> Verdict:
        sample = sample_of(task)
        texts = contestants(sample, self.params.scope)
        sampling = self.sampling(self.comparing.temperature, self.comparing.max_tokens)
        asked_of = (models, self.params.model, self.preset, self.comparing, sampling)
        hearing = Hearing(*asked_of, super().slots(sample))
        if self.comparing.reading == "list":
            return await self._listed(hearing, texts)
        return await self._paired(hearing, texts[0], texts[1:])

    async def _paired(self, hearing: Hearing, own: str, others: Sequence[str]) -> Verdict:
        duels = [
            _at(place, gather_readable([hearing.duel(own, other, number) for number in range(self._samples)]))
            for place, other in enumerate(others)
        ]
        found = dict(await gather_readable(duels))
        by_probability = self.comparing.reading == "token"
        opinions = {
            place: of_orders(
                [(forth.said, back.said) for forth, back in heard],
                probabilities=by_probability,
                copies=own == others[place],
            )
            for place, heard in found.items()
        }
        replies = [[one.reply for duel in found.get(place, ()) for one in duel] for place in range(len(others))]
        heard = [one for duels_of in found.values() for duel in duels_of for one in duel]
        return self._verdict([opinions.get(place) for place in range(len(others))], replies, _spent(heard))

    async def _listed(self, hearing: Hearing, texts: Sequence[str]) -> Verdict:
        drawn = orders(texts, self._samples, self.params.seed)
        heard = await gather_readable([hearing.listing(texts, order, number) for number, order in enumerate(drawn)])
        counted, evidence = await self._believed(hearing.models, heard)
        lists = [one.said.level(texts) for one in counted]
        sums = [sum(given) for given in zip(*(one.given for one in lists), strict=True)]
        evidence |= {"given": [[*one.given] for one in lists], "sums": [*sums], **_spent(heard)}
        return self._verdict(of_lists(lists), [[one.reply for one in heard]], evidence)

    async def _believed(
        self, models: Models, heard: Sequence[Heard[Listed]]
    ) -> tuple[Sequence[Heard[Listed]], dict[str, JsonValue]]:
        """The replies that count: all of them, or those that the meta model finds the most valid."""
        if self.params.meta_model is None:
            return heard, {}
        scores = await validity(models, self.params.meta_model, heard)
        kept = best(scores, self.params.meta_keep or max(1, len(heard) // 2))
        return [heard[place] for place in kept], {"validity": [*scores], "kept": [*kept]}

    @property
    def _samples(self) -> int:
        return self.params.samples or self.comparing.samples

    def _verdict(
        self,
        opinions: Sequence[Opinion | None],
        replies: Sequence[Sequence[Mapping[str, JsonValue]]],
        rest: dict[str, JsonValue],
    ) -> Verdict:
        there = [one for one in opinions if one is not None]
        score = fmean(one.preference for one in there)
        evidence: dict[str, JsonValue] = {
            "preferences": [None if one is None else one.preference for one in opinions],
            "agreed": [None if one is None else one.agreed for one in opinions],
            "flip_rate": fmean(not one.consistent for one in there),
            **self._scores(opinions),
            "replies": [[dict(reply) for reply in of_one] for of_one in replies],
            **rest,
        }
        flipped = "" if all(one.consistent for one in there) else "; inconsistent where the order changed"
        reason = f"it is preferred with {score:.4g} over {len(there)} others{flipped}"
        return conclude(score, self.params.threshold, CODES, reason, evidence)

    def _scores(self, opinions: Sequence[Opinion | None]) -> dict[str, JsonValue]:
        """The scores of the response and of each baseline, where the preset gives some."""
        if not self.comparing.scores:
            return {}
        return {"scores": [None if one is None or one.scores is None else [*one.scores] for one in opinions]}


async def _at(place: int, found: Awaitable[T]) -> tuple[int, T]:
    return place, await found


def _spent(heard: Sequence[Heard[T]]) -> dict[str, JsonValue]:
    usage = total(one.usage for one in heard)
    return {"weights": min(one.weights for one in heard), "usage": usage.evidence}


@dataclass(frozen=True, slots=True)
class Opinion:
    """Of a response against another: ``preference`` in [0, 1]; ``agreed`` is 1 where all replies prefer it, -1 where
    all prefer the other, else 0; ``consistent`` where all replies say the same; ``scores`` are its own and the
    other's."""

    preference: float
    agreed: int
    consistent: bool
    scores: tuple[float, float] | None = None


def of_orders(duels: Sequence[tuple[Said, Said]], *, probabilities: bool, copies: bool = False) -> Opinion:
    """``duels`` are the replies in pairs: with the response shown first, and with it shown second. ``copies``: both
    are the same text, of which one is as good as the other, also where replies are drawn."""
    signs = [one for forth, back in duels for one in (sign(forth.first - 0.5), sign(0.5 - back.first))]
    if probabilities:
        preference = fmean((forth.first + 1 - back.first) / 2 for forth, back in duels)
    else:
        preference = fmean(
            share(one if one == other else 0) for one, other in zip(signs[::2], signs[1::2], strict=True)
        )
    scores = _scores(duels)
    if copies:
        level = None if scores is None else (fmean(scores), fmean(scores))
        return Opinion(0.5, 0, len(set(signs)) == 1, level)
    return Opinion(preference, _agreed(signs), len(set(signs)) == 1, scores)


def _scores(duels: Sequence[tuple[Said, Said]]) -> tuple[float, float] | None:
    own, others = [], []
    for forth, back in duels:
        if forth.scores is None or back.scores is None:
            return None
        own += [forth.scores[0], back.scores[1]]
        others += [forth.scores[1], back.scores[0]]
    return fmean(own), fmean(others)


def of_lists(lists: Sequence[Listed]) -> list[Opinion]:
    """Of the first response against each of the others, by the sums over all replies (arXiv 2504.02495)."""
    worths = [fmean(worth) for worth in zip(*(one.worth for one in lists), strict=True)]
    found = []
    for place in range(1, len(worths)):
        signs = [sign(one.worth[0] - one.worth[place]) for one in lists]
        preference = share(round(worths[0] - worths[place], _DIGITS))
        found.append(Opinion(preference, _agreed(signs), len(set(signs)) == 1, (worths[0], worths[place])))
    return found


def _agreed(signs: Sequence[int]) -> int:
    return signs[0] if len(set(signs)) == 1 else 0


def best(scores: Sequence[float], keep: int) -> list[int]:
    """The positions of the ``keep`` highest, the first of equals first, in order."""
    return sorted(sorted(range(len(scores)), key=lambda place: -scores[place])[:keep])


async def validity(models: Models, model: str, heard: Sequence[Heard[T]]) -> list[float]:
    """What the reward model says of each reply to its prompt. Raises as :meth:`judges.base.Models.ask` does."""
    return list(await asyncio.gather(*(_valid(models, model, one) for one in heard)))


async def _valid(models: Models, model: str, heard: Heard[T]) -> float:
    entry = models.entry(model)
    prompt = [Message(role=turn.role, content=turn.content) for turn in heard.prompt]
    text = conversation(entry, Sample(prompt=prompt, response=heard.text))
    return calibrate(entry.calibration, read(entry, await models.ask(model, question_of(entry, text, entire=True))).raw)
