"""What all judges have in common: a preset, a model, and what is turned away before the model is asked.

Not covered here: what a reply means, which is each mechanism's own.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Annotated, ClassVar, Generic, Literal

from pydantic import Field
from typing_extensions import TypeVar

from judges.asking import Sampling
from judges.asking.fence import Material
from judges.asking.material import metadata_texts, metadata_value, question, references, response, text_of
from judges.base import ModelVerifier
from judges.hardening.canonical import explain_emptiness, has_content, no_answer
from judges.presets import Mechanism, Preset, find
from trueward.authoring.verifier import Params, Task
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from trueward.wire.verifier import Scale
from verifiers.extract import NoAnswer
from verifiers.scope import Scope, extract_scope

MAX_TOKENS = 1024
"""Of a reply, where neither the parameters nor the preset say it."""

Name = Annotated[str, Field(min_length=1, max_length=128)]


class JudgeParams(Params):
    """Every mechanism names its presets: a field ``preset`` with :func:`judges.presets.known`."""

    model: Name = Field("judge", description="the name of the model that judges")
    preset: str
    scope: Scope = Field(
        Scope.RESPONSE,
        description="what the judge is shown of the response: all of it, or the `answer` after the thinking, the "
        "`thinking`, or the `final` answer alone",
    )
    principle: str | None = Field(
        None, min_length=1, max_length=20_000, description="the principle to judge by; default: metadata.principle"
    )
    temperature: Annotated[float, Field(ge=0, le=2)] | None = Field(None, description="default: the preset's")
    max_tokens: Annotated[int, Field(ge=1, le=100_000)] | None = Field(
        None, description="most tokens of a reply; default: the preset's"
    )
    seed: int | None = Field(None, description="what is sampled is the same again where the model's server honours it")
    attempts: int = Field(3, ge=1, le=10, description="how often a model is asked whose replies cannot be read")
    nothing_said: Literal["auto", "on", "off"] = Field(
        "auto",
        description="whether a response that says nothing is turned away unasked; `auto`: an opener alone only where a "
        "reference or options say something, or the preset says that an answer has content",
    )


P = TypeVar("P", bound=JudgeParams, default=JudgeParams)


class JudgeVerifier(ModelVerifier[P], Generic[P]):
    """Write ``execute``. What a judge says is never kept by sample: equal questions are shared by the model lane, and
    only where their answers are the same again (no temperature, or a seed).

    The producer's version ends with the preset's name, version and hash.
    """

    scale: ClassVar[Scale] = "graded"
    deterministic: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ("response",)
    mechanism: ClassVar[Mechanism]

    def __init__(self, params: P | None = None) -> None:
        super().__init__(params)
        self.producer = self.producer.model_copy(update={"version": f"{self.version}-{self.preset.stamp}"})

    @cached_property
    def preset(self) -> Preset:
        return find(self.params.preset)

    @property
    def models(self) -> tuple[str, ...]:
        return (self.params.model,)

    @property
    def most_written(self) -> int:
        said = self.preset.head.judgement
        if said.get("reading") == "token":
            return 1
        of_preset = said.get("max_tokens")
        return self.params.max_tokens or (of_preset if isinstance(of_preset, int) else MAX_TOKENS)

    def sampling(self, temperature: float, max_tokens: int) -> Sampling:
        """The preset's numbers where the parameters have none."""
        own = self.params
        return Sampling(
            temperature=temperature if own.temperature is None else own.temperature,
            max_tokens=own.max_tokens or max_tokens,
            seed=own.seed,
            attempts=own.attempts,
        )

    def triage(self, sample: Sample) -> Verdict | Task:
        """A response that says nothing where something was to be said costs no call: see
        :mod:`judges.hardening.canonical`."""
        found = super().triage(sample)
        if isinstance(found, Verdict):
            return found
        part = extract_scope(sample, self.params.scope)
        if isinstance(part, NoAnswer):
            return Verdict.invalid(part.reason_code, part.reason)
        answers = _answers(sample)
        one_text = isinstance(sample.response, str) or self.params.scope is not Scope.RESPONSE
        reason = self._nothing_said(part.text, answers, sample.prompt_text) if one_text else ""
        if reason:
            return Verdict.invalid("nothing_said", reason)
        self.slots(sample)
        return found

    def _nothing_said(self, text: str, answers: Sequence[str], task: str) -> str:
        switch = self.params.nothing_said
        if switch == "off":
            return ""
        if switch == "on" or self.preset.head.content or has_content(answers):
            return explain_emptiness(text, answers, task)
        return no_answer(text, answers, task)

    def slots(self, sample: Sample) -> dict[str, object]:
        """What the prompt's slots are filled with. Raises :class:`trueward.Abstain` where one lacks."""
        needs = self.preset.head.needs
        slots: dict[str, object] = {"response": response(sample, self.params.scope), "question": question(sample)}
        if "reference" in needs:
            slots["reference"] = references(sample)
        if "principle" in needs:
            own = self.params.principle
            texts = metadata_texts(sample, "principle") if own is None else [own]
            slots["principle"] = "\n".join(str(Material("PRINCIPLE", one)) for one in texts)
        if "documents" in needs:
            texts = metadata_texts(sample, "documents")
            slots["documents"] = "\n".join(str(Material("DOCUMENT", one)) for one in texts)
        if names := self.preset.head.metadata:
            slots["metadata"] = {name: metadata_value(sample, name) for name in names}
        return slots


def _answers(sample: Sample) -> list[str]:
    """Texts that would be an answer: references, and the options of the question."""
    choices = (sample.metadata or {}).get("choices")
    options = list(choices.values()) if isinstance(choices, dict) else choices if isinstance(choices, list) else []
    return [text_of(one) for one in (*sample.references, *options)]


def sample_of(task: Task) -> Sample:
    """The sample that ``triage`` made a task of."""
    assert isinstance(task, str)
    return Sample.model_validate(json.loads(task))
