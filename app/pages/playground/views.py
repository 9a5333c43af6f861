"""What the playground takes and shows."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from app.pages.sample.views import ShownSample
from trueward.errors import Problem
from trueward.wire.base import Wire
from trueward.wire.reward import Reward
from trueward.wire.verdict import Verdict


class PlaygroundForm(Wire):
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


class SampleCalls(Wire):
    """A sample to take along: ``link`` holds the playground's whole form, ``jsonl`` is one line of a file of samples.

    What would be too long is empty, and so is the link where the playground cannot name the recipe.
    """

    link: str = ""
    curl: str = ""
    python: str = ""
    jsonl: str = ""


class Judged(Wire):
    """``verdicts`` by term of a recipe, or the one; ``arithmetic`` tells line by line how its reward came about."""

    verdicts: dict[str, Verdict]
    reward: Reward | None = None
    arithmetic: list[str] = Field([], description="of a recipe")
    told: ShownSample | None = None
    calls: SampleCalls = SampleCalls()


class PlaygroundView(Wire):
    state: PlaygroundForm
    verifiers: list[Choice]
    recipes: list[Choice]
    chosen: Choice | None = Field(description="the entry of what is chosen; null where there is none of that name")
    judged: Judged | None = None
    problem: Problem | None = None
