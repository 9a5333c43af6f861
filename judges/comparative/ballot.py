"""One model asked about responses to one prompt: two in both orders, or several in a drawn order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import JsonValue

from judges.asking import Form, Sampling, Usage, ask
from judges.asking.ask import Check
from judges.asking.ask import Said as Reply
from judges.asking.gather import gather_readable
from judges.asking.rows import with_names
from judges.base import Models
from judges.comparative.contestants import as_list, as_pair
from judges.comparative.reading import Comparing, Listed, Said, list_check, names, of_list, of_pair
from judges.presets import Preset
from judges.questions import Choices, Turn
from judges.reading import probability

T = TypeVar("T")
_LETTERS = ("A", "B")


@dataclass(frozen=True, slots=True)
class Heard(Generic[T]):
    """What a reply says; ``prompt`` and ``text`` are for whoever judges the reply."""

    said: T
    reply: dict[str, JsonValue]
    usage: Usage
    weights: int
    prompt: tuple[Turn, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Hearing:
    """``slots`` are those of the prompt beside the responses."""

    models: Models
    model: str
    preset: Preset
    comparing: Comparing
    sampling: Sampling
    slots: Mapping[str, object]

    async def duel(self, own: str, other: str, number: int) -> tuple[Heard[Said], Heard[Said]]:
        """With the response first, and with it second. Raises :class:`judges.base.Malformed` where one is unread."""
        forth, back = await gather_readable([self._pair(own, other, number), self._pair(other, own, number)], 0.0)
        return forth, back

    async def listing(self, texts: Sequence[str], order: Sequence[int], number: int) -> Heard[Listed]:
        turns = self._turns(as_list(texts, order))
        form = with_names(self.preset.form(), "scores", "best-to-worst", names(len(order)))
        said = await self._ask(turns, number, form, list_check(self.comparing, len(order)))
        listed = of_list(self.comparing, said.value, order)
        return Heard(listed, said.evidence, said.usage, said.weights, turns, said.text)

    async def _pair(self, first: str, second: str, number: int) -> Heard[Said]:
        turns = self._turns(as_pair(first, second))
        if self.comparing.reading == "token":
            answer = await self.models.ask(self.model, Choices(turns, _LETTERS, entire=True))
            chance = probability(answer.rows[0], 0)
            usage = Usage.of(self.models.entry(self.model), answer)
            return Heard(Said(chance), {"first": chance}, usage, answer.weights)
        said = await self._ask(turns, number, self.preset.form())
        return Heard(of_pair(self.comparing, said.value), said.evidence, said.usage, said.weights)

    async def _ask(self, turns: tuple[Turn, ...], number: int, form: Form, check: Check | None = None) -> Reply:
        return await ask(self.models, self.model, turns, form, self.sampling.vary(number), check)

    def _turns(self, responses: Mapping[str, object]) -> tuple[Turn, ...]:
        return self.preset.prompt().turns({**self.slots, **responses})
