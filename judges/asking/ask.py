"""One reply of a model in a form: asked again where it cannot be read, given up after so many times."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from pydantic import JsonValue

from judges.asking.repeated import is_repeated
from judges.asking.reply import Form, Unreadable
from judges.asking.usage import Usage
from judges.base import Malformed, Models
from judges.questions import Generate, Turn
from verifiers.legible import shorten

ATTEMPTS = 3
_AGAIN = (
    "Your last reply to this could not be read: {reason}. Reply again, with nothing but one JSON object of exactly the "
    "form that was asked for."
)
REFUSED = "it was refused"
"""How the reason ends where a server's filter, or the model, declined."""
Check = Callable[[Mapping[str, JsonValue]], None]


@dataclass(frozen=True, slots=True)
class Sampling:
    """``seed`` makes what is sampled the same again; another for each of several replies."""

    temperature: float = 0.0
    max_tokens: int = 1024
    top_p: float = 1.0
    seed: int | None = None
    attempts: int = ATTEMPTS

    def vary(self, place: int) -> Sampling:
        """As the reply at a place is sampled: with a seed of its own, where there is one."""
        return self if self.seed is None else replace(self, seed=self.seed + place)


@dataclass(frozen=True, slots=True)
class Said:
    """A reply that was read; ``weights`` is the version of those that wrote it."""

    value: dict[str, JsonValue]
    text: str
    usage: Usage
    weights: int

    @property
    def evidence(self) -> dict[str, JsonValue]:
        """The reply as evidence repeats it: long texts are cut."""
        return {name: shorten(value) if isinstance(value, str) else value for name, value in self.value.items()}


async def ask(
    models: Models, model: str, prompt: tuple[Turn, ...], form: Form, sampling: Sampling, check: Check | None = None
) -> Said:
    """``check`` raises :class:`judges.asking.reply.Unreadable` for what the form cannot say.

    Raises :class:`judges.base.Malformed` after ``sampling.attempts`` replies that could not be read,
    :class:`judges.base.ModelFailure` or :class:`judges.base.TooLong`.
    """
    entry = models.entry(model)
    usage = Usage()
    reason = ""
    held = form.text
    for attempt in range(sampling.attempts):
        turns = prompt if attempt == 0 else _again(prompt, reason, attempt)
        drawn = (sampling.max_tokens, sampling.temperature)
        question = Generate(turns, *drawn, seed=sampling.seed, top_p=sampling.top_p, form=held)
        answer = await models.ask(model, question)
        try:
            if answer.finish != "stop":
                raise Unreadable("it is not finished" if answer.finish == "length" else REFUSED)
            value = form.read(answer.text)
            if is_repeated(answer.text, prompt, form):
                raise Unreadable("it repeats an object of what is judged and decides nothing itself")
            if check is not None:
                check(value)
        except Unreadable as unreadable:
            usage += Usage.of(entry, answer, malformed=True)
            models.unreadable(model, question, answer)
            reason = str(unreadable)
            if answer.finish == "length":
                held = form.decision  # no text is left that could take all tokens again
            continue
        return Said(value, answer.text, usage + Usage.of(entry, answer), answer.weights)
    raise Malformed(f"{model} did not reply in the form: {reason}", sampling.attempts)


def _again(prompt: tuple[Turn, ...], reason: str, attempt: int) -> tuple[Turn, ...]:
    """The prompt with a word more at its end, so that what begins alike still does; each time another one."""
    last = prompt[-1]
    words = _AGAIN.format(reason=reason) + (f" This is reminder {attempt}." if attempt > 1 else "")
    return (*prompt[:-1], Turn(last.role, f"{last.content}\n\n{words}"))
