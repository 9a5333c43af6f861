"""What the playground takes and shows."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from trueward.errors import Problem
from trueward.types import Reward, Verdict, Wire


class State(Wire):
    """The form, which is also what a link to share holds. ``with`` is ``verifier:<name>`` or ``recipe:<name>``."""

    judge: str = Field("verifier:math", max_length=400)
    prompt: str = ""
    response: str = ""
    reference: str = ""
    reference_is: Literal["text", "json"] = "text"
    params: str = Field("", description="a JSON object; of verifiers")
    more: str = Field("", description="further fields of the sample, a JSON object")


class Choice(Wire):
    """A verifier or a recipe; ``needs`` are fields of the sample, ``examples`` how many it brings."""

    name: str
    summary: str
    needs: list[str] = Field([], description="fields of a sample")
    examples: int = 0


class Judged(Wire):
    """``verdicts`` by term of a recipe, or the one; ``arithmetic`` is how a recipe's reward came about, line by line.

    ``link`` holds the whole form; empty where that would be too long, and so are ``curl`` and ``python``.
    """

    verdicts: dict[str, Verdict]
    reward: Reward | None = None
    arithmetic: list[str] = Field([], description="of a recipe")
    link: str = ""
    curl: str = ""
    python: str = ""


class PlaygroundView(Wire):
    state: State
    verifiers: list[Choice]
    recipes: list[Choice]
    chosen: Choice | None = Field(description="the entry of what is chosen; null where there is none of that name")
    judged: Judged | None = None
    problem: Problem | None = None
