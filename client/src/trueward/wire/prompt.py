"""How a run does on its prompts, on the wire."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from trueward.wire.base import Wire

PromptList = Literal["difficulty", "hard", "brittle", "flat"]


class PromptView(Wire):
    """How a run does on one prompt, by its latest groups."""

    prompt: str = Field(description="the group's name; `prompt:` and a hash of the prompt where it had none")
    labelled: bool = Field(description="whether its samples had a reference")
    rates: list[float] = Field(description="success rates of its latest groups, oldest first")
    groups: int = Field(description="groups that were seen in all")
    difficulty: float = Field(description="1 less the mean of `rates`, in [0, 1]")
    lowest: float = Field(description="the least of `rates`")
    streak: int = Field(description="latest groups in a row whose rewards were all the same")


class PromptPage(Wire):
    prompts: list[PromptView]
    next: str | None = Field(description="pass it as `after` for the following page; None on the last")
