"""Hints where a whole group is wrong, so that there is something to learn from.

``ghpo`` (arXiv 2507.10628) samples the group again after a prefix of the solution, longer at each level, until one
response is right; that group takes the place of the first. ``scaffold`` (Scaf-GRPO, arXiv 2510.19807) tries the
prompt's own hints from the least on, and one right response takes the place of one failed one. Where no level helps,
the first group stays. A group with a missing reward is not known to be wrong, and gets no hint.

Rewards are asked for with the prompt as it stands, under group names of their own (``...-hint-<level>``) and with
``split: eval``, so that no online estimate of the service takes hinted responses for what the policy can do.
Evaluation never hints. Not covered: hints that a model writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from pydantic import JsonValue

from trueward.errors import InvalidRequest
from trueward.wire.sample import Message, Sample
from trueward_trainer.config import GhpoHints, ScaffoldHints
from trueward_trainer.groups import Group, GroupRequest, GroupSampler

Plan = GhpoHints | ScaffoldHints


class Hints:
    """Raises :class:`InvalidRequest` at once where the prompts have nothing to hint with."""

    def __init__(self, plan: Plan, prompts: Sequence[Sample], size: int, groups: GroupSampler) -> None:
        ladders = [ladder(plan, prompt) for prompt in prompts]
        if not any(ladders):
            raise InvalidRequest(f"rollout.hints: no prompt has {_hint_field(plan)}: there is nothing to hint with")
        self._plan = plan
        self._tries = plan.tries if isinstance(plan, ScaffoldHints) else size
        self._groups = groups

    def help(self, groups: Sequence[Group], name: str, step: int, generator: torch.Generator) -> list[Group]:
        """The groups, those that are wrong with a hint where one helps; ``name`` is that of their draw."""
        if isinstance(self._plan, ScaffoldHints) and step < self._plan.warmup:
            return list(groups)
        helped = list(groups)
        ladders = {place: ladder(self._plan, one.prompt) for place, one in enumerate(groups) if one.wrong}
        for level in range(1, max(map(len, ladders.values()), default=0) + 1):
            places = [place for place, hints in ladders.items() if len(hints) >= level and not helped[place].level]
            asks = [
                GroupRequest(
                    groups[place].prompt,
                    f"{name}-{place}-hint-{level}",
                    add_hint(groups[place].prompt, ladders[place][level - 1], self._plan.text),
                )
                for place in places
            ]
            drawn = self._groups.draw(asks, self._tries, step, "eval", generator)
            found = [(place, ask, one) for place, ask, one in zip(places, asks, drawn, strict=True) if one.right]
            for (place, _, _), one in zip(found, self._instead(groups, found, step), strict=True):
                helped[place] = replace(one, level=level, before=groups[place].rewards)
        return helped

    def _instead(
        self, groups: Sequence[Group], found: Sequence[tuple[int, GroupRequest, Group]], step: int
    ) -> Sequence[Group]:
        """What takes the places of the groups: those that were sampled, or the first with one response exchanged.

        Such a group is judged anew as a whole: where a recipe compares within groups, rewards of two groups do not mix.
        """
        if isinstance(self._plan, GhpoHints):
            return [one for _, _, one in found]
        asks = [replace(ask, name=f"{ask.name}-mixed") for _, ask, _ in found]
        mixed = [[one.responses[one.right[0]], *groups[place].responses[1:]] for place, _, one in found]
        return self._groups.judge(asks, mixed, step, "eval")


def ladder(plan: Plan, prompt: Sample) -> list[str]:
    """The prompt's hints from the least to the most; none where it has none. Raises :class:`InvalidRequest`."""
    metadata = prompt.metadata or {}
    if isinstance(plan, ScaffoldHints):
        return _texts(metadata.get("hints", []))
    solution = prompt.reference if plan.solution == "reference" else metadata.get("solution")
    if solution is None:
        return []
    if not isinstance(solution, str):
        raise InvalidRequest(f"rollout.hints: {_hint_field(plan)} of a prompt is no text: {str(solution)[:100]}")
    # a short solution has nothing at its least levels
    prefixes = [solution[: int(level * len(solution) + 1e-9)] for level in plan.levels]
    return [prefix for prefix in dict.fromkeys(prefixes) if prefix]


def add_hint(prompt: Sample, hint: str, text: str) -> Sample:
    """The prompt with a hint at its end: that of its last message of the user, where it has messages."""
    added = text.replace("{hint}", hint)
    if not isinstance(prompt.prompt, list):
        return prompt.model_copy(update={"prompt": f"{prompt.prompt or ''}{added}"})
    messages = list(prompt.prompt)
    last = max((place for place, one in enumerate(messages) if one.role == "user"), default=None)
    if last is None:
        messages.append(Message(role="user", content=added.strip()))
    else:
        messages[last] = messages[last].model_copy(update={"content": _longer(messages[last], added)})
    return prompt.model_copy(update={"prompt": messages})


def summarise_hints(groups: Sequence[Group]) -> dict[str, float]:
    """Shares of the groups: those that were ``wrong`` without a hint, those that a hint ``helped``; and its level."""
    levels = [group.level for group in groups if group.level]
    found = {
        "hints/wrong": sum(bool(group.level) or group.wrong for group in groups) / len(groups),
        "hints/helped": len(levels) / len(groups),
    }
    return found | ({"hints/level": sum(levels) / len(levels)} if levels else {})


def _longer(message: Message, added: str) -> str | list[JsonValue]:
    if isinstance(message.content, list):
        return [*message.content, {"type": "text", "text": added}]
    return (message.content or "") + added


def _texts(value: JsonValue) -> list[str]:
    several = value if isinstance(value, list) else [None]
    texts = [one for one in several if isinstance(one, str) and one]
    if len(texts) < len(several):
        raise InvalidRequest(f"rollout.hints: metadata.hints of a prompt is no list of texts: {str(value)[:100]}")
    return texts


def _hint_field(plan: Plan) -> str:
    if isinstance(plan, ScaffoldHints):
        return "metadata.hints"
    return "reference" if plan.solution == "reference" else "metadata.solution"
