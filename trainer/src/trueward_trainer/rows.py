"""Responses with their rewards, as the rows of an update's tensors.

A row is a prompt, without its hint, and the tokens of a response; for VeriFree the reasoning and the reference in the
place of the answer. Rewards of steps and tokens stand on the tokens that were sampled. A row that cannot be made so
learns nothing, and is counted: whatever the response says, it ends no training.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import torch
from torch import Tensor
from transformers import PreTrainedTokenizerBase

from trueward.errors import InvalidRequest
from trueward.trainers.alignment import Place
from trueward.wire.reward import Reward
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome
from trueward_trainer.credit import NO_CREDIT, PARTS, Credit, Parts, credit, gives, must_give, no_parts
from trueward_trainer.experience import Experience
from trueward_trainer.offsets import offsets_of
from trueward_trainer.rollout import Response
from trueward_trainer.splice import answer_place, splice_reference

Lack = Literal["", "unplaced", "unmarked", "unspliced"]
"""Why a row is not whole: its text is not that of its tokens; it has no marker; the reference does not fit."""


@dataclass(frozen=True, slots=True)
class Row:
    """One response; lists have one entry a token. ``logprobs`` are NaN where no sampler told any."""

    prompt: list[int]
    hinted: list[int] | None
    tokens: list[int]
    logprobs: list[float]
    learns: list[float]
    rewards: list[float] = field(default_factory=list)
    ends: list[float] = field(default_factory=list)
    separators: list[float] = field(default_factory=list)
    answer: list[float] = field(default_factory=list)
    lack: Lack = ""


@dataclass(frozen=True, slots=True)
class Hinted:
    """The rows ``rows`` of an update as they were sampled, after a hint; the same tokens learn."""

    rows: Tensor
    ids: Tensor
    mask: Tensor


@dataclass(frozen=True, slots=True)
class Rows:
    """``[B, T]`` each, padded on the right; those that the method does not read are None. ``lacks`` are counts."""

    ids: Tensor
    mask: Tensor
    sampled: Tensor
    token_rewards: Tensor | None
    step_ends: Tensor | None
    separators: Tensor | None
    answer_mask: Tensor | None
    hinted: Hinted | None
    lacks: dict[str, int]


class RowMaker:
    """Makes the rows for one kind of advantages. ``marker``: what stands before an answer, for VeriFree; ``place``:
    where step rewards stand for advantages that take them beside the reward."""

    def __init__(
        self,
        advantages: str,
        tokenizer: PreTrainedTokenizerBase,
        marker: str | None = None,
        place: Place | None = None,
    ) -> None:
        self._name = advantages
        self._parts = PARTS.get(advantages) if place is None else Parts("steps", place, "steps", beside=True)
        self._splices = advantages == "verifree"
        self._tokenizer = tokenizer
        self._marker = marker or ""
        self._had_parts = False

    def make(self, seen: Experience, device: torch.device) -> Rows:
        """Raises :class:`InvalidRequest` where the recipe does not give what the method needs."""
        self._check(seen.rewards)
        prompts = [group.prompt for group in seen.groups for _ in group.responses]
        rows = [self._row(*one) for one in zip(prompts, seen.responses, seen.rewards, strict=True)]
        return self._padded(rows, device)

    def _check(self, rewards: Sequence[Reward]) -> None:
        if self._parts is None or self._had_parts:
            return
        self._had_parts = any(gives(reward, self._parts.kind) for reward in rewards)
        if not self._had_parts and any(must_give(reward) for reward in rewards):
            raise no_parts(self._name, self._parts)

    def _row(self, prompt: Sample, response: Response, reward: Reward) -> Row:
        if not response.known:
            return plain(response, learns=0.0)
        if self._parts is not None and reward.reward is not None:
            return self._credited(response, reward, self._parts)
        if self._splices and reward.reward is not None and reward.outcome is not Outcome.INVALID:
            return self._spliced(response, reference_of(prompt))
        return plain(response)

    def _credited(self, response: Response, reward: Reward, parts: Parts) -> Row:
        offsets = offsets_of(response.tokens, response.text, self._tokenizer)
        if offsets is None:
            return plain(response, learns=0.0, lack="unplaced")
        return plain(response, credit=credit(reward, parts, offsets))

    def _spliced(self, response: Response, reference: str) -> Row:
        place = answer_place(response.text, self._marker)
        if place is None:
            return plain(response, lack="unmarked")
        made = splice_reference(response.tokens, response.text, place, reference, self._tokenizer)
        if made is None:
            return plain(response, learns=0.0, lack="unspliced")
        sampled = zip(made.reasoning, response.logprobs, strict=False)
        logprobs = [said if reasoning else math.nan for reasoning, said in sampled]
        return Row(
            prompt=response.prompt_ids,
            hinted=response.hinted_ids,
            tokens=made.tokens,
            logprobs=[*logprobs, *[math.nan] * (len(made.tokens) - len(logprobs))],
            learns=[max(pair) for pair in zip(made.reasoning, made.answer, strict=True)],
            answer=made.answer,
        )

    def _padded(self, rows: Sequence[Row], device: torch.device) -> Rows:
        starts, width = [len(row.prompt) for row in rows], max(len(row.prompt) + len(row.tokens) for row in rows)

        def tensor(values: Sequence[Sequence[float]]) -> Tensor:
            return _placed(values, starts, width, device)

        credited = self._parts is not None
        return Rows(
            ids=_ids([[*row.prompt, *row.tokens] for row in rows], width, device),
            mask=tensor([row.learns for row in rows]),
            sampled=tensor([row.logprobs for row in rows]),
            token_rewards=tensor([row.rewards for row in rows]) if credited else None,
            step_ends=tensor([row.ends for row in rows]) if credited else None,
            separators=tensor([row.separators for row in rows]) if credited else None,
            answer_mask=tensor([row.answer for row in rows]) if self._splices else None,
            hinted=_hinted(rows, device),
            lacks=self._lacks(rows),
        )

    def _lacks(self, rows: Sequence[Row]) -> dict[str, int]:
        names = ("unplaced",) if self._parts else ("unmarked", "unspliced") if self._splices else ()
        return {name: sum(row.lack == name for row in rows) for name in names}


def reference_of(prompt: Sample) -> str:
    """The one reference of a prompt, as text. Raises :class:`InvalidRequest` for none, several, and what is no text."""
    found = prompt.references
    one = found[0] if len(found) == 1 else None
    if isinstance(one, str) and one.strip():
        return one
    if isinstance(one, int | float) and not isinstance(one, bool):
        return str(one)
    raise InvalidRequest(
        f"verifree puts the reference into the response, so each prompt needs one, a text or a number: this one has "
        f"{prompt.reference!r:.100}: {prompt.prompt_text:.100}"
    )


def plain(
    response: Response,
    *,
    learns: float = 1.0,
    credit: Credit = NO_CREDIT,
    lack: Lack = "",
) -> Row:
    """The tokens as they were sampled."""
    return Row(
        response.prompt_ids,
        response.hinted_ids,
        response.tokens,
        response.logprobs,
        [learns] * len(response.tokens),
        *credit,
        lack=lack,
    )


def _hinted(rows: Sequence[Row], device: torch.device) -> Hinted | None:
    places = [place for place, row in enumerate(rows) if row.hinted is not None]
    if not places:
        return None
    chosen = [(rows[place].hinted or [], rows[place]) for place in places]
    starts, width = [len(hinted) for hinted, _ in chosen], max(len(hinted) + len(row.tokens) for hinted, row in chosen)
    return Hinted(
        rows=torch.tensor(places, device=device),
        ids=_ids([[*hinted, *row.tokens] for hinted, row in chosen], width, device),
        mask=_placed([row.learns for _, row in chosen], starts, width, device),
    )


def _ids(rows: Sequence[Sequence[int]], width: int, device: torch.device) -> Tensor:
    return torch.tensor([[*row, *[0] * (width - len(row))] for row in rows], device=device)


def _placed(values: Sequence[Sequence[float]], starts: Sequence[int], width: int, device: torch.device) -> Tensor:
    """Each row's numbers from its start on, else 0."""
    made = torch.zeros(len(values), width)
    for row, (start, said) in enumerate(zip(starts, values, strict=True)):
        made[row, start : start + len(said)] = torch.tensor(said)
    return made.to(device)
