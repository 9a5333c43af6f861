"""``checklist``: a conversation with tools and several turns, judged by yes-or-no items with weights (CM2).

After each of the policy's steps the model is asked which of the turn's open items are met now; for each it quotes what
the policy and its tools said in the turn (:mod:`judges.checklist.quotation`). An item pays once. A turn that ends
without a required item ends the conversation: later turns earn nothing. Several checklists are judged each by itself;
they end it by majority, and their mean is the score.

Not covered: checklists that a model writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Annotated, ClassVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue

from judges.asking import Material, Sampling, Unreadable, Usage, ask
from judges.asking.gather import gather_readable
from judges.asking.material import turns
from judges.asking.rows import with_rows
from judges.base import Models
from judges.checklist.conversation import Step, messages_of, step_spans, steps_of, turn_spans
from judges.checklist.items import Checklist, checklists_of
from judges.checklist.quotation import shows
from judges.checklist.tally import Tally
from judges.conclusion import Codes, conclude
from judges.judge import JudgeParams, JudgeVerifier, sample_of
from judges.presets import Mechanism, make_name_validator
from trueward.authoring.verifier import Example, Params, Task
from trueward.wire.sample import Message, Sample
from trueward.wire.verdict import Verdict
from verifiers.legible import shorten

CODES = Codes("checked", "above", "below")


class Judgement(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    temperature: Annotated[float, Field(ge=0)] = 0.0
    max_tokens: int = 4096


class ChecklistParams(JudgeParams):
    preset: Annotated[str, AfterValidator(make_name_validator("checklist"))] = Field(
        "checklist", description="what is asked"
    )
    threshold: float | None = Field(
        None, description="the least score of a correct response; without it the outcome is `scored`"
    )
    max_steps: int = Field(64, ge=1, le=1024, description="a response of more steps of the policy is invalid")


class ChecklistVerifier(JudgeVerifier[ChecklistParams]):
    name: ClassVar[str] = "checklist"
    version: ClassVar[str] = "8"
    summary: ClassVar[str] = "A model's verdict on the items of each turn of a conversation, each paid once"
    mechanism: ClassVar[Mechanism] = "checklist"
    Params: ClassVar[type[Params]] = ChecklistParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(sample=Sample(prompt="Book it.", response=" "), outcome="invalid"),
        Example(sample=Sample(prompt="Book it.", response="Done."), outcome="abstained"),
        Example(
            sample=Sample(prompt="Book it.", response="Done.", metadata={"checklist": {"turns": [[]]}}),
            outcome="abstained",
        ),
    )

    @cached_property
    def judgement(self) -> Judgement:
        return self.preset.judgement(Judgement)

    def triage(self, sample: Sample) -> Verdict | Task:
        found = super().triage(sample)
        if isinstance(found, Verdict):
            return found
        checklists_of(sample)
        steps = len(steps_of(messages_of(sample)))
        if steps > self.params.max_steps:
            return Verdict.invalid("too_many_steps", f"{steps} steps; at most {self.params.max_steps} are judged")
        return found

    async def execute(self, task: Task, models: Models) -> Verdict:
        sample = sample_of(task)
        messages = messages_of(sample)
        course = _Course(self, sample, messages, models)
        tallies = [Tally(one) for one in checklists_of(sample)]
        steps = steps_of(messages)
        ended: int | None = None
        for turn in range(min(len(tallies[0].checklist.turns), steps[-1].turn + 1 if steps else 0)):
            await course.judge(turn, [step for step in steps if step.turn == turn], tallies)
            if 2 * sum(tally.lacking for tally in tallies) > len(tallies):
                ended = turn
                break
        of_steps = [fmean(scores) for scores in zip(*(tally.step_scores for tally in tallies), strict=True)]
        of_turns = [fmean(scores) for scores in zip(*(tally.turn_scores for tally in tallies), strict=True)]
        evidence: dict[str, JsonValue] = {
            "step_scores": [*of_steps],
            "step_spans": [[*span] for span in step_spans(sample, steps[: len(of_steps)])],
            "turn_scores": [*of_turns],
            "turn_spans": [[*span] for span in turn_spans(sample, steps, len(of_turns))],
            "ended_after_turn": ended,
            "items": [*course.met],
            "unproved": [*course.unproved],
            "usage": course.usage.evidence,
        }
        score = fmean(tally.score for tally in tallies)
        return conclude(score, self.params.threshold, CODES, f"checklist {score:.4g}", evidence)


@dataclass(frozen=True, slots=True)
class _Met:
    """The items of one checklist that a step meets, with the words that show it; ``unproved`` ones are said to be met,
    with words that show nothing."""

    quotes: Mapping[int, str]
    unproved: Mapping[int, str]
    usage: Usage


class _Course:
    """One conversation on its way: what it took, and which items were met where."""

    def __init__(
        self, verifier: ChecklistVerifier, sample: Sample, messages: Sequence[Message], models: Models
    ) -> None:
        self._verifier = verifier
        self._slots = verifier.slots(sample)
        self._messages = messages
        self._models = models
        self.usage = Usage()
        self.met: list[JsonValue] = []
        self.unproved: list[JsonValue] = []

    async def judge(self, turn: int, steps: Sequence[Step], tallies: Sequence[Tally]) -> None:
        """All steps of a turn, by all checklists."""
        for tally in tallies:
            tally.begin()
        for step in steps:
            asked = [self._asked(tally.checklist, turn, tally.open, step) for tally in tallies]
            for place, (tally, found) in enumerate(zip(tallies, await gather_readable(asked, 0.0), strict=True)):
                self.usage += found.usage
                tally.step(sorted(found.quotes))
                self.met += [_told(place, turn, item, quote) for item, quote in sorted(found.quotes.items())]
                self.unproved += [_told(place, turn, item, quote) for item, quote in sorted(found.unproved.items())]

    async def _asked(self, checklist: Checklist, turn: int, open_items: Sequence[int], step: Step) -> _Met:
        if not open_items:
            return _Met({}, {}, Usage())
        verifier = self._verifier
        said_so_far = self._messages[: step.end]
        items = [checklist.turns[turn][place] for place in open_items]
        listed = "\n".join(
            str(Material(f"ITEM {number}", item.question + (f"\nLook at: {item.focus_on}" if item.focus_on else "")))
            for number, item in enumerate(items, start=1)
        )
        slots = {**self._slots, "conversation": turns(said_so_far), "items": listed, "count": len(items)}

        def in_order(value: Mapping[str, JsonValue]) -> None:
            if [one.get("item") for one in _rows(value)] != list(range(1, len(items) + 1)):
                raise Unreadable(f"its items are not 1 to {len(items)}, each once and in order")

        sampling: Sampling = verifier.sampling(verifier.judgement.temperature, verifier.judgement.max_tokens)
        prompt = verifier.preset.prompt().turns(slots)
        form = with_rows(verifier.preset.form(), "items", "item", range(1, len(items) + 1))
        said = await ask(self._models, verifier.params.model, prompt, form, sampling, in_order)
        claimed = {
            place: str(one["quote"] or "")
            for place, one in zip(open_items, _rows(said.value), strict=True)
            if one["met"] is True
        }
        of_turn = self._messages[step.start : step.end]
        quotes = {
            place: quote for place, quote in claimed.items() if shows(quote, _words(checklist, turn, place), of_turn)
        }
        return _Met(quotes, {place: claimed[place] for place in claimed.keys() - quotes.keys()}, said.usage)


def _rows(value: Mapping[str, JsonValue]) -> list[Mapping[str, JsonValue]]:
    items = value["items"]
    assert isinstance(items, list), "the preset's form says so"
    return [one for one in items if isinstance(one, dict)]


def _words(checklist: Checklist, turn: int, place: int) -> str:
    item = checklist.turns[turn][place]
    return f"{item.question} {item.focus_on}"


def _told(checklist: int, turn: int, item: int, quote: str) -> JsonValue:
    return {"checklist": checklist, "turn": turn, "item": item, "quote": shorten(quote)}
