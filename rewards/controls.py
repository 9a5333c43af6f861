"""Controls: rewards that know nothing, to show what a training run gains by itself.

``random`` (right with probability p), ``constant``, and ``flip`` (another verifier's verdict turned round with
probability p, for whole groups or single samples). Drawn from the sample's content, and a flip from the group's name
and the training step too, so a replay draws the same and another step draws anew. A recipe must be labelled
``control: true`` to use them. The fourth control, length, is the verifier ``length``.

Flipping whole groups, and leaving what could not be parsed at 0, follows arXiv 2505.22653.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field, JsonValue

from rewards.conditions import NOTHING_KNOWN, Conditions
from rewards.schema import Share, Strict
from rewards.seed import content_of, draw
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict


class Random(Strict):
    kind: Literal["random"] = "random"
    p: Share = 0.5


class Constant(Strict):
    kind: Literal["constant"] = "constant"
    value: float = 1.0


class Inner(Strict):
    verifier: str
    params: Mapping[str, JsonValue] = {}


class Flip(Strict):
    """``unit``: ``group`` flips all responses of a group together, ``sample`` each for itself.

    Version 1 drew from the prompt alone, so that a prompt that was flipped once was flipped for ever: noise that a
    policy can learn by heart.
    """

    kind: Literal["flip"] = "flip"
    inner: Inner
    p: Share = 0.5
    unit: Literal["group", "sample"] = "group"
    version: ClassVar[int] = 2


Control = Annotated[Random | Constant | Flip, Field(discriminator="kind")]
KINDS = ("random", "constant", "flip")


def draw_verdict(control: Random | Constant, sample: Sample) -> Verdict:
    """The verdict of a control that looks at nothing."""
    if isinstance(control, Constant):
        return Verdict.scored(control.value, "constant", "a control that pays everybody the same")
    if draw("random", content_of(sample)) < control.p:
        return Verdict.correct("random", f"a control that accepts with probability {control.p:g}")
    return Verdict.incorrect("random", f"a control that accepts with probability {control.p:g}")


def flip_verdict(control: Flip, sample: Sample, verdict: Verdict, conditions: Conditions = NOTHING_KNOWN) -> Verdict:
    """The inner verdict, turned round where chance says so; invalid and missing ones stay."""
    if verdict.score is None or verdict.outcome is Outcome.INVALID:
        return verdict
    content = sample.prompt_text if control.unit == "group" else content_of(sample)
    if conditions.version(control.kind, control.version) >= 2:
        content = json.dumps([conditions.step, sample.group, content])
    if draw(f"flip:{control.unit}", content) >= control.p:
        return verdict
    turned = {Outcome.CORRECT: Outcome.INCORRECT, Outcome.INCORRECT: Outcome.CORRECT}
    outcome = turned.get(verdict.outcome, verdict.outcome)
    return verdict.model_copy(update={"outcome": outcome, "score": 1 - verdict.score, "reason_code": "flipped"})
