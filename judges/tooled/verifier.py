"""``tooled``: a judge that may run code and compare mathematics before it says what it thinks (arXiv 2310.01045).

It replies with a call, is shown what came of it, and so on, until it replies in the preset's form or has no calls left.
Every call stands in the evidence, in order. What the model is asked is the whole conversation so far, so that servers
which keep prefixes read each turn once.

Not covered: several traces that vote (a ``panel`` of the same judge with other seeds), tools of one's own.
"""

from __future__ import annotations

import json
from functools import cached_property
from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field, JsonValue

from judges.asking import Said, Usage, ask
from judges.base import Models
from judges.conclusion import JUDGED, conclude
from judges.judge import JudgeParams, JudgeVerifier, sample_of
from judges.pointwise import Judgement
from judges.presets import Mechanism, make_name_validator
from judges.questions import Turn
from judges.tooled.action import Tool, arguments, check, form, rules
from judges.tooled.bench import Bench, Observation
from trueward.authoring.verifier import Example, Params, Task
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict


class TooledParams(JudgeParams):
    preset: Annotated[str, AfterValidator(make_name_validator("tooled"))] = Field(
        "tool_correctness", description="what is asked, and what is made of the last reply"
    )
    tools: tuple[Tool, ...] = Field(
        ("python", "math"), min_length=1, description="what the judge may call: `python`, `math`, or both"
    )
    max_calls: int = Field(4, ge=1, le=32, description="calls of tools; then the judge has to conclude")
    seconds: float = Field(
        10.0, gt=0, le=300, description="wall-clock seconds that all programs of one verdict may run, together"
    )
    threshold: float | None = Field(
        None, description="the least score of a correct answer; default: the preset's, and `scored` without one"
    )


class TooledVerifier(JudgeVerifier[TooledParams]):
    name: ClassVar[str] = "tooled"
    summary: ClassVar[str] = "A model's judgement of one response, with Python and mathematics to check it by"
    mechanism: ClassVar[Mechanism] = "tooled"
    Params: ClassVar[type[Params]] = TooledParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(sample=Sample(prompt="2 + 2?", response=":", reference="4"), outcome="invalid"),
        Example(sample=Sample(prompt="2 + 2?", response="It is 4."), outcome="abstained"),
    )

    @cached_property
    def judgement(self) -> Judgement:
        return self.preset.judgement(Judgement)

    def slots(self, sample: Sample) -> dict[str, object]:
        return {**super().slots(sample), "tools": rules(self.params.tools, self.params.max_calls)}

    async def execute(self, task: Task, models: Models) -> Verdict:
        bench = Bench(models, self.params.seconds)
        said, usage = await self._conversed(self.preset.prompt().turns(self.slots(sample_of(task))), models, bench)
        threshold = self.judgement.threshold if self.params.threshold is None else self.params.threshold
        evidence: dict[str, JsonValue] = {
            "reply": said.evidence,
            "trace": [*bench.trace],
            "weights": said.weights,
            "usage": {**usage.evidence, "tool_calls": len(bench.trace), "tool_s": bench.spent_s},
        }
        score = self.judgement.score(said.value)
        return conclude(score, threshold, JUDGED, f"the judge gives {score:.4g}", evidence)

    async def _conversed(self, turns: tuple[Turn, ...], models: Models, bench: Bench) -> tuple[Said, Usage]:
        """The reply that concludes, and what all took."""
        sampling = self.sampling(self.judgement.temperature, self.judgement.max_tokens)
        reply = self.preset.form()
        until = form(self.params.tools, reply)
        usage = Usage()
        for left in range(self.params.max_calls, -1, -1):
            said = await ask(models, self.params.model, turns, until if left else reply, sampling, check)
            usage += said.usage
            called = arguments(said.value)
            if called is None:
                break
            found = await bench.use(*called, thought=str(said.value["thought"]))
            turns = (*turns, Turn("assistant", json.dumps(said.value)), Turn("user", _shown(found, left - 1)))
        return said, usage


def _shown(found: Observation, left: int) -> str:
    if not left:
        return f"{found}\n\nNo calls are left. Reply with your verdict, in the form that was asked for."
    return f"{found}\n\nCalls left: {left}. Call again, or reply with your verdict."
