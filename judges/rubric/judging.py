"""One sample being judged by a rubric: what the model is asked, and what its replies come to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from judges.asking import Said, Sampling, Usage, ask
from judges.asking.gather import gather_readable
from judges.asking.rows import with_rows
from judges.asking.usage import total
from judges.base import Malformed, Models
from judges.presets import Preset
from judges.rubric.aggregate import can_spare, worst
from judges.rubric.marks import Mark, ReplyMarks, item, items, merge_replies, rating, with_not_applicable
from judges.rubric.missing import is_broken_by_response
from judges.rubric.source import describe_criterion, describe_rubric
from trueward.rubrics import Criterion, Rubric

OnParseError = Literal["renormalise", "zero"]
Slots = Mapping[str, object]
_WHOLE = "whole"


class Judgement(BaseModel):
    """``ask``: about ``each`` criterion, about ``all`` in one reply, or for one score in ``range`` of the ``whole``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    ask: Literal["each", "all", "whole"]
    range: tuple[float, float] = (1, 10)
    temperature: Annotated[float, Field(ge=0)] = 0.0
    max_tokens: int = 1024


@dataclass(slots=True)
class Findings:
    """``left_out`` criteria have no mark, ``unreadable`` ones their worst score; ``not_applicable`` ones have no mark,
    for the judge says that they do not apply."""

    marks: dict[str, Mark] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    weights: int = 0
    left_out: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    not_applicable: list[str] = field(default_factory=list)

    def add(self, replies: list[Said], said: Sequence[ReplyMarks]) -> None:
        marks = merge_replies(said)
        self.marks.update(marks)
        self.not_applicable += [name for name in said[0] if name not in marks]
        self.usage += total(one.usage for one in replies)
        self.weights = replies[0].weights

    @property
    def whole(self) -> Mark:
        """Where the rubric was judged as a whole."""
        return self.marks[_WHOLE]


@dataclass(frozen=True, slots=True)
class Judging:
    """``slots`` fills the prompt but for its criteria, for a response in the sample's place where one is given.

    ``samples`` replies vote.
    """

    models: Models
    model: str
    preset: Preset
    judgement: Judgement
    sampling: Sampling
    samples: int
    on_parse_error: OnParseError
    rubric: Rubric
    slots: Callable[[str | None], Slots]

    async def judge(self) -> Findings:
        """Raises :class:`judges.base.Malformed` and whatever else asking raises."""
        match self.judgement.ask:
            case "each":
                return await self._each()
            case "all":
                listed = self.rubric.criteria
                return await self._together(lambda value: items(value, listed, self._top), listed)
            case "whole":
                return await self._together(lambda value: {_WHOLE: rating(value, *self.judgement.range)}, ())

    @property
    def _top(self) -> int:
        return 1 if self.rubric.scores == "binary" else 2

    async def _each(self) -> Findings:
        slots = self.slots(None)
        replies = await asyncio.gather(
            *(self._about(one, slots) for one in self.rubric.criteria), return_exceptions=True
        )
        found, lost = Findings(), dict[str, Malformed]()
        for criterion, reply in zip(self.rubric.criteria, replies, strict=True):
            if isinstance(reply, Malformed):
                lost[criterion.id] = reply
                found.usage += Usage(calls=reply.asked, malformed=reply.asked)
            elif isinstance(reply, BaseException):
                raise reply
            else:
                found.add(reply, [{criterion.id: item(said.value, criterion, self._top)} for said in reply])
        if lost:
            await self._without(lost, found)
        return found

    async def _together(
        self, read: Callable[[Mapping[str, JsonValue]], ReplyMarks], listed: Sequence[Criterion]
    ) -> Findings:
        replies = await self._replies({**self.slots(None), **describe_rubric(self.rubric)}, read, listed)
        found = Findings()
        found.add(replies, [read(said.value) for said in replies])
        return found

    async def _about(self, criterion: Criterion, slots: Slots) -> list[Said]:
        filled = {**slots, **describe_criterion(self.rubric, criterion)}
        return await self._replies(filled, lambda value: item(value, criterion, self._top), [criterion])

    async def _replies(
        self, slots: Slots, read: Callable[[Mapping[str, JsonValue]], object], asked: Sequence[Criterion]
    ) -> list[Said]:
        """As many as vote on the criteria that are ``asked``, each of which can be ``read``."""

        def check(value: Mapping[str, JsonValue]) -> None:
            read(value)

        turns, form = self.preset.prompt().turns(slots), self.preset.form()
        if any(one.may_not_apply for one in asked):
            form = with_not_applicable(form, self._top)
        form = with_rows(form, "criteria", "id", [one.id for one in asked])
        first = self.sampling.seed
        seeds = [None if first is None else first + place for place in range(self.samples)]
        drawn = [replace(self.sampling, seed=seed) for seed in seeds]
        return await gather_readable([ask(self.models, self.model, turns, form, one, check) for one in drawn])

    async def _without(self, lost: Mapping[str, Malformed], found: Findings) -> None:
        """What becomes of criteria without a readable reply. Raises the first of them where that is too much."""
        applying = self.rubric.without(found.not_applicable)
        too_much = self.on_parse_error == "renormalise" and not can_spare(applying, lost)
        if too_much or not found.marks:
            raise next(iter(lost.values()))
        for criterion in self.rubric.criteria:
            if criterion.id not in lost:
                continue
            if await self._counts(criterion, lost[criterion.id]):
                found.unreadable.append(criterion.id)
                found.marks[criterion.id] = Mark(worst(criterion), "")
            else:
                found.left_out.append(criterion.id)

    async def _counts(self, criterion: Criterion, malformed: Malformed) -> bool:
        async def of_another(response: str) -> list[Said]:
            return await self._about(criterion, self.slots(response))

        return self.on_parse_error == "zero" or await is_broken_by_response(malformed, of_another)
