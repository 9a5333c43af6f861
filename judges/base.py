"""The contract between a judge and the model that it asks. There is no backend yet.

A judge is a verifier (:class:`trueward.Verifier`) in the lane ``model`` or ``remote``. A reply that stays
malformed for one response while the model answers others is that response's doing (``invalid:
unjudgeable``); :class:`ModelFailure` is ours and gives a null score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from trueward.types import Message


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer of a model, with the tokens that it cost."""

    text: str
    prompt_tokens: int
    completion_tokens: int
    truncated: bool = False


class ModelFailure(Exception):
    """The model could not be asked, or gave no answer: nothing is known of the response."""


@runtime_checkable
class ChatModel(Protocol):
    """A model that answers conversations: as many replies as conversations, in order."""

    name: str

    async def reply(self, conversations: Sequence[Sequence[Message]], *, deadline_s: float) -> list[Reply]: ...
